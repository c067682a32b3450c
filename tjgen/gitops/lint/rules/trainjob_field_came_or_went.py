"""An immutable field of a TrainJob that was added or removed."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.lint import sources
from tjgen.gitops.lint.kinds import TRAINJOB
from tjgen.gitops.lint.rule import ARGOCD, ERROR, FLUX, SEEN, Finding, Rule
from tjgen.gitops.lint.scene import Scene
from tjgen.gitops.lint.sync import is_record
from tjgen.trees.fields.path import get

RULE = Rule(
    code="TJ616",
    name="trainjob-field-came-or-went",
    severity=ERROR,
    evidence=SEEN,
    source=f"{sources.TRAINER}/apis/trainer/v1alpha1/trainjob_types.go",
    since="0.1.0",
    title="An optional immutable field of a TrainJob has been added or removed under the same name.",
    why="The server does not evaluate the rule against changes if the field is added or removed. It accepts such a change "
    "of `trainer` and `initializer` without any effect: the JobSet is not built again. A change of "
    "`activeDeadlineSeconds` takes effect: the deadline counts from the start, so a run that is past it fails at once.",
    remedy="Give the changed run another name.",
    effects={
        ARGOCD: "Synced, although the running job differs.",
        FLUX: "Ready, although the running job differs.",
    },
    upstream="Trainer 2.3 `pkg/apis/trainer/v1alpha1/trainjob_types.go`; Kubernetes: a CEL rule with `oldSelf` on an optional "
    "field runs only if both values exist.",
    tools=(),
    against=True,
)

_FIELDS = ("trainer", "initializer", "activeDeadlineSeconds")


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each field."""
    for pair in scene.pairs(TRAINJOB):
        if scene.leaves(pair.new, is_record):
            continue
        for field in _FIELDS:
            was = get(pair.old.tree, ("spec", field), None) is not None
            now = get(pair.new.tree, ("spec", field), None) is not None
            if was != now:
                effect = "a run that is past it fails at once" if field == "activeDeadlineSeconds" and now else "it has no effect"
                message = f"{field} was {'added' if now else 'removed'}, which is accepted: {effect}"
                yield Finding(pair.new, ("spec", field), message, hint="give the run another name", key=True)
