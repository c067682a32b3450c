"""`tjgen build` and `tjgen check` reuse no answer that was stored under other settings of the caller (TJGEN_SETTINGS)."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.test_kept_builds import Place
from tests.test_settings_of_caller import POLICY

MIRROR = POLICY.replace("'registry.example.com/'", "'registry.example.net/'")
HARMLESS = POLICY.replace("'registry.example.com/'", "'exampl'")
"""Allows the image of the project."""


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A project whose builds are stored, and files of the caller next to it."""
    one = Place(tmp_path)
    (one.folder / ".git").mkdir()
    (one.folder.parent / "etc" / "policies").mkdir(parents=True)
    (one.folder.parent / "etc" / "policies" / "registry.yaml").write_text(HARMLESS)
    limit(one, "{policies: [policies]}")
    return one


def limit(place: Place, spec: str, name: str = "settings.yaml") -> str:
    """Write a settings file; returns its path."""
    file = place.folder.parent / "etc" / name
    file.write_text(f"apiVersion: tjgen.dev/v1alpha1\nkind: Settings\nspec: {spec}\n")
    return str(file)


def settings(place: Place) -> str:
    return str(place.folder.parent / "etc" / "settings.yaml")


def test_an_answer_under_settings_is_stored_and_reused(place: Place) -> None:
    first = place.build(TJGEN_SETTINGS=settings(place))
    assert first[0] == 0, first[2]
    assert len(place.answers) == 1
    times = place.answers[0].stat().st_mtime_ns
    assert place.build(TJGEN_SETTINGS=settings(place)) == first
    assert place.answers[0].stat().st_mtime_ns == times


def test_an_answer_without_settings_is_not_reused_with_them(place: Place) -> None:
    file = limit(place, "{budgets: {points: 1}, policies: [policies]}", "other.yaml")
    (place.folder.parent / "etc/policies/registry.yaml").write_text(POLICY)
    assert place.build()[0] == 0
    assert "TJ550" in place.build(TJGEN_SETTINGS=file)[2]
    assert place.build()[0] == 0
    assert "TJ550" in place.build(TJGEN_SETTINGS=file)[2]


def test_an_answer_under_other_settings_is_not_reused(place: Place) -> None:
    loose = limit(place, "{}", "loose.yaml")
    (place.folder.parent / "etc/policies/registry.yaml").write_text(POLICY)
    for _ in range(2):
        assert place.build(TJGEN_SETTINGS=loose)[0] == 0
        assert place.build(TJGEN_SETTINGS=settings(place))[0] == 1


def test_a_relative_path_of_settings_is_that_of_the_working_directory(place: Place) -> None:
    (place.folder.parent / "etc/policies/registry.yaml").write_text(POLICY)
    assert place.build(TJGEN_SETTINGS=limit(place, "{}", "loose.yaml"))[0] == 0
    assert "TJ550" in place.build(TJGEN_SETTINGS="../etc/settings.yaml")[2]


def same_times(file: Path, text: str) -> None:
    """Write a file and keep its times: only its content differs."""
    status = file.stat()
    file.write_text(text)
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))


def edit_settings(folder: Path) -> None:
    file = folder / "settings.yaml"
    same_times(file, file.read_text().replace("[policies]", "[polices]"))


def edit_policy(folder: Path) -> None:
    same_times(folder / "policies/registry.yaml", MIRROR)


def add_policy(folder: Path) -> None:
    (folder / "policies/second.yaml").write_text(POLICY)


def remove_policies(folder: Path) -> None:
    (folder / "policies/registry.yaml").unlink()


def remove_settings(folder: Path) -> None:
    (folder / "settings.yaml").unlink()


def redirect_settings(folder: Path) -> None:
    other = folder / "strict.yaml"
    other.write_text((folder / "settings.yaml").read_text().replace("[policies]", "[polices]"))
    (folder / "settings.yaml").unlink()
    (folder / "settings.yaml").symlink_to("strict.yaml")


def redirect_policies(folder: Path) -> None:
    """As a ConfigMap that is mounted again: the folder becomes a link to other files."""
    (folder / "policies").rename(folder / "earlier")
    (folder / "later").mkdir()
    (folder / "later/registry.yaml").write_text(POLICY)
    (folder / "policies").symlink_to("later")


@pytest.mark.parametrize(
    "change",
    [edit_settings, edit_policy, add_policy, remove_policies, remove_settings, redirect_settings, redirect_policies],
)
def test_an_answer_is_not_reused_after_a_change_of_the_callers_files(place: Place, change: Callable[[Path], None]) -> None:
    assert place.build(TJGEN_SETTINGS=settings(place))[0] == 0
    change(place.folder.parent / "etc")
    changed = place.build(TJGEN_SETTINGS=settings(place))
    assert changed[0] != 0
    assert changed == place.build(TJGEN_SETTINGS=settings(place), TJGEN_CACHE="off")


def test_a_link_of_a_mounted_config_map_that_is_exchanged(place: Place) -> None:
    folder = place.folder.parent / "etc"
    for name, text in (("1", HARMLESS), ("2", POLICY)):
        (folder / name).mkdir()
        (folder / name / "registry.yaml").write_text(text)
    (folder / "..data").symlink_to("1")
    (folder / "policies/registry.yaml").unlink()
    (folder / "policies/registry.yaml").symlink_to("../..data/registry.yaml")
    assert place.build(TJGEN_SETTINGS=settings(place))[0] == 0
    (folder / "..data").unlink()
    (folder / "..data").symlink_to("2")
    assert "TJ550" in place.build(TJGEN_SETTINGS=settings(place))[2]


def test_a_build_of_a_tree_reuses_no_run_of_other_settings(place: Place) -> None:
    """The output tree of an earlier build is not a reason to compile less."""
    words = ("experiments", "--env", "prod", "-o", "deploy")
    assert place.build(*words)[0] == 0
    edit_policy(place.folder.parent / "etc")
    for words_ in (words, (*words, "--check")):
        answer = place.build(*words_, TJGEN_SETTINGS=settings(place))
        assert (answer[0], answer[2].count("TJ550") > 0) == (1, True), answer


def test_a_stored_check_is_not_reused_under_other_settings(place: Place) -> None:
    built = place.build()[1]
    (place.folder / "built.yaml").write_text(built)

    words = ("check", "built.yaml")
    assert place.run(*words)[0] == 0
    assert place.run(*words, TJGEN_SETTINGS=settings(place))[0] == 0
    edit_policy(place.folder.parent / "etc")
    assert "TJ550" in place.run(*words, TJGEN_SETTINGS=settings(place))[2]
    assert place.run(*words)[0] == 0
