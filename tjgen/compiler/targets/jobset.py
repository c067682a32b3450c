"""The twin's objects for a TrainJob -> objects without a TrainJob: the JobSet itself is applied.

The changes are a closed list: owner references and the runtime snapshot go, for there is no
TrainJob to own them; `suspend: false` goes; what the JobSet webhook would fill in is written out; a
deadline moves to the Jobs; containers get the names that the experiment sets; a role whose nodes have volumes of
their own becomes a job for each node; Secrets that the controller would generate are refused.
"""

from __future__ import annotations

from tjgen.cluster.outcomes import FAIL_RULE, deadline_problems
from tjgen.cluster.trainer.framework import CreatedObject, live
from tjgen.cluster.trainer.objects import SNAPSHOT_SUFFIX
from tjgen.cluster.trainer.release import NEWEST, Release
from tjgen.compiler.targets.container_names import referring, renamed
from tjgen.compiler.targets.extra_objects import taken
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.managed import Managed, Origin, Owners
from tjgen.trees.fields.path import MISSING, FieldPath, Step, Tree, get, named
from tjgen.trees.fields.writer import Writer
from tjgen.trees.manifests.manifest import Manifest
from tjgen.trees.workload.keys import LIST_KEYS
from tjgen.trees.workload.workload import PodSet, Workload

_WEBHOOK = Origin("jobset-webhook", "tjgen")
_FINISH = Origin("target:jobset", "tjgen")
KIND = "JobSet"


def finish(
    created: list[CreatedObject], trainjob: Manifest, workload: Workload, release: Release = NEWEST
) -> tuple[list[Manifest], list[Diagnostic]]:
    """The objects to apply instead of `trainjob`. A generated Secret ends in TJ402."""
    manifests = []
    diagnostics = []
    for one in created:
        kind, name = one.tree["kind"], one.tree["metadata"]["name"]
        if kind == "ConfigMap" and name == trainjob.name + SNAPSHOT_SUFFIX:
            continue
        if kind == "Secret":
            diagnostics.append(_generated(trainjob, name))
            continue
        if kind == KIND:
            diagnostics += _deadline_of_each_start(one.tree, trainjob)
        manifest = _independent(one, trainjob, workload, release)
        if kind == KIND and "apart" in workload.tree.value:
            from tjgen.compiler.targets.jobset_apart import apart  # in few runs, nodes have volumes of their own

            manifest, problems = apart(manifest, workload)
            diagnostics += problems
        manifests.append(manifest)
    return manifests, diagnostics


def _independent(one: CreatedObject, trainjob: Manifest, workload: Workload, release: Release) -> Manifest:
    tree, owners = one.tree, one.owners
    if tree["kind"] == KIND:
        defaulted = live(tree)
        owners = {**owners, **_defaulted_owners(tree, defaulted, ())}
        tree = defaulted
    writer = Writer(Managed(tree, owners), keys=LIST_KEYS)
    writer.put(("metadata", "ownerReferences"), None, _FINISH)
    for field in ("labels", "annotations"):
        values = get(trainjob.tree, ("metadata", field), None)
        if values:
            origin = Origin("target:jobset", "trainjob", ("metadata", field), True)
            writer.merge(("metadata", field), values, origin) if get(tree, ("metadata", field)) else writer.put(
                ("metadata", field), values, origin
            )
    if tree["kind"] == KIND:
        if all(field != "groupName" for field, _ in release.types.entries("ReplicatedJob")):
            # The JobSet that goes with Trainer 2.0 has no groups.
            for job in get(tree, ("spec", "replicatedJobs"), []):
                writer.put(("spec", "replicatedJobs", named(job["name"]), "groupName"), None, _FINISH)
        if get(tree, ("spec", "suspend"), None) is False:
            writer.put(("spec", "suspend"), None, _FINISH)
        manager = get(trainjob.tree, ("spec", "managedBy"))
        if manager is not MISSING:
            writer.put(("spec", "managedBy"), manager, Origin("target:jobset", "trainjob", ("spec", "managedBy"), True))
        deadline = get(trainjob.tree, ("spec", "activeDeadlineSeconds"))
        if deadline is not MISSING:
            origin = Origin("target:jobset", "trainjob", ("spec", "activeDeadlineSeconds"), True)
            for job in get(tree, ("spec", "replicatedJobs"), []):
                path = ("spec", "replicatedJobs", named(job["name"]), "template", "spec", "activeDeadlineSeconds")
                writer.put(path, deadline, origin)
            _end_at_deadline(writer, origin)
        for podset in workload.podsets:
            _name_container(writer, workload, podset)
    done = writer.done()
    owners = {path: origins for path, origins in done.owners.items() if get(done.value, path) is not MISSING}
    return Manifest(done.value, owners, expanded=True)


