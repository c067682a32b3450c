"""A verdict -> diagnostics, with field paths and hints. The caller adds the places."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.releases import range_of
from tjgen.cluster.schema import store
from tjgen.cluster.trainer.release import RELEASES
from tjgen.cluster.validate.fault import (
    DUPLICATE,
    FORBIDDEN,
    INVALID,
    NOT_FOUND,
    NOT_SUPPORTED,
    REQUIRED,
    TOO_LONG,
    TOO_MANY,
    TYPE_INVALID,
    Fault,
)
from tjgen.cluster.validate.verdict import APPLY, DECODE, PATCH, REQUEST, STRICT, WEBHOOK, Verdict
from tjgen.cluster.validate.wording import field, quote, shown
from tjgen.trees.diagnostics.model import ERROR, WARNING, Diagnostic, ObjectRef
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.k8s.nearest import nearest

_UNDECODABLE = "TJ501"
_UNKNOWN = "TJ502"
_UNAPPLICABLE = "TJ544"
_OF_STAGES = {DECODE: _UNDECODABLE, STRICT: _UNKNOWN, APPLY: _UNAPPLICABLE, PATCH: _UNAPPLICABLE, REQUEST: _UNAPPLICABLE}
_WITH_PATH = (APPLY, PATCH, STRICT)
"""Stages whose words have the place in them."""
_CODES = {
    REQUIRED: "TJ503",
    TYPE_INVALID: "TJ504",
    INVALID: "TJ505",
    NOT_SUPPORTED: "TJ506",
    DUPLICATE: "TJ507",
    TOO_LONG: "TJ508",
    TOO_MANY: "TJ508",
    FORBIDDEN: "TJ509",
    NOT_FOUND: "TJ510",
}
_HINTS = {
    INVALID: "correct the value",
    DUPLICATE: "remove or rename one of the two entries",
    TOO_LONG: "shorten it",
    TOO_MANY: "remove some",
    FORBIDDEN: "remove the field",
    NOT_FOUND: "name something that is there, or add what is named",
}
_MOST_NAMES = 8
_LONGEST = 400


def diagnostics(tree: Tree, verdict: Verdict, *, strict: bool = False) -> Iterator[Diagnostic]:
    """What the verdict has against `tree`. A kind without a schema is worth a warning, with `strict` an error."""
    subject = subject_of(tree)
    if not verdict.checked:
        yield _unchecked(tree, subject, ERROR if strict else WARNING)
    elif verdict.gaps:
        yield _partly(verdict.gaps, subject)
    for stage in verdict.stages:
        if stage.name == WEBHOOK:
            yield from (by_webhook(fault, subject) for fault in stage.findings)
            continue
        for fault in stage.findings:
            code = _OF_STAGES.get(stage.name) or _CODES.get(fault.type, _CODES[INVALID])
            text = fault.summary or fault.detail
            where = "" if stage.name in _WITH_PATH else f"{field(fault.path) or 'the object'}: "
            message = where + (text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "...")
            hint = of_another_release(subject, fault.path) if stage.name == STRICT else None
            yield Diagnostic(code, message, subject, fault.path, hint=hint or _hint(stage.name, fault))

    for words in verdict.warnings:
        yield Diagnostic("TJ531", words, subject, ())


def is_about_key(diagnostic: Diagnostic) -> bool:
    """Return whether a diagnostic is about the last key of its path, not about the value of this key."""
    if not diagnostic.path:
        return False
    return diagnostic.name == "unknown-field" or f"Invalid value: {quote(str(diagnostic.path[-1]))}: " in diagnostic.message


def by_webhook(fault: Fault, subject: ObjectRef | None) -> Diagnostic:
    """TJ530 for what a validating webhook refuses."""
    where = f"{field(fault.path)}: " if fault.path else ""
    hint = fault.hint or "change the field; the webhook would refuse the object"
    return Diagnostic("TJ530", where + (fault.summary or fault.detail), subject, fault.path, hint=hint)


def subject_of(tree: Tree) -> ObjectRef | None:
    """Return kind and name of a manifest, if it has them."""
    if tree.__class__ is not dict:
        return None
    parts = [
        tree.get("apiVersion"),
        tree.get("kind"),
        get(tree, ("metadata", "namespace"), ""),
        get(tree, ("metadata", "name"), ""),
    ]
    return ObjectRef(*[text if isinstance(text, str) else "" for text in parts])


def of_another_release(subject: ObjectRef | None, path: FieldPath) -> str | None:
    """What to do about a field of a TrainJob or runtime that another release of Trainer has, or None."""
    if subject is None or not subject.api_version.startswith("trainer.kubeflow.org/"):
        return None
    kind = subject.api_version, subject.kind
    having = [one.name for one in RELEASES.values() if _has(store.find(*kind, versions=one.versions), path)]
    if not having or len(having) == len(RELEASES):
        return None
    newest = having[0]
    other = f"for that release, set trainer: '{newest}' in tjgen.yaml, or use --trainer {newest}"
    return f"this is a field of Trainer {range_of(having)}; {other}; tjgen convert rewrites the file for another release"


def _has(schema: store.Schema | None, path: FieldPath) -> bool:
    """Whether the schema declares the field at `path`."""
    for step in path:
        if schema is None:
            return False
        schema = schema.get("properties", {}).get(step) if step.__class__ is str else schema.get("items")
    return schema is not None


def _unchecked(tree: Tree, subject: ObjectRef | None, severity: str) -> Diagnostic:
    if subject is None or not subject.api_version or not subject.kind:
        path: FieldPath = ()
        message = "the document is not checked: it has no apiVersion and kind, so it is not a Kubernetes object"
        return Diagnostic("TJ520", message, subject, path, hint="give it an apiVersion and a kind", severity=severity)
    message = f"{subject.kind} of {subject.api_version} is not checked: there is no schema for it"
    path, hint = _meant(subject.api_version, subject.kind)
    return Diagnostic("TJ520", message, subject, path, hint=hint, severity=severity)


def _meant(api_version: str, kind: str) -> tuple[FieldPath, str]:
    """The field that is probably wrong in an object of an unknown kind, and what to do."""
    known = [gvk.rpartition("/") for gvk in store.kinds()]
    group = api_version.rpartition("/")[0]
    versions = [version for version, _, name in known if name == kind]
    of_group = [version for version in versions if version.rpartition("/")[0] == group]
    # Where one group alone has such a kind, it is meant, however the group is written.
    version = of_group[-1] if of_group else nearest(api_version, versions) or (versions[0] if len(versions) == 1 else None)
    if version is not None:
        return ("apiVersion",), f"write apiVersion: {version}"
    meant = nearest(kind, [name for version, _, name in known if version == api_version])
    if meant is not None:
        return ("kind",), f"write kind: {meant}"
    near = nearest(kind, [name for _, _, name in known])
    version = nearest(api_version, [version for version, _, name in known if name == near]) if near is not None else None
    if version is not None:
        return ("apiVersion",), f"write apiVersion: {version} and kind: {near}"
    return ("kind",), "import its schema from a cluster: kubectl get crd -o yaml | tjgen schemas import -"


def _partly(gaps: tuple[str, ...], subject: ObjectRef | None) -> Diagnostic:
    what = f"{subject.kind} of {subject.api_version}" if subject is not None else "the object"
    message = f"{what} is not fully checked: {'; '.join(gaps)}"
    hint = "check the rest in a cluster: kubectl apply --dry-run=server"
    return Diagnostic("TJ521", message, subject, ("kind",), hint=hint)


def _hint(stage: str, fault: Fault) -> str | None:
    if fault.hint:
        return fault.hint
    if stage == STRICT:
        return _known_field(str(fault.path[-1]), fault.known)
    if stage == DECODE:
        return "give the value the type that the field has; quote a text that looks like a number or a boolean"
    if fault.type == REQUIRED:
        return f"add {fault.path[-1]}" if fault.path and isinstance(fault.path[-1], str) else "add it"
    if fault.type == NOT_SUPPORTED:
        return f"use one of {', '.join(fault.known)}" if fault.known else "use one of them"
    if fault.type == TYPE_INVALID:
        return _right_type(fault)
    return _HINTS.get(fault.type, _HINTS[INVALID])


def _known_field(name: str, known: tuple[str, ...]) -> str:
    meant = nearest(name, known)
    if meant is not None:
        return f"write {meant}"
    if 0 < len(known) <= _MOST_NAMES:
        return f"remove it, or use one of {', '.join(known)}"
    return "remove it, or correct its name or place"


def _right_type(fault: Fault) -> str:
    wanted = fault.summary.rpartition(" ")[2]
    if wanted == "string":
        return "quote the value"
    if wanted in ("int32", "int64", "integer"):
        return "write a whole number, without quotes"
    if wanted == "boolean":
        return "write true or false, without quotes"
    if wanted in ("array", "object"):
        return f"write a {'list' if wanted == 'array' else 'mapping'}"
    return (
        f"write {'an' if wanted[:1] in 'aeio' else 'a'} {wanted.replace(',', ' or ')}"
        if wanted
        else f"correct {shown(fault.path)}"
    )
