"""A handwritten job of an operator -> fields that its controller overwrites, or reads in another way than they look.

Upstream: training-operator v1.9.3 `controller.v1/common/pod.go:setRestartPolicy`, `controller.v1/paddlepaddle`, which has no
autoscaler, and `apis/kubeflow.org/v1/tensorflow_types.go`;
Volcano v1.14 `pkg/controllers/job/job_controller_handler.go`, which sees PodFailed only when a pod has failed.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.kinds.operator_job import OPERATOR_DEFAULTS
from tjgen.cluster.kinds.table import replica_field
from tjgen.cluster.validate.report import subject_of
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.k8s.nearest import nearest

_TYPES = ("Chief", "Master", "Worker", "PS", "Evaluator")
_POD: FieldPath = ("template", "spec")
_HINT = "set restartPolicy: Never in the pod template (pod.restartPolicy of an experiment)"


def diagnostics(tree: Tree) -> Iterator[Diagnostic]:
    """TJ336: restart policies in pod templates. TJ337: types of a TFJob. TJ417: policies of a Volcano Job that never apply.

    TJ421: the elastic policy of a PaddleJob.
    """
    kind, group = tree.get("kind"), str(tree.get("apiVersion")).partition("/")[0]
    if group == "kubeflow.org" and kind in OPERATOR_DEFAULTS:
        yield from _replicas(tree, str(kind))
        for field in OPERATOR_DEFAULTS[kind].unread:
            if get(tree, ("spec", field), None) is not None:
                message = f"{field} has no effect: the operator does not change the number of pods of a {kind}"
                yield Diagnostic("TJ421", message, subject_of(tree), ("spec", field), hint="remove it, and set replicas")
    elif group == "batch.volcano.sh" and kind == "Job":
        yield from _volcano(tree)


def _replicas(tree: Tree, kind: str) -> Iterator[Diagnostic]:
    at: FieldPath = ("spec", replica_field(kind))
    for name, spec in (get(tree, at, None) or {}).items():
        if kind == "TFJob" and name.lower() not in [known.lower() for known in _TYPES]:
            near = nearest(name, _TYPES)
            message = f"TFJob has no replica type {name}: its pods get a role that TensorFlow does not know"
            hint = f"did you mean {near}?" if near else f"use one of {', '.join(_TYPES)}"
            yield Diagnostic("TJ337", message, subject_of(tree), (*at, name), hint=hint)
        own = get(spec, (*_POD, "restartPolicy"), None)
        if own is not None and own != (spec.get("restartPolicy") or OPERATOR_DEFAULTS[kind].restart_policy):
            message = f"restartPolicy {own} of the pod template of {name} is overwritten by the operator"
            hint = f"move it to {replica_field(kind)}.{name}.restartPolicy"
            yield Diagnostic("TJ336", message, subject_of(tree), (*at, name, *_POD, "restartPolicy"), hint=hint)


def _volcano(tree: Tree) -> Iterator[Diagnostic]:
    everywhere = get(tree, ("spec", "policies"), None) or []
    for position, task in enumerate(get(tree, ("spec", "tasks"), None) or []):
        own = get(task, (*_POD, "restartPolicy"), "Always")
        for policy in (*everywhere, *(task.get("policies") or [])):
            if own != "Never" and "PodFailed" in (policy.get("event"), *(policy.get("events") or [])):
                message = (
                    f"with restartPolicy {own} the kubelet restarts a failed container of {task.get('name')} in its pod: "
                    f"the pod does not fail, so PodFailed and its {policy.get('action')} rarely occur"
                )
                path: FieldPath = ("spec", "tasks", position, *_POD, "restartPolicy")
                yield Diagnostic("TJ417", message, subject_of(tree), path, hint=_HINT)
                break
