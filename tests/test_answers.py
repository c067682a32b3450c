"""`tjgen check` remembers its answers: they are given again only for what they were given for."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.checkout import ROOT
from tjgen.cli import answers

GOOD = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
BAD = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: A}\n"


class Place:
    """A folder with files to check, and a cache of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.cache = folder / "cache"

    def check(self, *words: str, **environment: str) -> tuple[int, str, str]:
        kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "TERM")}
        answer = subprocess.run(
            [sys.executable, "-m", "tjgen", "check", *words],
            cwd=self.folder,
            env={**kept, "PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(self.cache), **environment},
            capture_output=True,
            text=True,
            check=False,
        )
        return answer.returncode, answer.stdout, answer.stderr

    @property
    def answers(self) -> list[Path]:
        return sorted(self.cache.glob("tjgen/check/*"))


@pytest.fixture
def place(tmp_path: Path) -> Place:
    (tmp_path / "deploy").mkdir()
    (tmp_path / "deploy" / "a.yaml").write_text(GOOD, encoding="utf-8")
    (tmp_path / "bad.yaml").write_text(BAD, encoding="utf-8")
    return Place(tmp_path)


@pytest.mark.parametrize("words", [["deploy"], ["bad.yaml"], ["bad.yaml", "deploy", "--strict"], ["bad.yaml", "--format=json"]])
def test_a_known_answer_is_the_same(place: Place, words: list[str]) -> None:
    first = place.check(*words)
    assert len(place.answers) == 1
    assert place.check(*words) == first == place.check(*words, "--no-cache")
    assert len(place.answers) == 1


def test_an_answer_is_really_taken_from_the_cache(place: Place) -> None:
    place.check("bad.yaml")
    (entry,) = place.answers
    code, _, err = place.check("bad.yaml")
    assert (code, "TJ505" in err) == (1, True)
    entry.write_bytes(entry.read_bytes().replace(b"TJ505", b"TJ999"))  # does not have its checksum: not believed
    assert "TJ505" in place.check("bad.yaml")[2]


@pytest.mark.parametrize("change", ["content", "new file", "other name", "option", "color", "project"])
def test_what_changes_the_answer_changes_its_name(place: Place, change: str) -> None:
    place.check("deploy")
    words, environment = ["deploy"], {}
    if change == "content":
        (place.folder / "deploy" / "a.yaml").write_text(BAD, encoding="utf-8")
    elif change == "new file":
        (place.folder / "deploy" / "b.yml").write_text(BAD, encoding="utf-8")
    elif change == "other name":
        (place.folder / "deploy" / "a.yaml").rename(place.folder / "deploy" / "c.yaml")
    elif change == "option":
        words = ["deploy", "--strict"]
    elif change == "color":
        environment = {"NO_COLOR": "1"}
    else:
        (place.folder / "tjgen.yaml").write_text("kind: Project\n", encoding="utf-8")
    code, _, err = place.check(*words, **environment)
    assert (code == 1) == (change in ("content", "new file"))
    assert ("error" in err) == (code == 1)
    assert len(place.answers) == 2


@pytest.mark.parametrize("words", [["-"], ["deploy", "--no-cache"], ["nowhere"], ["--help"], ["deploy", "--schemas", "own"]])
def test_what_depends_on_more_is_not_kept(place: Place, words: list[str]) -> None:
    place.check(*words)
    assert place.answers == []


@pytest.mark.parametrize("fields", ["schemas: own", "catalogs: [own]", "platforms: [own.yaml]"])
def test_a_result_that_depends_on_other_files_of_the_project_is_not_stored(place: Place, fields: str) -> None:
    (place.folder / "tjgen.yaml").write_text(
        f"{{apiVersion: tjgen.dev/v1alpha1, kind: Project, spec: {{{fields}}}}}\n", encoding="utf-8"
    )
    assert place.check("deploy")[0] in (0, 1)
    assert place.answers == []


@pytest.mark.parametrize("environment", [{"XDG_CACHE_HOME": "relative", "HOME": ""}, {"XDG_CACHE_HOME": "/proc/nowhere"}])
def test_without_a_place_for_it_the_check_is_just_done(place: Place, environment: dict[str, str]) -> None:
    assert place.check("bad.yaml", **environment)[0] == 1
    assert not (place.folder / "relative").exists()


def test_a_damaged_answer_is_not_believed(place: Place) -> None:
    first = place.check("bad.yaml")
    (entry,) = place.answers
    for content in (b"", b"x", entry.read_bytes()[:-5], b"\n0\n"):
        entry.write_bytes(content)
        assert place.check("bad.yaml") == first


def test_old_answers_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "_MOST", 4)
    for number in range(6):
        answers.remember(str(tmp_path / f"{number}"), 0, "")
    assert len(list(tmp_path.iterdir())) in (3, 4)
    assert answers.recall(str(tmp_path / "5")) == 0


@pytest.mark.parametrize("code", [2, 3])
def test_wrong_use_and_defects_are_not_kept(tmp_path: Path, code: int) -> None:
    answers.remember(str(tmp_path / "a"), code, "")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("name", "value"), [("TJGEN_CACHE", "off"), ("TJGEN_POLICY", "policies")])
def test_a_variable_that_turns_results_off_or_names_files_stores_nothing(place: Place, name: str, value: str) -> None:
    (place.folder / "policies").mkdir()
    place.check("deploy", **{name: value})
    assert place.answers == []
