"""Each command that writes is killed at each call that changes files: each file is old or new, and the command can run again."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from contextlib import chdir
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

from tests.checkout import ROOT
from tests.gitops.emit.crash import DONE, KILLED, dies_at, run
from tests.kill.repository import renew
from tests.program import tjgen
from tjgen.cli.kept import recall
from tjgen.cli.watching import store
from tjgen.compiler.building.plan import make_plan
from tjgen.compiler.building.request import Request
from tjgen.gitops.output.pinning import COLLECTING, collect, pin
from tjgen.language.runs.pins import Pins
from tjgen.trees.caches import CacheEntry, open_folder

EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: bert, namespace: nlp}
spec:
  runtime: tjgen-torch
  target: pytorchjob
  image: registry.example.com/nlp/bert:7
  script: train.py
"""
PROJECT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Project
spec:
  experiments: [experiments]
  output: {directory: deploy}
  environments:
    dev: {}
    prod: {runs: promoted}
"""
PIN = """\
# Written by tjgen pin: the digest that runs of the image get. Commit it.
apiVersion: tjgen.dev/v1alpha1
kind: ImagePin
image: registry.example.com/nlp/bert:7
digest: sha256:7d29a3a9ee8a9f3a5d26f6c1b6ba4ae0aa9c9bc1c9c7d7d9a0c3f1a3e7b2d5f4
"""
JOBSET = """\
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: NAME, namespace: ai}
spec:
  suspend: false
  network: {enableDNSHostnames: true}
  replicatedJobs:
  - name: node
    replicas: 1
    template:
      spec:
        template:
          spec:
            restartPolicy: Never
            containers: [{name: node, image: "train:1"}]
"""
FINISHED = """\
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata:
  name: one-1c0ffee0
spec:
  ttlSecondsAfterFinished: 60
  replicatedJobs: []
