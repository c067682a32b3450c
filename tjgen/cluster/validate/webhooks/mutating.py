"""A custom resource as the API server reads it -> the object as the mutating webhook of its kind leaves it.

A webhook of controller-runtime decodes the object into its Go type. If the webhook changes a field, the answer replaces the
whole object with what Go prints, except that no field is removed: quantities become canonical, and required fields that are
missing appear with their zero value. If the webhook changes nothing, the object stays as it is.

Upstream: controller-runtime v0.24 `pkg/webhook/admission/defaulter_custom.go:Handle`.
"""

from __future__ import annotations

from tjgen.cluster.releases import RUNTIME_PATCHES
from tjgen.cluster.trainer.goread import DecodeError
from tjgen.cluster.trainer.live import live, with_dropped
from tjgen.cluster.trainer.release import Release
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.typing import Any

PATCH_TIME = "2000-01-01T00:00:00Z"
"""Placeholder for the time that the webhook writes into a patch that has none."""

_TRAINJOB = ("trainer.kubeflow.org", "TrainJob")
_JOBSET = ("jobset.x-k8s.io", "JobSet")
_POD_SPEC = ("template", "spec", "template", "spec")


def mutated(tree: dict[str, Tree], before: Tree, release: Release) -> dict[str, Tree]:
    """The object that is validated and stored; `before` is the stored object of an update, or None.

    Returns `tree` itself for a kind without a mutating webhook. Raises DecodeError for a value that the Go type cannot hold.
    """
    kind = (str(tree.get("apiVersion", "")).partition("/")[0], tree.get("kind"))
    if kind == _JOBSET:
        return live(tree, release)  # type: ignore[no-any-return]  # an object stays one
    if kind == _TRAINJOB and release.overrides == RUNTIME_PATCHES:
        return _trainjob(tree, before, release)
    return tree


def gains_pod_spec(tree: dict[str, Tree]) -> bool:
    """Whether the webhook adds a pod spec to a job of a JobSet.

    That is the only change that makes an object invalid which the schema accepts: the new spec has no containers.
    """
    if tree.get("kind") != "JobSet":
        return False
    jobs = get(tree, ("spec", "replicatedJobs"), None)
    return jobs.__class__ is list and any(get(job, _POD_SPEC, None) is None for job in jobs)


def _trainjob(tree: dict[str, Tree], before: Tree, release: Release) -> dict[str, Tree]:
    """`TrainJobDefaulter.Default`: each patch gets the time of its last change."""
    spec: dict[str, Any] = _decoded(tree, release)
    patches: list[dict[str, Any]] = spec.get(RUNTIME_PATCHES, [])
    stored = _decoded(before, release).get(RUNTIME_PATCHES, []) if before is not None else []
    by_manager = {patch.get("manager", ""): patch for patch in stored}
    timed = [stamped(patch, by_manager.get(patch.get("manager", ""))) for patch in patches]
    if timed == patches:
        return tree
    return {**tree, "spec": with_dropped(tree["spec"], {**spec, RUNTIME_PATCHES: timed})}


def stamped(patch: dict[str, Any], before: dict[str, Any] | None) -> dict[str, Any]:
    """A patch with its time; `before` is the stored patch of the same manager."""
    if before is None:
        return {"time": PATCH_TIME, **patch}
    bare = {key: value for key, value in patch.items() if key != "time"}
    if bare == {key: value for key, value in before.items() if key != "time"}:
        return {**bare, **({"time": before["time"]} if "time" in before else {})}
    return {**bare, "time": PATCH_TIME}


def _decoded(tree: Tree, release: Release) -> dict[str, Any]:
    try:
        spec: dict[str, Any] = release.types.struct("TrainJobSpec").read(get(tree, ("spec",), None) or {})
    except DecodeError as error:
        raise error.under("spec") from None
    return spec
