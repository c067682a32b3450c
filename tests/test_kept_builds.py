"""`tjgen build` prints a stored answer only if everything that the build depends on is the same."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.checkout import ROOT, list_entries
from tests.trees.bytecode.test_bytecode import Copy
from tjgen.cli import watching
from tjgen.trees.caches import checksum

PROJECT = """
apiVersion: tjgen.dev/v1alpha1
kind: Project
spec:
  catalogs: [catalog]
  overlays: [overlays]
  environments: {prod: {namespace: prod}}
"""
OVERLAY = """
apiVersion: tjgen.dev/v1alpha1
kind: Overlay
metadata: {name: prod}
spec: {match: {environments: [prod]}, experiment: {env: {MODE: prod}}}
"""
EXPERIMENT = """
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: first}
spec: {runtime: own, image: example.com/train:1, script: train.py, nodes: 2}
"""
RUNTIME = """
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: own, labels: {trainer.kubeflow.org/framework: torch}}
spec:
  mlPolicy: {numNodes: 1, torch: {}}
  template:
    spec:
      replicatedJobs:
      - name: node
        template:
          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
          spec: {template: {spec: {containers: [{name: node, image: example.com/base:1}]}}}
"""
FILES = {
    "tjgen.yaml": PROJECT,
    "overlays/prod.yaml": OVERLAY,
    "experiments/first.yaml": EXPERIMENT,
    "experiments/second.yaml": EXPERIMENT.replace("first", "second"),
    "catalog/own.yaml": RUNTIME,
}


class Place:
    """A project, and a folder of its own for answers."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "above" / "project"
        self.cache = folder / "cache"
        for name, text in FILES.items():
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_text(text, encoding="utf-8")

    def build(self, *words: str, program: Path = ROOT, **environment: str) -> tuple[int, str, str]:
        return self.run("build", *(words or ("experiments", "--env", "prod")), program=program, **environment)

    def run(self, *words: str, program: Path = ROOT, **environment: str) -> tuple[int, str, str]:
        left_out = ("NO_COLOR", "TERM", "TJGEN_CACHE", "CI")
        variables = {name: value for name, value in os.environ.items() if name not in left_out}
        variables |= {"PYTHONPATH": str(program), "XDG_CACHE_HOME": str(self.cache), **environment}
        command = [sys.executable, "-m", "tjgen", *words]
        done = subprocess.run(command, cwd=self.folder, env=variables, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    @property
    def answers(self) -> list[Path]:
        return sorted(self.cache.glob("tjgen/build/*"))


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.mark.parametrize(
    "words", [["experiments"], ["experiments/first.yaml", "--expanded"], ["experiments", "--env=prod", "--summary", "-q"]]
)
def test_a_stored_answer_is_the_same(place: Place, words: list[str]) -> None:
    first = place.build(*words)
    assert first[0] == 0, first
    assert len(place.answers) == 1
    assert place.build(*words) == first == place.build(*words, TJGEN_CACHE="off") == place.build(*words, "--no-cache")
    assert len(place.answers) == 1


def test_a_stored_answer_is_really_printed(place: Place) -> None:
    before = place.build()[1]
    (entry,) = place.answers
    packed = entry.read_bytes().partition(b"\n")[2].replace(b"example.com/train:1", b"example.com/train:9")
    entry.write_bytes(checksum(packed) + b"\n" + packed)
    assert place.build()[1] == before.replace("example.com/train:1", "example.com/train:9") != before


@pytest.mark.parametrize("content", [b"", b"no checksum\n", b"\xff" * 100])
def test_a_damaged_answer_is_not_used(place: Place, content: bytes) -> None:
    first = place.build()
    (entry,) = place.answers
    entry.write_bytes(content)
    assert place.build() == first


def edited(name: str, old: str, new: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        file = folder / name
        status = file.stat()
        text = file.read_text(encoding="utf-8")
        assert old in text
        assert len(old) == len(new)
        file.write_text(text.replace(old, new), encoding="utf-8")
        # Same size and same times: only the content differs.
        os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))

    return change


