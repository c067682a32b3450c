"""A folder of the input is swapped for a link to a folder outside while builds run: no build shows what is there.

The ordinary run makes 48 builds in this process. `python -m tests.trees.files.swapping 1000` makes as many as you like, each as a
process of its own, and prints the figure.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.trees.files.swapping import SECRET, Swapper, is_shown, lay_out, prepared
from tjgen.gitops.emit import ondisk
from tjgen.gitops.emit.filesystem import ObstacleError, Root
from tjgen.language.runs.pins import Pins
from tjgen.trees.files import beneath
from tjgen.trees.files.problems import UnreadableError
from tjgen.trees.files.sandbox import Sandbox


@pytest.mark.parametrize("folder", ["experiments", "overlays", "catalog", "src"])
def test_no_build_shows_a_file_from_outside(tmp_path: Path, folder: str) -> None:
    repository = lay_out(tmp_path)
    with Swapper(repository, folder) as swapper:
        shown = [is_shown(repository) for _ in range(12)]
    assert swapper.times > 2, "the folder was not swapped often enough"
    assert not any(shown)


def test_what_is_outside_would_be_seen(tmp_path: Path) -> None:
    """The search of the tests above finds the content from outside if a build reads it."""
    repository = lay_out(tmp_path)
    for folder in ("experiments", "overlays", "catalog", "src"):
        (repository / folder).rename(repository / f"{folder}.away")
        os.rename(tmp_path / "outside" / folder, repository / folder)
        assert is_shown(repository), folder
        os.rename(repository / folder, tmp_path / "outside" / folder)
        (repository / f"{folder}.away").rename(repository / folder)
    assert not is_shown(repository)


def swap(repository: Path, folder: str) -> None:
    (repository / folder).rename(repository / f"{folder}.away")
    (repository / folder).symlink_to(f"../outside/{folder}")


@pytest.mark.parametrize("depth", ["experiments", "experiments/a/b"])
def test_a_folder_that_is_swapped_after_its_check_is_not_entered(tmp_path: Path, depth: str) -> None:
    """At the worst moment: the path was resolved, and the folder is opened next."""
    repository = lay_out(tmp_path)
    for above in (repository, tmp_path / "outside"):
        (above / depth).mkdir(parents=True, exist_ok=True)
        (above / depth / "e.yaml").write_text(SECRET if above != repository else "inside")
    sandbox = Sandbox([str(repository)])
    path = str(repository / depth)
    assert sandbox.resolved(path) == path
    swap(repository, "experiments")
    with pytest.raises(UnreadableError):
        sandbox.read(f"{path}/e.yaml")
    with pytest.raises(UnreadableError):
        sandbox.entries(path)


def test_an_open_folder_stays_the_one_that_was_checked(tmp_path: Path) -> None:
    repository = lay_out(tmp_path)
    sandbox = Sandbox([str(repository)])
    names = [entry.name for entry in sandbox.entries(str(repository / "experiments"))]
    swap(repository, "experiments")
    assert SECRET.encode() not in sandbox.read(str(repository / "experiments/e.yaml"))
    assert names == ["e.yaml"]


def test_folders_are_closed(tmp_path: Path) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    folders = beneath.OpenFolders()
    for path in ("a", "a/b", "", "a/c", "a/b", "a"):
        if path == "a/c":
            with pytest.raises(FileNotFoundError):
                folders.open(str(tmp_path), f"{tmp_path}/{path}")
        else:
            real = f"{tmp_path}/{path}".rstrip("/")
            assert os.fstat(folders.open(str(tmp_path), real)).st_ino == os.stat(real).st_ino
            assert sorted(one.name for one in beneath.entries(folders.open(str(tmp_path), real), "")) == sorted(os.listdir(real))
    del folders
    assert not before or len(os.listdir("/proc/self/fd")) == before


def test_a_folder_that_cannot_be_listed_can_be_passed(tmp_path: Path) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/b/file").write_text("x")
    (tmp_path / "a").chmod(0o311)
    sandbox = Sandbox([str(tmp_path)])
    assert sandbox.read(f"{tmp_path}/a/b/file") == b"x"
    (tmp_path / "a").chmod(0o700)


def test_builds_as_processes(tmp_path: Path) -> None:
    assert prepared(tmp_path, 4) == (4, 0)


def test_a_folder_of_the_output_that_is_swapped_after_its_check_is_not_entered(tmp_path: Path) -> None:
    repository = lay_out(tmp_path)
    outside = (tmp_path / "outside/src/train.py").read_bytes()
    root = Root(str(repository))
    root.enter("src")
    swap(repository, "src")
    assert (repository / "src/train.py").read_bytes() == outside
    for read in (lambda: root.read("src/train.py"), lambda: root.is_same("src/train.py", outside), lambda: root.entries("src")):
        with pytest.raises(ObstacleError) as caught:
            read()
        assert (caught.value.path, caught.value.what) == ("src", "a symbolic link")
    assert ondisk.names(str(repository), "src") is None
    assert ondisk.below(str(repository), "src") == []
    assert ondisk.files(str(repository), "src") == []


def test_an_open_folder_of_the_output_stays_the_one_that_was_checked(tmp_path: Path) -> None:
    repository = lay_out(tmp_path)
    root = Root(str(repository))
    assert [entry.name for entry in root.entries("src")] == ["train.py"]
    swap(repository, "src")
    file = root.read("src/train.py")
    assert file is not None
    assert file.content == b"print('inside')\n"


def test_pins_in_a_folder_that_is_a_link_are_not_listed(tmp_path: Path) -> None:
    for name in ("locks/_images/here/b/1.yaml", "locks/_images/here/a.yaml", "outside/2.yaml", "locks/_images/here/note"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    (tmp_path / "locks/_images/there").symlink_to(tmp_path / "outside")
    pins = Pins(str(tmp_path / "locks"))
    assert list(pins.files()) == [f"{tmp_path}/locks/_images/here/a.yaml", f"{tmp_path}/locks/_images/here/b/1.yaml"]
    assert list(Pins(str(tmp_path / "none")).files()) == []
