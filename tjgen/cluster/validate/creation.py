"""A manifest -> the verdict of an API server on creating the object.

The stages have the server's order: decode, strict, validation. Built-in kinds are decoded into Go types, custom
resources are checked by their schema; metadata is a Go type in both.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.cluster.schema import store, walk
from tjgen.cluster.schema.defaults import with_defaults
from tjgen.cluster.schema.store import Schema
from tjgen.cluster.validate import custom, decode, metadata
from tjgen.cluster.validate.builtin import kinds
from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.stages import verdict
from tjgen.cluster.validate.verdict import Verdict
from tjgen.trees.fields.path import Tree

_TYPES_ONLY = "only its types and metadata are"


def created(
    tree: dict[str, Tree], schema: Schema, *, built_in: bool, duplicates: Sequence[str] = (), stored: Tree = None
) -> Verdict:
    """The verdict on creating `tree`; `stored` is a custom resource as it is looked at, with its defaults."""
    api_version, kind = tree["apiVersion"], tree["kind"]
    read = [*decode.mismatches(tree.get("metadata"), store.object_meta(), ("metadata",))]
    invalid: list[Fault] = []
    late: list[Fault] = []
    is_readable = not any(finding.type == walk.TYPE for finding in read)
    if is_readable:
        is_late = (api_version.rpartition("/")[0], kind) in metadata.LATE
        (late if is_late else invalid).extend(_metadata(tree, schema, api_version, kind, built_in=built_in))
    if built_in:
        read += decode.mismatches({**tree, "metadata": None}, schema)
        if not any(finding.type == walk.TYPE for finding in read):
            invalid += kinds.faults(api_version, kind, decoded(tree, schema))
    else:
        stored = with_defaults(tree, schema) if stored is None else stored
        if "metadata" not in stored:  # The server adds it, with the namespace, before it validates the schema.
            stored = {**stored, "metadata": {}}
        unknown, wrong = custom.structural(stored, schema)
        read += unknown
        invalid += custom.faults(wrong, schema)
        invalid += custom.scale(stored, schema)
        if is_readable:
            invalid += custom.rules(stored, schema, invalid)
    result = verdict(read, invalid, late, duplicates=duplicates)
    gaps = _gaps(schema, api_version, kind, built_in=built_in)
    return result._replace(gaps=gaps) if gaps else result


def _gaps(schema: Schema, api_version: str, kind: str, *, built_in: bool) -> tuple[str, ...]:
    """What is not checked of a kind that has a schema."""
    if not built_in:
        return tuple(schema.get("x-tjgen-unchecked", ()))
    return () if kinds.is_whole(api_version, kind) else (_TYPES_ONLY,)


def decoded(tree: dict[str, Tree], schema: Schema) -> dict[str, Tree]:
    """A built-in object without mismatches as Go holds it."""
    body = decode.decoded({key: value for key, value in tree.items() if key != "metadata"}, schema)
    return {**body, "metadata": decode.decoded(tree.get("metadata") or {}, store.object_meta())}


def _metadata(tree: Tree, schema: Schema, api_version: str, kind: str, *, built_in: bool) -> Iterator[Fault]:
    namespaced = schema["x-tjgen-resource"]["scope"] == "Namespaced"
    group = api_version.rpartition("/")[0]
    return metadata.faults(tree.get("metadata") or {}, group=group, kind=kind, namespaced=namespaced, built_in=built_in)