def written(name: str, text: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")

    return change


def linked(folder: Path) -> None:
    (folder / "experiments" / "first.yaml").rename(folder / "elsewhere.yaml")
    (folder / "experiments" / "first.yaml").symlink_to("../elsewhere.yaml")


def replaced(folder: Path) -> None:
    (folder / "catalog" / "own.yaml").unlink()
    (folder / "catalog" / "own.yaml").mkdir()


CHANGES: dict[str, Callable[[Path], None]] = {
    "experiment": edited("experiments/first.yaml", "nodes: 2", "nodes: 3"),
    "overlay": edited("overlays/prod.yaml", "MODE: prod", "MODE: test"),
    "runtime": edited("catalog/own.yaml", "numNodes: 1", "numNodes: 4"),
    "runtime of the same name": written("catalog/zz.yaml", RUNTIME.replace("base:1", "base:1, tty: true")),
    "project": edited("tjgen.yaml", "namespace: prod", "namespace: test"),
    "new experiment in the folder": written("experiments/third.yaml", EXPERIMENT.replace("first", "third")),
    "new experiment in a new folder": written("experiments/more/third.yaml", EXPERIMENT.replace("first", "third")),
    "removed experiment": lambda folder: (folder / "experiments" / "second.yaml").unlink(),
    "removed overlay": lambda folder: (folder / "overlays" / "prod.yaml").unlink(),
    "removed project": lambda folder: (folder / "tjgen.yaml").unlink(),
    "project nearer to the experiments": written("experiments/tjgen.yaml", "apiVersion: tjgen.dev/v1alpha1\nkind: Project\n"),
    "experiment behind a link": linked,
    "folder instead of a file": replaced,
    "repository that begins here": lambda folder: (folder / "experiments" / ".git").mkdir(),
}


SAME = (
    "runtime of the same name",
    "experiment behind a link",
    "repository that begins here",
    "project nearer to the experiments",
)
"""Changes that must be seen, but after which the output happens to be the same."""


@pytest.mark.parametrize("name", CHANGES)
def test_an_answer_is_not_printed_after_a_change(place: Place, name: str) -> None:
    first = place.build()
    assert first[0] == 0, first
    CHANGES[name](place.folder)
    now = place.build()
    assert now == place.build(TJGEN_CACHE="off")
    if name not in SAME:
        assert now != first


def test_a_project_above_is_seen(place: Place) -> None:
    (place.folder / "tjgen.yaml").unlink()
    written("experiments/first.yaml", EXPERIMENT.replace("runtime: own", "runtime: tjgen-torch"))(place.folder)
    words = ["experiments/first.yaml"]
    first = place.build(*words)
    assert first[0] == 0, first
    text = "apiVersion: tjgen.dev/v1alpha1\nkind: Project\nspec: {defaults: {namespace: above}}\n"
    written("../tjgen.yaml", text)(place.folder)
    assert place.build(*words) == place.build(*words, TJGEN_CACHE="off")


def test_the_same_words_in_another_folder_are_another_build(place: Place) -> None:
    place.build("first.yaml", "--set", "spec.nodes=2")
    before = place.build()
    shutil.copytree(place.folder, other := place.folder.parent / "other")
    edited("experiments/first.yaml", "nodes: 2", "nodes: 5")(other)
    place.folder = other
    assert place.build() != before


def test_a_change_of_the_program_is_seen(place: Place, tmp_path: Path) -> None:
    copy = Copy(tmp_path / "copy")
    first = place.build(program=copy.folder)
    module = copy.folder / "tjgen" / "cli" / "build.py"
    text = module.read_text(encoding="utf-8")
    assert '"---\\n".join(texts)' in text
    module.write_text(text.replace('"---\\n".join(texts)', '"--- # changed\\n".join(texts)'), encoding="utf-8")
    assert place.build(program=copy.folder)[1] == first[1].replace("---\n", "--- # changed\n")


WORDS = [
    ["-"],
    ["experiments", "--env", "prod", "-o", "deploy.yaml"],
    ["experiments", "--format=nope"],
    ["experiments", "--trusted"],
    ["experiments", "--check"],
    ["--help"],
]


@pytest.mark.parametrize("words", WORDS)
def test_what_depends_on_more_is_not_stored(place: Place, words: list[str]) -> None:
    place.build(*words)
    assert place.answers == []


@pytest.mark.parametrize("words", [["."], ["./"], ["../project"]])
def test_a_build_of_the_folder_of_the_project_writes_its_tree(place: Place, words: list[str]) -> None:
    project = PROJECT + "  experiments: [experiments]\n  output: {directory: deploy}\n"
    (place.folder / "tjgen.yaml").write_text(project, encoding="utf-8")
    code, _, err = place.build(*words)
    assert code == 0, err
    assert len(list(place.folder.glob("deploy/prod/runs/prod/*/*"))) == 2
    assert place.answers == []


def test_variables_that_trust_the_project_or_turn_caches_off_store_nothing(place: Place) -> None:
    place.build(TJGEN_TRUSTED="1")
    place.build(TJGEN_CACHE="off")
    assert place.answers == []


def test_a_reader_that_leaves_and_a_full_disk_are_reported_as_without_an_answer(place: Place) -> None:
    place.build("experiments")
    for _ in range(2):
        with open("/dev/full", "w", encoding="utf-8") as full:
            command = [sys.executable, "-m", "tjgen", "build", "experiments", "--env", "prod"]
            variables = {**os.environ, "PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(place.cache)}
            done = subprocess.run(
                command, cwd=place.folder, env=variables, stdout=full, stderr=subprocess.PIPE, text=True, check=False
            )
        assert (done.returncode, "TJ056" in done.stderr) == (1, True)
        place.build()


LOOKS: dict[str, Callable[[str], object]] = {
    "exists": os.path.exists,
    "lexists": os.path.lexists,
    "isfile": os.path.isfile,
    "isdir": os.path.isdir,
    "islink": os.path.islink,
    "getsize": os.path.getsize,
    "realpath": os.path.realpath,
    "walk": lambda path: list(os.walk(os.path.dirname(path))),
    "listdir": lambda path: os.listdir(os.path.dirname(path)),
    "Path.exists": lambda path: Path(path).exists(),
}


@pytest.mark.parametrize("name", LOOKS)
def test_each_way_to_look_at_a_path_is_recorded(tmp_path: Path, name: str) -> None:
    path = str(tmp_path / "file")
    Path(path).write_text("text", encoding="utf-8")
    watch = watching.Watch()
    watch.begin()
    try:
        LOOKS[name](path)
    finally:
        watch.end()
    places = {place for _, place in watch.facts}
    assert path in places or str(tmp_path) in places or not watch.is_complete
    assert os.stat.__module__ == "posix", "the functions are put back"


def test_the_environment_is_read_where_it_is_known_to_be() -> None:
    """A module that reads another variable needs it in the key of an answer, or is listed here with its reason."""
    known = {
        "__main__": "no variable of a build",
        "cli/cmp.py": "no command whose answers are stored",
        "cli/command.py": "TJGEN_TRUSTED",
        "cli/enforcing.py": "TJGEN_*",
        "cli/kept.py": "the key itself",
        "cli/reporting.py": "CI, TERM, NO_COLOR",
        "cli/status.py": "no command whose answers are stored",
        "cli/try.py": "no command whose answers are stored",
        "cluster/registry/credentials.py": "only tjgen pin reads registries",
        "gitops/emit/cache.py": "the cache of output trees, which are not printed",
        "language/resolve/caller.py": "TJGEN_*",
        "language/slicing/conformance.py": "starts a program",
        "trees/bytecode.py": "TJGEN_BYTECODE",
        "trees/caches.py": "XDG_CACHE_HOME, HOME, TJGEN_*, GIT_*",
        "trees/git.py": "GIT_*, and it starts a program",
    }
    reads = {
        name
        for name, tree in modules()
        if any(isinstance(node, ast.Attribute) and node.attr in ("environ", "getenv") for node in ast.walk(tree))
    }
    assert sorted(reads - known.keys()) == []


def modules() -> Iterator[tuple[str, ast.Module]]:
    for file in list_entries(ROOT / "tjgen", "**/*.py"):
        yield file.relative_to(ROOT / "tjgen").as_posix(), ast.parse(file.read_text(encoding="utf-8"))
