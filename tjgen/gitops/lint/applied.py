"""An item -> how Argo CD applies it, and what keeps it when its manifest goes."""

from __future__ import annotations

from tjgen.gitops.lint.kinds import suspend_of
from tjgen.gitops.lint.order import application_of, options_of
from tjgen.gitops.lint.rule import ARGOCD, FieldEdit
from tjgen.gitops.lint.scene import AppliedObject, Scene
from tjgen.gitops.lint.sync import OPTIONS, PRUNE, RECONCILE, annotation, has_option, is_record, mark, with_options
from tjgen.trees.typing import Any

SERVER_SIDE = "ServerSideApply=true"
"""The label by which Kueue takes an object."""


def is_client_side(scene: Scene, item: AppliedObject) -> bool:
    """Whether Argo CD applies it on the client's side, which is the default."""
    if has_option(item, SERVER_SIDE) or is_record(item, ARGOCD):
        return False
    return has_option(item, "ServerSideApply=false") or SERVER_SIDE not in options_of(scene, item)


def applies_again(scene: Scene, item: AppliedObject) -> bool:
    """Whether every full sync applies it, changed or not."""
    return "ApplyOutOfSyncOnly=true" not in options_of(scene, item)


def server_side(item: AppliedObject) -> tuple[FieldEdit, ...]:
    """What makes Argo CD apply it on the server's side."""
    value = with_options(item, add=(SERVER_SIDE,), remove=("ServerSideApply=false",))
    return (FieldEdit(item, annotation(OPTIONS), value),)


def stays(item: AppliedObject, tool: str) -> bool:
    """Whether a tool leaves it in the cluster when its manifest is removed, by what was synced before."""
    if tool == ARGOCD:
        return is_record(item, tool) or has_option(item, "Prune=false") or has_option(item, "Prune=confirm")
    return mark(item, PRUNE) == "disabled" or mark(item, RECONCILE) == "disabled"


def ignores_suspend(scene: Scene, item: AppliedObject) -> bool:
    """Whether its Application leaves the field that suspends it to others, and a sync does not write it either."""
    field = [str(step) for step in suspend_of(item.kind)]
    application = application_of(scene, item)
    if application is None or "RespectIgnoreDifferences=true" not in options_of(scene, item):
        return False
    for _, rule in application.maps("spec", "ignoreDifferences"):
        fits = rule.get("kind") in (item.kind[1], "*") and rule.get("name") in (None, "", item.name)
        if fits and (
            f"/{'/'.join(field)}" in _listed(rule, "jsonPointers") or f".{'.'.join(field)}" in _listed(rule, "jqPathExpressions")
        ):
            return True
    return False


def _listed(entry: dict[str, Any], field: str) -> list[Any]:
    value = entry.get(field)
    return value if isinstance(value, list) else []
