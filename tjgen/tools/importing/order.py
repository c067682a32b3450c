"""Lists of a job whose order has no effect in a cluster -> whether two are the same, and a job in the order of another one.

The order of variables matters only if one refers to another: the kubelet resolves a reference to an earlier variable, and leaves
one to a later variable as it is written (Kubernetes 1.36, `makeEnvironmentVariables`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tjgen.tools.importing.residue import stated
from tjgen.trees.fields.path import Tree, get

UNORDERED = {"volumes": "name", "volumeMounts": "mountPath", "env": "name", "ports": "name"}
"""Lists whose order does not matter, and the key of their items."""
_REFERENCE = re.compile(r"\$\(([^()]+)\)")


def in_order_of(wanted: Tree, built: Tree) -> Tree:
    """Return `wanted` with the items of lists in the order of `built` where the order has no effect."""
    if wanted.__class__ is dict and built.__class__ is dict:
        return {
            key: built[key] if _have_same_items(key, value, built.get(key)) else in_order_of(value, built.get(key))
            for key, value in wanted.items()
        }
    if wanted.__class__ is list and built.__class__ is list and len(wanted) == len(built):
        return [in_order_of(one, other) for one, other in zip(wanted, built, strict=True)]
    return wanted


def _have_same_items(field: str, one: Tree, other: Tree) -> bool:
    """Whether two lists differ only in their order, which has no effect."""
    key = UNORDERED.get(field)
    if key is None or one.__class__ is not list or other.__class__ is not list or len(one) != len(other):
        return False
    items, others = ({str(get(item, (key,), None)): stated(item) for item in items} for items in (one, other))
    return len(items) == len(one) and items == others and (field != "env" or refer_equally(one, list(others)))


def refer_equally(variables: Sequence[Tree], names: Sequence[str]) -> bool:
    """Whether references among variables mean the same if the variables have the order of `names`."""
    before = {str(get(variable, ("name",), None)): position for position, variable in enumerate(variables)}
    after = {name: position for position, name in enumerate(names)}
    return all(
        (before[reference] < before[name]) == (after[reference] < after[name])
        for name, variable in zip(before, variables, strict=True)
        for reference in _REFERENCE.findall(str(get(variable, ("value",), "")))
        if reference in before
    )
