"""`build -o DIR`: what stays, what goes, what is refused; with and without the cache."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.program import Answer, tjgen

EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: digits, namespace: vision}
spec:
  runtime: tjgen-torch
  image: train:1
  script: train.py
  volumes:
    results: {pvc: {create: {size: 10Gi}}, mountPath: /results}
"""
OTHER = EXPERIMENT.replace("digits", "letters")
PROJECT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Project
spec:
  experiments: [experiments]
  overlays: [overlays]
  environments: {dev: {}, prod: {}}
"""
OVERLAY = """\
apiVersion: tjgen.dev/v1alpha1
kind: Overlay
metadata: {name: bigger}
spec:
  match: {environments: [prod]}
  experiment: {nodes: 4}
"""


@pytest.fixture(params=["cache", "no cache"])
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Path:
    """A project with two experiments and two environments; its cache is its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("TJGEN_CACHE", "off" if request.param == "no cache" else "")
    project = tmp_path / "project"
    for path, text in {
        "tjgen.yaml": PROJECT,
        "overlays/bigger.yaml": OVERLAY,
        "experiments/digits.yaml": EXPERIMENT,
        "experiments/letters.yaml": OTHER,
    }.items():
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).write_text(text, encoding="utf-8")
    return project


def build(folder: Path, *words: str) -> Answer:
    """Build into `out` with previews beside it."""
    return tjgen(folder, "build", *words, "-o", "out", "--expanded", "previews")


