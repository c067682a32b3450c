"""Workload -> Volcano Job: a task for each role, with the plugins by which its pods find each other.

Fields and their meaning: volcano.sh/apis v1.13 `batch/v1alpha1`; effects of the controller: volcano v1.13
`pkg/controllers/job`.
"""

from __future__ import annotations

from collections.abc import Sequence

from tjgen.cluster.controllers.volcano_defaults import task_defaults
from tjgen.cluster.kinds.pods import pods_of
from tjgen.compiler.targets import fetching, groups, volcano_elastic, volcano_policies, volcano_rendezvous, volcano_unsupported
from tjgen.compiler.targets.direct import Lowered, RequestedSize
from tjgen.compiler.targets.extra_objects import extra_objects, taken
from tjgen.compiler.targets.volcano_additions import Rendezvous
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.managed import Managed, Origin
from tjgen.trees.fields.path import MISSING, FieldPath, Tree, get, named
from tjgen.trees.fields.writer import Writer
from tjgen.trees.k8s.names import LABEL_LENGTH
from tjgen.trees.manifests.canonical_quantities import with_canonical_quantities
from tjgen.trees.manifests.manifest import Manifest
from tjgen.trees.workload.keys import LIST_KEYS
from tjgen.trees.workload.roles import nodes, programs
from tjgen.trees.workload.workload import PodSet, Workload

API_VERSION = "batch.volcano.sh/v1alpha1"
INDEX = "metadata.annotations['volcano.sh/task-index']"
"""Every pod's number in its task (pkg/controllers/job `createJobPod`): what plugin env makes VC_TASK_INDEX of."""
RULE = Origin("target:volcanojob", "tjgen")
CHOSEN = Origin("target:volcanojob", "experiment", ("spec", "target"))
_OF_TORCH = ("master", "worker")
_SUFFIX = "-svc"
"""The plugin svc names a ConfigMap and a volume so, ssh a Secret as long."""


def arranged(workload: Workload, size: RequestedSize) -> tuple[Workload, list[Diagnostic]]:
    """Return the roles that the experiment names, or master and worker for torch on several nodes, or the runtime's jobs."""
    names = groups.new_roles(workload, size)
    is_torch = get(workload.ml_policy, ("torch",), None) is not None
    total = size.nodes if size.nodes is not None else nodes(workload)
    if is_torch and len(programs(workload)) == 1 and set(names) <= set(_OF_TORCH) and (names or total > 1):
        names = list(_OF_TORCH)
    if not names:
        jobs = groups.as_they_are(workload, size)
        return groups.arranged(workload, jobs, size, INDEX), groups.unlike_nodes(workload, size, jobs)
    split, diagnostics = groups.split(workload, size, names, _OF_TORCH[:1] if names == list(_OF_TORCH) else ())
    return groups.arranged(workload, split, size, INDEX), diagnostics


def lower(workload: Workload) -> Lowered:
    """The Job, and the objects that it needs."""
    problems = list(volcano_unsupported.unsupported(workload))
    rendezvous, more = volcano_rendezvous.rendezvous(workload)
    problems += more
    shell: Tree = {"apiVersion": API_VERSION, "kind": "Job", "metadata": {"name": workload.name, "namespace": workload.namespace}}
    writer = Writer(Managed(shell, {(): (RULE,)}), keys=LIST_KEYS)
    for field in get(workload.tree.value, ("metadata",), None) or {}:
        _take(writer, ("metadata", field), workload, ("metadata", field))
    _schedule(writer, workload)
    for field in ("maxRetry", "minSuccess", "ttlSecondsAfterFinished", "runningEstimate"):
        _take(writer, ("spec", field), workload, ("volcano", field))
    volcano_policies.write(writer, workload)
    _plugins(writer, workload, rendezvous)
    writer.put(("spec", "tasks"), [], RULE)
    fetchers = fetching.initializers(workload)
    for podset in workload.podsets:
        if not podset.is_initializer:
            _task(writer, workload, podset, rendezvous, fetchers)
    done = writer.done()
    job = Manifest(with_canonical_quantities(done.value), done.owners)
    return Lowered(job, [*extra_objects(workload), *rendezvous.objects], problems)


def find_warnings(job: Manifest, workload: Workload) -> list[Diagnostic]:
    """What the policies and the gang do, against what they seem to do."""
    return list(volcano_policies.find_warnings(job, workload))


def budget(job: Manifest) -> int:
    """By the names of pods, which are host names, and of what the plugins mount."""
    tails = [f"-{pods.role}-{max(pods.number - 1, 0)}" for pods in pods_of(job)]
    return LABEL_LENGTH - max(map(len, [*tails, _SUFFIX]))


