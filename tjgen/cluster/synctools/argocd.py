"""Argo CD (argo-cd 3.5)."""

from __future__ import annotations

from tjgen.cluster.synctools.protocol import OUTLIVING, PREPARING, SyncTool
from tjgen.trees.manifests.manifest import DATA, RUNS, RUNTIMES

DOMAIN = "argocd.argoproj.io"
WAVE = f"{DOMAIN}/sync-wave"
OPTIONS = f"{DOMAIN}/sync-options"
COMPARE = f"{DOMAIN}/compare-options"
HOOK = f"{DOMAIN}/hook"

# Server-side apply: webhooks fill in list elements that a client-side apply would send back without them,
# and a client-side apply keeps the whole manifest in an annotation of limited size.
_SERVER_SIDE = "ServerSideApply=true"
# Prune is about removal from Git, Delete about that of the Application; without IgnoreExtraneous a claim that
# was removed from Git keeps the Application out of sync.
_KEPT = {OPTIONS: f"{_SERVER_SIDE},Prune=false,Delete=false", COMPARE: "IgnoreExtraneous"}
_STAYING = {OPTIONS: f"{_SERVER_SIDE},Prune=false", COMPARE: "IgnoreExtraneous"}

TOOL = SyncTool(
    name="argocd",
    title="Argo CD",
    namespace="argocd",
    in_each_cluster=False,
    names_clusters=True,
    settings=("applicationSet", "appProject"),
    repositories=r"((https?|ssh|git)://[^\s/]+/|file:///|[^\s/@:]+@[^\s/:]+:)\S+",
    reads_commits=True,
    # It looks for the account in the namespace of the runs.
    accounts_in_own_namespace=False,
    has_shared_objects=True,
    longest_name=0,
    domain=DOMAIN,
    syncing=(("argoproj.io", "Application"), ("argoproj.io", "ApplicationSet")),
    wave=WAVE,
    kept=_KEPT,
    # Since Argo CD 2.14 (gitops-engine `pkg/sync/sync_context.go`); an older one ignores both, and prunes as before.
    guards={RUNS: {OPTIONS: f"{_SERVER_SIDE},Prune=confirm,Delete=confirm"}, RUNTIMES: _STAYING},
    confirmation="argocd app confirm-deletion {application}",
    staying=((OPTIONS, "Prune=false"),),
    waiting=((OPTIONS, "Prune=confirm"),),
    # An object whose only hook is `Skip` (gitops-engine `pkg/sync/hook`).
    left_alone={HOOK: "Skip"},
    without_effect={f"{DOMAIN}/ignore-healthcheck": "true"},
    stages={
        RUNTIMES: {WAVE: "-10", OPTIONS: _SERVER_SIDE},
        DATA: _KEPT,
        PREPARING: {WAVE: "-5", OPTIONS: _SERVER_SIDE},
        OUTLIVING: {OPTIONS: _SERVER_SIDE},
        RUNS: {OPTIONS: _SERVER_SIDE},
    },
    # An Application for each experiment: nothing orders what several of them prune, so a runtime is never pruned.
    stages_by_experiment={RUNTIMES: {WAVE: "-10", **_STAYING}},
    most_objects=1000,
    most_bytes=10_000_000,
    applies_client_side=True,
    dry_runs_all=False,
    has_hooks=True,
    waits_for_units=False,
    compares_with_git=True,
    refuses_to_remove_all=True,
    tracking=(f"{DOMAIN}/tracking-id", f"{DOMAIN}/installation-id"),
    owner_mark=f"{DOMAIN}/tracking-id",
    tracking_labels=(f"{DOMAIN}/instance",),
    # util/manifeststream
    unapplied_file="# +argocd:skip-file-rendering\n",
    installation="Argo CD applies the committed files in `{output}`. Run once in the cluster of Argo CD: {commands}.",
)
