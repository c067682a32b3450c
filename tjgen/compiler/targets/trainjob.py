"""Workload -> TrainJob, the runtime that it refers to, and the objects that the run needs.

No diff is needed: the TrainJob sets the values whose owner is not the runtime. Values that
it has no field for go into a TrainingRuntime derived from the catalog's (see carriers.py).
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.releases import POD_SPEC_OVERRIDES, RUNTIME_PATCHES
from tjgen.cluster.trainer import resources
from tjgen.cluster.trainer.release import NEWEST, RELEASES, Release
from tjgen.compiler.targets.carriers import (
    FIELD,
    IN_PATCH,
    IN_RUNTIME,
    IN_TRAINER,
    JOBSET_METADATA,
    POD_DEPTH,
    TRAINER_FIELDS,
    CarriedValue,
    carried_values,
    queue_replaces_overrides,
)
from tjgen.compiler.targets.extra_objects import extra_objects, owners_below
from tjgen.language.catalog.naming import emitted_name
from tjgen.language.catalog.runtime import CatalogRuntime
from tjgen.trees.diagnostics.model import Diagnostic, ObjectRef
from tjgen.trees.fields.managed import Managed, Origin, Owners
from tjgen.trees.fields.path import MISSING, FieldPath, Tree, get, named, render
from tjgen.trees.fields.writer import Writer
from tjgen.trees.manifests.canonical_quantities import with_canonical_quantities
from tjgen.trees.manifests.manifest import RUNTIMES, Manifest
from tjgen.trees.session import Session
from tjgen.trees.typing import NamedTuple
from tjgen.trees.workload.keys import LIST_KEYS
from tjgen.trees.workload.workload import JOBS, NODE, RUNTIME, TRAINER, Workload

API_VERSION = "trainer.kubeflow.org/v1alpha1"
MANAGER = "tjgen.dev/experiment"
MANAGED_BY = "app.kubernetes.io/managed-by"
_TJGEN = Origin("target:trainjob", "tjgen")
_CHOSEN = Origin("experiment", "experiment", ("spec", "runtime"))
_JOBSET_SPEC: FieldPath = ("template", "spec")


class LoweredTrainJob(NamedTuple):
    """The objects of one run. `runtime` is what the TrainJob refers to, emitted or in the cluster."""

    trainjob: Manifest
    runtime: Manifest
    emits_runtime: bool
    objects: list[Manifest]
    diagnostics: list[Diagnostic]


def lower(workload: Workload, base: CatalogRuntime, session: Session, release: Release = NEWEST) -> LoweredTrainJob:
    """Return the TrainJob of `release` for `workload`, over `base` as the runtime that the workload began with.

    A runtime of the cluster is referred to as it is unless something needs a derived copy, which is
    then emitted and named in a diagnostic (TJ401).
    """
    parts = carried_values(workload, base.tree["spec"], release)
    remainder = [part for part in parts if part.carrier == IN_RUNTIME]
    diagnostics: list[Diagnostic] = []
    if release is not NEWEST:
        diagnostics += _unsupported(workload, base, release)
    emits_runtime = base.origin != "cluster" or bool(remainder)
    if emits_runtime:
        runtime = _runtime(workload, base, remainder) if remainder else _whole(workload, base, session)
        if base.origin == "cluster":
            diagnostics.append(_derived(workload, base, runtime, remainder, release))
    else:
        runtime = Manifest(base.tree, {(): (Origin("runtime", "runtime", (), True),)}, RUNTIMES)
    trainjob = _trainjob(workload, runtime, parts, release)
    return LoweredTrainJob(trainjob, runtime, emits_runtime, extra_objects(workload), diagnostics)


def _whole(workload: Workload, base: CatalogRuntime, session: Session) -> Manifest:
    """Return the catalog's runtime unchanged, created once for all runs of a namespace."""
    return session.once("whole runtime", (base, workload.namespace), lambda: _runtime(workload, base, []))


