"""A sync wave that is not an integer."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tjgen.gitops.lint import sources
from tjgen.gitops.lint.rule import ARGOCD, SEEN, WARNING, FieldEdit, Finding, Rule
from tjgen.gitops.lint.scene import Scene
from tjgen.gitops.lint.sync import WAVE, annotation
from tjgen.trees.fields.path import Tree

RULE = Rule(
    code="TJ610",
    name="wave-without-number",
    severity=WARNING,
    evidence=SEEN,
    source=f"{sources.ARGOCD_SYNC}/syncwaves/waves.go",
    since="0.1.0",
    title="A sync wave is not a quoted integer.",
    why="Argo CD uses 0 for a wave that it cannot read as an integer, and does not report it.",
    remedy="Write the wave as a quoted integer.",
    effects={
        ARGOCD: "The object is applied in wave 0.",
    },
    upstream="argo-cd `gitops-engine/pkg/sync/syncwaves/waves.go` (`Wave`).",
    tools=(ARGOCD,),
)

_INTEGER = re.compile(r"[+-]?[0-9]+")


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each wave that is read as another one."""
    for item in scene.items:
        value = item.annotations.get(WAVE)
        if value is None or (value.__class__ is str and _INTEGER.fullmatch(str(value))):
            continue
        meant = _meant(value)
        is_text = value.__class__ is str
        message = f"the wave {value!r} is read as 0" if is_text else f"the wave {value} is not quoted, as annotations must be"
        hint = f'write "{meant}"' if meant else "write a quoted integer, or remove the annotation"
        changes = (FieldEdit(item, annotation(WAVE), meant),) if meant else ()
        yield Finding(item, annotation(WAVE), message, hint=hint, changes=changes)


def _meant(value: Tree) -> str:
    """The intended integer, empty if it is ambiguous."""
    text = str(value).strip().strip("'\"")
    if value.__class__ is float:
        return str(int(value)) if value == int(value) else ""
    return text if value.__class__ is not bool and _INTEGER.fullmatch(text) else ""
