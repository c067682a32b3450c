"""The cache folder of the caller: what keeps it from being used, and what is read from it."""

from __future__ import annotations

import json
import marshal
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.checkout import ROOT
from tjgen.trees.caches import CacheFolder, checksum, location, open_folder, refusal

BAD = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: A}\n"
PROJECT = "apiVersion: tjgen.dev/v1alpha1\nkind: Project\nspec: {}\n"


def opened(home: Path, name: str = "") -> CacheFolder:
    folder = open_folder(name, {"XDG_CACHE_HOME": str(home)})
    assert folder is not None
    return folder


def test_the_environment_names_the_folder() -> None:
    assert location({"XDG_CACHE_HOME": "/c", "HOME": "/h"}) == "/c/tjgen"
    assert location({"HOME": "/h"}) == "/h/.cache/tjgen"
    assert location({"XDG_CACHE_HOME": "relative", "HOME": "/h"}) == "/h/.cache/tjgen"
    assert location({}) is None
    assert location({"HOME": "relative"}) is None
    for word in ("off", "OFF", "0", "no", "false"):
        assert location({"HOME": "/h", "TJGEN_CACHE": word}) is None


def test_a_folder_that_is_missing_is_created_for_this_account_alone(tmp_path: Path) -> None:
    opened(tmp_path / "a/b", "check").store("x", [1, {"a": (None, b"c")}])
    assert opened(tmp_path / "a/b", "check").load("x") == [1, {"a": (None, b"c")}]
    modes = {path.name: oct(path.stat().st_mode & 0o777) for path in (tmp_path / "a").rglob("*")}
    assert modes == {"b": "0o700", "tjgen": "0o700", "check": "0o700", "x": "0o600"}


def made(path: Path, mode: int) -> None:
    path.mkdir()
    path.chmod(mode)


def written_for_all(file: Path) -> None:
    file.write_bytes(checksum(PACKED) + b"\n" + PACKED)
    file.chmod(0o666)


def link_into_repository(home: Path) -> None:
    (home.parent / "repository/.git").mkdir(parents=True)
    (home.parent / "repository/answers").mkdir(mode=0o700)
    (home / "tjgen").symlink_to("../repository/answers")


def parent_links_into_repository(home: Path) -> None:
    link_into_repository(home)
    (home / "tjgen").unlink()
    home.rmdir()
    home.symlink_to("repository/answers")


REFUSED: dict[str, Callable[[Path], object]] = {
    "in a work tree": lambda home: (home.parent / ".git").mkdir(),
    "in a linked work tree": lambda home: (home.parent / ".git").write_text("gitdir: elsewhere\n"),
    "is a work tree": lambda home: (home / "tjgen/.git").mkdir(parents=True),
    "in a project": lambda home: (home.parent / "tjgen.yaml").write_text(PROJECT),
    "links into a repository": link_into_repository,
    "parent links into a repository": parent_links_into_repository,
    "for all": lambda home: made(home / "tjgen", 0o777),
    "for all, sticky": lambda home: made(home / "tjgen", 0o1777),
    "for a group": lambda home: made(home / "tjgen", 0o720),
    "parent for all": lambda home: home.chmod(0o777),
    "parent for a group": lambda home: home.chmod(0o770),
}


@pytest.mark.parametrize("kind", REFUSED)
@pytest.mark.parametrize("name", ["", "check"])
def test_a_folder_that_others_can_change_is_refused(tmp_path: Path, kind: str, name: str) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    REFUSED[kind](home)
    before = sorted(tmp_path.rglob("*"))
    environment = {"XDG_CACHE_HOME": str(home)}
    assert open_folder(name, environment) is None
    folder, reason = refusal(environment) or ("", "")
    assert folder == f"{home}/tjgen"
    assert reason.startswith("it is inside of") or str(home) in reason
    assert sorted(tmp_path.rglob("*")) == before, "nothing is created in it"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to another account")
@pytest.mark.parametrize("of", ["", "tjgen", "tjgen/check"])
def test_a_folder_of_another_account_is_refused(tmp_path: Path, of: str) -> None:
    (tmp_path / "home/tjgen/check").mkdir(parents=True, mode=0o700)
    os.chown(tmp_path / "home" / of, 65534, 65534)
    assert open_folder("check", {"XDG_CACHE_HOME": str(tmp_path / "home")}) is None


def test_a_work_tree_of_the_environment_is_one(tmp_path: Path) -> None:
    environment = {"XDG_CACHE_HOME": str(tmp_path / "w/cache"), "GIT_WORK_TREE": str(tmp_path / "w")}
    assert open_folder("", environment) is None
    assert open_folder("", {**environment, "GIT_WORK_TREE": str(tmp_path / "v")}) is not None


def test_a_folder_below_one_for_all_files_can_be_used(tmp_path: Path) -> None:
    (tmp_path / "tmp").mkdir()
    (tmp_path / "tmp").chmod(0o1777)
    assert opened(tmp_path / "tmp/mine").store("x", 1)
    assert refusal({"XDG_CACHE_HOME": str(tmp_path / "tmp/mine")}) is None


PACKED = marshal.dumps(["answer"])
FORGED: dict[str, Callable[[Path], object]] = {
    "no checksum": lambda file: file.write_bytes(PACKED),
    "another checksum": lambda file: file.write_bytes(b"0" * 64 + b"\n" + PACKED),
    "cut": lambda file: file.write_bytes((checksum(PACKED) + b"\n" + PACKED)[:-1]),
    "longer": lambda file: file.write_bytes(checksum(PACKED) + b"\n" + PACKED + b"x"),
    "empty": lambda file: file.write_bytes(b""),
    "writable for others": written_for_all,
    "folder": lambda file: file.mkdir(),
    "named pipe": os.mkfifo,
}


