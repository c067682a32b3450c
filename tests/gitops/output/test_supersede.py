"""`onSupersede`: a superseded run trains on, or is suspended, which frees its devices."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.gitops.output.test_runs import EXPERIMENT, build, edit, folder, names, runs, snapshot
from tests.program import Answer, tjgen

__all__ = ["folder"]


def stop(folder: Path) -> None:
    edit(folder, "output:", "history: {onSupersede: stop}\n  output:", "tjgen.yaml")


def suspended(folder: Path) -> dict[str, Any]:
    """Name of each TrainJob -> `suspend`."""
    found = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in (folder / "out").rglob("trainjob-*.yaml")]
    return {tree["metadata"]["name"]: tree["spec"].get("suspend", False) for tree in found}


def test_by_default_a_superseded_run_is_not_touched(folder: Path) -> None:
    (old,) = names(folder, "current")
    before = {path: body for path, body in snapshot(folder).items() if path.startswith("out/runs")}
    edit(folder, "train:1", "train:2")
    build(folder)
    assert {path: snapshot(folder)[path] for path in before} == before
    assert suspended(folder)[old] is False


def test_stop_suspends_what_is_superseded_and_nothing_else(folder: Path) -> None:
    stop(folder)
    build(folder)
    for version in range(2, 5):
        edit(folder, f"train:{version - 1}", f"train:{version}")
        assert build(folder).code == 0
        (current,) = names(folder, "current")
        assert {name for name, found in suspended(folder).items() if not found} == {current}
        checked = tjgen(folder, "build", "--check", "--strict")
        assert checked.code == 0, checked.err
    before = snapshot(folder)
    assert build(folder).code == 0
    assert snapshot(folder) == before


def test_a_stopped_run_that_is_requested_again_goes_on(folder: Path) -> None:
    fresh = snapshot(folder)
    stop(folder)
    edit(folder, "train:1", "train:2")
    build(folder)
    edit(folder, "train:2", "train:1")
    answer = build(folder)
    assert answer.code == 0, answer.err
    changed = {path for path in fresh if snapshot(folder)[path] != fresh[path]}
    (job,) = [path for path in changed if "/trainjob-" in path]
    assert len(changed) == 2, "the TrainJob and its lock"
    old, new = (yaml.safe_load(content) for content in (fresh[job], snapshot(folder)[job]))
    assert new == {**old, "spec": {**old["spec"], "suspend": False}}
    assert sorted(suspended(folder).values()) == [False, True]
    assert tjgen(folder, "build", "--check").code == 0


def test_a_stopped_run_can_be_archived_and_pruned(folder: Path) -> None:
    stop(folder)
    edit(folder, "train:1", "train:2")
    build(folder)
    (old,) = names(folder, "superseded")
    assert runs(folder, "archive", old).code == 0
    assert build(folder).code == 0
    assert runs(folder, "prune", "--archived").err.startswith("runs: 1 removed\nremoved: ")
    assert build(folder, "--check").code == 0


PLATFORM = """\
apiVersion: tjgen.dev/v1alpha1
kind: Platform
metadata: {name: lab}
spec:
  quotas: {vision: {requests.nvidia.com/gpu: 16}}
  queues: {team: {capability: {nvidia.com/gpu: 16}}}
