"""Flux (kustomize-controller 1.9; annotations: fluxcd/pkg `ssa/utils/meta.go`)."""

from __future__ import annotations

from tjgen.cluster.synctools.protocol import SyncTool
from tjgen.trees.manifests.manifest import DATA, RUNS, RUNTIMES

DOMAIN = "kustomize.toolkit.fluxcd.io"
SSA = f"{DOMAIN}/ssa"
PRUNE = f"{DOMAIN}/prune"
SUBSTITUTE = f"{DOMAIN}/substitute"

_KEPT = {PRUNE: "disabled"}

TOOL = SyncTool(
    name="flux",
    title="Flux",
    namespace="flux-system",
    in_each_cluster=True,
    names_clusters=False,
    settings=("dependsOn", "kubeConfig", "sourceRef", "secretRef", "provider"),
    repositories=r"((https?|ssh)://[^\s/]+/|[^\s/@:]+@[^\s/:]+:)\S+",
    reads_commits=False,
    accounts_in_own_namespace=True,
    has_shared_objects=False,
    # It puts the names of Kustomizations into labels of all that they apply (fluxcd/pkg ssa `SetOwnerLabels`).
    longest_name=63,
    domain=DOMAIN,
    syncing=((DOMAIN, "Kustomization"),),
    # Kustomizations depend on each other; within one, Flux orders by kind.
    wave="",
    kept=_KEPT,
    guards={RUNS: _KEPT, RUNTIMES: _KEPT},
    confirmation="",
    staying=((PRUNE, "disabled"),),
    waiting=(),
    left_alone={SSA: "Ignore"},
    without_effect={SSA: "IfNotPresent"},
    stages={DATA: _KEPT},
    stages_by_experiment={},
    most_objects=5000,
    most_bytes=0,
    applies_client_side=False,
    dry_runs_all=True,
    has_hooks=False,
    waits_for_units=True,
    compares_with_git=False,
    refuses_to_remove_all=False,
    tracking=(f"{DOMAIN}/checksum",),
    # The inventory of a Kustomization lists what it applied.
    owner_mark="",
    tracking_labels=(f"{DOMAIN}/name", f"{DOMAIN}/namespace"),
    unapplied_file="",
    installation="Flux applies the committed files in `{output}`. "
    "Run each command once, in the cluster of its environment: {commands}.",
)