"""
DEFINITION = (ROOT / "tests/cli/schemas-import/definitions.yaml").read_text(encoding="utf-8")
RUN = "RUN"
"""Stands for the name of the run that is built first."""


class Scene(NamedTuple):
    """A command, and the files that it begins with."""

    words: Sequence[str]
    files: dict[str, str]
    before: Sequence[Sequence[str]] = ()
    """Commands that ran earlier."""
    refused: Sequence[str] = ()
    """The command that goes on where the first one refuses to run again."""
    step: int = 1
    """Each n-th call is enough where a scene has many, and where `tests/gitops/emit` has each call of the same code."""


RUNS = {
    "tjgen.yaml": PROJECT,
    "experiments/bert.yaml": EXPERIMENT,
    "tjgen.lock.d/_images/registry.example.com/nlp/bert/7.yaml": PIN,
}
EDIT = "EDIT"
"""Stands for a change of the experiment that makes another run of it."""
PACKAGE = f"git+https://git.example.com/tools/tjgen@{'0123456789' * 4}"
BUILT = ("build", "-o", "deploy")
SCENES = {
    "build into a file": Scene(("build", "e.yaml", "-o", "out.yaml"), {"e.yaml": EXPERIMENT, "out.yaml": "old\n"}),
    "build with previews": Scene((*BUILT, "--expanded", "previews"), RUNS, step=3),
    "convert": Scene(
        ("convert", "--target", "volcanojob", "--in-place", "a.yaml", "b.yaml"), {"a.yaml": EXPERIMENT, "b.yaml": EXPERIMENT}
    ),
    "import": Scene(
        ("import", "jobs.yaml", "-o", "new"),
        {"jobs.yaml": "---\n".join(JOBSET.replace("NAME", name) for name in ("one", "two"))},
        refused=("import", "jobs.yaml", "-o", "again"),
    ),
    "init": Scene(("init", "new", "--ci", "github", "--package", PACKAGE), {}, refused=("build",), step=5),
    "lint --fix": Scene(("lint", "a.yaml", "b.yaml", "--fix"), {"a.yaml": FINISHED, "b.yaml": FINISHED.replace("one", "two")}),
    "promote": Scene(("promote", RUN, "--env", "prod"), RUNS, before=[BUILT], step=3),
    "report": Scene(("report", "-o", "report.html", "--svg", "pictures"), RUNS, before=[BUILT]),
    "runs archive": Scene(("runs", "archive", RUN), RUNS, before=[BUILT], step=3),
    "runs prune": Scene(("runs", "prune"), RUNS, before=[BUILT, (EDIT,), BUILT], step=3),
    "runs rerun": Scene(("runs", "rerun", RUN), RUNS, before=[BUILT], step=3),
    "runs unarchive": Scene(("runs", "unarchive", RUN), RUNS, before=[BUILT, ("runs", "archive", RUN)], step=3),
    "runtimes import": Scene(("runtimes", "import", "house.yaml", "--to", "catalog"), {"house.yaml": ""}),
    "schemas import": Scene(("schemas", "import", "new.yaml", "--to", "own"), {"new.yaml": DEFINITION}),
    "schemas import again": Scene(
        ("schemas", "import", "new.yaml", "--to", "own"),
        {"old.yaml": DEFINITION, "new.yaml": DEFINITION.replace("type: integer", "type: number").replace("v1alpha1", "v1beta1")},
        before=[("schemas", "import", "old.yaml", "--to", "own")],
    ),
}  # fmt: skip


def found(folder: Path) -> dict[str, bytes]:
    """Every file that is not hidden."""
    places = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    names = {path: path.relative_to(folder) for path in places}
    return {str(name): path.read_bytes() for path, name in names.items() if not any(part[0] == "." for part in name.parts)}


def act(folder: Path, words: Sequence[str]) -> int:
    """Run the command; its exit code."""
    if words == (EDIT,):
        file = folder / "experiments/bert.yaml"
        return 0 if file.write_text(EXPERIMENT.replace("train.py", "train.py --again"), encoding="utf-8") else 1
    if RUN in words:
        (name,) = [path.stem for path in (folder.parent / "template").glob("tjgen.lock.d/dev/nlp/bert/*.yaml")]
        words = [name if word == RUN else word for word in words]
    return tjgen(folder, *words).code


def prepare(scene: Scene, folder: Path) -> None:
    folder.mkdir()
    for path, text in scene.files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    if (folder / "house.yaml").exists():
        shutil.copy(ROOT / "runtimes/tjgen-torch.yaml", folder / "house.yaml")
    for words in scene.before:
        assert act(folder, words) == 0, words


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "place/.cache"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")


@pytest.mark.parametrize("name", SCENES)
def test_killed_at_any_call(name: str, tmp_path: Path) -> None:
    scene = SCENES[name]
    template, place = tmp_path / "template", tmp_path / "place"
    prepare(scene, template)
    renew(template, place)
    old = found(place)
    assert act(place, scene.words) == 0
    new = found(place)
    outcomes = []
    for number in range(1, 1000, scene.step):
        renew(template, place)
        outcomes.append(run(lambda: act(place, scene.words), place, happens=dies_at(number), changes=True))
        left = found(place)
        for path in {*left, *old, *new}:
            assert left.get(path) in (old.get(path), new.get(path)), (number, path)
        if outcomes[-1] == DONE:
            assert left == new
            break
        # A command that had ended but for its staging directory is not repeated: `runs rerun` would make one more run.
        again = BUILT if left == new and scene.before and not (place / "deploy/.tjgen/journal").exists() else scene.words
        if act(place, again) != 0:
            assert scene.refused, number
            assert act(place / "new" if name == "init" else place, scene.refused) == 0, number
        after = found(place)
        if scene.refused[:1] == ("import",) and after != new:
            after = {path.replace("again/", "new/"): content for path, content in after.items()}
        assert after == new, number
    assert len(outcomes) >= 3
    assert {*outcomes[:-1]} == {KILLED}


def test_a_pin_is_there_or_not(tmp_path: Path) -> None:
    scene = Scene((), {"tjgen.yaml": PROJECT, "experiments/bert.yaml": EXPERIMENT.replace("  target: pytorchjob\n", "")})
    prepare(scene, tmp_path / "template")
    place = tmp_path / "place"

    def act() -> None:
        with chdir(place):
            asked, problems = collect(make_plan(Request(digests=COLLECTING)))
            assert not problems
            pin(asked, Pins("."), lambda _: "sha256:" + "1" * 64, update=False, mirror=False, writes=True)

    renew(tmp_path / "template", place)
    act()
    new = found(place)
    (pinned,) = new.keys() - scene.files.keys()
    assert yaml.safe_load(new[pinned])["kind"] == "ImagePin"
    for number in range(1, 100):
        renew(tmp_path / "template", place)
        outcome = run(act, place, happens=dies_at(number), changes=True)
        assert found(place).get(pinned) in (None, new[pinned])
        act()
        assert found(place) == new
        if outcome == DONE:
            break
    assert number > 3


def test_an_answer_is_kept_or_not(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def entry() -> CacheEntry:
        folder = open_folder(environment={"XDG_CACHE_HOME": str(tmp_path)})
        assert folder is not None
        return CacheEntry(folder, "answer")

    def act() -> None:
        # The child opens the folder itself: a folder is for the process that opened it.
        store(entry(), [], 1, [(True, "error: no\n")])

    act()
    # Calls have names in the open folder, which count as those in the working directory.
    monkeypatch.chdir(tmp_path / "tjgen")
    for number in range(1, 100):
        for file in (tmp_path / "tjgen").iterdir():
            file.unlink()
        outcome = run(act, tmp_path, happens=dies_at(number), changes=True)
        code = recall(entry())
        assert (code, capsys.readouterr().err) in ((None, ""), (1, "error: no\n"))
        act()
        assert recall(entry()) == 1
        capsys.readouterr()
        if outcome == DONE:
            break
    assert number > 3
