"""Variables of the experiment -> entries of a container's `env`, in an order in which references are replaced."""

from __future__ import annotations

from collections.abc import Mapping

from tjgen.language.spec.forms import text
from tjgen.language.spec.objects import EnvVar
from tjgen.trees.fields.path import Tree
from tjgen.trees.k8s.references import references


def by_reference(variables: Mapping[str, EnvVar]) -> list[str]:
    """The names in their order, but each after those that its value refers to as `$(NAME)`.

    A container replaces references to earlier variables only (core/v1, EnvVar.value).
    """
    placed: dict[str, None] = {}
    visited: set[str] = set()
    for name in variables:
        waiting = [name]
        while waiting:
            visited.add(waiting[-1])
            wanted = references(variables[waiting[-1]].value)
            ahead = next((one for one in wanted if one in variables and one not in visited), None)
            if ahead is None:
                placed[waiting.pop()] = None
            else:
                waiting.append(ahead)
    return list(placed)


def env_item(name: str, variable: EnvVar) -> Tree:
    """An entry of a container's `env`."""
    if variable.secret is not None or variable.config_map is not None:
        reference: Tree = {"name": variable.secret or variable.config_map, "key": variable.key or name}
        if variable.optional is not None:
            reference["optional"] = variable.optional
        return {"name": name, "valueFrom": {"secretKeyRef" if variable.secret else "configMapKeyRef": reference}}
    if variable.field is not None:
        return {"name": name, "valueFrom": {"fieldRef": {"fieldPath": variable.field}}}
    if variable.resource is not None:
        resource: Tree = {"resource": variable.resource}
        if variable.container is not None:
            resource["containerName"] = variable.container
        if variable.divisor is not None:
            resource["divisor"] = text(variable.divisor)
        return {"name": name, "valueFrom": {"resourceFieldRef": resource}}
    return {"name": name, "value": variable.value if variable.value is not None else ""}
