"""Restarts and cleanup of a job of the Training Operator -> the fields of a Volcano Job that do the same."""

from __future__ import annotations

from tjgen.tools.importing import kubeflow
from tjgen.trees.fields.path import Tree

_LOST = ("PodEvicted", "PodFailed")


def for_volcano(spec: Tree, job: Tree) -> Tree:
    """Return `spec`, of the experiment that results in `job`, with the fields of Volcano instead of `restart` and `cleanup`.

    Both keep what Volcano has no field for.
    """
    full = kubeflow.experiment(job)["spec"]
    restart, cleanup = full.get("restart") or {}, full.get("cleanup") or {}
    policy, limit = restart.get("policy"), restart.get("limit")
    pods = sum(role["replicas"] for role in (full.get("roles") or {}).values())
    volcano: Tree = {}
    translated = {key: value for key, value in spec.items() if key not in ("restart", "cleanup")}
    if policy == "Never" or (policy == "OnFailure" and limit is not None):
        # A pod fails only if its containers do not restart in it.
        translated["pod"] = {**(spec.get("pod") or {}), "restartPolicy": "Never"}
        volcano["policies"] = {event: {"action": "TerminateJob" if policy == "Never" else "RestartPod"} for event in _LOST}
        if policy == "OnFailure":
            # Volcano counts the first start, too.
            volcano["maxRetry"] = limit * pods + 1
    elif policy in ("OnFailure", "Always") and limit is None:
        translated["pod"] = {**(spec.get("pod") or {}), "restartPolicy": policy}
    elif restart:
        translated["restart"] = restart
    if "ttlSeconds" in cleanup:
        volcano["ttlSecondsAfterFinished"] = cleanup["ttlSeconds"]
    if cleanup.get("pods", "Running") != "Running":
        translated["cleanup"] = {"pods": cleanup["pods"]}
    return {**translated, "volcano": volcano} if volcano else translated
