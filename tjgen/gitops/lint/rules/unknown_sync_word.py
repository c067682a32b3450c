"""An unknown value of an option that supports only certain values."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.lint import sources
from tjgen.gitops.lint.kinds import APPLICATION
from tjgen.gitops.lint.rule import ARGOCD, FLUX, SEEN, WARNING, FieldEdit, Finding, Rule
from tjgen.gitops.lint.scene import AppliedObject, Scene
from tjgen.gitops.lint.sync import (
    COMPARE,
    DELETE_POLICY,
    FORCE,
    HOOK,
    OPTIONS,
    PHASES,
    POLICIES,
    PRUNE,
    RECONCILE,
    SKIP,
    SSA,
    annotation,
    mark_path,
    words,
)
from tjgen.trees.k8s.nearest import nearest

RULE = Rule(
    code="TJ614",
    name="unknown-sync-word",
    severity=WARNING,
    evidence=SEEN,
    source=f"{sources.ARGOCD_SYNC}/common/types.go",
    since="0.1.0",
    title="The tool does not support a hook, a delete policy, a sync option or a mark of Flux.",
    why="Argo CD compares the words exactly; Flux ignores case. Both ignore unknown words, so the object is not "
    "protected and the sync does not wait for it. An object with an unknown hook is not applied at all.",
    remedy="Write the word as the documentation of the tool spells it.",
    effects={
        ARGOCD: "An unknown option or delete policy is ignored. An object with an unknown hook is neither applied nor compared.",
        FLUX: "An unknown value of a mark is ignored.",
    },
    upstream="argo-cd `gitops-engine/pkg/sync/common/types.go`, `hook/hook.go` (`IsHook`, `Types`); fluxcd/pkg "
    "`ssa/utils/meta.go`.",
)

_YES_NO = ("true", "false")
_OPTIONS = (
    *("Prune=false", "Prune=confirm", "Prune=true", "Delete=false", "Delete=confirm", "Delete=true"),
    *(
        f"{name}={value}"
        for name in (
            *("ApplyOutOfSyncOnly", "ClientSideApplyMigration", "CreateNamespace", "FailOnSharedResource", "Force"),
            *("PruneLast", "Replace", "RespectIgnoreDifferences", "ServerSideApply", "SkipDryRunOnMissingResource", "Validate"),
        )
        for value in _YES_NO
    ),
    *(f"PrunePropagationPolicy={value}" for value in ("foreground", "background", "orphan")),
)
_COMPARE = (
    "IgnoreExtraneous",
    *(f"{name}={value}" for name in ("ServerSideDiff", "IncludeMutationWebhook") for value in _YES_NO),
)
_WORDS = {HOOK: (*PHASES, SKIP), DELETE_POLICY: POLICIES, OPTIONS: _OPTIONS, COMPARE: _COMPARE}
_MARKS = {
    SSA: ("Override", "Merge", "IfNotPresent", "Ignore"),
    FORCE: ("Enabled", "Disabled"),
    PRUNE: ("Disabled", "Enabled"),
    RECONCILE: ("Disabled", "Enabled"),
}
_NOUNS = {"sync-options": "sync option", "compare-options": "compare option", "hook-delete-policy": "delete policy"}


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each word."""
    for item in scene.items:
        if ARGOCD in scene.tools:
            for key, known in _WORDS.items():
                for word in words(item, key):
                    if word not in known:
                        yield _of_word(item, key, word, known)
        if FLUX in scene.tools:
            for key, known in _MARKS.items():
                word = str(item.annotations.get(key, item.labels.get(key, known[0])))
                if word.lower() not in {one.lower() for one in known}:
                    yield _of_mark(item, key, word, known)
    for application in scene.of(APPLICATION) if ARGOCD in scene.tools else ():
        options = application.get("spec", "syncPolicy", "syncOptions")
        for position, word in enumerate(options if options.__class__ is list else ()):
            if word not in _OPTIONS:
                path = ("spec", "syncPolicy", "syncOptions", position)
                near = nearest(str(word), _OPTIONS)
                changes = (FieldEdit(application, path, near),) if near else ()
                yield Finding(application, path, _unknown(str(word), "sync option"), hint=_hint(near, _OPTIONS), changes=changes)


def _of_word(item: AppliedObject, key: str, word: str, known: tuple[str, ...]) -> Finding:
    near = nearest(word, known)
    value = ",".join(near if one == word and near else one for one in words(item, key))
    changes = (FieldEdit(item, annotation(key), value),) if near else ()
    message = _unknown(word, key.rpartition("/")[2])
    if key == HOOK:
        message += ", so the object is never applied"
    return Finding(item, annotation(key), message, hint=_hint(near, known), changes=changes)


def _of_mark(item: AppliedObject, key: str, word: str, known: tuple[str, ...]) -> Finding:
    near = nearest(word, known)
    path = mark_path(item, key)
    changes = (FieldEdit(item, path, near),) if near else ()
    return Finding(item, path, _unknown(word, f"value of {key.rpartition('/')[2]}"), hint=_hint(near, known), changes=changes)


def _unknown(word: str, what: str) -> str:
    noun = {"sync-options": "sync option", "compare-options": "compare option", "hook-delete-policy": "delete policy"}.get(
        what, what
    )
    return f'"{word}" is not a {noun} that the tool supports'


def _hint(near: str | None, known: tuple[str, ...]) -> str:
    if near:
        return f"write {near}"
    return f"use one of {', '.join(known)}" if len(known) < 10 else "remove it"
