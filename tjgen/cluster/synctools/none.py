"""No tool: people apply the manifests."""

from __future__ import annotations

from tjgen.cluster.synctools.protocol import SyncTool

TOOL = SyncTool(
    name="none",
    title="no tool",
    namespace="",
    in_each_cluster=False,
    names_clusters=False,
    settings=(),
    repositories="",
    reads_commits=False,
    accounts_in_own_namespace=False,
    has_shared_objects=False,
    longest_name=0,
    domain="",
    syncing=(),
    wave="",
    kept={},
    guards={},
    confirmation="",
    staying=(),
    waiting=(),
    left_alone={},
    without_effect={},
    stages={},
    stages_by_experiment={},
    most_objects=0,
    most_bytes=0,
    applies_client_side=False,
    dry_runs_all=False,
    has_hooks=False,
    waits_for_units=False,
    compares_with_git=False,
    refuses_to_remove_all=False,
    tracking=(),
    owner_mark="",
    tracking_labels=(),
    unapplied_file="",
    installation="Nothing applies `{output}` yet: `gitops` in `tjgen.yaml` names a tool that does.",
)
