"""A block with default values alone names another run if it changes an object, for every block of the models.

A block that counts must have a context here in which it is valid, so a new block of the language is covered.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_type_hints

import pytest

import tjgen
from tjgen.language.runs.identity import run_content
from tjgen.language.spec import identity as rules
from tjgen.language.spec.generate.shapes import Kind, Map, Ref, Sequence, Sugar, fields, metadata_of
from tjgen.language.spec.models.experiment import RunSpec
from tjgen.language.spec.models.identity import Part
from tjgen.language.spec.models.shape import ResourceAmount, Shape
from tjgen.trees.canonical import json_text

Spec = dict[str, Any]
Path_ = tuple[str, ...]

PLATFORM = """\
apiVersion: tjgen.dev/v1alpha1
kind: Platform
metadata: {name: lab}
spec:
  newClaims: {size: 1Gi, storageClassName: shared}
  deviceClasses:
    h100: {resource: nvidia.com/gpu}
    claimed: {dra: {deviceClassName: gpu.example.com}}
    shared: {resource: nvidia.com/gpu, memory: 24Gi, sharing: {memory: nvidia.com/gpumem, cores: nvidia.com/gpucores}}
"""
PROJECT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Project
spec:
  platforms: [platform.yaml]
  environments: {lab: {platform: lab}}
"""
NAMES = {"roles": "node", "tasks": "node", "mounts": "/name"}
"""Map -> a key that its entries can have in the contexts; others are called `name`."""
PLAIN: Spec = {"runtime": "tjgen-torch", "image": "train:1", "naming": "fixed", "script": "train.py", "nodes": 2}
DATA = {"volume": "d", "items": {"list": ["a", "b", "c"]}}
VOLUMES = {"d": {"pvc": "digits", "mountPath": "/d"}, "c": {"pvc": {"create": {"size": "1Gi"}}, "mountPath": "/c"}}
CONTEXTS: list[Spec] = [
    {**PLAIN, "gpu": {"class": "h100", "count": 8}},
    {**PLAIN, "volumes": VOLUMES, "data": DATA},
    {**PLAIN, "volumes": VOLUMES, "data": {"sets": {"name": DATA}}},
    {**PLAIN, "volumes": VOLUMES, "checkpoints": {"volume": "c"}},
    {**PLAIN, "volumes": {"name": {"mountPath": "/name"}}},
    {**PLAIN, "volumes": {"name": {"pvc": {}, "mountPath": "/name"}}},
    {**PLAIN, "volumes": {"name": {"pvc": "digits"}}},
    {**PLAIN, "gpu": {"class": "claimed"}},
    {**PLAIN, "gpu": {"class": "shared"}},
    {**PLAIN, "roles": {"node": {"gpu": {"class": "claimed"}}}},
    {**PLAIN, "roles": {"node": {"gpu": {"class": "shared"}}}},
    {**PLAIN, "runtime": "tjgen-torch-volcano"},
    {**PLAIN, "target": "volcanojob", "runtime": "tjgen-plain"},
    {**PLAIN, "runtime": "tjgen-torch-initializers"},
]
WITH_VALUES = {
    ("code",): "has a source",
    ("data",): "has a volume, or sets",
    ("data", "sets", "name"): "has a volume",
    ("gpu",): "has a class",
    ("roles", "node", "gpu"): "has a class",
    ("prefetch",): "has a volume, or sets",
    ("prefetch", "cache"): "has a memory or a disk",
    ("prefetch", "sets", "name"): "has a volume",
}
"""Blocks that are refused without values that count."""


def blocks(model: type[Shape], path: Path_ = (), seen: tuple[type[Shape], ...] = ()) -> Iterator[tuple[Path_, type[Shape]]]:
    """The path of each block that counts and its model, also of those in maps."""
    hints = get_type_hints(model, include_extras=True)
    for field in fields(model):
        if {Part.EXCLUDED, Part.SETTING} & {*metadata_of(hints[field.name])}:
            continue
        for inner, below in models(field.kind, field.key):
            if inner is not ResourceAmount:
                yield (*path, field.key, *below), inner
            if inner not in seen:
                yield from blocks(inner, (*path, field.key, *below), (*seen, model))


