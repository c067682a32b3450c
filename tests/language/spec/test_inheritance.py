"""Each field of a project is in the table of how a project inherits from its workspace."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.checkout import ROOT, modules
from tjgen.language.spec import inheritance
from tjgen.language.spec.generate.shapes import Kind, Map, Ref, Sugar, fields
from tjgen.language.spec.models.project import Environment, ProjectSpec
from tjgen.language.spec.models.shape import Shape

GROUPS = ("gitops", "policy", "environments.*")
"""Fields that contain settings of the cluster and rights. Each field in them has an entry of its own."""


def paths(model: type[Shape], prefix: str = "") -> Iterator[str]:
    """The fields of a model. Those in GROUPS are followed by their own fields."""
    for field in fields(model):
        path = f"{prefix}{field.key}"
        yield path
        pattern, inner = (f"{path}.*", field.kind.value) if isinstance(field.kind, Map) else (path, field.kind)
        if pattern in GROUPS:
            yield from paths(model_of(inner), f"{pattern}.")


def model_of(kind: Kind) -> type[Shape]:
    """The model of a field that contains others."""
    inner = kind.long if isinstance(kind, Sugar) else kind
    assert isinstance(inner, Ref)
    return inner.model


PATHS = list(paths(ProjectSpec))


@pytest.mark.parametrize("path", PATHS)
def test_each_field_of_a_project_is_in_the_table(path: str) -> None:
    assert path in inheritance.WAYS, f"decide how a project inherits spec.{path}, and add it to WAYS"


def test_each_setting_of_an_environment_is_read() -> None:
    language = ROOT / "tjgen" / "language" / "spec"
    texts = [path.read_text(encoding="utf-8") for path in modules() if not path.is_relative_to(language)]
    read = {name for text in texts for name in re.findall(r"\.([a-z_]+)\b", text)}
    assert Environment.model_fields.keys() - read == set()


def test_each_entry_of_the_tables_is_a_field() -> None:
    known = {*PATHS, *GROUPS}
    assert {*inheritance.WAYS, *inheritance.PATHS, *inheritance.RANKS} <= known


def test_a_field_that_can_be_stricter_has_its_values_in_order() -> None:
    assert {path for path, way in inheritance.WAYS.items() if way == inheritance.STRICTER} == {*inheritance.RANKS}
