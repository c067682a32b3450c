"""`tjgen build` into trees is answered without a build only if everything that it read and wrote is the same."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.test_kept_builds import CHANGES, PROJECT, Place, written
from tests.trees.bytecode.test_bytecode import Copy
from tjgen.trees.caches import checksum
from tjgen.trees.files import states

WORDS = ("-o", "deploy", "--expanded", "preview")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path)
    written("tjgen.yaml", PROJECT + "  experiments: [experiments]\n")(place.folder)
    # A build has no answer if a file changed so shortly before that a later change may not show in its times.
    time.sleep(5 * states.FINE / 1e9)
    return place


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def one(folder: Path, pattern: str) -> Path:
    return sorted(folder.glob(pattern))[0]


def is_answered(place: Place, *words: str) -> bool:
    """Whether the build prints what is stored: a stored answer with other text."""
    for entry in place.answers:
        packed = entry.read_bytes().partition(b"\n")[2].replace(b"unchanged,", b"UNCHANGED,")
        entry.write_bytes(checksum(packed) + b"\n" + packed)
    answered = "UNCHANGED," in place.build(*words)[2]
    for entry in place.answers:
        packed = entry.read_bytes().partition(b"\n")[2].replace(b"UNCHANGED,", b"unchanged,")
        entry.write_bytes(checksum(packed) + b"\n" + packed)
    return answered


def test_a_build_that_only_adds_runs_is_the_last_one(place: Place) -> None:
    assert place.build(*WORDS) == (0, "", "runs: 2 new, 0 unchanged, 0 kept, 0 removed\n")
    tree = contents(place.folder)
    assert is_answered(place, *WORDS)
    second = place.build(*WORDS)
    assert second == (0, "", "runs: 0 new, 2 unchanged, 0 kept, 0 removed\n")
    assert second == place.build(*WORDS, TJGEN_CACHE="off")
    assert contents(place.folder) == tree


def test_a_build_after_a_change_is_answered_once_nothing_was_written(place: Place) -> None:
    place.build(*WORDS)
    CHANGES["experiment"](place.folder)
    # The changed run replaces one, so what the next build reports is not known.
    assert "1 new, 1 unchanged" in place.build(*WORDS)[2]
    expected = place.build(*WORDS)
    assert is_answered(place, *WORDS)
    assert place.build(*WORDS) == expected == place.build(*WORDS, TJGEN_CACHE="off")


def test_a_comparison_is_answered_with_its_errors(place: Place) -> None:
    place.build(*WORDS)
    assert (
        place.build("--check", *WORDS)
        == place.build("--check", *WORDS)
        == (0, "", "runs: 0 new, 2 unchanged, 0 kept, 0 removed\n")
    )
    assert is_answered(place, "--check", *WORDS)
    CHANGES["experiment"](place.folder)
    first = place.build("--check", *WORDS)
    assert first[0] == 1
    assert place.build("--check", *WORDS) == first == place.build("--check", *WORDS, TJGEN_CACHE="off")


def in_tree(pattern: str, change: Callable[[Path], object]) -> Callable[[Path], None]:
    def apply(folder: Path) -> None:
        change(one(folder, pattern))

    return apply


def edit_with_old_times(file: Path) -> None:
    """Change one character: the size is the same, and the time of the change is set back."""
    status = file.stat()
    text = file.read_text(encoding="utf-8")
    changed = text.replace("first", "fIrst", 1)
    assert changed != text
    file.write_text(changed, encoding="utf-8")
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))


def exchange(file: Path) -> None:
    """Put another file of the same size and times in its place."""
    near = file.with_name("near")
    shutil.copy2(file, near)
    edit_with_old_times(near)
    near.rename(file)


JOB, LOCK = "deploy/prod/runs/prod/first/*/trainjob*.yaml", "tjgen.lock.d/prod/**/*.yaml"
TREE_CHANGES = {
    "edited output": in_tree(JOB, edit_with_old_times),
    "exchanged output": in_tree(JOB, exchange),
    "deleted output": in_tree(JOB, Path.unlink),
    "deleted run": in_tree(JOB, lambda file: shutil.rmtree(file.parent)),
    "deleted tree": in_tree("deploy", shutil.rmtree),
    "link in place of an output": in_tree(
        JOB, lambda file: os.symlink("x", file.rename(file.with_suffix(".txt")).with_suffix(".yaml"))
    ),
    "new file in the tree": written("deploy/prod/README.md", "text"),
    "folder of a run without a lock": in_tree(
        JOB, lambda file: shutil.copytree(file.parent, file.parent.with_name("first-0000"))
    ),
    "edited preview": in_tree("preview/prod/**/*first*/*.yaml", edit_with_old_times),
    "deleted preview": in_tree("preview/prod/**/*first*/*.yaml", Path.unlink),
    "deleted previews": in_tree("preview", shutil.rmtree),
    "edited lock": in_tree(LOCK, lambda file: file.write_text(file.read_text() + "# edited\n")),
    "deleted lock": in_tree(LOCK, Path.unlink),
    "lock without an experiment": in_tree(LOCK, lambda file: shutil.copy(file, file.with_name("other.yaml"))),
    "deleted locks": in_tree("tjgen.lock.d", shutil.rmtree),
    "interrupted build": written("deploy/.tjgen/journal", "damaged"),
}


@pytest.mark.parametrize("name", [*CHANGES, *TREE_CHANGES])
def test_a_change_is_seen(place: Place, name: str) -> None:
    assert place.build(*WORDS)[0] == 0
    assert is_answered(place, *WORDS)
    (TREE_CHANGES | CHANGES)[name](place.folder)
    shutil.copytree(place.folder, other := place.folder.parent / "other" / "project", symlinks=True)
    answer, tree = place.build(*WORDS), contents(place.folder)
    place.folder = other
    assert answer == place.build(*WORDS, TJGEN_CACHE="off")
    assert tree == contents(other)


def test_a_change_of_the_program_is_seen(place: Place, tmp_path: Path) -> None:
    copy = Copy(tmp_path / "copy")
    for _ in range(2):
        assert place.build(*WORDS, program=copy.folder)[0] == 0
    module = copy.folder / "tjgen" / "gitops" / "output" / "done.py"
    text = module.read_text(encoding="utf-8")
    module.write_text(text.replace('"runs: ', '"all runs: '), encoding="utf-8")
    assert place.build(*WORDS, program=copy.folder)[2].startswith("all runs: ")


def test_a_module_that_the_build_did_not_load_is_part_of_the_program(place: Place, tmp_path: Path) -> None:
    copy = Copy(tmp_path / "copy")
    for _ in range(2):
        assert place.build(*WORDS, program=copy.folder)[0] == 0
    (answer,) = place.answers
    before = answer.read_bytes()
    module = copy.folder / "tjgen" / "compiler" / "targets" / "mpijob.py"
    module.write_text(module.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert place.build(*WORDS, program=copy.folder)[0] == 0
    assert answer.read_bytes() != before


@pytest.mark.parametrize("more", [["--renew", "x"], ["--force"], ["--prune-runs"], ["--no-cache"], ["--staged"]])
def test_builds_that_do_more_are_not_answered(place: Place, more: list[str]) -> None:
    for _ in range(2):
        place.build(*WORDS, *more)
    assert place.answers == []


def test_the_tree_that_a_project_names_is_answered(place: Place) -> None:
    text = (place.folder / "tjgen.yaml").read_text(encoding="utf-8")
    written("tjgen.yaml", text.replace("spec:\n", "spec:\n  output: {directory: deploy}\n", 1))(place.folder)
    lines = "writing to deploy, the folder of the project; to print instead, pass a path or --env\nruns: "
    assert place.run("build") == (0, "", f"{lines}2 new, 0 unchanged, 0 kept, 0 removed\n")
    answer = (0, "", f"{lines}0 new, 2 unchanged, 0 kept, 0 removed\n")
    assert place.run("build") == place.run("build") == answer == place.run("build", TJGEN_CACHE="off")
    one(place.folder, JOB).unlink()
    assert "1 new" not in place.run("build")[2]
    assert one(place.folder, JOB).exists()