def _schedule(writer: Writer, workload: Workload) -> None:
    """The gang: all pods unless a minimum is set."""
    counts = workload.tree.value["counts"]
    elastic = volcano_elastic.least(workload)
    writer.put(("spec", "schedulerName"), "volcano", CHOSEN)
    min_available = get(workload.tree.value, ("schedule", "minAvailable"))
    if min_available is not MISSING:
        _take(writer, ("spec", "minAvailable"), workload, ("schedule", "minAvailable"))
    else:
        least = {name: get(workload.tree.value, ("volcano", "tasks", name, "minAvailable"), None) for name in counts} | elastic
        role_name = next((name for name, one in least.items() if one is not None), None)
        because = RULE
        if elastic:
            because = volcano_elastic.CAUSE
        elif role_name:
            because = workload.tree.origins(("volcano", "tasks", role_name, "minAvailable"))[0]._replace(mirrors=False)
        whole = sum(count if one is None else one for one, count in zip(least.values(), counts.values(), strict=True))
        writer.put(("spec", "minAvailable"), whole, because)
    for field in ("queue", "priorityClassName", "networkTopology"):
        _take(writer, ("spec", field), workload, ("schedule", field))
    topology: FieldPath = ("runtime", "podGroupPolicy", "volcano", "networkTopology")
    if writer.get(("spec", "networkTopology")) is None:
        _take(writer, ("spec", "networkTopology"), workload, topology)


def _plugins(writer: Writer, workload: Workload, rendezvous: Rendezvous) -> None:
    """Add the plugins by which the pods find each other; the experiment's settings of a plugin take precedence."""
    writer.put(("spec", "plugins"), {}, RULE)
    plugins = get(workload.tree.value, ("volcano", "plugins"), None) or {}
    for name, arguments in rendezvous.plugins.items():
        if name not in plugins:
            writer.put(("spec", "plugins", name), arguments, rendezvous.because)
    for name in plugins:
        _take(writer, ("spec", "plugins", name), workload, ("volcano", "plugins", name))


def _task(writer: Writer, workload: Workload, podset: PodSet, rendezvous: Rendezvous, fetchers: Sequence[PodSet]) -> None:
    at: FieldPath = ("spec", "tasks", named(podset.name))
    writer.put((*at, "name"), podset.name, RULE)
    _take(writer, (*at, "replicas"), workload, ("counts", podset.name))
    for field in ("minAvailable", "maxRetry", "topologyPolicy"):
        _take(writer, (*at, field), workload, ("volcano", "tasks", podset.name, field))
    least = volcano_elastic.least(workload).get(podset.name)
    if least is not None:
        writer.put((*at, "minAvailable"), least, volcano_elastic.CAUSE)
    _defaults(writer, at)
    volcano_policies.of_task(writer, workload, podset)
    template: FieldPath = (*podset.path, "template", "spec", "template")
    main: FieldPath = (*at, "template", *podset.main[len(template) :])
    name: FieldPath = ("names", podset.name)
    if get(workload.tree.value, name, None) is None:
        _take(writer, (*at, "template"), workload, template)
    else:
        main = _under_name(writer, workload, podset, template, (*at, "template"))
    scheduler: FieldPath = (*at, "template", "spec", "schedulerName")
    if writer.get(scheduler, "volcano") != "volcano":
        writer.put(scheduler, None, RULE)  # the runtime's, for another kind of gang: Volcano gives pods that of the Job
    fetching.into(writer, workload, (*at, "template", "spec"), fetchers)
    rendezvous.into(writer, podset, at, main)
    _defaults(writer, at)


def _under_name(writer: Writer, workload: Workload, podset: PodSet, template: FieldPath, to: FieldPath) -> FieldPath:
    """Copy the template with the name that the experiment gives to its main container; return the path of that container."""
    from tjgen.compiler.targets.container_names import renamed  # few experiments name it

    name = workload.tree.value["names"][podset.name]
    value, owners = taken(workload.tree, template)
    origins = (workload.tree.origins(podset.main), workload.tree.origins(("names", podset.name)))
    writer.graft(to, *renamed(value, owners, podset.container, name, origins))
    return (*to, "spec", "containers", named(name))


def _defaults(writer: Writer, task: FieldPath) -> None:
    """Volcano's webhook adds these when the Job is created, and refuses tasks without them when they are applied again."""
    for field, value in task_defaults(writer.get(task), 0):
        writer.put((*task, *field), value, CHOSEN)


def _take(writer: Writer, to: FieldPath, workload: Workload, path: FieldPath) -> None:
    """Copy a value of the Workload, with its owners; do nothing if it does not exist."""
    if get(workload.tree.value, path, None) is not None:
        value, owners = taken(workload.tree, path)
        writer.graft(to, value, owners)
