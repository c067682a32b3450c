"""The objects of a platform -> the text of its lock: what of them the server never lets change.

    tjgen.lock.d/_platforms/<platform>.yaml

A class or priority that is changed in Git would be refused by every sync from then on; the lock remembers what was built.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tjgen.language.runs.store import PLATFORMS
from tjgen.trees.diagnostics.model import Diagnostic, Span
from tjgen.trees.fields.path import FieldPath, Tree, get, render
from tjgen.trees.manifests.manifest import Manifest
from tjgen.trees.source.document import Document
from tjgen.trees.source.reader import KUBERNETES, read
from tjgen.trees.source.writer import dump
from tjgen.trees.typing import NamedTuple

API_VERSION = "tjgen.dev/v1alpha1"
KIND = "LockedPlatform"
_COMMENT = "# Written by tjgen: what cannot change of the objects of a platform. Commit it.\n"

FIXED: Mapping[str, tuple[FieldPath, ...]] = {
    "LocalQueue": (("spec", "clusterQueue"),),
    "PriorityClass": (("value",), ("preemptionPolicy",)),
    "RoleBinding": (("roleRef",),),
    "StorageClass": (("provisioner",), ("parameters",), ("reclaimPolicy",), ("volumeBindingMode",), ("allowedTopologies",)),
}
"""Kind -> fields that the API server or its CRD refuses to change (kubernetes `ValidateStorageClassUpdate`,
`ValidatePriorityClassUpdate`, `ValidateRoleBindingUpdate`; kueue `LocalQueueSpec.clusterQueue`)."""


class ChangedObject(NamedTuple):
    """A field that cannot change, and does."""

    manifest: Manifest
    path: FieldPath
    before: Tree
    after: Tree


def path_of(platform: str) -> str:
    """The lock of a platform, below the folder of locks."""
    return f"{PLATFORMS}/{platform}.yaml"


def write(platform: str, manifests: Sequence[Manifest]) -> str:
    """The text of the lock."""
    objects = []
    for one in manifests:
        reference = {"kind": one.kind, **({"namespace": one.namespace} if one.namespace else {}), "name": one.name}
        fixed = {render(path): value for path in FIXED.get(one.kind, ()) if (value := get(one.tree, path, None)) is not None}
        objects.append({**reference, **({"fixed": fixed} if fixed else {})})
    objects.sort(key=lambda one: (one["kind"], one.get("namespace", ""), one["name"]))
    return _COMMENT + dump({"apiVersion": API_VERSION, "kind": KIND, "platform": platform, "objects": objects})


def read_lock(text: str, file: str) -> tuple[dict[tuple[str, str, str], Tree], list[Diagnostic]]:
    """Kind, namespace and name -> what is fixed of it; an error (TJ921) where the file is not a lock."""
    documents, problems = read(text, file, KUBERNETES)
    tree = documents[0].value if len(documents) == 1 and not problems else None
    objects = tree.get("objects") if tree.__class__ is dict and tree.get("kind") == KIND else None
    if objects.__class__ is not list or not all(_is_object(one) for one in objects):
        return {}, [_damaged(file)]
    return {(one["kind"], one.get("namespace", ""), one["name"]): one.get("fixed") or {} for one in objects}, []


def changes(manifests: Sequence[Manifest], known: Mapping[tuple[str, str, str], Tree]) -> Iterator[ChangedObject]:
    """The fields that are other than when the platform was built last; of a map the first key that is."""
    for one in manifests:
        before: Tree = known.get((one.kind, one.namespace, one.name)) or {}
        for path in FIXED.get(one.kind, ()) if before else ():
            was, now = before.get(render(path)), get(one.tree, path, None)
            if was != now:
                key = next(iter(_differing(was, now)), None)
                yield (
                    ChangedObject(one, path, was, now)
                    if key is None
                    else ChangedObject(one, (*path, key), was.get(key), now.get(key))
                )


def refused(change: ChangedObject, document: Document, place: Span | None) -> Diagnostic:
    """TJ912 for a change; its field in the Platform is `place`."""
    field, before, after = render(change.path), _shown(change.before), _shown(change.after)
    message = f"{change.manifest.kind} {change.manifest.name}: {field} is {before} in the cluster and cannot change to {after}"
    hint = "create an object with another name, or delete this one in the cluster and build with --force"
    return Diagnostic("TJ912", message, span=place or document.locate(()), hint=hint)


def _differing(before: Tree, after: Tree) -> list[str]:
    """The keys of two maps that differ; none where they are not maps."""
    if before.__class__ is not dict or after.__class__ is not dict:
        return []
    return sorted(key for key in {*before, *after} if before.get(key) != after.get(key))


def _shown(value: Tree) -> str:
    return "absent" if value is None else f'"{value}"' if value.__class__ is str else str(value)


def _is_object(one: Tree) -> bool:
    named = one.__class__ is dict and all(one.get(key).__class__ is str for key in ("kind", "name"))
    return named and one.get("fixed", {}).__class__ is dict


def _damaged(file: str) -> Diagnostic:
    return Diagnostic(
        "TJ921",
        f"{file} is not in the form that tjgen writes for the lock of a platform",
        span=Span(file, 1, 1, 1, 1),
        hint="restore the file from Git",
    )
