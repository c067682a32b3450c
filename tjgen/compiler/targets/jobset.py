"""The twin's objects for a TrainJob -> objects without a TrainJob: the JobSet itself is applied.

The changes are a closed list: owner references and the runtime snapshot go, for there is no
TrainJob to own them; `suspend: false` goes; what the JobSet webhook would fill in is written out; a
deadline moves to the Jobs; containers get the names that the experiment sets; a role whose nodes have volumes of
their own becomes a job for each node; Secrets that the controller would generate are refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from tjgen.cluster.outcomes import FAIL_RULE, deadline_problems
from tjgen.cluster.trainer.framework import CreatedObject, live
from tjgen.cluster.trainer.objects import SNAPSHOT_SUFFIX
from tjgen.cluster.trainer.release import NEWEST, Release
from tjgen.compiler.targets.container_names import referring, renamed
from tjgen.compiler.targets.extra_objects import taken
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.managed import Managed, Origin, Owners, origins_of
from tjgen.trees.fields.path import MISSING, FieldPath, Step, Tree, get, named
from tjgen.trees.fields.writer import Writer
from tjgen.trees.k8s.labels import KUEUE_QUEUE
from tjgen.trees.manifests.leaves import leaves
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


# A JobSet whose nodes have volumes of their own -> one replicated job for each node of that role.
#
# The pods of an Indexed Job have one template. Job `node` with three pods becomes the jobs `node-0` to `node-2` with one pod
# each: its volume, its node, and the number that it had as the index of the Job. The Job controller does not replace a variable
# JOB_COMPLETION_INDEX that exists (kubernetes v1.36 `pkg/controller/job/indexed_job_utils.go:addCompletionIndexEnvVariable`).

_JOBS: FieldPath = ("spec", "replicatedJobs")
_INDEX = "batch.kubernetes.io/job-completion-index"
_FIELDS = (f"metadata.annotations['{_INDEX}']", f"metadata.labels['{_INDEX}']")
_RUN = "$(TJGEN_RUN)"
"""The name of the run, in the variables of added roles (passes/new_roles.py)."""
_VARIABLE = "JOB_COMPLETION_INDEX"
_HOST_NAME = "kubernetes.io/hostname"
_RULE = Origin("target:jobset", "experiment", ("spec", "data"))
_TOGETHER = (
    "alpha.jobset.sigs.k8s.io/exclusive-topology",
    "kueue.x-k8s.io/podset-required-topology",
    "kueue.x-k8s.io/podset-preferred-topology",
)
"""Annotations that place all pods of one job together, but not those of several jobs."""
_MOST_OF_KUEUE = 8
"""Upstream: kueue v0.15 `apis/kueue/v1beta2/workload_types.go`, `podSets` has MaxItems=8: one for each replicated job."""


def apart(manifest: Manifest, workload: Workload) -> tuple[Manifest, list[Diagnostic]]:
    """The JobSet with a job for each node of the roles in `apart` of the workload; the same if there are none."""
    roles: Mapping[str, Tree] = get(workload.tree.value, ("apart",), None) or {}
    if not roles:
        return manifest, []
    problems = list(_together(manifest, roles))
    for role in roles:
        manifest = _split(manifest, workload, role, len(roles[role]))
    jobs = get(manifest.tree, _JOBS)
    if KUEUE_QUEUE in (get(manifest.tree, ("metadata", "labels"), None) or {}) and len(jobs) > _MOST_OF_KUEUE:
        message = f"the JobSet has {len(jobs)} jobs, one for each slice and other role, but Kueue admits at most {_MOST_OF_KUEUE}"
        problems.append(_problem(message, "use at most 8, remove schedule.queue, or use deliver: subPath"))
    return manifest, problems


def _together(manifest: Manifest, roles: Mapping[str, Tree]) -> Iterator[Diagnostic]:
    """Errors for what a JobSet does with all pods of one job, and not with those of several."""
    for job in get(manifest.tree, _JOBS):
        for depended in job.get("dependsOn") or ():
            if depended["name"] in roles:
                message = f"job {job['name']} starts after job {depended['name']}, which becomes a job for each slice"
                yield _problem(message, "remove the order, or use deliver: subPath")
        if job["name"] not in roles:
            continue
        places = [manifest.tree, job["template"], job["template"]["spec"]["template"]]
        annotations = {key for place in places for key in get(place, ("metadata", "annotations"), None) or {}}
        for key in sorted(annotations.intersection(_TOGETHER)):
            message = f"annotation {key} places the pods of one job together, but each slice has a job of its own"
            yield _problem(message, "remove the topology, or use deliver: subPath")


def _split(manifest: Manifest, workload: Workload, role: str, count: int) -> Manifest:
    """The JobSet with jobs `<role>-0` and so on instead of `<role>`, and all references to the latter changed."""
    import re  # in few runs, nodes have volumes of their own

    host = re.compile(rf"(?<![\w.-])({re.escape(workload.name)}|{re.escape(_RUN)})-{re.escape(role)}-0-([0-9]+)(?![\w-])")

    def renamed(text: str) -> str:
        return host.sub(lambda match: f"{match[1]}-{role}-{match[2]}-0-0", text)

    spec = manifest.tree["spec"]
    jobs: list[Tree] = []
    for job in spec["replicatedJobs"]:
        jobs += (
            [_job(_replaced(job, renamed), role, number) for number in range(count)]
            if job["name"] == role
            else [_replaced(job, renamed)]
        )
    tree = {**manifest.tree, "spec": {**spec, "replicatedJobs": jobs, **_policies(spec, role, count)}}
    owners = _owners(manifest.owners, role, count)
    writer = Writer(Managed(tree, owners | _changed(manifest, tree, owners, role, count)), keys=LIST_KEYS)
    for number in range(count):
        _own(writer, workload, role, number)
    done = writer.done()
    return Manifest(done.value, done.owners, manifest.stage, expanded=manifest.expanded)


def _job(job: Tree, role: str, number: int) -> Tree:
    """The job of one node, without what is its own."""
    spec = job["template"]["spec"]
    template = spec["template"]
    pod = dict(template["spec"])
    for field in ("initContainers", "containers"):
        if field in pod:
            pod[field] = [_numbered(one, number) for one in pod[field]]
    return {
        **job,
        "name": f"{role}-{number}",
        "template": {
            **job["template"],
            "spec": {**spec, "parallelism": 1, "completions": 1, "template": {**template, "spec": pod}},
        },
    }


def _numbered(container: Tree, number: int) -> Tree:
    """A container with the number of its node where it had the index of its Job, and as the variable of the Job controller."""
    env = [
        {"name": one["name"], "value": str(number)} if get(one, ("valueFrom", "fieldRef", "fieldPath"), None) in _FIELDS else one
        for one in container.get("env") or ()
    ]
    if all(one["name"] != _VARIABLE for one in env):
        env.insert(0, {"name": _VARIABLE, "value": str(number)})
    return {**container, "env": env}


def _policies(spec: Tree, role: str, count: int) -> Tree:
    """The policies of the JobSet that name the role."""
    names = [f"{role}-{number}" for number in range(count)]

    def targets(policy: Tree) -> Tree:
        listed = policy.get("targetReplicatedJobs")
        if not listed or role not in listed:
            return policy
        return {**policy, "targetReplicatedJobs": [name for one in listed for name in (names if one == role else [one])]}

    changed: Tree = {}
    if "successPolicy" in spec:
        changed["successPolicy"] = targets(spec["successPolicy"])
    if get(spec, ("failurePolicy", "rules"), None):
        policy = spec["failurePolicy"]
        changed["failurePolicy"] = {**policy, "rules": [targets(rule) for rule in policy["rules"]]}
    coordinator = spec.get("coordinator")
    if coordinator and coordinator.get("replicatedJob") == role:
        pod = coordinator.get("podIndex", 0)
        changed["coordinator"] = {**coordinator, "replicatedJob": f"{role}-{pod}", "podIndex": 0}
    return changed


def _owners(owners: Owners, role: str, count: int) -> Owners:
    """The owners of the job, for each of the jobs that it becomes."""
    before: FieldPath = (*_JOBS, named(role))
    whole = origins_of(owners, before)
    moved: Owners = {(*_JOBS, named(f"{role}-{number}")): whole for number in range(count)}
    for path, origins in owners.items():
        if path[: len(before)] != before:
            moved[path] = origins
            continue
        for number in range(count):
            moved[(*_JOBS, named(f"{role}-{number}"), *path[len(before) :])] = origins
    return moved


def _changed(before: Manifest, tree: Tree, owners: Owners, role: str, count: int) -> Owners:
    """The owners of values that are new, or no longer a copy of what their owners set."""
    roles: dict[Step, Step] = {named(f"{role}-{number}"): named(role) for number in range(count)}
    known = dict(leaves(before.tree))
    changed: Owners = {}
    for path, value in leaves(tree):
        former = (*path[:2], roles.get(path[2], path[2]), *path[3:]) if path[:2] == _JOBS else path
        if former not in known:
            changed[path] = (_RULE,)
        elif known[former] != value:
            changed[path] = (_RULE, *(origin._replace(mirrors=False) for origin in origins_of(owners, path)))
    return changed


def _own(writer: Writer, workload: Workload, role: str, number: int) -> None:
    """Write the volumes and the node of one pod."""
    own: FieldPath = ("apart", role, str(number))
    job: FieldPath = (*_JOBS, named(f"{role}-{number}"), "template", "spec")
    pod: FieldPath = (*job, "template", "spec")
    for field in ("parallelism", "completions"):
        writer.put((*job, field), 1, _RULE)
    for volume, source in (get(workload.tree.value, (*own, "volumes"), None) or {}).items():
        [origin] = workload.tree.origins((*own, "volumes", volume))[:1]
        writer.put((*pod, "volumes", named(volume), *source["path"]), source["value"], origin)
    node = get(workload.tree.value, (*own, "node"), None)
    if node is not None:
        [origin] = workload.tree.origins((*own, "node"))[:1]
        writer.put((*pod, "nodeSelector", _HOST_NAME), node, origin)


def _replaced(tree: Tree, renamed: Callable[[str], str]) -> Tree:
    """Replace each text of a tree."""
    if tree.__class__ is dict:
        return {key: _replaced(value, renamed) for key, value in tree.items()}
    if tree.__class__ is list:
        return [_replaced(one, renamed) for one in tree]
    return renamed(tree) if tree.__class__ is str else tree


def _problem(message: str, hint: str) -> Diagnostic:
    return Diagnostic("TJ473", message, path=("spec", "data"), hint=hint)