def _runtime(workload: Workload, base: CatalogRuntime, remainder: list[CarriedValue]) -> Manifest:
    own: Owners = {(): (Origin(RUNTIME, "runtime", ("spec",), True),), **base.rewritten}
    spec = Managed(base.tree["spec"], own)
    if remainder:
        writer = Writer(spec, keys=LIST_KEYS)
        for part in remainder:
            pinned = get(spec.value, part.path[1:]) == part.value
            _give(writer, part.path[1:], part, spec.origins(part.path[1:]) if pinned else ())
        spec = _in_order(writer.done(), workload)
    name = emitted_name(base.name, spec.value)
    tree = {
        "apiVersion": API_VERSION,
        "kind": "TrainingRuntime",
        "metadata": {
            "name": name,
            "namespace": workload.namespace,
            "labels": {MANAGED_BY: "tjgen"},
            "annotations": {"tjgen.dev/runtime": base.name},
        },
        "spec": spec.value,
    }
    owners: Owners = {(): (_TJGEN,)}
    for path, origins in spec.owners.items():
        owners[("spec", *path)] = origins
    return Manifest(tree, owners, RUNTIMES)


def _in_order(spec: Managed, workload: Workload) -> Managed:
    """Return `spec` with its jobs in the order of the workload: an added job may have to precede others."""
    path: FieldPath = ("template", "spec", "replicatedJobs")
    jobs = get(spec.value, path, None) or []
    places = {podset.name: place for place, podset in enumerate(workload.podsets)}
    ordered = sorted(jobs, key=lambda job: places.get(job["name"], len(places)))
    if ordered == jobs:
        return spec
    template = spec.value["template"]
    inner = {**template["spec"], "replicatedJobs": ordered}
    return Managed({**spec.value, "template": {**template, "spec": inner}}, spec.owners)


def renamed(runtime: Manifest, trainjob: Manifest, base: str) -> tuple[Manifest, Manifest]:
    """A runtime that a patch has changed under the name that follows its content, and the TrainJob that refers to it.

    A name that the patch itself sets stays as it is.
    """
    before = get(trainjob.tree, ("spec", "runtimeRef", "name"), "")
    name = emitted_name(base, runtime.tree.get("spec"))
    if runtime.name != before or name == before:
        return runtime, trainjob
    changed = []
    for manifest, path in ((runtime, ("metadata", "name")), (trainjob, ("spec", "runtimeRef", "name"))):
        writer = Writer(Managed(manifest.tree, manifest.owners), keys=LIST_KEYS)
        writer.put(path, name, _TJGEN)
        done = writer.done()
        changed.append(Manifest(done.value, done.owners, manifest.stage))
    return changed[0], changed[1]


def _trainjob(workload: Workload, runtime: Manifest, parts: list[CarriedValue], release: Release) -> Manifest:
    wanted = workload.tree.value
    shell: Tree = {
        "apiVersion": API_VERSION,
        "kind": "TrainJob",
        "metadata": {"name": workload.name, "namespace": workload.namespace},
        "spec": {"runtimeRef": {"apiGroup": "trainer.kubeflow.org", "kind": runtime.kind, "name": runtime.name}},
    }
    writer = Writer(Managed(shell, {(): (_TJGEN,), ("spec", "runtimeRef"): (_CHOSEN,)}), keys=LIST_KEYS)
    _copy(workload.tree, ("metadata",), writer, ("metadata",))
    _copy(workload.tree, ("run",), writer, ("spec",))
    _copy(workload.tree, ("initializer",), writer, ("spec", "initializer"))
    # The ML policy plugins of v2.3.0 add their variables only where spec.trainer is present.
    writer.put(("spec", "trainer"), {}, _TJGEN)
    carried = [part for part in parts if part.carrier == IN_TRAINER]
    for field in ("image", "command", "args"):
        _carry(writer, carried, field)
    for count in ("numNodes", "numProcPerNode"):
        value = get(wanted, ("trainer", count))
        if value is not MISSING:
            for origin in workload.tree.origins(("trainer", count)):
                writer.put(("spec", "trainer", count), value, origin)
    _count_processes(writer, workload, release)
    _carry(writer, carried, "env")
    _carry_resources(writer, workload, carried)
    patches = [part for part in parts if part.carrier == IN_PATCH]
    if release.overrides == RUNTIME_PATCHES:
        _patch(writer, patches)
    elif patches:
        _override(writer, patches, release)
    done = writer.done()
    return Manifest(with_canonical_quantities(done.value), done.owners)


def _count_processes(writer: Writer, workload: Workload, release: Release) -> None:
    """Set the number of processes that later releases read from the runtime; release 2.0 does not read it there."""
    carried_values = get(workload.tree.value, ("trainer", "numProcPerNode")) is not MISSING
    if carried_values or release.looks_into_runtime or get(workload.ml_policy, ("torch",), None) is None:
        return
    trainers = [podset for podset in workload.podsets if podset.ancestor == TRAINER and podset.container == NODE]
    resources_of_main = get(workload.tree.value, (*trainers[0].main, "resources"), None) or {} if trainers else {}
    if not resources.gpus(resources_of_main):
        writer.put(("spec", "trainer", "numProcPerNode"), max(1, resources.cpus(resources_of_main)), _TJGEN)