"""


def five_edits(folder: Path, *, policy: str = "keep", fields: str = "") -> Answer:
    """An experiment with 8 GPUs, edited until it has five runs; the last answer."""
    edit(folder, "output:", f"platforms: [platform.yaml]\n  history: {{onSupersede: {policy}}}\n  output:", "tjgen.yaml")
    (folder / "platform.yaml").write_text(PLATFORM, encoding="utf-8")
    edit(folder, "spec:\n", f"spec:\n  resources: {{nvidia.com/gpu: 8}}\n{fields}")
    shutil.rmtree(folder / "out")
    shutil.rmtree(folder / "tjgen.lock.d")
    shutil.rmtree(folder / "overlays")
    edit(folder, "  overlays: [overlays]\n", "", "tjgen.yaml")
    for version in range(1, 6):
        edit(folder, f"train:{max(version - 1, 1)}", f"train:{version}")
        answer = build(folder)
        assert answer.code == 0, answer.err
    return answer


def totals(folder: Path) -> list[list[str]]:
    """The lines of the summary that add up runs: state and GPUs."""
    answer = tjgen(folder, "build", "--summary")
    assert answer.code == 0, answer.err
    head, *rows = [line.split() for line in answer.out.splitlines()]
    devices = head.index("nvidia.com/gpu") - len(head)
    return [[row[1], row[devices]] for row in rows if row[0] == "TOTAL"]


def test_the_summary_counts_what_still_requests_devices(folder: Path) -> None:
    five_edits(folder)
    assert totals(folder) == [["current", "8"], ["superseded", "32"], ["all", "40"]]
    (folder / "experiments/digits.yaml").unlink()
    (folder / "experiments/other.yaml").write_text(EXPERIMENT.replace("digits", "other"), encoding="utf-8")
    build(folder)
    assert totals(folder) == [["current", "-"], ["orphaned", "40"], ["all", "40"]]


def test_the_summary_before_a_build_is_that_after_it(folder: Path) -> None:
    five_edits(folder)
    edit(folder, "train:5", "train:6")
    before = tjgen(folder, "build", "--summary").out
    assert before == tjgen(folder, "build", "-o", "out", "--summary").out
    assert build(folder).code == 0
    assert tjgen(folder, "build", "--summary").out == before


def test_stopped_and_archived_runs_request_nothing(folder: Path) -> None:
    five_edits(folder, policy="stop")
    assert totals(folder) == [["current", "8"], ["superseded", "-"], ["all", "8"]]
    (name, *_) = names(folder, "superseded")
    assert runs(folder, "archive", name).code == 0
    report = json.loads(tjgen(folder, "build", "--summary", "--format", "json").out)
    assert [run["state"] for run in report["runs"]] == ["current", *["superseded"] * 3]
    assert report["totals"]["superseded"]["requests"] == {}
    assert report["total"]["requests"]["nvidia.com/gpu"] == "8"


@pytest.mark.parametrize("again", ["edited", "unchanged"])
def test_quotas_count_superseded_runs_and_a_stop_frees_them(folder: Path, again: str) -> None:
    answer = five_edits(folder)
    if again == "unchanged":
        answer = build(folder)
    assert "warning[TJ384]" in answer.err
    counted = "5 runs in namespace vision (4 of them superseded or orphaned, and not stopped) take 40 of requests.nvidia.com/gpu"
    assert counted in answer.err
    assert runs(folder, "prune").code == 0
    assert "TJ384" not in build(folder).err


def test_a_stop_keeps_the_quota(folder: Path) -> None:
    assert "TJ384" not in five_edits(folder, policy="stop").err


@pytest.mark.parametrize("target", ["trainjob", "volcanojob", "pytorchjob"])
def test_a_queue_in_which_runs_wait_behind_superseded_ones_is_reported(target: str, folder: Path) -> None:
    answer = five_edits(folder, fields=f"  target: {target}\n  schedule: {{system: volcano, queue: team}}\n")
    assert "warning[TJ286]" in answer.err
    assert "runs in queue team request 32 of nvidia.com/gpu, and current runs 8, but it has 16" in answer.err
    assert runs(folder, "prune").code == 0
    assert "TJ286" not in build(folder).err


def test_the_report_counts_superseded_runs(folder: Path) -> None:
    five_edits(folder)
    assert tjgen(folder, "report", "-o", "report.html").code == 0
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "5 (4 superseded or orphaned)" in page
    assert "<b>40</b> of <b>16</b>" in page or "<b>40</b> of 16" in page


LEVELS = {
    "the experiment before the project": ("", "keep", "stop", True),
    "an experiment that keeps": ("", "stop", "keep", False),
    "the environment before the project": ("stop", "keep", "", True),
    "an environment that keeps": ("keep", "stop", "", False),
    "the experiment before the environment": ("keep", "keep", "stop", True),
    "only the project": ("", "stop", "", True),
}


@pytest.mark.parametrize("case", LEVELS)
def test_the_nearest_setting_wins(folder: Path, case: str) -> None:
    environment, project, experiment, stops = LEVELS[case]
    body = f"{{onSupersede: {environment}}}" if environment else "{}"
    text = f"history: {{onSupersede: {project}}}\n  environments: {{dev: {body}, prod: {{onSupersede: keep}}}}\n  output:"
    edit(folder, "output:", text, "tjgen.yaml")
    (folder / "tjgen.lock.d").rename(folder / "old")
    (folder / "out").rename(folder / "before")
    assert build(folder).code == 0
    edit(folder, "train:1", "train:2")
    if experiment:
        edit(folder, "spec:\n", f"spec:\n  onSupersede: {experiment}\n")
    answer = build(folder)
    assert answer.code == 0, answer.err
    stopped = 2 if experiment == "stop" else int(stops)
    assert (f", {stopped} stopped" in answer.err) == (stopped > 0), answer.err
    dev = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in (folder / "out/dev").rglob("trainjob-*.yaml")]
    assert sorted(tree["spec"].get("suspend", False) for tree in dev) == [False, stops]
    assert tjgen(folder, "build", "--check", "--strict").code == 0


def test_the_setting_of_an_experiment_changes_no_run(folder: Path) -> None:
    before = snapshot(folder)
    edit(folder, "spec:\n", "spec:\n  onSupersede: stop\n")
    assert build(folder).code == 0
    assert {path: body for path, body in snapshot(folder).items() if path.startswith(("out", "tjgen.lock.d"))} == {
        path: body for path, body in before.items() if path.startswith(("out", "tjgen.lock.d"))
    }


SUSPENDED_AT = {
    "trainjob": ("trainjob", ("spec", "suspend")),
    "jobset": ("jobset", ("spec", "suspend")),
    "pytorchjob": ("pytorchjob", ("spec", "runPolicy", "suspend")),
    "mpijob": ("mpijob", ("spec", "runPolicy", "suspend")),
}


def superseded_with(folder: Path, fields: str, runtime: str = "tjgen-torch") -> tuple[str, Path]:
    """What a build reports that supersedes a run with these fields, and the file of the superseded run."""
    stop(folder)
    edit(folder, "tjgen-torch", runtime)
    edit(folder, "spec:\n", f"spec:\n{fields}")
    build(folder)
    (current,) = names(folder, "current")
    edit(folder, "train:1", "train:2")
    answer = build(folder)
    assert answer.code == 0, answer.err
    (file,) = (path for path in (folder / "out").rglob(f"*job*-{current}.yaml") if path.parent.name == current)
    return answer.err, file


@pytest.mark.parametrize("target", SUSPENDED_AT)
def test_stop_suspends_every_kind_that_can_be_suspended(folder: Path, target: str) -> None:
    kind, path = SUSPENDED_AT[target]
    runtime = "tjgen-mpi" if target == "mpijob" else "tjgen-torch"
    report, file = superseded_with(folder, f"  target: {target}\n", runtime)
    assert report.splitlines()[0].endswith(", 1 stopped")
    value = yaml.safe_load(file.read_text(encoding="utf-8"))
    assert value["kind"].lower() == kind
    for key in path:
        value = value[key]
    assert value is True


UNSTOPPABLE = {
    "a kind without suspend": ("  target: volcanojob\n", "a Job of batch.volcano.sh has no field that suspends it"),
    "a queue of Kueue": ("  schedule: {system: kueue, queue: team}\n", "Kueue starts a run of queue team again"),
}


@pytest.mark.parametrize("case", UNSTOPPABLE)
def test_a_run_that_no_sync_can_stop_is_reported_and_not_touched(folder: Path, case: str) -> None:
    fields, reason = UNSTOPPABLE[case]
    report, file = superseded_with(folder, fields)
    assert "warning[TJ285]" in report
    assert reason in report
    assert "stopped" not in report.splitlines()[0]
    assert "suspend: true" not in file.read_text(encoding="utf-8")


CHECKPOINTS = """\
  volumes: {out: {pvc: {create: {size: 1Gi}}, mountPath: /out}}
  checkpoints: {volume: out, scope: SCOPE}
