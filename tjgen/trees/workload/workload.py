"""The Workload: the desired state of one run, as one managed tree over the runtime's pod templates.

    trainer      numNodes, numProcPerNode: counts of a TrainJob outside of the templates
    initializer  dataset, model: as in a TrainJob
    run          suspend, activeDeadlineSeconds
    metadata     labels and annotations of the run's own object
    runtime      the wanted runtime spec: mlPolicy, podGroupPolicy, template (as in a TrainingRuntime)
    objects      "Kind/name" -> supporting objects of the run (claims, config maps)
    ahead        "Kind/name" -> objects that must exist before it, which several runs may share
    slices       how even the slices of the data are, for people: no target reads it
    apart        role -> number of a node -> volumes and node of its pod alone: target jobset has a job for each
    counts       role -> its pods, in a run that no Trainer starts: there every role counts for itself
    names        role -> the name of its main container, where the experiment gives it another one
    policy       restart, elastic, success, cleanup, as written: direct targets have fields of their own for them
    schedule     queue, minAvailable and the like, and `volcano`: direct targets have fields of their own for them

The runtime's spec is grafted in under the manager "runtime"; the values of other managers come from
the experiment, and so a target must write them.
"""

from __future__ import annotations

from collections.abc import Mapping

from tjgen.trees.fields.managed import Managed, Origin, Owners
from tjgen.trees.fields.path import FieldPath, Tree, get, named
from tjgen.trees.typing import MappingProxyType, NamedTuple

JOBS: FieldPath = ("runtime", "template", "spec", "replicatedJobs")
ANCESTOR = "trainer.kubeflow.org/trainjob-ancestor-step"
TRAINER = "trainer"
INITIALIZERS = ("dataset-initializer", "model-initializer")
NODE = "node"
RUNTIME = "runtime"
REWRITTEN = Origin("runtime:images", "platform", ("spec", "images", "rewrite"))
"""Who changed an image of the runtime: the Platform, before anything came over it."""
PINNED = Origin(REWRITTEN.manager, "lock", ("images",))
"""Who put a digest behind it."""

NOTHING: Owners = {}
_OF_JOB: Tree = {"valueFrom": {"fieldRef": {"fieldPath": "metadata.annotations['batch.kubernetes.io/job-completion-index']"}}}
"""An indexed Job numbers its pods."""


class PodSet(NamedTuple):
    """One replicated job of the run: a view, read from the Workload's tree."""

    name: str
    ancestor: str
    """The step of a TrainJob that it is: trainer, dataset-initializer, model-initializer or ""."""
    container: str
    """The container that does the work: the one that the controller would write to."""
    path: FieldPath
    """The path of the replicated job in the Workload's tree."""
    pod: FieldPath
    """The path of its pod template's spec."""
    pod_metadata: FieldPath
    """The path of its pod template's metadata."""
    main: FieldPath
    """The path of its main container."""

    @property
    def is_initializer(self) -> bool:
        return self.ancestor in INITIALIZERS


class Workload(NamedTuple):
    """The desired state of one run. `podsets` is derived from the runtime's part of `tree`."""

    name: str
    namespace: str
    tree: Managed
    podsets: tuple[PodSet, ...]
    numbers: Mapping[str, Tree] = MappingProxyType({})
    """Role -> `value` or `valueFrom` of a variable with the number of its node, in a run that no Trainer starts."""
    aside: tuple[str, ...] = ()
    """Roles that run the program and do not train, as parameter servers."""
    absent: tuple[str, ...] = ()
    """Default roles of the target that the experiment leaves out with `replicas: 0`."""

    @property
    def is_direct(self) -> bool:
        """Whether the run's own kind starts its pods, and no Trainer."""
        return "counts" in self.tree.value

    def number(self, podset: PodSet) -> Tree:
        """The source of the node's number for a variable: an entry of `env` without its name. None if there is no source."""
        return self.numbers.get(podset.name) if self.is_direct else _OF_JOB

    @property
    def ml_policy(self) -> Tree:
        """The runtime's `mlPolicy`, or None if it has none."""
        return get(self.tree.value, ("runtime", "mlPolicy"), None)


def over(runtime_spec: Tree, *, name: str, namespace: str, rewritten: Owners = NOTHING) -> Workload:
    """A Workload that is just the runtime: what passes and the experiment are applied over.

    `rewritten` are the paths in the spec whose image differs from the catalog, and the source of the change.
    """
    owners: Owners = {(): (Origin("lower", "tjgen"),), ("runtime",): (Origin(RUNTIME, "runtime", ("spec",), True),)}
    for path, origins in rewritten.items():
        owners[("runtime", *path)] = origins
    tree = Managed({"runtime": runtime_spec}, owners)
    return Workload(name, namespace, tree, podsets(runtime_spec))


def is_runtimes(origin: Origin) -> bool:
    """Whether a value is the runtime's own, and not requested by the experiment."""
    return origin.manager in (RUNTIME, REWRITTEN.manager)


def podsets(runtime_spec: Tree) -> tuple[PodSet, ...]:
    """The pod sets of a runtime's spec, in its order."""
    pod_sets = []
    for job in get(runtime_spec, ("template", "spec", "replicatedJobs"), None) or []:
        name = job["name"]
        ancestor = get(job, ("template", "metadata", "labels", ANCESTOR), "")
        containers = get(job, ("template", "spec", "template", "spec", "containers"), None) or []
        names = [container.get("name") for container in containers]
        wanted = ancestor if ancestor in INITIALIZERS else NODE
        if wanted not in names:
            wanted = name if name in names or not names else names[0]
        path: FieldPath = (*JOBS, named(name))
        template = (*path, "template", "spec", "template")
        pod = (*template, "spec")
        pod_sets.append(PodSet(name, ancestor, wanted, path, pod, (*template, "metadata"), (*pod, "containers", named(wanted))))
    return tuple(pod_sets)