def snapshot(folder: Path) -> dict[str, bytes]:
    """Path -> bytes of everything but the sources."""
    files = [path for top in ("out", "previews", "tjgen.lock.d") for path in (folder / top).rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def paths(folder: Path, pattern: str) -> list[str]:
    """The files below `out` that fit, without their random-looking parts."""
    return sorted(str(path.relative_to(folder / "out")) for path in (folder / "out").glob(pattern))


def pruned(folders: list[str]) -> str:
    """What a build prints after it removed the runs in these folders."""
    commands = " && ".join(f"kubectl delete trainjob/{folder.rpartition('/')[2]} -n vision" for folder in folders)
    return f"Unless a sync prunes them, delete them with {commands}\n"


def edit(file: Path, old: str, new: str) -> None:
    """Replace a text that is there."""
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def test_a_tree_has_its_stages_and_a_second_build_changes_nothing(folder: Path) -> None:
    answer = build(folder)
    assert (answer.code, answer.out) == (0, "")
    assert answer.err == "runs: 4 new, 0 unchanged, 0 kept, 0 removed\n"
    assert {path.split("/")[1] for path in paths(folder, "*/*/vision/**/*.yaml")} == {"runtimes", "data", "runs"}
    before = snapshot(folder)
    times = {path: (folder / path).stat().st_mtime_ns for path in before}
    assert build(folder).err == "runs: 0 new, 4 unchanged, 0 kept, 0 removed\n"
    assert snapshot(folder) == before
    assert {path: (folder / path).stat().st_mtime_ns for path in before} == times
    assert tjgen(folder, "build", "--check", "-o", "out", "--expanded", "previews").code == 0


def test_previews_say_that_they_are_previews(folder: Path) -> None:
    build(folder)
    found = [path.read_text(encoding="utf-8") for path in (folder / "previews").rglob("previews.yaml")]
    assert {one["kind"] for text in found for one in yaml.safe_load_all(text)} == {"JobSet", "Job", "Pod", "Service"}
    assert all("# +argocd:skip-file-rendering\n" in text for text in found)


def test_a_new_run_supersedes_the_old_one_which_stays_until_it_is_pruned(folder: Path) -> None:
    build(folder)
    old, removed = paths(folder, "dev/runs/vision/digits/*"), paths(folder, "*/runs/vision/digits/*")
    edit(folder / "experiments/digits.yaml", "train:1", "train:2")
    assert build(folder).err == "runs: 2 new, 2 unchanged, 2 kept, 0 removed\n"
    assert set(old) < set(paths(folder, "dev/runs/vision/digits/*"))
    assert build(folder, "--prune-runs").err == "runs: 0 new, 4 unchanged, 0 kept, 2 removed\n" + pruned(removed)
    assert not set(old) & set(paths(folder, "dev/runs/vision/digits/*"))
    assert len(list((folder / "previews/dev/runs/vision/digits").iterdir())) == 1


@pytest.mark.parametrize(("experiments", "lines"), [(3, 3), (4, 1)])
def test_runs_that_would_change_are_listed_up_to_three(folder: Path, experiments: int, lines: int) -> None:
    text = (folder / "experiments/digits.yaml").read_text(encoding="utf-8")
    for number in range(2, experiments):
        other = text.replace("name: digits", f"name: other{number}").replace("train.py", f"train.py --number {number}")
        (folder / f"experiments/other{number}.yaml").write_text(other, encoding="utf-8")
    files = [f"experiments/{name}.yaml" for name in ("digits", "letters", *(f"other{n}" for n in range(2, experiments)))]
    assert build(folder, *files, "--env", "prod").code == 0
    edit(folder / "overlays/bigger.yaml", "nodes: 4", "nodes: 8")
    said = build(folder, *files, "--env", "prod").err
    assert said.count("info[TJ076]") == lines
    assert ("4 runs would change, but are locked" in said) == (experiments == 4)


def test_an_overlay_does_not_start_a_run_again_unless_it_is_renewed(folder: Path) -> None:
    build(folder)
    before = snapshot(folder)
    edit(folder / "overlays/bigger.yaml", "nodes: 4", "nodes: 8")
    answer = build(folder)
    assert answer.code == 0
    assert answer.err.count("info[TJ076]") == 2
    assert "would change, but is locked and stays as it is" in answer.err
    assert snapshot(folder) == before
    renewed = build(folder, "experiments/digits.yaml", "--env", "prod", "--renew", "digits-*")
    assert "runs: 1 new, 0 unchanged, 1 kept, 0 removed" in renewed.err
    assert len(paths(folder, "prod/runs/vision/digits/*")) == 2
    # Renewed once, the run is what the sources give.
    assert "TJ076" not in build(folder, "experiments/digits.yaml", "--env", "prod").err


def test_runs_of_a_removed_experiment_stay_until_they_are_pruned(folder: Path) -> None:
    build(folder)
    (folder / "experiments/letters.yaml").unlink()
    build(folder, "experiments/digits.yaml")
    files = [path for path in snapshot(folder) if "letters" in path and not path.startswith("tjgen.lock.d")]
    before = {path: snapshot(folder)[path] for path in files}
    answer = build(folder)
    assert answer.err.startswith("runs: 0 new, 2 unchanged, 0 kept, 0 removed, 2 orphaned\n")
    build(folder, "--prune-data")
    assert {path: snapshot(folder).get(path) for path in files} == before, "a claim that an orphaned run mounts stays, too"
    removed = paths(folder, "*/runs/vision/letters/*")
    assert build(folder, "--prune-runs").err == "runs: 0 new, 2 unchanged, 0 kept, 2 removed\n" + pruned(removed)
    assert not paths(folder, "*/runs/vision/letters")
    (tombstone,) = (folder / "tjgen.lock.d/dev/vision/letters").iterdir()
    assert "kind: PrunedRun" in tombstone.read_text(encoding="utf-8")
    assert paths(folder, "*/data/vision/*letters*"), "data stays until it is pruned"
    build(folder, "--prune-data")
    assert not paths(folder, "*/data/vision/*letters*")
    assert paths(folder, "*/data/vision/*digits*")


def test_with_an_error_anywhere_nothing_is_written(folder: Path) -> None:
    build(folder)
    before = snapshot(folder)
    edit(folder / "experiments/digits.yaml", "train:1", "train:2")
    edit(folder / "experiments/letters.yaml", "image:", "imagee:")
    answer = build(folder)
    assert answer.code == 1
    assert 'did you mean "image"?' in answer.err
    assert snapshot(folder) == before


def test_a_file_that_was_edited_by_hand_is_refused_and_forced(folder: Path) -> None:
    build(folder)
    (edited,) = (folder / "out/dev/runs/vision/digits").rglob("trainjob-*.yaml")
    edit(edited, "train:1", "mine:1")
    answer = build(folder)
    assert answer.code == 1
    assert "error[TJ051] out/" in answer.err
    assert "mine:1" in edited.read_text(encoding="utf-8")
    assert tjgen(folder, "build", "--check", "-o", "out").code == 1
    assert build(folder, "--force").code == 0
    assert "train:1" in edited.read_text(encoding="utf-8")


def test_a_foreign_file_is_never_touched(folder: Path) -> None:
    build(folder)
    readme = folder / "out/dev/runs/vision/digits/README.md"
    readme.write_text("mine", encoding="utf-8")
    edit(folder / "experiments/digits.yaml", "train:1", "train:2")
    assert build(folder, "--prune-runs").code == 0
    assert readme.read_text(encoding="utf-8") == "mine"


def test_check_names_what_is_missing_and_what_differs(folder: Path) -> None:
    build(folder)
    (gone,) = (folder / "out/dev/runs/vision/digits").rglob("trainjob-*.yaml")
    gone.unlink()
    answer = tjgen(folder, "build", "--check", "-o", "out", "--expanded", "previews")
    assert answer.code == 1
    assert str(gone.relative_to(folder)) in answer.err


def test_the_output_does_not_depend_on_what_was_built_before(folder: Path, tmp_path: Path) -> None:
    build(folder)
    edit(folder / "experiments/digits.yaml", "train:1", "train:2")
    edit(folder / "experiments/digits.yaml", "train:2", "train:1")
    build(folder, "experiments/letters.yaml")
    build(folder)
    grown = snapshot(folder)
    for top in ("out", "previews", "tjgen.lock.d"):
        (folder / top).rename(tmp_path / top)
    build(folder)
    assert snapshot(folder) == grown


def test_suspending_an_experiment_suspends_its_run_in_place(folder: Path) -> None:
    build(folder)
    edit(folder / "experiments/digits.yaml", "spec:\n", "spec:\n  state: suspended\n")
    answer = build(folder)
    assert answer.code == 0
    (lock,) = (folder / "tjgen.lock.d/dev/vision/digits").iterdir()
    assert "state: suspended" in lock.read_text(encoding="utf-8")
    (job,) = (folder / "out/dev/runs/vision/digits").rglob("trainjob-*.yaml")
    assert "suspend: true" in job.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--set", "spec.nodes=2", "-o", "out"], "--set cannot be used with -o DIR"),
        (["--prune-runs"], "--prune-runs needs -o DIR"),
        (["--expanded", "out/previews", "-o", "out"], "TJ271"),
        (["--env", "stage", "-o", "out"], "TJ262"),
        (["--check"], "--check compares with an output"),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(value),
)
def test_wrong_use_is_refused_and_nothing_is_written(folder: Path, words: list[str], said: str) -> None:
    answer = tjgen(folder, "build", *words)
    assert answer.code in (1, 2)
    assert said in answer.err
    assert not (folder / "out").exists()


