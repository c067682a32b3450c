"""RuntimeClasses -> what the API server has against them.

Mirrors kubernetes 1.36 `pkg/apis/node/validation:ValidateRuntimeClass`.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.validate.builtin.resources import container_resource_name, requirements
from tjgen.cluster.validate.builtin.scheduling import tolerations
from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.metadata import labels
from tjgen.cluster.validate.place import Place
from tjgen.cluster.validate.wording import GoStruct
from tjgen.trees.k8s import syntax
from tjgen.trees.typing import Any

_IDENTITY = ("key", "operator", "value", "effect")


def runtime_class(tree: dict[str, Any]) -> Iterator[Fault]:
    """`ValidateRuntimeClass`."""
    handler, at = tree.get("handler", ""), Place("handler", ("handler",))
    if not handler:
        yield at.required()
    for message in syntax.dns1123_label(handler) if handler else ():
        yield at.invalid(handler, message)
    fixed = tree.get("overhead", {}).get("podFixed", {})
    # Upstream looks at it as if it were the limits of a container.
    for fault in requirements({"limits": fixed}, container_resource_name, set(), Place("overhead", ("overhead",))):
        yield fault._replace(path=tuple("podFixed" if step == "limits" else step for step in fault.path))
    scheduling, at = tree.get("scheduling", {}), Place("scheduling", ("scheduling",))
    yield from labels(scheduling.get("nodeSelector", {}), at.child("nodeSelector"))
    yield from _tolerations(scheduling.get("tolerations", []), at.child("tolerations"))


def _tolerations(given: list[Any], at: Place) -> Iterator[Fault]:
    yield from tolerations(given, at)
    seen: set[tuple[str, ...]] = set()
    for position, toleration in enumerate(given):
        identity = tuple([toleration.get(name, "") for name in _IDENTITY])
        if identity in seen:
            yield at.item(position).duplicate(_shown(toleration))
        seen.add(identity)


def _shown(toleration: dict[str, Any]) -> GoStruct:
    shown = GoStruct({name.capitalize(): toleration.get(name, "") for name in _IDENTITY})
    shown["TolerationSeconds"] = toleration.get("tolerationSeconds")
    return shown
