"""Amounts of a resource below `limits` and `requests`, as a pod has them -> the hint with the field of the language."""

from __future__ import annotations

from tjgen.language.spec.flow import flow
from tjgen.trees.fields.path import FieldPath, Tree

_FIELDS = {"limits": "limit", "requests": "request"}
_OF_RESOURCES = {"cpu": "cpu", "memory": "memory", "ephemeral-storage": "ephemeralStorage"}


def hint(path: FieldPath, amounts: dict[str, Tree]) -> str | None:
    """The field for the amounts, by `limits` and `requests`, of a resource of a container at `path`; None for other places."""
    if len(path) < 3 or path[-3] != "resources" or path[-2] not in _FIELDS:
        return None
    resource = str(path[-1])
    bounds = {_FIELDS[kind]: amount for kind, amount in amounts.items()}
    is_one = len(bounds) == 2 and len(set(map(str, bounds.values()))) == 1
    field = _OF_RESOURCES.get(resource)
    if field is not None:
        return f"write {field}: {flow(next(iter(bounds.values())) if is_one else bounds)}, next to resources"
    # Devices have one amount: Kubernetes refuses a request that differs from the limit.
    return f"write resources: {{{resource}: {flow(bounds.get('limit', bounds.get('request')))}}}"
