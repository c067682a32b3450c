"""A job of the Training Operator or the MPI Operator -> an experiment in the words of the language.

Replica types become roles. The run policy, the elastic policy and the number of processes have fields of their own; see
tjgen/compiler/targets/kubeflow.py for the fields of an experiment.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from tjgen.cluster.kinds.operator_job import OPERATOR_DEFAULTS
from tjgen.cluster.kinds.pods import pods_of
from tjgen.cluster.schema.defaults import with_defaults
from tjgen.cluster.schema.store import find
from tjgen.compiler.targets import kubeflow
from tjgen.compiler.targets.kubeflow import OperatorJob
from tjgen.language.runs.lock import SUSPENDED
from tjgen.tools.importing import pods
from tjgen.tools.importing.frameworks import BARE, OF_FRAMEWORKS
from tjgen.tools.importing.losses import framework_of
from tjgen.tools.importing.residue import stated
from tjgen.tools.importing.trainjob import bare as named
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.manifests.manifest import Manifest

_DEFAULTS_OF_MPI = {
    "Launcher": {"replicas": 1, "restartPolicy": "OnFailure"},
    "Worker": {"replicas": 0, "restartPolicy": "Never"},
}
"""What the operator fills in for a replica type of an MPIJob: mpi-operator v0.8 `default.go`."""
_GANG = {
    "minAvailable": "minAvailable",
    "minResources": "minResources",
    "queue": "queue",
    "priorityClass": "priorityClassName",
    "scheduleTimeoutSeconds": "timeoutSeconds",
}


def experiment(tree: Tree) -> Tree:
    """The experiment, with the name of the job as that of its run."""
    kind = kind_of(tree)
    types = get(tree, ("spec", kind.field), None) or {}
    words = {replica_type: role for role, replica_type in reversed(list(kind.types.items()))}
    by_role = {
        words[name]: {**_defaults(tree["kind"], name), **replicas}
        for name, replicas in types.items()
        if name in words and replicas.__class__ is dict
    }
    restarts = {one.get("restartPolicy") for one in by_role.values()}
    templates = {role: _template(one, restarts) for role, one in by_role.items()}
    shared, own = pods.fields_of(templates, kind.container, kind.aside) if by_role else ({}, {})
    roles = {role: {"replicas": one.get("replicas", 1), **own[role]} for role, one in by_role.items()}
    whole = named(tree)
    target = kind.name.lower()
    spec: Tree = {"runtime": OF_FRAMEWORKS.get(framework_of(target), BARE), "target": target, "naming": "fixed"}
    spec.update(shared)
    policies = dict(_policies(tree, [one.get("restartPolicy") for one in by_role.values()]))
    if tree["kind"] == "PyTorchJob" and roles.keys() == {"worker"} and "elastic" not in policies:
        roles = {"master": {"replicas": 0}, **roles}  # the target adds a master to workers alone
    if roles:
        spec["roles"] = roles
    spec.update(policies)
    return {**whole, "spec": spec}


def filled(tree: Tree) -> Tree:
    """The job as its operator reads it: with the defaults of its schema, and those of the operator.

    They are those of training-operator v1.9 `*_defaults.go` and of mpi-operator v0.8 `default.go`.

    The result has no field that the operator does not read, and no `restartPolicy` of pod templates, which it overwrites
    (`common/pod.go:setRestartPolicy`).
    """
    schema = find(tree["apiVersion"], tree["kind"])
    job = stated(tree)
    if job.get("spec").__class__ is dict:
        job = {**job, "spec": {"runPolicy": {}, **job["spec"]}}  # a struct of the Go type, whose defaults apply without it, too
    job = job if schema is None else with_defaults(job, schema)
    spec = job.get("spec")
    if spec.__class__ is not dict or tree["kind"] not in (*OPERATOR_DEFAULTS, "MPIJob"):
        return job
    field = kind_of(tree).field
    unread = OPERATOR_DEFAULTS[tree["kind"]].unread if tree["kind"] in OPERATOR_DEFAULTS else ()
    spec = {name: value for name, value in spec.items() if name not in unread}
    types = spec.get(field)
    if types.__class__ is dict:
        types = {
            name: {**_defaults(tree["kind"], name), **_without_pod_policy(one)} if one.__class__ is dict else one
            for name, one in types.items()
        }
        spec = {**spec, field: types}
    run = spec.get("runPolicy") or {}
    return {**job, "spec": {**spec, "runPolicy": {"cleanPodPolicy": "None", **run} if run.__class__ is dict else run}}


def _defaults(kind: str, replica_type: str) -> Tree:
    """What the operator fills in for a replica type."""
    if kind in OPERATOR_DEFAULTS:
        return {"replicas": 1, "restartPolicy": OPERATOR_DEFAULTS[kind].restart_policy}
    return _DEFAULTS_OF_MPI.get(replica_type, {})


def _without_pod_policy(replicas: Tree) -> Tree:
    """The replica type without `restartPolicy` of its pod template."""
    pod = get(replicas, ("template", "spec"), None)
    if pod.__class__ is not dict or "restartPolicy" not in pod:
        return replicas
    pod = {key: value for key, value in pod.items() if key != "restartPolicy"}
    return {**replicas, "template": {**replicas["template"], "spec": pod}}


def _template(replicas: Tree, restarts: set[Tree]) -> Tree:
    """The pod template with the restart policy of its replica type, if the types differ in it: the operator ignores its own."""
    template = replicas.get("template") or {}
    if template.__class__ is not dict or (template.get("spec") or {}).__class__ is not dict:
        return template
    pod = {key: value for key, value in (template.get("spec") or {}).items() if key != "restartPolicy"}
    if len(restarts) > 1 and replicas.get("restartPolicy"):
        pod["restartPolicy"] = replicas["restartPolicy"]
    return {**template, "spec": pod}


def kind_of(tree: Tree) -> OperatorJob:
    """What there is to know of the kind of a job."""
    kind: OperatorJob = import_module(f"tjgen.compiler.targets.{tree['kind'].lower()}").KIND
    return kind


def _limit(tree: Tree, backoff_limit: Tree, policy: Tree) -> int | None:
    """Restarts of each pod; None if no number of them results in this `backoffLimit`."""
    if backoff_limit.__class__ is not int or policy == "ExitCode":
        return None
    highest = get(tree, ("spec", "elasticPolicy", "maxReplicas"), None) or 0
    count = 1 if tree["kind"] == "MPIJob" else max(highest, sum(one.number for one in pods_of(Manifest(tree, {}))), 1)
    limit = int(backoff_limit) if policy == "Never" else (int(backoff_limit) - 1) // count
    return limit if limit >= 0 and kubeflow.backoff_limit(limit, count, policy) == backoff_limit else None


def _policies(tree: Tree, restarts: list[Tree]) -> Iterator[tuple[str, Tree]]:
    run = get(tree, ("spec", "runPolicy"), None) or {}
    restart = {}
    usual = OPERATOR_DEFAULTS[tree["kind"]].restart_policy if tree["kind"] in OPERATOR_DEFAULTS else None
    policy = (restarts[0] or usual) if restarts else None
    if policy and all((one or usual) == policy for one in restarts):
        restart["policy"] = policy
    limit = _limit(tree, run.get("backoffLimit"), restart.get("policy"))
    if limit is not None:
        restart["limit"] = limit
    if restart:
        yield "restart", restart
    cleanup = {"pods": run.get("cleanPodPolicy") or "None", "ttlSeconds": run.get("ttlSecondsAfterFinished")}
    if any(value is not None for value in cleanup.values()):
        yield "cleanup", {key: value for key, value in cleanup.items() if value is not None}
    if run.get("activeDeadlineSeconds"):
        yield "deadline", run["activeDeadlineSeconds"]
    if run.get("suspend") is True:
        yield "state", SUSPENDED
    gang = run.get("schedulingPolicy") or {}
    schedule = {word: gang[field] for field, word in _GANG.items() if gang.get(field)}
    if schedule:
        yield "schedule", schedule
    is_read = tree["kind"] not in OPERATOR_DEFAULTS or "elasticPolicy" not in OPERATOR_DEFAULTS[tree["kind"]].unread
    elastic = (get(tree, ("spec", "elasticPolicy"), None) or {}) if is_read else {}
    if elastic.get("minReplicas") and elastic.get("maxReplicas"):
        more = {"restarts": elastic.get("maxRestarts"), "metrics": elastic.get("metrics")}
        least = {"min": elastic["minReplicas"], "max": elastic["maxReplicas"]}
        yield "elastic", {**least, **{key: value for key, value in more.items() if value}}
    processes = get(tree, ("spec", "nprocPerNode"), None) or get(tree, ("spec", "slotsPerWorker"), None)
    if str(processes).isdigit():
        yield "procsPerNode", int(str(processes))