@pytest.mark.parametrize("kind", FORGED)
def test_only_a_whole_file_of_this_account_reaches_marshal(tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = opened(tmp_path / "home")
    FORGED[kind](tmp_path / "home/tjgen/x")
    monkeypatch.setattr("tjgen.trees.caches.marshal", None)
    assert folder.load("x") is None


def test_a_link_is_neither_read_nor_written_through(tmp_path: Path) -> None:
    folder = opened(tmp_path / "home")
    target = tmp_path / "target"
    target.write_bytes(checksum(PACKED) + b"\n" + PACKED)
    target.chmod(0o600)
    (tmp_path / "home/tjgen/x").symlink_to(target)
    (tmp_path / "home/tjgen/x.new").symlink_to(target)
    assert folder.load("x") is None
    assert folder.store("x", "mine")
    assert folder.load("x") == "mine"
    assert target.read_bytes() == checksum(PACKED) + b"\n" + PACKED


def test_a_folder_that_is_swapped_later_changes_nothing(tmp_path: Path) -> None:
    folder = opened(tmp_path / "home")
    folder.store("x", "mine")
    (tmp_path / "home/tjgen").rename(tmp_path / "home/old")
    (tmp_path / "home/tjgen").mkdir(mode=0o700)
    (tmp_path / "home/tjgen/x").write_bytes(checksum(PACKED) + b"\n" + PACKED)
    assert folder.load("x") == "mine"


def check(folder: Path, cache: Path, *words: str) -> tuple[int, str, str]:
    variables = {name: value for name, value in os.environ.items() if name not in ("TJGEN_CACHE", "CI")}
    variables |= {"PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(cache)}
    command = [sys.executable, "-m", "tjgen", *words]
    done = subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def test_a_stored_answer_of_the_repository_is_not_printed(tmp_path: Path) -> None:
    """A pipeline keeps its caches below the project, as GitLab CI requires, and a branch commits a file there."""
    folder = tmp_path / "repository"
    folder.mkdir()
    (folder / "bad.yaml").write_text(BAD, encoding="utf-8")
    honest = check(folder, tmp_path / "cache", "check", "bad.yaml")
    assert honest[0] == 1
    (entry,) = (tmp_path / "cache/tjgen/check").iterdir()
    (folder / ".git").mkdir()
    packed = marshal.dumps(([], 0, [(True, "1 object, 0 problems\n")]))
    # The answer has the name that the command looks for, because neither the words nor the folder differ.
    forged = folder / ".cache/tjgen/check" / entry.name
    forged.parent.mkdir(parents=True)
    forged.write_bytes(checksum(packed) + b"\n" + packed)
    for path in (forged, *forged.parents[:3]):
        path.chmod(0o700)
    (tmp_path / "cache").rename(tmp_path / "away")
    (tmp_path / "cache").symlink_to(folder / ".cache")  # also where the environment names another path
    for cache in (tmp_path / "cache", folder / ".cache"):
        code, out, err = check(folder, cache, "check", "bad.yaml")
        line, _, rest = err.partition("\n")
        assert (code, out, rest) == honest
        assert line.startswith(f"the cache {cache}/tjgen is not used: it is inside of the Git work tree {folder};")
        assert check(folder, cache, "check", "bad.yaml", "-q")[2].count("not used") == 0
        assert json.loads(check(folder, cache, "check", "bad.yaml", "--format", "json")[2])
    assert sorted(path.name for path in (folder / ".cache/tjgen").rglob("*")) == sorted(["check", entry.name])


def test_a_build_into_a_tree_writes_no_file_of_a_cache_of_the_repository(tmp_path: Path) -> None:
    folder = tmp_path / "repository"
    (folder / ".git").mkdir(parents=True)
    (folder / "tjgen.yaml").write_text(
        "apiVersion: tjgen.dev/v1alpha1\nkind: Project\nspec: {experiments: [e.yaml], output: {directory: deploy}}\n"
    )
    (folder / "e.yaml").write_text(
        "apiVersion: tjgen.dev/v1alpha1\nkind: Experiment\nmetadata: {name: a}\n"
        "spec: {runtime: tjgen-torch, image: 'train:1', script: t.py}\n"
    )
    answers = [check(folder, cache, "build", "-q") for cache in (tmp_path / "cache", folder / ".cache")]
    assert answers == [(0, "", "")] * 2
    assert not (folder / ".cache").exists()
    names = sorted(path.name for path in (tmp_path / "cache/tjgen").iterdir())
    (folder / "e.yaml").write_text((folder / "e.yaml").read_text().replace("train:1", "train:2"))
    secret = tmp_path / "secret"
    secret.write_text("secret")
    (folder / ".cache/tjgen").mkdir(parents=True)
    for name in names:
        for suffix in ("", ".new"):
            (folder / f".cache/tjgen/{name}{suffix}").symlink_to(secret)
    assert check(folder, folder / ".cache", "build", "-q")[0] == 0
    assert secret.read_text() == "secret"


def test_a_home_that_is_a_work_tree_is_refused_silently(tmp_path: Path) -> None:
    """An account may keep its settings in Git."""
    (tmp_path / ".git").mkdir()
    assert open_folder("", {"HOME": str(tmp_path)}) is None
    assert refusal({"HOME": str(tmp_path)}) is None
    assert not (tmp_path / ".cache").exists()
