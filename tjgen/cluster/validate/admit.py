"""An object or its YAML text -> the verdict of the API server and of the webhooks behind it, as data for programs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from tjgen.cluster.validate.fault import BAD_REQUEST, Fault
from tjgen.cluster.validate.judge import judge
from tjgen.cluster.validate.templates import TemplateVerdict, templates
from tjgen.cluster.validate.ways import CLIENT_SIDE, SERVER_SIDE, WAYS
from tjgen.trees.diagnostics.model import Diagnostic, Span
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.manifests.generated_names import named
from tjgen.trees.source.reader import KUBERNETES, read
from tjgen.trees.typing import NamedTuple

PARSE = "parse"
_DUPLICATE_KEY = "TJ003"
Locate = Callable[[FieldPath], "Span | None"]


class Error(NamedTuple):
    """One error in the server's words, its path in the object, and its place where the document was a text."""

    type: str
    field: str
    detail: str
    path: FieldPath
    span: Span | None = None


class Template(NamedTuple):
    """Return the verdict on a Job or Pod that a controller will create from a template."""

    path: str
    """The path of the template: spec.replicatedJobs[0].template."""
    kind: str
    """Job or Pod."""
    allowed: bool
    stage: str
    errors: tuple[Error, ...]


class AdmissionResponse(NamedTuple):
    """What the server answers. `checked` is False if there is no schema: then nothing is allowed or refused."""

    allowed: bool
    stage: str
    """The stage that refuses: parse, decode, strict, request, validation, patch, apply, webhook; "" where none does."""
    errors: tuple[Error, ...]
    checked: bool = True
    templates: tuple[Template, ...] = ()
    """Return the verdicts on the objects that controllers create from an allowed object, if Jobs are allowed themselves."""


def admit(
    document: Tree,
    *,
    old: Tree = None,
    context: Sequence[Tree] = (),
    webhooks: bool = True,
    apply: str = CLIENT_SIDE,
    versions: Mapping[str, str] | None = None,
) -> AdmissionResponse:
    """The verdict on creating `document`: a parsed object, or its YAML text where the text matters.

    `old` is the live object, or the manifest that created it: then the verdict is on applying `document` over it,
    as `kubectl apply` does it. With another name or namespace, the document is created; likewise if
    `old` is not an object.
    `context` are the other objects of the cluster, which webhooks look up: with some given, a runtime that is not among them
    does not exist; without `context`, that is unknown. `apply` is client-side or server-side.
    `versions` chooses releases, such as {"trainer": "v2.3.0"}. Raises ValueError for another way to apply.
    """
    if apply not in WAYS:
        raise ValueError(f"apply is {apply!r}, and can be {' or '.join(WAYS)}")
    locate: Locate = _nowhere
    duplicates: tuple[str, ...] = ()
    if document.__class__ is str:
        documents, problems = read(document, "<document>", KUBERNETES)
        refused = [one for one in problems if one.severity == "error"]
        if any(one.code != _DUPLICATE_KEY for one in refused):
            return AdmissionResponse(False, PARSE, tuple(_problem(one) for one in refused if one.code != _DUPLICATE_KEY))
        duplicates = tuple(_duplicate(one) for one in refused)
        document, locate = (documents[0].value, documents[0].locate) if documents else (None, locate)
    else:
        document = _as_sent(document)
    old = _as_sent(old) if old.__class__ is dict else None
    context = [_as_sent(one) for one in context]
    verdict = judge(
        document,
        old=old,
        versions=versions,
        duplicates=duplicates,
        server_side=apply == SERVER_SIDE,
        webhooks=webhooks,
        context=context if webhooks else None,
        is_whole=bool(context),
    )
    if not verdict.allowed:
        return AdmissionResponse(False, verdict.stage, _errors(verdict.errors, locate), verdict.checked)
    document = named(document)
    return AdmissionResponse(True, "", (), True, tuple(_created(templates(document, versions=versions), locate)))


def _as_sent(tree: Tree) -> Tree:
    """The object as Go's decoder of JSON reads it: a half of a surrogate pair, which no UTF-8 has, becomes U+FFFD."""
    if tree.__class__ is dict:
        return {_as_sent(key): _as_sent(value) for key, value in tree.items()}
    if tree.__class__ is list:
        return [_as_sent(item) for item in tree]
    if tree.__class__ is str and not tree.isascii():
        return tree.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return tree


def _nowhere(path: FieldPath) -> Span | None:
    return None


def _problem(problem: Diagnostic) -> Error:
    return Error(BAD_REQUEST, "", problem.message, (), problem.span)


def _duplicate(problem: Diagnostic) -> str:
    """Return the server's error about a duplicate key."""
    line = problem.span.line if problem.span is not None else 0
    key = problem.message.split('"')[1]
    return f'line {line}: key "{key}" already set in map'


def _errors(faults: Sequence[Fault], locate: Locate) -> tuple[Error, ...]:
    return tuple([Error(fault.type, fault.field, fault.detail, fault.path, locate(fault.path)) for fault in faults])


def _created(verdicts: Iterator[TemplateVerdict], locate: Locate) -> Iterator[Template]:
    for one in verdicts:
        verdict = one.verdict
        placed = [(fault, one.placed(fault.path)) for fault in verdict.errors]
        errors = tuple([Error(fault.type, fault.field, fault.detail, path, locate(path)) for fault, path in placed])
        yield Template(one.place, one.kind, verdict.allowed, verdict.stage, errors)
