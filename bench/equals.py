"""The objects of one experiment -> the same result asked of others: an overlay for kustomize, a chart for helm."""

from __future__ import annotations

import copy
import os
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import yaml

Manifest = dict[str, Any]
Path = tuple[str | int, ...]

_POD: Path = ("spec", "replicatedJobs", 0, "template", "spec", "template", "spec")
_HEAD = {"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization"}


class _Varying(NamedTuple):
    """A field in which experiments differ: what a base has there, and the value of a chart that goes there."""

    path: Path
    base: str
    value: str


_VARYING = {
    "TrainJob": (_Varying(("spec", "trainer", "image"), "registry.example.com/base/train:0", "image"),),
    "JobSet": (_Varying((*_POD, "containers", 0, "image"), "registry.example.com/base/train:0", "image"),),
    "PersistentVolumeClaim": (_Varying(("spec", "resources", "requests", "storage"), "1Gi", "size"),),
    "PodGroup": (_Varying(("spec", "queue"), "default", "queue"),),
}


def parse(text: str) -> list[Manifest]:
    """The objects of a stream, without those of kinds that experiments share."""
    return [tree for tree in yaml.load_all(text, Loader=yaml.CSafeLoader) if tree and tree["kind"] in _VARYING]


def text(tree: Manifest) -> str:
    """An object as YAML."""
    return str(yaml.dump(tree, Dumper=yaml.CSafeDumper, sort_keys=False))


def write_overlay(folder: str, objects: Sequence[Manifest]) -> None:
    """A base that has other values where experiments differ, and an overlay that makes it equal to `objects`."""
    patches = []
    for tree in objects:
        varying = _VARYING[tree["kind"]]
        _dump(folder, f"base/{_file(tree)}", _with(tree, [(one.path, one.base) for one in varying]))
        operations = [{"op": "replace", "path": _pointer(one.path), "value": _at(tree, one.path)} for one in varying]
        patches.append({"target": {"kind": tree["kind"]}, "patch": yaml.safe_dump(operations)})
    _dump(folder, "base/kustomization.yaml", {**_HEAD, "resources": [_file(tree) for tree in objects]})
    _dump(folder, "overlay/kustomization.yaml", {**_HEAD, "resources": ["../base"], "patches": patches})


def write_chart(folder: str, objects: Sequence[Manifest], family: str, values: Iterator[Manifest]) -> None:
    """A chart that makes objects like those of the experiment `family` for each of `values` (name, image, size, queue)."""
    _write(folder, "Chart.yaml", "apiVersion: v2\nname: studies\nversion: 0.1.0\n")
    _dump(folder, "values.yaml", {"experiments": list(values)})
    for tree in objects:
        holes = [(one.path, f"HOLE-{one.value}-HOLE") for one in _VARYING[tree["kind"]]]
        body = text(_with(tree, holes)).replace(family, "{{ .name }}")
        body = body.replace("HOLE-", "{{ .").replace("-HOLE", " }}")
        _write(folder, f"templates/{_file(tree)}", "{{- range .Values.experiments }}\n---\n" + body + "{{- end }}\n")


def _file(tree: Manifest) -> str:
    return f"{tree['kind'].lower()}.yaml"


def _pointer(path: Path) -> str:
    return "".join(f"/{step}" for step in path)


def _with(tree: Manifest, values: Sequence[tuple[Path, str]]) -> Manifest:
    changed = copy.deepcopy(tree)
    for path, value in values:
        _at(changed, path[:-1])[path[-1]] = value
    return changed


def _at(tree: Any, path: Path) -> Any:
    for step in path:
        tree = tree[step]
    return tree


def _dump(folder: str, path: str, tree: Manifest) -> None:
    _write(folder, path, text(tree))


def _write(folder: str, path: str, content: str) -> None:
    target = os.path.join(folder, path)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with open(target, "w", encoding="utf-8") as file:
        file.write(content)
