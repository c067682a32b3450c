"""A job of the Training Operator v1 -> the answer of its webhooks: PyTorchJob, TFJob, XGBoostJob, JAXJob, PaddleJob.

Upstream: training-operator v1.9.3 `pkg/webhooks/<framework>`, and `pkg/common/util/webhooks.go` for the run policy. Upstream
goes through the replica types in the random order of a Go map; here they have the order of the manifest.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.kinds.table import replica_field
from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.place import Place, at
from tjgen.cluster.validate.webhooks.answer import WebhookAnswer
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.k8s.syntax import dns1035_label
from tjgen.trees.typing import NamedTuple

MANAGERS = ("kubeflow.org/training-operator", "kueue.x-k8s.io/multikueue")
MASTER, WORKER = "Master", "Worker"


class Rules(NamedTuple):
    """The requirements of the webhook of one kind."""

    types: tuple[str, ...]
    """The replica types that it supports; empty if it accepts any."""
    container: str
    """The container that each replica must have."""
    container_rule: str
    """The words about a missing one."""
    judges_manager: bool = True
    keeps_manager: bool = True
    """Whether an update of `managedBy` is refused. PyTorchJob's webhook compares the new object with itself."""


_WITH_NAME = "must have at least one container with name {}"
KINDS: dict[str, Rules] = {
    "PyTorchJob": Rules((MASTER, WORKER), "pytorch", _WITH_NAME, keeps_manager=False),
    "TFJob": Rules((), "tensorflow", _WITH_NAME),
    "XGBoostJob": Rules((MASTER, WORKER), "xgboost", _WITH_NAME),
    "JAXJob": Rules((WORKER,), "jax", _WITH_NAME, judges_manager=False, keeps_manager=False),
    "PaddleJob": Rules((MASTER, WORKER), "paddle", 'must have at least one container with name "{}"'),
}


def validate(tree: Tree, *, old: Tree = None) -> WebhookAnswer:
    """The webhooks' answer on creating `tree`, which the schema accepts, or on replacing `old` by it."""
    kind = str(tree["kind"])
    rules = KINDS.get(kind)
    if rules is None:
        return WebhookAnswer()
    warnings: list[str] = []
    faults = [*_name(tree), *_manager(tree, old, rules)]
    if kind == "PyTorchJob":
        faults += _elastic(tree, warnings)
    faults += _replicas(tree, kind, rules)
    return WebhookAnswer(tuple(faults), tuple(warnings))


def _name(tree: Tree) -> Iterator[Fault]:
    name = get(tree, ("metadata", "name"), None) or ""
    messages = dns1035_label(name)
    if messages:
        hint = "begin the name with a letter, and use small letters, digits and -"
        yield at(("metadata", "name")).invalid(name, f"should match: {','.join(messages)}")._replace(hint=hint)


def _manager(tree: Tree, old: Tree, rules: Rules) -> Iterator[Fault]:
    """`ValidateRunPolicyUpdate`, then `ValidateRunPolicy`."""
    path = ("spec", "runPolicy", "managedBy")
    manager = get(tree, path, None)
    if old is not None and rules.keeps_manager and manager != get(old, path, None):
        # Up to Kubernetes 0.31 a pointer to nothing is shown as this text.
        yield at(path).invalid("null" if manager is None else manager, "field is immutable")
    if rules.judges_manager and manager is not None and manager not in MANAGERS:
        yield at(path).not_supported(manager, MANAGERS)


def _elastic(tree: Tree, warnings: list[str]) -> Iterator[Fault]:
    """`pytorch/pytorchjob_webhook.go:validateSpec`."""
    policy = get(tree, ("spec", "elasticPolicy"), None)
    if policy is None:
        return
    specs = at(("spec", "pytorchReplicaSpecs"))
    if WORKER not in (get(tree, specs.path, None) or {}):
        yield specs.key(WORKER).required("must be configured if elastic policy is used")
    if policy.get("nProcPerNode") is not None:
        place = at(("spec", "elasticPolicy", "nProcPerNode"))
        warnings.append(f"{place.field} is deprecated, use spec.nprocPerNode instead")
        if get(tree, ("spec", "nprocPerNode"), None) is not None:
            yield place.forbidden("must not be used with spec.nprocPerNode")


def _replicas(tree: Tree, kind: str, rules: Rules) -> Iterator[Fault]:
    place = at(("spec", replica_field(kind)))
    specs = get(tree, place.path, None)
    if specs is None:
        yield place.required("must be required")
    for name, spec in (specs or {}).items():
        field = place.key(name)
        if rules.types and name not in rules.types:
            yield field.not_supported(name, rules.types)
        yield from _containers(spec, field.child("template", "spec", "containers"), rules)
        yield from _count(name, spec, field.child("replicas"), kind)
    if kind == "XGBoostJob" and MASTER not in (specs or {}):
        yield place.key(MASTER).required("must be present")
    if kind == "TFJob" and {"Chief", MASTER} <= set(specs or {}):
        yield place.forbidden("must not have more than 1 Chief or Master role")


def _containers(spec: Tree, place: Place, rules: Rules) -> Iterator[Fault]:
    containers = get(spec, ("template", "spec", "containers"), None) or []
    if not containers:
        yield place.required("must be specified")
    for position, container in enumerate(containers):
        if not container.get("image"):
            yield place.item(position).child("image").required("must be required")
    if all(container.get("name") != rules.container for container in containers):
        yield place.required(rules.container_rule.format(rules.container))


def _count(name: str, spec: Tree, place: Place, kind: str) -> Iterator[Fault]:
    """The webhooks see what is written: a count that is left out is not the 1 that the controller takes it for."""
    count = get(spec, ("replicas",), None)
    if name == MASTER and kind in ("PyTorchJob", "XGBoostJob"):
        if count != 1:
            yield place.forbidden("must be 1")
    elif kind == "PyTorchJob" and count is not None and count < 1:
        yield place.forbidden("must be at least 1")
