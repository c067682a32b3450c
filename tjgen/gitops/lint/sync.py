"""The annotations of an object -> its sync settings: wave, hooks, options, marks.

Names and defaults are those of argo-cd 3.5 (gitops-engine `pkg/sync/common`, `syncwaves`, `hook`) and of fluxcd/pkg
(`ssa/utils/meta.go`, whose values are compared without regard to case).
"""

from __future__ import annotations

import re

from tjgen.cluster.synctools import argocd, flux
from tjgen.cluster.synctools.table import ARGOCD
from tjgen.gitops.lint.scene import AppliedObject
from tjgen.trees.fields.path import FieldPath

WAVE = argocd.WAVE
HOOK = argocd.HOOK
OPTIONS = argocd.OPTIONS
COMPARE = argocd.COMPARE
DELETE_POLICY = f"{argocd.DOMAIN}/hook-delete-policy"
HELM_HOOK = "helm.sh/hook"
HELM_WAVE = "helm.sh/hook-weight"
HELM_DELETE_POLICY = "helm.sh/hook-delete-policy"
SSA = flux.SSA
PRUNE = flux.PRUNE
FORCE = f"{flux.DOMAIN}/force"
RECONCILE = f"{flux.DOMAIN}/reconcile"

PHASES = ("PreSync", "Sync", "PostSync", "SyncFail", "PreDelete", "PostDelete")
SKIP = "Skip"
POLICIES = ("HookSucceeded", "HookFailed", "BeforeHookCreation")
_HELM_PHASES = {
    "pre-install": "PreSync",
    "pre-upgrade": "PreSync",
    "post-install": "PostSync",
    "post-upgrade": "PostSync",
    "pre-delete": "PreDelete",
    "post-delete": "PostDelete",
}
_HELM_POLICIES = {
    "before-hook-creation": "BeforeHookCreation",
    "hook-succeeded": "HookSucceeded",
    "hook-failed": "HookFailed",
}
_INTEGER = re.compile(r"[+-]?[0-9]+\Z")


def annotation(key: str) -> FieldPath:
    """The path of an annotation."""
    return ("metadata", "annotations", key)


def words(item: AppliedObject, key: str) -> list[str]:
    """The comma separated words of an annotation."""
    value = item.annotations.get(key)
    return [word.strip() for word in str(value).split(",") if word.strip()] if value is not None else []


def wave(item: AppliedObject) -> int:
    """The wave; where it is not an integer, the weight of a Helm hook or 0 (`syncwaves.Wave`)."""
    for key in (WAVE, HELM_WAVE):
        value = item.annotations.get(key)
        if value is not None and _INTEGER.match(str(value)) and value.__class__ is not bool:
            return int(value)
    return 0


def phases(item: AppliedObject) -> list[str]:
    """The phases in which the object is a hook; none where it is an object like others."""
    own = [word for word in words(item, HOOK) if word in PHASES or word == SKIP]
    hook_phases = own or [_HELM_PHASES[word] for word in words(item, HELM_HOOK) if word in _HELM_PHASES]
    return [word for word in hook_phases if word != SKIP]


def phase(item: AppliedObject) -> str:
    """The phase in which it is applied."""
    return next(iter(phases(item)), "Sync")


def policies(item: AppliedObject) -> list[str]:
    """Return the delete policies of a hook; BeforeHookCreation by default (`hook.DeletePolicies`)."""
    delete_policies = [word for word in words(item, DELETE_POLICY) if word in POLICIES]
    delete_policies += [_HELM_POLICIES[word] for word in words(item, HELM_DELETE_POLICY) if word in _HELM_POLICIES]
    return delete_policies or ["BeforeHookCreation"]


def hook_key(item: AppliedObject) -> str:
    """The annotation that makes it a hook."""
    return HOOK if HOOK in item.annotations else HELM_HOOK


def has_option(item: AppliedObject, option: str) -> bool:
    """Return whether the object has a sync option such as `Prune=false`. Options are case-sensitive."""
    return option in words(item, OPTIONS)


def with_options(item: AppliedObject, *, add: tuple[str, ...] = (), remove: tuple[str, ...] = ()) -> str:
    """The value of the annotation of sync options with some more and some fewer."""
    options = [word for word in words(item, OPTIONS) if word not in remove]
    return ",".join([*options, *(one for one in add if one not in options)])


def mark(item: AppliedObject, key: str) -> str:
    """The value of a mark of Flux, in small letters. A mark may be a label too."""
    value = item.annotations.get(key, item.labels.get(key, ""))
    return str(value).lower()


def mark_path(item: AppliedObject, key: str) -> FieldPath:
    """The place of the mark."""
    return annotation(key) if key in item.annotations else ("metadata", "labels", key)


def is_record(item: AppliedObject, tool: str) -> bool:
    """Whether a tool leaves the object alone: a run that is kept as a record, or something that is not reconciled."""
    if tool == ARGOCD:
        return SKIP in words(item, HOOK) and not phases(item)
    return mark(item, SSA) == "ignore" or mark(item, RECONCILE) == "disabled"