def _copy(source: Managed, path: FieldPath, writer: Writer, to: FieldPath) -> None:
    for field in get(source.value, path, None) or {}:
        _copy_field(source, (*path, field), writer, (*to, field))


def _copy_field(source: Managed, path: FieldPath, writer: Writer, to: FieldPath) -> None:
    value = get(source.value, path)
    owners = owners_below(source, path)
    writer.graft(to, value, {below: origins for below, origins in owners.items() if get(value, below) is not MISSING})


def _carry(writer: Writer, carried: list[CarriedValue], field: str) -> None:
    """Image, command, args and env of the trainer's containers, each once."""
    for part in carried:
        if part.path[FIELD] == field:
            _give(writer, ("spec", "trainer", TRAINER_FIELDS[field], *part.path[FIELD + 1 :]), part)


def _give(writer: Writer, path: FieldPath, part: CarriedValue, others: tuple[Origin, ...] = ()) -> None:
    """Write a part. Its owners are its own, also where a part around it has brought the same value."""
    if part.value is MISSING:
        writer.put(path, None, part.origins[0])
    else:
        writer.graft(path, part.value, {(): (*others, *part.origins)})


def _carry_resources(writer: Writer, workload: Workload, carried: list[CarriedValue]) -> None:
    # All resources, not the difference: the controller counts GPUs in this map alone.
    for part in carried:
        if part.path[FIELD] == "resources":
            _copy_field(workload.tree, part.path[: FIELD + 1], writer, ("spec", "trainer", "resourcesPerNode"))
            return


def _patch(writer: Writer, patches: list[CarriedValue]) -> None:
    mounted: dict[tuple[FieldPath, str], int] = {}
    for part in sorted(patches, key=_metadata_first):
        ordinal = 0
        if len(part.path) >= 2 and part.path[-2] == "volumeMounts":
            # The TrainJob schema keys the mounts of a patch by name, so the second mount of one
            # volume in one container comes in a second manager's patch.
            key = (part.path[:-2], str(part.value.get("name")))
            ordinal = mounted.get(key, 0)
            mounted[key] = ordinal + 1
        manager = MANAGER if ordinal == 0 else f"{MANAGER}-{ordinal + 1}"
        _give(writer, ("spec", "runtimePatches", (("manager", manager),), "trainingRuntimeSpec", *part.path[1:]), part)


def _metadata_first(part: CarriedValue) -> bool:
    return "metadata" not in part.path


def _derived(
    workload: Workload, base: CatalogRuntime, runtime: Manifest, remainder: list[CarriedValue], release: Release
) -> Diagnostic:
    first = remainder[0]
    queued = queue_replaces_overrides(workload, release)
    has_no_field = f"Kueue rewrites {release.overrides}, the field" if queued else "a TrainJob has no field"
    return Diagnostic(
        "TJ401",
        f"{has_no_field} for {_field(first.path)}, so the run needs a copy of runtime {base.name}: {runtime.name}",
        subject=ObjectRef(API_VERSION, "TrainJob", workload.namespace, workload.name),
        path=first.origins[0].because if first.origins[0].source == "experiment" else None,
    )


def _field(path: FieldPath) -> str:
    """A field of the runtime; one of the JobSet's spec without the path to that."""
    return render(path[3:] if path[1:3] == _JOBSET_SPEC else path[1:])


# Workload and release of Trainer -> what that release cannot do at all.

_POLICIES: tuple[tuple[FieldPath, str, str], ...] = (
    (("runtime", "mlPolicy"), "MLPolicy", "the ML policy"),
    (("runtime", "podGroupPolicy"), "PodGroupPolicy", "gang scheduling by"),
)
_JOBSET: FieldPath = ("runtime", "template", "spec")
_DEADLINE: FieldPath = ("run", "activeDeadlineSeconds")
_RULES: FieldPath = (*_JOBSET, "failurePolicy", "rules")
_PATTERNS = "onJobFailureMessagePatterns"


