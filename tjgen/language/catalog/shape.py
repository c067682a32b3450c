"""A document of a catalog -> whether it is a runtime that can be built on, and what is wrong where it is not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from tjgen.cluster.schema import walk
from tjgen.cluster.schema.defaults import with_defaults
from tjgen.cluster.schema.store import find
from tjgen.language.catalog import problems
from tjgen.language.catalog.runtime import API_VERSION, CLUSTER, ORIGIN
from tjgen.trees.diagnostics.model import WARNING, Diagnostic, ObjectRef
from tjgen.trees.fields.path import FieldPath, get, render
from tjgen.trees.k8s.nearest import nearest
from tjgen.trees.source.document import Document

_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\Z")
_NAME_HINT = "use lower-case letters, digits, '-' and '.'"


def faults(document: Document, versions: Mapping[str, str] | None = None) -> Iterator[Diagnostic]:
    """What keeps a runtime from being used, as the API server's schema sees it.

    Fields that the schema does not know are warnings in a runtime of the cluster, whose Trainer may be newer.
    """
    tree = document.value
    for part in ("name", "namespace"):
        at: FieldPath = ("metadata", part)
        value = get(tree, at, "" if part == "name" else "default")
        if value.__class__ is not str or not _NAME.match(value):
            yield _fault(document, at, f"a runtime of the catalog has an invalid {part}: {value!r}", hint=_NAME_HINT)
    if tree.get("spec").__class__ is not dict:
        hint = "write spec.template with the jobs of the runtime"
        yield _fault(document, ("spec",), "a runtime of the catalog has no spec", hint=hint)
        return
    schema = find(API_VERSION, tree["kind"], versions=versions)
    assert schema is not None, "schemas/ has the runtimes of Trainer"
    from_cluster = get(tree, ("metadata", "annotations", ORIGIN), None) == CLUSTER
    for finding in walk.check(with_defaults(tree, schema), schema):
        unknown = finding.type == walk.UNKNOWN
        near = nearest(str(finding.path[-1]), finding.known) if unknown else None
        suggestion = (
            f'did you mean "{near}"?' if near is not None else _of_another_release(tree["kind"], finding.path, unknown=unknown)
        )
        message = f"{render(finding.path)}: {finding.message}"
        diagnostic = _fault(document, finding.path, message, hint=suggestion, key=unknown)
        yield diagnostic._replace(severity=WARNING) if unknown and from_cluster else diagnostic


def _of_another_release(kind: str, path: FieldPath, *, unknown: bool) -> str | None:
    from tjgen.cluster.validate.report import of_another_release  # few runtimes have faults

    return of_another_release(ObjectRef(API_VERSION, kind, "", ""), path) if unknown else None


def _fault(document: Document, path: FieldPath, message: str, *, hint: str | None = None, key: bool = False) -> Diagnostic:
    return Diagnostic(problems.SHAPE, message, path=path, span=document.locate(path, key=key), hint=hint)