def models(kind: Kind, key: str) -> Iterator[tuple[type[Shape], Path_]]:
    match kind:
        case Ref(model):
            yield model, ()
        case Sugar(long, _):
            yield from models(long, key)
        case Map(value):
            yield from ((model, (NAMES.get(key, "name"), *below)) for model, below in models(value, ""))
        case Sequence():
            return


BLOCKS = dict(blocks(RunSpec))
OPTIONAL = [
    path
    for path, model in BLOCKS.items()
    if path not in WITH_VALUES and not model.needed and not any(field.required for field in fields(model))
]
"""Blocks that may have default values alone."""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("blocks")
    (folder / "tjgen.yaml").write_text(PROJECT, encoding="utf-8")
    (folder / "platform.yaml").write_text(PLATFORM, encoding="utf-8")
    return folder


def at(path: Path_) -> Any:
    value: Any = {}
    for step in reversed(path):
        value = {step: value}
    return value


def merged(base: Any, other: Any) -> Any:
    if isinstance(base, dict) and isinstance(other, dict):
        return {**base, **{key: merged(base.get(key), value) for key, value in other.items()}}
    return other


def objects(spec: Spec, project: Path) -> list[str] | None:
    """The objects of an experiment; None if it is refused. Its runs have a fixed name, whatever their identity is."""
    experiment = {"apiVersion": "tjgen.dev/v1alpha1", "kind": "Experiment", "metadata": {"name": "a"}, "spec": spec}
    build = tjgen.build(documents=[experiment], project=str(project))
    return None if build.failed else [json_text(manifest.tree) for manifest in build.manifests]


def is_present(path: Path_) -> bool:
    """Whether the block counts with default values alone."""
    rule = rules.SPEC
    for step in path:
        rule = rule[2].get(step) or rule[2].get("*") or (rules.COUNTS, None, {})
    return rule[0] == rules.PRESENT


def has(spec: Any, path: Path_) -> bool:
    for step in path:
        if not isinstance(spec, dict) or step not in spec:
            return False
        spec = spec[step]
    return True


@pytest.mark.parametrize("path", OPTIONAL, ids=map(".".join, OPTIONAL))
def test_a_block_that_changes_an_object_names_another_run(path: Path_, project: Path) -> None:
    valid, same = 0, True
    for context in CONTEXTS:
        without = merged(context, at(path[:-1]))
        block = merged(context, at(path))
        if has(without, path) or (with_block := objects(block, project)) is None:
            continue
        valid += 1
        if objects(without, project) != with_block:
            same = False
            assert run_content({"spec": without}).identity() != run_content({"spec": block}).identity()
    assert valid, "add a context in which the block is valid"
    assert not (same and is_present(path)), "a default that changes no object does not name another run"


@pytest.mark.parametrize("path", WITH_VALUES, ids=map(".".join, WITH_VALUES))
def test_blocks_that_need_values_are_refused_without(path: Path_, project: Path) -> None:
    assert path in BLOCKS
    assert [context for context in CONTEXTS if not has(context, path) and objects(merged(context, at(path)), project)] == []


@pytest.mark.parametrize(
    "path", [path for path, model in BLOCKS.items() if any(field.required for field in fields(model))], ids=".".join
)
def test_a_block_with_required_fields_has_one_that_counts(path: Path_) -> None:
    model = BLOCKS[path]
    hints = get_type_hints(model, include_extras=True)
    required = [field for field in fields(model) if field.required]
    assert any(Part.COUNTS in metadata_of(hints[field.name]) for field in required)


def test_the_models_have_such_blocks() -> None:
    assert {("data", "slices"), ("success",), ("roles", "node", "sidecars", "name"), ("volumes", "name", "emptyDir")} <= {
        *OPTIONAL
    }
    assert len(OPTIONAL) > 30