def _unsupported(workload: Workload, base: CatalogRuntime, release: Release) -> Iterator[Diagnostic]:
    """An error for each policy and field that the API of `release` does not have (TJ403)."""
    tree = workload.tree.value
    for path, name, what in _POLICIES:
        known = {field for field, _ in release.types.entries(name)}
        for field in map(str, get(tree, path, None) or ()):
            if field not in known:
                hint = f"use a runtime other than {base.name}" if name == "MLPolicy" else "choose another schedule system"
                yield _missing(workload, release, (*path, field), f"{what} {field}", name, field, hint)
    known = {field for field, _ in release.types.entries("JobSetSpec")}
    for field in map(str, get(tree, _JOBSET, None) or ()):
        if field not in known:
            hint = f"use a runtime other than {base.name}, or remove what needs it"
            yield _missing(workload, release, (*_JOBSET, field), f"a JobSet with {field}", "JobSetSpec", field, hint)
    for job in get(tree, (*_JOBSET, "replicatedJobs"), None) or ():
        if len(job.get("dependsOn") or ()) > 1 and not release.waits_for_several:
            path = (*_JOBSET, "replicatedJobs", named(job["name"]), "dependsOn")
            hint = f"use a runtime other than {base.name}"
            yield _missing(workload, release, path, "jobs that wait for several other jobs", "", "", hint)
    knows_patterns = any(field == _PATTERNS for field, _ in release.types.entries("FailurePolicyRule"))
    if not knows_patterns and any(_PATTERNS in rule for rule in get(tree, _RULES, None) or ()):
        hint = "remove restart.rules, or build for a release that has them"
        yield _missing(workload, release, _RULES, "failure rules that match messages", "FailurePolicyRule", _PATTERNS, hint)
    if get(tree, _DEADLINE, None) is not None and all(
        field != _DEADLINE[-1] for field, _ in release.types.entries("TrainJobSpec")
    ):
        hint = "remove the deadline, or set a time limit in the program"
        yield _missing(workload, release, _DEADLINE, "a deadline", "TrainJobSpec", "activeDeadlineSeconds", hint)


def _missing(workload: Workload, release: Release, path: FieldPath, what: str, name: str, field: str, hint: str) -> Diagnostic:
    since = [one.name for one in RELEASES.values() if name and any(field == known for known, _ in one.types.entries(name))]
    origins = workload.tree.origins(path)
    because = next((one.because for one in origins if one.source == "experiment"), ("spec", "runtime"))
    message = f"Trainer {release.name} does not have {what}" + (f", which release {since[-1]} introduced" if since else "")
    subject = ObjectRef("trainer.kubeflow.org/v1alpha1", "TrainJob", workload.namespace, workload.name)
    return Diagnostic("TJ403", message, subject, because, hint=hint)


# What patches should carry -> the overrides of pods in a TrainJob of release 2.0 or 2.1.
#
# Each job gets an override of its own, so that no other job is touched.

_RULE = Origin("target:trainjob", "tjgen")


def _override(writer: Writer, parts: list[CarriedValue], release: Release) -> None:
    """Write the parts into the TrainJob: metadata of the JobSet as the TrainJob's own, the rest as overrides of jobs."""
    overrides: dict[tuple[str, int], Writer] = {}
    mounted: dict[tuple[FieldPath, str], int] = {}
    # In release 2.0 the override itself holds the fields of the pod, and not those of the template around it.
    start = POD_DEPTH if release.overrides == POD_SPEC_OVERRIDES else POD_DEPTH - 1
    for part in parts:
        if part.path[: len(JOBSET_METADATA)] == JOBSET_METADATA:
            writer.graft(("spec", *part.path[len(JOBSET_METADATA) :]), part.value, {(): part.origins})
            continue
        ordinal = 0
        if len(part.path) >= 2 and part.path[-2] == "volumeMounts":
            # An override keys its mounts by the volume, so the second mount of one comes in a second override.
            key = (part.path[:-2], str(part.value.get("name")))
            ordinal = mounted.get(key, 0)
            mounted[key] = ordinal + 1
        job = part.path[len(JOBS)][0][1]  # type: ignore[index]  # the selector of a job: ((name, ...),)
        own = overrides.get((job, ordinal))
        if own is None:
            shell = Managed({"targetJobs": [{"name": job}]}, {(): (_RULE,)})
            own = overrides[job, ordinal] = Writer(shell, keys=LIST_KEYS)
        own.graft(part.path[start:], part.value, {(): part.origins})
    if overrides:
        trees, owners = [], Owners({(): (_RULE,)})
        for position, own in enumerate(overrides.values()):
            done = own.done()
            trees.append(done.value)
            owners.update({(position, *path): origins for path, origins in done.owners.items()})
        writer.graft(("spec", release.overrides), trees, owners)
