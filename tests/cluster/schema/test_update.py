"""The monthly update of schemas: which release is newer, and what it adds to sets.yaml."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from schemas import generate, update
from schemas.update import Set

SETS = """\
# Sets.
kueue:
  v0.15.2:
    generator: v0.18.0
    modules: [sigs.k8s.io/kueue@v0.15.2, k8s.io/api@v0.36.1]
    kinds: [Workload] # the others are unused
volcano:
  v1.14.0:
    generator: v0.18.0
    modules: [volcano.sh/apis@v1.14.0]
"""


def test_the_newest_release_is_no_prerelease() -> None:
    assert update.newest(["v0.9.0", "v0.10.1", "v0.10.2-rc.1", "v0.2.0"]) == "v0.10.1"
    assert update.newest(["v0.11.0-alpha.1"]) is None


def test_a_pseudo_version_is_compared_by_its_release() -> None:
    assert update.ordinal("v1.13.1-0.20251028070205-46d20c0699e7") < update.ordinal("v1.14.0")


@pytest.mark.parametrize("project", ["kueue", "volcano"])
def test_a_release_is_added_after_those_of_its_project(project: str) -> None:
    before = yaml.safe_load(SETS)
    last, how = [*before[project].items()][-1]
    module, version = generate.split(how["modules"][0])
    changes = {f"{module}@{version}": f"{module}@v9.0.0", "generator: v0.18.0": "generator: v0.20.1"}
    text = update.with_release(SETS, Set(project, "v9.0.0"), last, changes)
    after = yaml.safe_load(text)
    assert [*after[project]] == [last, "v9.0.0"]
    assert after[project].pop("v9.0.0") == {**how, "generator": "v0.20.1", "modules": [f"{module}@v9.0.0", *how["modules"][1:]]}
    assert after == before
    assert text.startswith("# Sets.\n")


@pytest.mark.parametrize(
    ("makefile", "release"),
    [
        ("CONTROLLER_TOOLS_VERSION ?= v0.18.0\n", "v0.18.0"),
        ("CONTROLLER_GEN_VERSION := v0.20.1\n", "v0.20.1"),
        ("\tGOBIN=$(BIN) go install sigs.k8s.io/controller-tools/cmd/controller-gen@v0.17.2\n", "v0.17.2"),
        ("CONTROLLER_GEN_VERSION=$(shell go list -m)\n", None),
    ],
)
def test_the_generator_is_that_of_the_makefile(makefile: str, release: str | None, tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text(makefile, encoding="utf-8")
    assert update.generator_in(tmp_path) == release


def test_only_projects_with_a_newer_release_are_listed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = {"sigs.k8s.io/kueue": ["v0.15.2", "v0.19.0"]}
    monkeypatch.setattr(update, "versions_of", lambda module: listed.get(module, []))
    assert update.newer_releases(yaml.safe_load(SETS)) == [Set("kueue", "v0.19.0")]
    assert capsys.readouterr().out.startswith("volcano: the module proxy lists no release of volcano.sh/apis; ")


@pytest.mark.parametrize("argument", ["kubebatch/v1.0.0", "kueue/v0.19.0", "kueue", "kueue/newest"])
def test_a_wrong_set_changes_nothing(argument: str) -> None:
    text = update.SETS.read_text(encoding="utf-8")
    with pytest.raises(SystemExit) as stop:
        update.main([argument])
    assert stop.value.code == 2
    assert update.SETS.read_text(encoding="utf-8") == text
