"""The facts about a GitOps tool. Each module of this package holds one value of `SyncTool`.

Every field is required, so that a tool without one of the facts does not type-check. What a tool does not have is empty.
"""

from __future__ import annotations

from collections.abc import Mapping

from tjgen.trees.typing import NamedTuple

Annotations = Mapping[str, str]

PREPARING = "preparing"
"""Part of the stage of data: what has to end before a run can begin (Jobs, and what they read)."""
OUTLIVING = "outliving"
"""Part of the stage of data: what else outlives the runs, such as what looks after checkpoints."""


class SyncTool(NamedTuple):
    """One tool, as `spec.gitops.tool` of a project names it."""

    name: str
    title: str
    """As people write it."""
    namespace: str
    """The namespace of the objects that make the tool sync, unless the project names another one."""
    in_each_cluster: bool
    """Whether an installation syncs only the cluster that it is in."""
    names_clusters: bool
    """Whether it finds a cluster, and the project of an Application, by a name that its own cluster gives it."""
    settings: tuple[str, ...]
    """Fields of `spec.gitops` that only this tool has."""
    repositories: str
    """Pattern of the URLs of repositories that it reads; empty if it reads none."""
    reads_commits: bool
    """Whether a revision can be a tag, a commit or a range of versions, and not only a branch."""
    accounts_in_own_namespace: bool
    """Whether it looks for the accounts that it impersonates in the namespace of the objects that make it sync."""
    has_shared_objects: bool
    """Whether some objects that make it sync are those of the whole project, in a folder next to the environments."""
    longest_name: int
    """How long the name of an object may be that makes it sync; 0: as long as any name."""
    domain: str
    """The domain of its annotations and labels."""
    syncing: tuple[tuple[str, str], ...]
    """Group and kind of the objects that configure what the tool syncs."""
    wave: str
    """The annotation with the order within a sync, in which each step waits for the one before; "" without such an order."""
    kept: Annotations
    """On an object that the tool never prunes. What counts is the annotation in the cluster."""
    guards: Mapping[str, Annotations]
    """Stage -> annotations with which the tool deletes an object only after a person has confirmed that, or not at all.

    On runs with `removal: confirm`, and on runtimes of runs that stay in the cluster (see `guards.py`).
    """
    confirmation: str
    """The command by which a person confirms the deletion of an object that waits for it. Field: `application`."""
    staying: tuple[tuple[str, str], ...]
    """Annotation and option by which an object that left Git stays in the cluster."""
    waiting: tuple[tuple[str, str], ...]
    """The same for an object that the tool deletes only after a person has confirmed that."""
    left_alone: Annotations
    """On an object that the tool neither applies nor prunes, whether it is in the cluster or not."""
    without_effect: Annotations
    """On a Job whose end, failure or removal has no effect on the sync."""
    stages: Mapping[str, Annotations]
    """Stage, or part of that of data -> annotations of every object of a run."""
    stages_by_experiment: Mapping[str, Annotations]
    """The same, over `stages`, where each experiment is synced by itself."""
    most_objects: int
    """From where on one sync has too many objects; 0: no limit is known."""
    most_bytes: int
    """From where on the manifests of one sync are too large; 0: no limit is known."""
    applies_client_side: bool
    """Whether it keeps the whole manifest in an annotation, as kubectl does, unless an option prevents that."""
    dry_runs_all: bool
    """Whether it sends every object of a sync to the server as a dry run before it applies the first."""
    has_hooks: bool
    """Whether it applies some objects as hooks, once in each sync, and does not compare them with Git."""
    waits_for_units: bool
    """Whether sync objects can depend on each other and wait until the applied objects are healthy."""
    compares_with_git: bool
    """Whether it reports a manifest that differs from the object that the server creates from it."""
    refuses_to_remove_all: bool
    """Whether it refuses, unless an option allows it, a sync that removes every object."""
    tracking: tuple[str, ...]
    """Annotations that the tool writes itself."""
    owner_mark: str
    """The one of these by which it recognizes what it applied, so another owner needs it removed; empty if it keeps a list."""
    tracking_labels: tuple[str, ...]
    """Labels that the tool writes itself."""
    unapplied_file: str
    """A comment that keeps the tool from applying a file."""
    installation: str
    """One-time steps in the cluster, as shown in a README. Fields: `output`, `commands`."""
