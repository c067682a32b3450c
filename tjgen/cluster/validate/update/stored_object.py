"""A manifest -> the object that the API server holds once it has created it.

Mirrors k8s.io/apiserver 0.36 `registry/rest:BeforeCreate` for an update: the values that the system writes into the
metadata, and the status, which a creation does not set. Times and identifiers are placeholders.
"""

from __future__ import annotations

from tjgen.cluster.schema import store
from tjgen.cluster.schema.defaults import with_defaults
from tjgen.cluster.schema.prune import pruned
from tjgen.cluster.schema.store import Schema
from tjgen.cluster.validate import decode
from tjgen.cluster.validate.update.jsonmerge import through_integer
from tjgen.trees.fields.path import Tree
from tjgen.trees.manifests.generated_names import generated

RESOURCE_VERSION = "1"
UID = "00000000-0000-4000-8000-000000000000"
CREATED = "1970-01-01T00:00:00Z"
_SYSTEM = ("creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp", "selfLink", "uid")


def is_printed(value: Tree) -> bool:
    """Whether Go prints a field of metadata: empties it leaves out, numbers are pointed to."""
    return bool(value) or value is False or value == 0


def stored_custom(tree: dict[str, Tree], schema: Schema) -> dict[str, Tree]:
    """A custom resource as it is stored: pruned, with defaults, without status where that is a subresource."""
    stored = with_defaults(pruned(through_integer(tree), schema), schema)
    if schema["x-tjgen-resource"]["status"]:
        stored = {key: value for key, value in stored.items() if key != "status"}
    return {**stored, "metadata": stored_metadata(tree, schema, generation=1)}


def stored_metadata(tree: dict[str, Tree], schema: Schema, *, generation: int | None) -> dict[str, Tree]:
    """The metadata of a stored object; without a `generation` the kind does not count it."""
    given = decode.decoded(tree.get("metadata") or {}, store.object_meta())
    # Go prints none of the zeros and empties of metadata.
    kept = {key: value for key, value in given.items() if key not in _SYSTEM and is_printed(value)}
    namespaced = schema["x-tjgen-resource"]["scope"] == "Namespaced"
    kept.pop("namespace", None)
    place = {"namespace": given.get("namespace") or "default"} if namespaced else {}
    system = {"uid": UID, "creationTimestamp": CREATED, "resourceVersion": RESOURCE_VERSION}
    counted = {"generation": generation} if generation is not None else {}
    return {**kept, "name": generated(given), **place, **system, **counted}
