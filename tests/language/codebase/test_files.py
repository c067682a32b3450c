"""Which files of a folder are code, and when two folders hold the same code."""

from __future__ import annotations

from pathlib import Path

import pytest

from tjgen.gitops.emit.header import OPENING
from tjgen.language.codebase.files import GENERATED, FolderError, digest, matching_files
from tjgen.trees.files.sandbox import Sandbox


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    left_behind = ("__pycache__/a.pyc", "b.pyc", "model/#net.py#", "model/.#net.py", "train.py~", ".net.py.swp", "Thumbs.db")
    for name in ("train.py", "model/net.py", "model/deep/er.py", ".env", ".git/config", "notes.md", *left_behind):
        file = tmp_path / "src" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(name)
    return tmp_path / "src"


def paths(folder: Path, include: tuple[str, ...] = (), exclude: tuple[str, ...] = ()) -> list[str]:
    return [file.path for file in matching_files(Sandbox([str(folder)]), str(folder), include, exclude)]


def test_what_is_hidden_or_left_behind_is_no_code(folder: Path) -> None:
    assert paths(folder) == ["model/deep/er.py", "model/net.py", "notes.md", "train.py"]


@pytest.mark.parametrize(
    ("include", "exclude", "wanted"),
    [
        (("*.py",), (), ["train.py"]),
        (("**/*.py",), (), ["model/deep/er.py", "model/net.py", "train.py"]),
        (("model/*.py",), (), ["model/net.py"]),
        (("model",), (), ["model/deep/er.py", "model/net.py"]),
        ((), ("model/", "*.md"), ["train.py"]),
        (("**",), ("**/e?.py",), ["model/net.py", "notes.md", "train.py"]),
        (("m*",), ("model/deep",), ["model/net.py"]),
    ],
)
def test_patterns_choose(folder: Path, include: tuple[str, ...], exclude: tuple[str, ...], wanted: list[str]) -> None:
    assert paths(folder, include, exclude) == wanted


def test_the_digest_follows_path_content_and_executable_bit_and_nothing_else(folder: Path) -> None:
    before = digest(matching_files(Sandbox([str(folder)]), str(folder)))
    (folder / ".env").write_text("other")
    (folder / "train.py").touch()
    assert digest(matching_files(Sandbox([str(folder)]), str(folder))) == before
    (folder / "train.py").chmod(0o755)
    executable = digest(matching_files(Sandbox([str(folder)]), str(folder)))
    (folder / "train.py").chmod(0o644)
    (folder / "train.py").write_text("other")
    changed = digest(matching_files(Sandbox([str(folder)]), str(folder)))
    (folder / "train.py").rename(folder / "main.py")
    assert len({before, executable, changed, digest(matching_files(Sandbox([str(folder)]), str(folder)))}) == 4


def test_what_a_build_reads_and_writes_is_no_code(folder: Path) -> None:
    assert OPENING.startswith(GENERATED)
    (folder / "deploy").mkdir()
    (folder / "deploy/run.yaml").write_bytes(OPENING + b"kind: TrainJob\n")
    (folder / "own.yaml").write_text("a: 1\n")
    (folder / "experiment.yaml").write_text("# An experiment.\napiVersion: tjgen.dev/v1alpha1\nkind: Experiment\n")
    (folder / "tjgen.lock.d").mkdir()
    (folder / "tjgen.lock.d/run.yaml").write_text("a: 1\n")
    assert paths(folder) == ["model/deep/er.py", "model/net.py", "notes.md", "own.yaml", "train.py"]


def test_a_link_within_the_folder_is_followed_and_one_that_leads_out_is_refused(folder: Path) -> None:
    (folder / "again.py").symlink_to("train.py")
    assert "again.py" in paths(folder)
    (folder.parent / "secret").write_text("secret")
    (folder / "out.py").symlink_to("../secret")
    with pytest.raises(FolderError, match="outside the folder"):
        paths(folder)
    assert "out.py" not in paths(folder, exclude=("out.py",))


def test_a_link_to_nowhere_is_named(folder: Path) -> None:
    (folder / "gone.py").symlink_to("nowhere.py")
    with pytest.raises(FolderError, match=r"gone\.py: it is a link to a file that does not exist"):
        paths(folder)


def test_a_folder_that_is_none_is_refused(folder: Path) -> None:
    with pytest.raises(FolderError, match="does not exist"):
        paths(folder / "nowhere")
    with pytest.raises(FolderError, match="is not a folder"):
        paths(folder / "train.py")
