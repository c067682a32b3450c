"""A manifest -> the verdict of an API server on creating it.

The stages stand in the server's order: decode, strict, validation. Built-in kinds are decoded into Go types, custom
resources are checked by their schema; metadata is a Go type in both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tjgen.fields.path import Tree
from tjgen.schema import store, walk
from tjgen.schema.defaults import with_defaults
from tjgen.schema.store import Schema
from tjgen.validate import custom, decode, metadata
from tjgen.validate.builtin import kinds
from tjgen.validate.fault import Fault
from tjgen.validate.stages import verdict
from tjgen.validate.verdict import UNCHECKED, Verdict

_TYPES_ONLY = "only its types and metadata are"


def judge(
    tree: Tree,
    *,
    old: Tree = None,
    versions: Mapping[str, str] | None = None,
    duplicates: Sequence[str] = (),
    server_side: bool = False,
    bound: bool = False,
) -> Verdict:
    """The verdict on creating `tree` with strict field validation, or on applying it over the object made of `old`.

    An `old` object of another name is not touched: then `tree` is created. With `server_side` the server does the apply.
    `bound` says that claims have their volumes, which neither manifest can tell.

    `versions` chooses the releases that the cluster runs (`{"trainer": "v2.1.0"}`). `duplicates` are the keys that the
    text of the manifest gives twice, which no tree can hold: 'line 4: key "name" already set in map'.
    """
    if tree.__class__ is not dict:
        return UNCHECKED
    api_version, kind = tree.get("apiVersion"), tree.get("kind")
    if not isinstance(api_version, str) or not isinstance(kind, str):
        return UNCHECKED
    schema = store.find(api_version, kind, versions=versions)
    if schema is None:
        return UNCHECKED
    built_in = store.is_built_in(api_version, kind)
    if old is not None and identity(tree) == identity(old):
        from tjgen.validate.update import replacement  # most of what is judged is new

        return replacement.judge(tree, old, schema, built_in=built_in, server_side=server_side, bound=bound)
    if server_side:
        from tjgen.validate import serverside

        return serverside.judge(tree, schema, built_in=built_in, duplicates=duplicates)
    return created(tree, schema, built_in=built_in, duplicates=duplicates)


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
        unknown, wrong = custom.structural(stored, schema)
        read += unknown
        invalid += custom.faults(wrong, schema)
        invalid += custom.scale(stored, schema)
        if is_readable:
            invalid += custom.rules(stored, schema, invalid)
    found = verdict(read, invalid, late, duplicates=duplicates)
    gaps = _gaps(schema, api_version, kind, built_in=built_in)
    return found._replace(gaps=gaps) if gaps else found


def _gaps(schema: Schema, api_version: str, kind: str, *, built_in: bool) -> tuple[str, ...]:
    """What is not checked of a kind that has a schema."""
    if not built_in:
        return tuple(schema.get("x-tjgen-unchecked", ()))
    return () if kinds.is_whole(api_version, kind) else (_TYPES_ONLY,)


def identity(tree: dict[str, Tree]) -> tuple[Tree, ...]:
    """What tells an object from others of its kind: an apply under another name or namespace creates another object."""
    metadata = tree.get("metadata")
    given: dict[str, Tree] = metadata if metadata.__class__ is dict else {}
    return (tree.get("apiVersion"), tree.get("kind"), given.get("name"), given.get("namespace"))


def decoded(tree: dict[str, Tree], schema: Schema) -> dict[str, Tree]:
    """A built-in object without mismatches as Go holds it."""
    body = decode.decoded({key: value for key, value in tree.items() if key != "metadata"}, schema)
    return {**body, "metadata": decode.decoded(tree.get("metadata") or {}, store.object_meta())}


def _metadata(tree: Tree, schema: Schema, api_version: str, kind: str, *, built_in: bool) -> Iterator[Fault]:
    namespaced = schema["x-tjgen-resource"]["scope"] == "Namespaced"
    group = api_version.rpartition("/")[0]
    return metadata.faults(tree.get("metadata") or {}, group=group, kind=kind, namespaced=namespaced, built_in=built_in)