def test_two_experiments_that_make_one_claim_differently_are_told(folder: Path) -> None:
    for file, size in (("digits", "10Gi"), ("letters", "20Gi")):
        path = folder / f"experiments/{file}.yaml"
        edit(path, "create: {size: 10Gi}", f"create: {{size: {size}, scope: project}}")
    answer = build(folder)
    assert answer.code == 1
    claim = "data/vision/persistentvolumeclaim-results.yaml"
    for environment in ("dev", "prod"):
        assert f"TJ270] experiments/letters.yaml:3:18: {environment}/{claim} is built twice with different content" in answer.err
    edit(folder / "experiments/letters.yaml", "20Gi", "10Gi")
    assert build(folder).code == 0
    assert paths(folder, "*/data/vision/*") == [
        "dev/data/vision/persistentvolumeclaim-results.yaml",
        "prod/data/vision/persistentvolumeclaim-results.yaml",
    ]


def test_a_claim_that_two_experiments_back_up_has_a_hint(folder: Path) -> None:
    for file in ("digits", "letters"):
        backup = "{create: {size: 10Gi, scope: project}, backup: {schedule: 0 2 * * 0}}"
        edit(folder / f"experiments/{file}.yaml", "{create: {size: 10Gi}}", backup)
    answer = build(folder)
    assert answer.code == 1
    assert "data/vision/serviceaccount-results-backup.yaml is built twice with different content" in answer.err
    assert "set backup of a claim in one experiment only" in answer.err
    edit(folder / "experiments/letters.yaml", ", backup: {schedule: 0 2 * * 0}", "")
    assert build(folder).code == 0


def test_a_stream_holds_one_environment(folder: Path) -> None:
    answer = tjgen(folder, "build")
    assert (answer.code, answer.out) == (1, "")
    assert "TJ266" in answer.err
    assert "dev, prod" in answer.err
    assert tjgen(folder, "build", "--env", "prod").code == 0


def test_a_stream_tells_objects_that_are_made_twice_and_differently(folder: Path) -> None:
    for file, size in (("digits", "10Gi"), ("letters", "20Gi")):
        edit(folder / f"experiments/{file}.yaml", "create: {size: 10Gi}", f"create: {{size: {size}, scope: project}}")
    answer = tjgen(folder, "build", "--env", "dev")
    assert (answer.code, answer.out) == (1, "")
    assert "TJ270" in answer.err
