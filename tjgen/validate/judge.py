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
from tjgen.schema.walk import Finding
from tjgen.validate import custom, decode, metadata
from tjgen.validate.builtin import kinds
from tjgen.validate.fault import BAD_REQUEST, INTERNAL_ERROR, Fault
from tjgen.validate.verdict import DECODE, PANIC, STRICT, UNCHECKED, VALIDATION, Stage, Verdict
from tjgen.validate.wording import field, quote, shown

_STRICT = "strict decoding error: "


def judge(tree: Tree, *, versions: Mapping[str, str] | None = None, duplicates: Sequence[str] = ()) -> Verdict:
    """The verdict on creating `tree` with strict field validation.

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
            invalid += kinds.faults(api_version, kind, _decoded(tree, schema))
    else:
        stored = with_defaults(tree, schema)
        unknown, wrong = custom.structural(stored, schema)
        read += unknown
        invalid += custom.faults(wrong, schema)
        invalid += custom.scale(stored, schema)
        if is_readable:
            invalid += custom.rules(stored, schema, invalid)
    mismatches = [finding for finding in read if finding.type == walk.TYPE]
    unknown = [finding for finding in read if finding.type == walk.UNKNOWN]
    return Verdict((*_decode(mismatches), *_strict(unknown, duplicates), *_validation(invalid), *_validation(late)))


def _decoded(tree: dict[str, Tree], schema: Schema) -> dict[str, Tree]:
    body = decode.decoded({key: value for key, value in tree.items() if key != "metadata"}, schema)
    return {**body, "metadata": decode.decoded(tree.get("metadata") or {}, store.object_meta())}


def _metadata(tree: Tree, schema: Schema, api_version: str, kind: str, *, built_in: bool) -> Iterator[Fault]:
    namespaced = schema["x-tjgen-resource"]["scope"] == "Namespaced"
    group = api_version.rpartition("/")[0]
    return metadata.faults(tree.get("metadata") or {}, group=group, kind=kind, namespaced=namespaced, built_in=built_in)


def _decode(mismatches: list[Finding]) -> Iterator[Stage]:
    # The server names Go types here and stops at the first value; the words are ours.
    faults = [_unreadable(finding) for finding in mismatches]
    if faults:
        yield Stage(DECODE, (faults[0],), tuple(faults))


def _unreadable(finding: Finding) -> Fault:
    said = f"Invalid value: {shown(finding.value)}: {finding.message}"
    return Fault(BAD_REQUEST, "", f"json: {field(finding.path)}: {finding.message}", finding.path, said)


def _strict(unknown: list[Finding], duplicates: Sequence[str]) -> Iterator[Stage]:
    fields = [_unknown(finding) for finding in sorted(unknown, key=lambda finding: field(finding.path))]
    if duplicates:
        lines = "\n".join(f"  {line}" for line in duplicates)
        yield Stage(STRICT, (Fault(BAD_REQUEST, "", f"{_STRICT}yaml: unmarshal errors:\n{lines}", ()), *fields), tuple(fields))
    elif fields:
        yield Stage(STRICT, tuple(fields), tuple(fields))


def _unknown(finding: Finding) -> Fault:
    said = f"unknown field {quote(field(finding.path))}"
    return Fault(BAD_REQUEST, "", _STRICT + said, finding.path, said, known=finding.known)


def _validation(invalid: list[Fault]) -> Iterator[Stage]:
    if invalid:
        once = {(fault.type, fault.field, fault.detail): fault for fault in reversed(invalid)}
        errors = tuple(reversed(once.values()))
        panics = tuple([fault for fault in errors if fault.type == INTERNAL_ERROR])[:1]
        yield Stage(PANIC if panics else VALIDATION, panics or errors, tuple([fault for fault in errors if not fault.echo]))
