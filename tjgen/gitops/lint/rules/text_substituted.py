"""`${NAME}` in a text that Flux substitutes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tjgen.cluster.synctools.flux import SUBSTITUTE
from tjgen.gitops.lint import sources
from tjgen.gitops.lint.order import kustomization_of
from tjgen.gitops.lint.pods import strings
from tjgen.gitops.lint.rule import ERROR, FLUX, SOURCE, WARNING, FieldEdit, Finding, Rule
from tjgen.gitops.lint.scene import AppliedObject, Scene
from tjgen.gitops.lint.sync import mark

RULE = Rule(
    code="TJ661",
    name="text-substituted",
    severity=ERROR,
    evidence=SOURCE,
    source=f"{sources.FLUX_KUSTOMIZE}/kustomize_varsub.go",
    since="0.1.0",
    title="A string contains ${NAME}, and the Kustomization substitutes variables.",
    why="Flux does not distinguish a script from a manifest: it replaces variables that are meant for the shell of a pod.",
    remedy="Write `$${NAME}`, or `$NAME`, which Flux does not replace, or mark the object `substitute: disabled`.",
    effects={
        FLUX: "From 1.9 on, a name without a value fails the build; before that it became empty.",
    },
    upstream="fluxcd/pkg `kustomize` (variable substitution); kustomize-controller 1.9 StrictPostBuildSubstitutions.",
    tools=(FLUX,),
)
_VARIABLE = re.compile(r"(?<!\$)\$\{([A-Za-z_][A-Za-z0-9_]*)")


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each text with a variable that the Kustomization does not give."""
    for item in scene.items:
        owner = kustomization_of(scene, item)
        if owner is None or not owner.map("spec", "postBuild") or mark(item, SUBSTITUTE) == "disabled":
            continue
        given = owner.map("spec", "postBuild", "substitute")
        from_others = bool(owner.get("spec", "postBuild", "substituteFrom"))
        for path, text in strings(item.tree):
            names = [name for name in _VARIABLE.findall(text) if name not in given]
            if names:
                message = f"{owner} replaces ${{{names[0]}}} before the object is applied"
                severity = WARNING if from_others else ""
                yield Finding(
                    item,
                    path,
                    message,
                    hint=f"write $${{{names[0]}}}",
                    changes=_escaped(item, path, text, given),
                    severity=severity,
                )


def _escaped(item: AppliedObject, path: tuple[object, ...], text: str, given: dict[str, object]) -> tuple[FieldEdit, ...]:
    value = _VARIABLE.sub(lambda match: match[0] if match[1] in given else f"${match[0]}", text)
    return (FieldEdit(item, path, value),)  # type: ignore[arg-type]  # a field path
