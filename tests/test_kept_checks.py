"""`tjgen check` writes a stored answer only if everything that the check depends on is the same."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.admission import binding, policy
from tests.checkout import ROOT
from tests.test_kept_builds import RUNTIME, written
from tests.trees.bytecode.test_bytecode import Copy
from tjgen.cli import kept, watching
from tjgen.trees.caches import CacheEntry, checksum, open_folder

GOOD = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
BAD = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: A}\n"
TRAINJOB = """
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: a}
spec: {runtimeRef: {name: own}}
"""
PROJECT = "apiVersion: tjgen.dev/v1alpha1\nkind: Project\nspec: {%s}\n"
PLATFORM = "apiVersion: tjgen.dev/v1alpha1\nkind: Platform\nmetadata: {name: a}\nspec: {policies: [rules.yaml]}\n"
EXPERIMENT = """
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: first}
spec: {runtime: tjgen-torch, image: "example.com/train:1", script: train.py}
"""
RULES = policy("object.metadata.name != 'NAME'", name="rules", resources=("configmaps",)) + binding("rules")


class Place:
    """A folder with files to check, and a cache of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "work"
        self.folder.mkdir()
        self.cache = folder / "cache"

    def check(self, *words: str, **environment: str) -> tuple[int, str, str]:
        variables = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "TERM", "TJGEN_CACHE", "CI")}
        variables |= {"PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(self.cache), **environment}
        command = [sys.executable, "-m", "tjgen", "check", *words]
        done = subprocess.run(command, cwd=self.folder, env=variables, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    def write(self, name: str, text: str) -> None:
        written(name, text)(self.folder)

    @property
    def answers(self) -> list[Path]:
        return sorted(self.cache.glob("tjgen/check/*"))


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path)
    place.write("deploy/a.yaml", GOOD)
    place.write("bad.yaml", BAD)
    return place


@pytest.mark.parametrize(
    "words", [["deploy"], ["bad.yaml"], ["bad.yaml", "deploy", "--strict"], ["bad.yaml", "--format=json"], ["nowhere"]]
)
def test_a_stored_answer_is_the_same(place: Place, words: list[str]) -> None:
    first = place.check(*words)
    assert len(place.answers) == 1
    assert place.check(*words) == first == place.check(*words, "--no-cache")
    assert len(place.answers) == 1


def test_a_stored_answer_is_really_written(place: Place) -> None:
    first = place.check("bad.yaml")
    assert (first[0], "TJ505" in first[2]) == (1, True)
    (entry,) = place.answers
    packed = entry.read_bytes().partition(b"\n")[2].replace(b"TJ505", b"TJ999")
    entry.write_bytes(b"0" * 64 + b"\n" + packed)
    assert place.check("bad.yaml") == first, "without its checksum, it is not used"
    entry.write_bytes(checksum(packed) + b"\n" + packed)
    assert place.check("bad.yaml") == (1, "", first[2].replace("TJ505", "TJ999"))


def linked(folder: Path) -> None:
    (folder / "deploy" / "a.yaml").rename(folder / "elsewhere.yaml")
    (folder / "deploy" / "a.yaml").symlink_to("../elsewhere.yaml")


CHANGES: dict[str, Callable[[Path], object]] = {
    "content": written("deploy/a.yaml", BAD),
    "new file": written("deploy/b.yml", BAD),
    "new file in a new folder": written("deploy/more/b.yaml", BAD),
    "other name": lambda folder: (folder / "deploy" / "a.yaml").rename(folder / "deploy" / "c.yaml"),
    "removed file": lambda folder: (folder / "deploy" / "a.yaml").unlink(),
    "link": linked,
    "kustomize renders the folder": written("deploy/kustomization.yaml", "resources: [a.yaml]\n"),
    "project": written("tjgen.yaml", PROJECT % "policy: {rules: {}}"),
    "repository that begins here": lambda folder: (folder / "deploy" / ".git").mkdir(),
}


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("words", [["deploy"], ["deploy/a.yaml"]], ids=" ".join)
def test_an_answer_is_not_written_after_a_change(place: Place, words: list[str], name: str) -> None:
    assert place.check(*words)[0] == 0
    CHANGES[name](place.folder)
    now = place.check(*words)
    assert now == place.check(*words, "--no-cache")
    if name == "content":
        assert now[0] == 1


def test_a_file_that_appears_is_checked(place: Place) -> None:
    assert place.check("later.yaml")[0] == 1
    place.write("later.yaml", GOOD)
    assert place.check("later.yaml")[0] == 0


@pytest.mark.parametrize(
    ("words", "environment"),
    [(["--strict"], {}), (["--format=json"], {}), ([], {"NO_COLOR": "1"}), ([], {"TJGEN_POLICY": "rules.yaml"})],
)
def test_options_and_variables_have_answers_of_their_own(place: Place, words: list[str], environment: dict[str, str]) -> None:
    place.write("rules.yaml", RULES.replace("NAME", "a"))
    place.check("deploy")
    assert place.check("deploy", *words, **environment) == place.check("deploy", *words, "--no-cache", **environment)
    assert len(place.answers) == 2


OTHERS: dict[str, tuple[str, dict[str, str], str, str]] = {
    "runtime of a catalog": (
        "catalogs: [own]",
        {"own/own.yaml": RUNTIME, "deploy/a.yaml": TRAINJOB},
        "own/own.yaml",
        RUNTIME.replace("example.com/base:1", '""'),
    ),
    "policies of a Platform": (
        "platforms: [platform.yaml]",
        {"platform.yaml": PLATFORM, "rules.yaml": RULES},
        "rules.yaml",
        RULES.replace("NAME", "a"),
    ),
    "Platform": (
        "platforms: [platform.yaml]",
        {"platform.yaml": PLATFORM, "rules.yaml": RULES.replace("NAME", "a")},
        "platform.yaml",
        PLATFORM.replace("policies: [rules.yaml]", ""),
    ),
    "policies of the environment": ("", {"rules.yaml": RULES}, "rules.yaml", RULES.replace("NAME", "a")),
    "schemas": (
        "schemas: own",
        {"own/SOURCE": "", "deploy/a.yaml": GOOD.replace("v1", "example.com/v1")},
        "own/SOURCE",
        "sha256 0 example.com_v1_configmap.json\n",
    ),
    "schemas that were missing": ("schemas: own", {"deploy/a.yaml": GOOD.replace("v1", "example.com/v1")}, "own/SOURCE", ""),
    "experiment": ("", {"deploy/first.yaml": EXPERIMENT}, "deploy/first.yaml", EXPERIMENT.replace("train.py", "1, nodes: -1")),
}
"""What a check depends on in other files: fields of the project, its files, the file that changes, and its new text."""


@pytest.mark.parametrize("name", OTHERS)
def test_a_change_of_another_file_is_seen(place: Place, name: str) -> None:
    fields, files, changed, text = OTHERS[name]
    place.write("tjgen.yaml", PROJECT % fields)
    for file, content in files.items():
        place.write(file, content)
    variables = {"TJGEN_POLICY": "rules.yaml"} if "environment" in name else {}
    before = place.check("deploy", **variables)
    assert place.check("deploy", **variables) == before == place.check("deploy", "--no-cache", **variables)
    place.write(changed, text)
    now = place.check("deploy", **variables)
    assert now == place.check("deploy", "--no-cache", **variables) != before


def test_a_change_of_the_program_or_of_a_schema_is_seen(place: Place, tmp_path: Path) -> None:
    copy = Copy(tmp_path / "copy")
    (copy.folder / "schemas").unlink()
    shutil.copytree(ROOT / "schemas", copy.folder / "schemas", ignore=shutil.ignore_patterns("modules", "gotypes"))
    first = place.check("bad.yaml", PYTHONPATH=str(copy.folder))
    assert place.check("bad.yaml", PYTHONPATH=str(copy.folder)) == first
    for file, old, new in (
        ("tjgen/cli/reporting.py", " problem", " finding"),
        ("schemas/index.json", '"v1/ConfigMap"', '"v1/Nothing"'),
    ):
        path = copy.folder / file
        path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
        now = place.check("bad.yaml", PYTHONPATH=str(copy.folder))
        assert now == place.check("bad.yaml", "--no-cache", PYTHONPATH=str(copy.folder)) != first
        first = now


@pytest.mark.parametrize(
    "words", [["-"], ["deploy", "--no-cache"], ["--help"], ["deploy", "--schemas", "own"], ["deploy", "--nope"]]
)
def test_what_depends_on_more_is_not_stored(place: Place, words: list[str]) -> None:
    place.check(*words)
    assert place.answers == []


@pytest.mark.parametrize("environment", [{"XDG_CACHE_HOME": "relative", "HOME": ""}, {"XDG_CACHE_HOME": "/proc/nowhere"}])
def test_without_a_place_for_it_the_check_is_just_done(place: Place, environment: dict[str, str]) -> None:
    assert place.check("bad.yaml", **environment)[0] == 1
    assert not (place.folder / "relative").exists()


def test_a_damaged_answer_is_not_used(place: Place) -> None:
    first = place.check("bad.yaml")
    (entry,) = place.answers
    for content in (b"", b"x", entry.read_bytes()[:-5], b"\n0\n"):
        entry.write_bytes(content)
        assert place.check("bad.yaml") == first


def test_an_answer_that_could_not_be_written_whole_is_not_stored(place: Place) -> None:
    variables = {**os.environ, "PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(place.cache)}
    with open("/dev/full", "w", encoding="utf-8") as full:
        command = [sys.executable, "-m", "tjgen", "check", "bad.yaml"]
        subprocess.run(command, cwd=place.folder, env=variables, stderr=full, check=False)
    assert place.answers == []


def test_old_answers_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "_MOST", 4)
    folder = open_folder("check", {"XDG_CACHE_HOME": str(tmp_path)})
    assert folder is not None
    for number in range(6):
        watching.store(CacheEntry(folder, f"{number}"), [], 0, [])
    assert len(list((tmp_path / "tjgen/check").iterdir())) in (3, 4)
    assert kept.recall(CacheEntry(folder, "5")) == 0


@pytest.mark.parametrize("code", [2, 3])
def test_wrong_use_and_defects_are_not_stored(tmp_path: Path, code: int) -> None:
    folder = open_folder("check", {"XDG_CACHE_HOME": str(tmp_path)})
    assert folder is not None
    watching.run(CacheEntry(folder, "a"), lambda: code)
    assert list((tmp_path / "tjgen/check").iterdir()) == []


def test_a_variable_that_turns_answers_off_stores_nothing(place: Place) -> None:
    place.check("deploy", TJGEN_CACHE="off")
    assert place.answers == []
