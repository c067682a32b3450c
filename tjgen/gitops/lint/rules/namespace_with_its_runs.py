"""A Namespace that may be pruned with everything in it."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.lint import sources
from tjgen.gitops.lint.kinds import CLAIM, NAMESPACE, RUNS
from tjgen.gitops.lint.rule import ARGOCD, FLUX, SEEN, WARNING, FieldEdit, Finding, RelatedPlace, Rule
from tjgen.gitops.lint.scene import AppliedObject, Scene
from tjgen.gitops.lint.sync import OPTIONS, PRUNE, RECONCILE, annotation, has_option, mark, with_options

RULE = Rule(
    code="TJ667",
    name="namespace-with-its-runs",
    severity=WARNING,
    evidence=SEEN,
    source=f"{sources.ARGOCD_GUIDE}/sync-options/",
    since="0.1.0",
    title="A Namespace is applied together with its runs, without protection from pruning.",
    why="Deleting a Namespace deletes everything in it: runs, claims and their data, including objects of other users.",
    remedy="Protect it, or keep it in a separate Application or Kustomization.",
    effects={
        ARGOCD: "Needs `Prune=confirm` (or `Prune=false`) and `Delete=false`; or use `CreateNamespace=true` instead.",
        FLUX: "Needs `prune: disabled`.",
    },
    upstream="argo-cd documentation, sync options; fluxcd documentation, prune.",
)


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each Namespace with a run or a claim in it, by the tools that apply both."""
    members: dict[str, list[AppliedObject]] = {}
    for one in scene.of(*RUNS, CLAIM):
        members.setdefault(one.namespace, []).append(one)
    for item in scene.of(NAMESPACE):
        needed: list[FieldEdit] = []
        related: list[RelatedPlace] = []
        for tool in (ARGOCD, FLUX):
            inside = next((one for one in members.get(item.name, ()) if one.unit(tool) == item.unit(tool)), None)
            missing = _missing(item, tool) if tool in scene.tools and inside is not None else None
            if missing is not None and inside is not None:
                needed.append(missing)
                related = [RelatedPlace(inside, ("metadata", "name"), "goes with it")]
        if needed:
            pairs = ", ".join(f'{change.path[-1]}: "{change.value}"' for change in needed)
            message = "when it is pruned, everything in it is deleted"
            yield Finding(
                item,
                ("metadata", "name"),
                message,
                hint=f"annotate it: {pairs}",
                changes=tuple(needed),
                related=tuple(related),
            )


def _missing(item: AppliedObject, tool: str) -> FieldEdit | None:
    if tool == FLUX:
        kept = mark(item, PRUNE) == "disabled" or mark(item, RECONCILE) == "disabled"
        return None if kept else FieldEdit(item, annotation(PRUNE), "disabled")
    add: tuple[str, ...] = ()
    if not has_option(item, "Prune=false") and not has_option(item, "Prune=confirm"):
        add += ("Prune=confirm",)
    if not has_option(item, "Delete=false") and not has_option(item, "Delete=confirm"):
        add += ("Delete=false",)
    return FieldEdit(item, annotation(OPTIONS), with_options(item, add=add)) if add else None