"""


@pytest.mark.parametrize(("scope", "stops", "count"), [("family", False, 1), ("family", True, 0), ("run", False, 0)])
def test_a_superseded_run_that_shares_its_checkpoint_folder_is_reported(
    folder: Path, scope: str, stops: bool, count: int
) -> None:
    if stops:
        stop(folder)
    with (folder / "experiments/digits.yaml").open("a", encoding="utf-8") as file:
        file.write(CHECKPOINTS.replace("SCOPE", scope))
    build(folder)
    (old,) = names(folder, "current")
    edit(folder, "train:1", "train:2")
    answer = build(folder)
    assert answer.err.count(f'warning[TJ499] experiments/digits.yaml:9:37: run "{old}" is superseded and continues') == count, (
        answer.err
    )
    assert "TJ499" not in build(folder).err


def test_a_run_that_was_suspended_before_it_was_superseded_holds_no_devices(folder: Path) -> None:
    edit(folder, "spec:\n", "spec:\n  state: suspended\n")
    build(folder)
    (old,) = names(folder, "suspended")
    edit(folder, "  state: suspended\n", "")
    edit(folder, "train:1", "train:2")
    before = {path: body for path, body in snapshot(folder).items() if path.startswith("out/runs")}
    assert build(folder).code == 0
    assert {path: snapshot(folder)[path] for path in before} == before
    (lock,) = folder.glob(f"tjgen.lock.d/*/*/*/{old}.yaml")
    assert "stopped" not in lock.read_text(encoding="utf-8")
    listed = {one["name"]: one for one in json.loads(runs(folder, "list", "--json").out)}
    assert (listed[old]["state"], listed[old]["requestsDevices"], listed[old]["stopped"]) == ("superseded", False, True)
    row = next(line for line in runs(folder, "list").out.splitlines() if line.startswith(old))
    assert row.split()[1:3] == ["superseded", "none"]
    (current,) = names(folder, "current")
    assert listed[current]["requestsDevices"] is True


def test_the_last_line_of_a_build_counts_suspended_runs(folder: Path) -> None:
    edit(folder, "spec:\n", "spec:\n  state: suspended\n")
    for _ in range(3):
        assert build(folder).err.splitlines()[-1].endswith(", 0 removed, 1 suspended")
    edit(folder, "  state: suspended\n", "")
    for _ in range(2):
        assert build(folder).err.splitlines()[-1].endswith(", 0 removed")
