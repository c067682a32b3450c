"""A JobSet -> an experiment in the fields of the language, by its first job; a patch has the values of the others."""

from __future__ import annotations

from tjgen.cluster.trainer.goread import DecodeError
from tjgen.cluster.trainer.live import live
from tjgen.tools.importing import pods
from tjgen.tools.importing.residue import stated
from tjgen.tools.importing.trainjob import bare as named
from tjgen.trees.fields.path import Tree, get


def experiment(tree: Tree) -> Tree:
    """The experiment, with the name of the JobSet as that of its run."""
    jobs = get(tree, ("spec", "replicatedJobs"), None) or [{}]
    job = get(jobs[0], ("template", "spec"), None) or {}
    shared, _ = pods.fields_of({"node": job.get("template") or {}})
    spec: Tree = {"runtime": "tjgen-plain", "target": "jobset", "naming": "fixed", **shared}
    if job.get("parallelism", 1) > 1:
        spec["nodes"] = job["parallelism"]
    if get(tree, ("spec", "suspend"), None) is True:
        spec["state"] = "suspended"
    return {**named(tree), "spec": spec}


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