def _end_at_deadline(writer: Writer, origin: Origin) -> None:
    """Put a rule in front of those that restart the JobSet: a Job that reaches its deadline ends the run.

    Without a failure policy, each failed Job ends it (jobset v0.12 `failure_policy.go`).
    """
    policy: FieldPath = ("spec", "failurePolicy")
    if writer.get(policy) is None:
        return
    at: FieldPath = (*policy, "rules")
    origin = origin._replace(mirrors=False)
    rules, owners = taken(writer.done(), at) if writer.get(at) else ([], {(): (origin,)})
    name = "deadline"
    while any(rule.get("name") == name for rule in rules):
        name += "_"
    rule = {"name": name, "action": "FailJobSet", "onJobFailureReasons": ["DeadlineExceeded"]}
    writer.graft(at, [rule, *rules], {**owners, (named(name),): (origin,)})


def _deadline_of_each_start(tree: Tree, trainjob: Manifest) -> list[Diagnostic]:
    if get(trainjob.tree, ("spec", "activeDeadlineSeconds")) is MISSING:
        return []
    restarts = int(get(tree, ("spec", "failurePolicy", "maxRestarts"), None) or 0)
    return list(deadline_problems(KIND, ("spec", "deadline"), means=FAIL_RULE, restarts=restarts))


def _name_container(writer: Writer, workload: Workload, podset: PodSet) -> None:
    """Give the main container of a job the name that the experiment sets, also where the job refers to it."""
    name = get(workload.tree.value, ("names", podset.name), None)
    job: FieldPath = ("spec", "replicatedJobs", named(podset.name), "template", "spec")
    if name is None or writer.get(job) is None:
        return
    because = workload.tree.origins(("names", podset.name))
    value, owners = taken(writer.done(), (*job, "template"))
    writer.graft((*job, "template"), *renamed(value, owners, podset.container, name, (owners[()], because)))
    policy: FieldPath = (*job, "podFailurePolicy")
    if writer.get(policy) is not None:
        writer.graft(policy, *referring(*taken(writer.done(), policy), podset.container, name, because))


def _defaulted_owners(before: Tree, after: Tree, path: FieldPath) -> Owners:
    """The webhook as the origin of every value that `after` has and `before` has not."""
    owners: Owners = {}
    if after.__class__ is dict and before.__class__ is dict:
        for key, value in after.items():
            if key not in before:
                owners[(*path, key)] = (_WEBHOOK,)
            else:
                owners.update(_defaulted_owners(before[key], value, (*path, key)))
    elif after.__class__ is list and before.__class__ is list:
        for position, (old, new) in enumerate(zip(before, after, strict=False)):
            step: Step = named(new["name"]) if new.__class__ is dict and "name" in new else position
            owners.update(_defaulted_owners(old, new, (*path, step)))
    return owners


def _generated(trainjob: Manifest, name: str) -> Diagnostic:
    return Diagnostic(
        "TJ402",
        f"the Trainer controller would generate Secret {name}; nothing else generates it",
        subject=trainjob.ref,
        path=("spec", "target"),
        hint="use target: trainjob",
    )
