"""A default of the language that is written explicitly names the same run, for every field of the models."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_type_hints

import pytest
import yaml

from tests.checkout import ROOT, list_entries
from tjgen.language.runs.identity import run_content
from tjgen.language.spec.generate.shapes import Kind, Map, Ref, Sequence, Sugar, fields, metadata_of
from tjgen.language.spec.models.experiment import RunSpec
from tjgen.language.spec.models.identity import Absent, Part
from tjgen.language.spec.models.shape import Shape

Path = tuple[str, ...]
OTHER = {"keep": "required"}
"""A value next to the default, so that the mapping around it is not empty; the identity reads unknown keys as they are."""


def defaults(model: type[Shape], path: Path = (), seen: tuple[type[Shape], ...] = ()) -> Iterator[tuple[Path, Any]]:
    """The path of each field with a constant default that counts, and the default."""
    hints = get_type_hints(model, include_extras=True)
    for field in fields(model):
        metadata = metadata_of(hints[field.name])
        if Part.COUNTS not in metadata and Part.PRESENT not in metadata:
            continue
        named = [item.value for item in metadata if isinstance(item, Absent)]
        default = named[0] if named else field.default
        if isinstance(default, str | int | float | bool):
            yield (*path, field.key), default
        for inner, below in models(field.kind):
            if inner not in seen:
                yield from defaults(inner, (*path, field.key, *below), (*seen, model))


def models(kind: Kind) -> Iterator[tuple[type[Shape], Path]]:
    """The models below a field, with the keys that lead to them. The identity of items of lists follows that of maps."""
    match kind:
        case Ref(model):
            yield model, ()
        case Sugar(long, _):
            yield from models(long)
        case Map(value):
            yield from ((model, ("name", *below)) for model, below in models(value))
        case Sequence():
            return


DEFAULTS = list(defaults(RunSpec))


def nested(path: Path, value: Any) -> Any:
    for step in reversed(path):
        value = {step: value}
    return value


def digest(spec: Any) -> str:
    return run_content({"spec": spec}).identity().digest


@pytest.mark.parametrize(("path", "default"), DEFAULTS, ids=[".".join(path) for path, _ in DEFAULTS])
def test_a_written_default_names_the_same_run(path: Path, default: Any) -> None:
    *above, key = path
    assert digest(nested(tuple(above), {**OTHER, key: default})) == digest(nested(tuple(above), OTHER))


def test_the_models_have_such_fields() -> None:
    paths = {path for path, _ in DEFAULTS}
    assert {("target",), ("success", "operator"), ("sidecars", "name", "native"), ("ports", "name", "protocol")} <= paths
    assert len(DEFAULTS) > 40


@pytest.mark.parametrize("written", [{"mounts": {"logs": "/a"}}, {"mounts": {"logs": {"mountPath": "/a", "readOnly": False}}}])
def test_a_long_form_with_its_default_names_the_run_of_the_short_form(written: Any) -> None:
    assert digest({"sidecars": {"a": written}}) == digest({"sidecars": {"a": {"mounts": {"logs": {"mountPath": "/a"}}}}})


def test_every_bundled_runtime_has_one_node() -> None:
    trees = [yaml.safe_load(file.read_text(encoding="utf-8")) for file in list_entries(ROOT / "runtimes", "*.yaml")]
    assert {tree["spec"]["mlPolicy"]["numNodes"] for tree in trees} == {1}
    assert all(tree["metadata"]["name"].startswith(("tjgen-", "tjgen.")) for tree in trees)


@pytest.mark.parametrize("runtime", ["tjgen-torch", {"name": "tjgen.torchtune-llama3.2-1b"}])
def test_one_node_is_the_default_of_a_bundled_runtime(runtime: Any) -> None:
    assert digest({"runtime": runtime, "nodes": 1}) == digest({"runtime": runtime})
    assert digest({"runtime": runtime, "nodes": 2}) != digest({"runtime": runtime})


def test_one_node_may_differ_from_the_default_of_another_runtime() -> None:
    assert digest({"runtime": "ours", "nodes": 1}) != digest({"runtime": "ours"})
    tasks = {"spec": {"runtime": "tjgen-torch", "tasks": {"large": {"runtime": "ours", "nodes": 1}}}}
    without = {"spec": {"runtime": "tjgen-torch", "tasks": {"large": {"runtime": "ours"}}}}
    assert run_content(tasks, task="large").identity() != run_content(without, task="large").identity()


def test_one_node_of_a_task_overrides_those_of_the_experiment() -> None:
    spec = {"runtime": "tjgen-torch", "nodes": 4}
    one, inherited = ({"spec": {**spec, "tasks": {"a": task}}} for task in ({**OTHER, "nodes": 1}, OTHER))
    assert run_content(one, task="a").identity() != run_content(inherited, task="a").identity()


def test_a_lock_with_a_written_node_keeps_its_run() -> None:
    content = run_content({"spec": {"runtime": "tjgen-torch", "nodes": 1}})
    before = "v1:765250d6fd0b35c3f622e9803e5b5fd8d07ba647e4eb3fd7b86aa0c5b3625eea"
    assert before in map(str, content.earlier_identities())
    assert content.identity() == run_content({"spec": {"runtime": "tjgen-torch"}}).identity()
