"""A key of a quota -> why it limits nothing, and what was probably meant: its form is right, but a word of it is misspelled."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tjgen.cluster.kinds import table
from tjgen.trees.k8s.nearest import nearest
from tjgen.trees.typing import NamedTuple

COUNT = "count/"
STORAGE_CLASS = ".storageclass.storage.k8s.io/"
_OF_CLASS = ("persistentvolumeclaims", "requests.storage")
"""What a quota limits for one class (kubernetes 1.36, pkg/quota/v1/evaluator/core/persistent_volume_claims.go)."""
_SIDES = ("requests", "limits")
_BUILT_IN = (
    "configmaps",
    "cronjobs.batch",
    "deployments.apps",
    "jobs.batch",
    "persistentvolumeclaims",
    "pods",
    "replicasets.apps",
    "replicationcontrollers",
    "resourceclaims.resource.k8s.io",
    "secrets",
    "services",
    "statefulsets.apps",
)
"""Resources of every cluster that quotas often count."""

Slip = Callable[[str, Iterable[str]], "list[str]"]
"""A word and known words -> the known word that was probably meant, if there is one."""


class MisspelledKey(NamedTuple):
    """A key that limits nothing."""

    reason: str
    meant: str


def misspelled_key(key: str, classes: Iterable[str], slip: Slip) -> MisspelledKey | None:
    """What is wrong with a key; None for a right or entirely different one. `classes`: the StorageClasses of the Platform."""
    head, slash, rest = key.partition("/")
    if not slash:
        return _of_side(key, slip)
    if head == "count":
        return _of_count(rest, slip)
    if slip(head, ("count",)):
        return MisspelledKey(f'the prefix of a number of objects is "{COUNT}"', COUNT + rest)
    if STORAGE_CLASS in key:
        return _of_class(key, classes, slip)
    return _of_side(key, slip)


def _of_side(key: str, slip: Slip) -> MisspelledKey | None:
    """A misspelled prefix. A quota counts devices only under `requests.`."""
    side, dot, name = key.partition(".")
    near = slip(side, _SIDES) if dot and side not in _SIDES else []
    is_domain = "/" in name and "." not in name.partition("/")[0]
    if not near or is_domain:
        return None
    right = "requests" if "/" in name else near[0]
    return MisspelledKey(f'the prefix of requested amounts is "{right}."', f"{right}.{name}")


def _of_count(resource: str, slip: Slip) -> MisspelledKey | None:
    if resource in _BUILT_IN:
        return None
    counted = [*_BUILT_IN, *(f"{kind.plural}.{kind.group}" for kind in table.kinds() if kind.group)]
    near = slip(resource, counted) if resource not in counted else []
    return MisspelledKey(f'no kind has the resource "{resource}"', COUNT + near[0]) if near else None


def _of_class(key: str, classes: Iterable[str], slip: Slip) -> MisspelledKey | None:
    name, _, what = key.partition(STORAGE_CLASS)
    if what not in _OF_CLASS and (near := slip(what, _OF_CLASS)):
        return MisspelledKey(f'a class has no amount "{what}"', f"{name}{STORAGE_CLASS}{near[0]}")
    known = [*classes]
    other = nearest(name, known) if name not in known else None
    return MisspelledKey(f"the Platform has no StorageClass {name}", f"{other}{STORAGE_CLASS}{what}") if other else None
