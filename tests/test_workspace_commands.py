"""Commands in the folder of a workspace: some work on all projects, the others name the command for each project."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.program import tjgen
from tests.test_workspaces import EXPERIMENT, NODES, committed, edit, lab  # noqa: F401  # fixtures


def run_names(lab: Path) -> list[str]:  # noqa: F811
    """The names of the runs of projects a and b."""
    return [path.name for name in "ab" for path in sorted((lab / f"teams/{name}/deploy/prod/runs").glob("*/*/*"))]


def objects(lab: Path, names: list[str]) -> str:  # noqa: F811
    """The output of kubectl with TrainJobs that have ended: those of runs, one in no tree, and one of another project."""
    status = {"conditions": [{"type": "Complete", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"}]}
    own = [name.partition("-")[0] for name in names]
    places = [*zip(names, own, own, strict=True), ("other-1", "a", "a"), ("foreign-1", "a", "foreign")]
    items: list[dict[str, Any]] = [
        {
            "apiVersion": "trainer.kubeflow.org/v1alpha1",
            "kind": "TrainJob",
            "metadata": {
                "name": name,
                "namespace": namespace,
                "labels": {"app.kubernetes.io/managed-by": "tjgen", "tjgen.dev/experiment": experiment},
            },
            "status": status,
        }
        for name, namespace, experiment in places
    ]
    file = lab / "cluster.json"
    file.write_text(json.dumps({"kind": "List", "items": items}))
    return str(file.relative_to(lab))


def test_status_reads_the_cluster_once_and_groups_runs_by_project(lab: Path) -> None:  # noqa: F811
    assert tjgen(lab, "build").code == 0
    first, second = run_names(lab)
    source = objects(lab, [first])
    answer = tjgen(lab, "status", "--from", source)
    assert answer.code == 0, answer.err
    counted = ["runs: 2 Healthy (2 completed), 1 Missing", "runs of other projects: 1 (not listed)"]
    assert answer.err.splitlines() == ["project teams/a:", "project teams/b:", *counted]
    rows = [line.split() for line in answer.out.splitlines() if not line.startswith(("RUN", " "))]
    assert [(row[0], row[2]) for row in rows] == [(first, "Healthy"), ("other-1", "in"), (second, "Missing")]
    shown = json.loads(tjgen(lab, "status", "--from", source, "--json").out)
    assert [(one["project"], one["cluster"]) for one in shown] == [("teams/a", "lab"), ("teams/b", "lab"), ("teams/a", "lab")]
    one = tjgen(lab, "status", "b-*", "--from", source)
    assert (one.code, one.err.splitlines()) == (0, ["project teams/b:", "runs: 1 Missing"])
    alone = tjgen(lab, "status", "-C", "teams/a", "--from", "../../cluster.json")
    assert (alone.code, alone.err.splitlines()) == (0, ["runs: 2 Healthy (2 completed)", counted[1]])
    unknown = tjgen(lab, "status", "c-*", "--from", source)
    assert (unknown.code, unknown.out) == (1, "")
    assert 'error[TJ080] no run matches "c-*"' in unknown.err


def test_status_counts_each_cluster_alone(lab: Path) -> None:  # noqa: F811
    edit(lab / "tjgen.yaml", "  environments:\n", "  environments:\n    west: {cluster: west, platform: lab}\n")
    edit(lab / "teams/b/tjgen.yaml", "prod:", "west:")
    edit(lab / "tjgen.yaml", "  overlays: [overlays]\n", "")
    assert tjgen(lab, "build").code == 0
    source = objects(lab, run_names(lab))
    answer = tjgen(lab, "status", "--from", source)
    counted = ["runs in lab: 2 Healthy (2 completed)", "runs in west: 1 Missing"]
    assert answer.err.splitlines()[-3:] == [*counted, "runs of other projects: 1 (not listed)"]


def test_status_shows_the_other_projects_where_one_has_errors(lab: Path) -> None:  # noqa: F811
    assert tjgen(lab, "build").code == 0
    source = objects(lab, run_names(lab))
    edit(lab / "teams/a/tjgen.yaml", "  labels:", "  budgets: {points: 101}\n  labels:")
    answer = tjgen(lab, "status", "--from", source)
    assert answer.code == 1
    assert "error[TJ562] teams/a/tjgen.yaml" in answer.err
    assert "project teams/b:" in answer.err


def test_runs_list_matches_names_of_all_projects(lab: Path) -> None:  # noqa: F811
    assert tjgen(lab, "build").code == 0
    first, second = run_names(lab)
    answer = tjgen(lab, "runs", "list", "b-*")
    assert answer.code == 0, answer.err
    assert [line.split()[0] for line in answer.out.splitlines() if not line.startswith("RUN")] == [second]
    for words in (["--json"], ["--format", "json"]):
        listed = json.loads(tjgen(lab, "runs", "list", *words).out)
        assert [(one["name"], one["project"]) for one in listed] == [(first, "teams/a"), (second, "teams/b")]
    unknown = tjgen(lab, "runs", "list", "c-*")
    assert unknown.code == 1
    assert unknown.err.count("error[TJ080]") == 1
    assert tjgen(lab, "runs", "-C", "teams/a").out == tjgen(lab / "teams/a", "runs").out


def test_pin_works_on_each_project(lab: Path) -> None:  # noqa: F811
    answer = tjgen(lab, "pin", "--check")
    assert answer.code == 1
    assert "error[TJ722] teams/a/experiments/run.yaml:6:10" in answer.err
    assert "note: 1 more like it: teams/b/experiments/run.yaml:6:10" in answer.err
    alone = tjgen(lab, "pin", "--check", "-C", "teams/a")
    assert "experiments/run.yaml:6:10" in alone.err
    assert alone.err.count("error[") == 1


def test_a_report_shows_all_projects_of_a_workspace(lab: Path) -> None:  # noqa: F811
    edit(lab / "platform.yaml", "spec:\n", f"spec:\n{NODES}  queues: {{}}\n  quotas: {{a: {{pods: 10}}}}\n")
    assert tjgen(lab, "build").code == 0
    first, second = run_names(lab)
    answer = tjgen(lab, "report", "-o", "report.html", "--svg", "pictures")
    assert answer.code == 0, answer.err
    page = (lab / "report.html").read_text()
    assert "2 runs of 2 experiments" in page
    assert f'id="run-teams-a-prod-{first}"' in page
    assert "<h3>teams/b / prod / b " in page
    assert "1 node; 2 of 2 runs can start now" in page, "the runs of all projects share the nodes"
    pictures = sorted(path.relative_to(lab / "pictures").as_posix() for path in (lab / "pictures").rglob("*.svg"))
    assert pictures == [f"teams/a/prod/a/{first}.svg", f"teams/b/prod/b/{second}.svg", "totals.svg"]
    assert tjgen(lab, "report", "--env", "prod").out == tjgen(lab, "report").out == page
    refused = tjgen(lab, "report", "--tree", "teams/a/deploy")
    assert (refused.code, refused.out) == (2, "")
    assert "--tree is for one project of the workspace: name its folder with -C" in refused.err
    refused = tjgen(lab, "report", "--against", "teams/a/deploy")
    assert (refused.code, refused.out) == (2, "")
    assert "--against DIR is for one project of the workspace" in refused.err


def test_a_report_shows_what_a_change_does_to_all_projects(committed: Path) -> None:  # noqa: F811
    edit(committed / "teams/a/experiments/run.yaml", "train:1", "train:2")
    page = tjgen(committed, "report", "--against", "main").out
    assert "<h3>teams/a / prod/a/a</h3>" in page
    assert "<h3>teams/b" not in page[page.index('id="changes"') : page.index('id="diagnostics"')]


def test_a_report_with_errors_in_one_project_shows_the_others(lab: Path) -> None:  # noqa: F811
    edit(lab / "teams/a/tjgen.yaml", "  labels:", "  budgets: {points: 101}\n  labels:")
    answer = tjgen(lab, "report")
    assert answer.code == 1
    assert "<h3>teams/b / prod / b " in answer.out
    assert "TJ562" in answer.out
    assert answer.err.count("error[TJ562]") == 1


def test_a_report_adds_up_no_two_clusters_of_one_platform(lab: Path) -> None:  # noqa: F811
    edit(lab / "platform.yaml", "spec:\n", f"spec:\n{NODES}")
    edit(lab / "tjgen.yaml", "  environments:\n", "  environments:\n    west: {cluster: west, platform: lab}\n")
    edit(lab / "teams/b/tjgen.yaml", "prod:", "west:")
    edit(lab / "tjgen.yaml", "  overlays: [overlays]\n", "")
    for name in "ab":
        edit(lab / f"teams/{name}/experiments/run.yaml", "train.py\n", "train.py\n  cpu: 3\n")
    page = tjgen(lab, "report").out
    assert page.count("1 node; 1 of 1 run can start now") == 2
    fit = tjgen(lab, "fit")
    assert fit.out.count("1 node; 1 of 1 run can start") == 2, fit.out + fit.err
    assert [line.partition(":")[0] for line in fit.out.splitlines() if "can start" in line] == ["lab", "west"]


REFUSED = {
    ("runs", "prune"): ["runs -C teams/a prune", "runs -C teams/b prune"],
    ("runs", "prune", "--keep=2"): ["runs -C teams/a prune --keep 2", "runs -C teams/b prune --keep 2"],
    ("runs", "archive", "b-*", "--force"): ["runs -C teams/b archive 'b-*' --force"],
    ("runs", "archive", "--finished", "--from", "all.json"): [
        "runs -C teams/a archive --finished --from ../../all.json",
        "runs -C teams/b archive --finished --from ../../all.json",
    ],
    ("promote", "a-*", "--env", "prod", "-C", "."): ["promote -C teams/a 'a-*' --env prod"],
    ("promote", "none", "--env", "prod"): ["promote -C teams/a none --env prod", "promote -C teams/b none --env prod"],
}


@pytest.mark.parametrize("words", REFUSED, ids=" ".join)
def test_commands_for_one_project_name_the_command_for_each(words: tuple[str, ...], lab: Path) -> None:  # noqa: F811
    assert tjgen(lab, "build").code == 0
    answer = tjgen(lab, *words)
    assert (answer.code, answer.out) == (2, "")
    lines = [f"Error: tjgen {words[0]} works on one project of the workspace, so run it for each:"]
    assert answer.err.splitlines() == [*lines, *(f"  tjgen {line}" for line in REFUSED[words])]


def test_the_commands_that_an_error_names_work(lab: Path) -> None:  # noqa: F811
    assert tjgen(lab, "build").code == 0
    first, _ = run_names(lab)
    assert tjgen(lab, "runs", "-C", "teams/a", "rerun", first).code == 0
    assert tjgen(lab, "runs", "-C", "missing", "list").code == 2
    assert tjgen(lab, "promote", "-C", "teams/a", "a-*", "--env", "none").code == 1


def test_a_workspace_without_projects_is_named(lab: Path) -> None:  # noqa: F811
    edit(lab / "tjgen.yaml", "projects: [teams/*]", "projects: [none/*]")
    answer = tjgen(lab, "runs", "prune")
    assert answer.code in (1, 2), answer.err
    assert "Traceback" not in answer.err


def test_the_runs_of_the_workspace_itself_are_listed_first(lab: Path) -> None:  # noqa: F811
    (lab / "experiments").mkdir()
    (lab / "experiments" / "own.yaml").write_text(EXPERIMENT.replace("NAME", "own"))
    edit(lab / "tjgen.yaml", "spec:\n", "spec:\n  experiments: [experiments]\n")
    assert tjgen(lab, "build").code == 0
    listed = json.loads(tjgen(lab, "runs", "--json").out)
    assert [one["project"] for one in listed] == ["", "teams/a", "teams/b"]
    assert tjgen(lab, "runs", "prune").code == 0, "the workspace has runs of its own, so they are meant"
