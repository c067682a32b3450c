"""What two releases of a project have different in their schemas."""

from __future__ import annotations

import pytest

from schemas.compare import HERE, differences, main, of_schemas


def test_a_release_tells_what_it_brought() -> None:
    lines = list(differences(HERE / "trainer/v2.1.0", HERE / "trainer/v2.2.1"))
    assert "- trainjob.spec.podTemplateOverrides" in lines
    assert "+ trainjob.spec.runtimePatches" in lines
    assert not any(line.startswith("+ trainjob.spec.runtimePatches[]") for line in lines)


def test_a_release_is_like_itself() -> None:
    assert list(differences(HERE / "trainer/v2.3.0", HERE / "trainer/v2.3.0")) == []


def test_a_changed_rule_is_told_where_it_stands() -> None:
    before = {"properties": {"a": {"items": {"maximum": 3}}}}
    after = {"properties": {"a": {"items": {"maximum": 4}}, "b": {}}}
    assert list(of_schemas(before, after, "kind")) == ["~ kind.a[]: maximum 3 -> 4", "+ kind.b"]


def test_an_unknown_release_is_wrong_use(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["trainer/v2.3.0", "trainer/v0"])
    assert "there are no schemas in v0" in capsys.readouterr().err
