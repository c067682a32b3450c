"""An object or its YAML text -> the verdict of the API server, as data for programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tjgen.fields.path import Tree
from tjgen.source.reader import KUBERNETES, read
from tjgen.typing import NamedTuple
from tjgen.validate import admission
from tjgen.validate.fault import BAD_REQUEST, Fault
from tjgen.validate.judge import judge
from tjgen.validate.templates import templates
from tjgen.validate.verdict import DECODE, STRICT

WEBHOOK = "webhook"
_DUPLICATE_KEY = "TJ003"


class Template(NamedTuple):
    """The verdict on a Job or Pod that a controller will make of a template."""

    path: str
    """Where the template stands: spec.replicatedJobs[0].template."""
    kind: str
    """Job or Pod."""
    allowed: bool
    stage: str
    errors: tuple[Fault, ...]


class Admission(NamedTuple):
    """What the server answers. `checked` is False where there is no schema: then nothing is allowed or refused."""

    allowed: bool
    stage: str
    """The stage that refuses: decode, strict, validation, webhook; "" where none does."""
    errors: tuple[Fault, ...]
    """Each with `type`, `field` and `detail` in the server's words."""
    checked: bool = True
    templates: tuple[Template, ...] = ()
    """The verdicts on what controllers would make of an allowed object, as far as Jobs are allowed themselves."""


def admit(
    document: Tree,
    *,
    old: Tree = None,
    context: Sequence[Tree] = (),
    webhooks: bool = True,
    versions: Mapping[str, str] | None = None,
) -> Admission:
    """The verdict on creating `document`: a parsed object, or its YAML text where the text matters.

    `versions` chooses releases, such as {"trainer": "v2.3.0"}. `context` are other objects of the cluster, which
    webhooks look up; `old` is the object that `document` replaces, about which so far only webhooks are asked.
    """
    if document.__class__ is str:
        documents, problems = read(document, "<document>", KUBERNETES)
        refused = [one for one in problems if one.severity == "error"]
        if refused:
            stage = STRICT if all(one.code == _DUPLICATE_KEY for one in refused) else DECODE
            return Admission(False, stage, tuple(Fault(BAD_REQUEST, "", one.message, ()) for one in refused))
        document = documents[0].value if documents else None
    verdict = judge(document, versions=versions)
    if verdict.allowed and webhooks:
        answer = admission.review(document, old=old, context=context)
        if answer.errors:
            return Admission(False, WEBHOOK, answer.errors)
    made = tuple(_made(document, versions)) if verdict.allowed else ()
    return Admission(verdict.allowed, verdict.stage, verdict.errors, verdict.checked, made)


def _made(tree: Tree, versions: Mapping[str, str] | None) -> Iterator[Template]:
    for place, kind, verdict in ((one.place, one.kind, one.verdict) for one in templates(tree, versions=versions)):
        yield Template(place, kind, verdict.allowed, verdict.stage, verdict.errors)
