"""A container -> the fields of its program: image, command, variables, resources, ports, probes."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.tools.importing.trainjob import resources, variables
from tjgen.trees.fields.path import Tree

_CONTAINER = ("image", "imagePullPolicy", "command", "args", "workingDir")
_PROBES = ("liveness", "readiness", "startup")
_SOURCES = {"secretRef": "secret", "configMapRef": "configMap"}


def program_fields(container: Tree, *, devices: bool = True) -> Iterator[tuple[str, Tree]]:
    """The fields of a container. Without `devices`, its devices are `resources`, because only the program has `gpu`."""
    for field in _CONTAINER:
        if container.get(field):
            yield field, container[field]
    env = variables(container.get("env"))
    if env:
        yield "env", env
    sources = _sources(container.get("envFrom"))
    if sources:
        yield "envFrom", sources
    yield from resources(container.get("resources"), devices=devices)
    ports = _ports(container.get("ports"))
    if ports:
        yield "ports", ports
    probes = {name: container[f"{name}Probe"] for name in _PROBES if container.get(f"{name}Probe")}
    if probes:
        yield "probes", probes


def _ports(items: Tree) -> dict[str, Tree]:
    """The ports by name; none if one has no name."""
    ports: dict[str, Tree] = {}
    for item in items if items.__class__ is list else ():
        if item.__class__ is not dict or not item.get("name") or item.get("hostIP"):
            return {}
        more = {field: item[field] for field in ("hostPort", "protocol") if item.get(field) not in (None, "TCP")}
        ports[item["name"]] = {"port": item.get("containerPort"), **more} if more else item.get("containerPort")
    return ports


def _sources(items: Tree) -> dict[str, Tree]:
    references: dict[str, Tree] = {}
    for item in items if items.__class__ is list else ():
        for field, word in _SOURCES.items():
            reference = item.get(field)
            if reference.__class__ is dict and reference.get("name"):
                more = {"prefix": item.get("prefix"), "optional": reference.get("optional")}
                given = {key: value for key, value in more.items() if value is not None}
                references.setdefault(_label(reference["name"]), {word: reference["name"], **given})
    return references


def _label(name: str) -> str:
    return name.replace(".", "-")
