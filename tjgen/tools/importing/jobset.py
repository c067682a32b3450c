"""A JobSet -> an experiment in the fields of the language, by its first job; the others are roles."""

from __future__ import annotations

from tjgen.cluster.kinds.jobset import TARGET
from tjgen.cluster.trainer.goread import DecodeError
from tjgen.cluster.trainer.live import live
from tjgen.language.runs.lock import SUSPENDED
from tjgen.tools.importing import pods
from tjgen.tools.importing.frameworks import BARE
from tjgen.tools.importing.residue import stated
from tjgen.tools.importing.trainjob import bare as named
from tjgen.trees.fields.path import Tree, get

_OWN = ("command", "args", "cpu", "memory", "ephemeralStorage", "gpu", "resources")
"""Fields that a job does not share with the jobs that train."""
_OF_CONTAINER = ("containerName", "image", "imagePullPolicy", "workingDir", "env", "envFrom", "ports", "probes")
_OF_ROLE = (*_OWN, *_OF_CONTAINER, "initContainers", "sidecars", "pod")


def experiment(tree: Tree) -> Tree:
    """The experiment, with the name of the JobSet as that of its run."""
    first, *others = get(tree, ("spec", "replicatedJobs"), None) or [{}]
    shared, _ = pods.fields_of({"node": _job(first).get("template") or {}})
    spec: Tree = {"runtime": BARE, "target": TARGET, "naming": "fixed", **shared}
    if _job(first).get("parallelism", 1) > 1:
        spec["nodes"] = _job(first)["parallelism"]
    roles = {one["name"]: role for one in others if (role := _role(one, shared)) is not None}
    if roles:
        # By default, a run with further roles succeeds with its nodes.
        spec["roles"], spec["success"] = roles, {"operator": get(tree, ("spec", "successPolicy", "operator"), "All")}
    if get(tree, ("spec", "suspend"), None) is True:
        spec["state"] = SUSPENDED
    return {**named(tree), "spec": spec}


def _job(one: Tree) -> Tree:
    return get(one, ("template", "spec"), None) or {}


def _role(one: Tree, shared: Tree) -> Tree | None:
    """The settings of a further job; None if a role cannot start its program. All jobs have the variables of the first."""
    fields, _ = pods.fields_of({one.get("name", ""): _job(one).get("template") or {}})
    if "command" not in fields:
        return None
    role = {
        field: value for field, value in fields.items() if field in _OF_ROLE and (field in _OWN or value != shared.get(field))
    }
    parallelism = _job(one).get("parallelism", 1)
    return {**role, "replicas": parallelism} if parallelism != 1 else role


def filled(tree: Tree) -> Tree:
    """The JobSet as the webhook stores it, and its Jobs as the API server stores them."""
    try:
        jobset = live(tree)
    except DecodeError:
        return stated(tree)
    jobs = [{**one, "template": _counted(one["template"])} for one in get(jobset, ("spec", "replicatedJobs"), None) or []]
    return {**jobset, "spec": {**jobset["spec"], "replicatedJobs": jobs}} if jobs else jobset


def _counted(template: Tree) -> Tree:
    """The template of a Job with the default number of its pods: Kubernetes 1.36 `SetDefaults_Job`."""
    job = template.get("spec") or {}
    counts = {"parallelism": 1, "completions": 1} if "parallelism" not in job and "completions" not in job else {"parallelism": 1}
    return {**template, "spec": {**counts, **job}}
