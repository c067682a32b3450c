"""Devices that are claimed -> the ResourceClaimTemplate, and the claim in the pods that use it.

A TrainJob has no field for claims (its pod patch has no `resourceClaims` in v2.3.0), so they reach the pods by the emitted
runtime. Each pod gets a claim of its own from the template, under the pod's name.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.language.platform.devices import Claimed
from tjgen.language.setting import Setting
from tjgen.trees.canonical import json_text, sha256_hex
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree, named
from tjgen.trees.k8s.labels import MANAGED_BY
from tjgen.trees.workload.contribution import Contribution
from tjgen.trees.workload.workload import PodSet

NAME = "gpu"
"""The name of the claim in the pod, and of the request in the claim."""

_SINCE = 34
"""The first minor release of Kubernetes that serves resource.k8s.io/v1 (KEP-4381)."""


def unsupported(setting: Setting, because: FieldPath) -> Iterator[Diagnostic]:
    """TJ374 if the Platform sets a release of Kubernetes that does not support these claims."""
    release = setting.cluster.kubernetes
    if release is not None and release < _SINCE:
        message = f"the devices are claimed by resource.k8s.io/v1, which Kubernetes 1.{release} does not support"
        hint = "use a class of a device plugin, or a cluster of Kubernetes 1.34 or later"
        yield Diagnostic("TJ374", message, path=because, hint=hint)


def template(claimed: Claimed, count: int, setting: Setting, because: FieldPath) -> tuple[str, Contribution]:
    """The name of the template, which follows its content so that runs share it and their runtime, and the template."""
    request: Tree = {
        "deviceClassName": claimed.device_class_name,
        # What the server would fill in is written out, so that a sync sees no difference.
        "allocationMode": "ExactCount",
        "count": count,
    }
    if claimed.selectors:
        request["selectors"] = [{"cel": {"expression": expression}} for expression in claimed.selectors]
    devices: Tree = {"requests": [{"name": NAME, "exactly": request}]}
    if claimed.config:
        devices["config"] = [dict(one) for one in claimed.config]
    spec = {"spec": {"devices": devices}}
    name = f"{NAME}-{sha256_hex(json_text(spec))[:10]}"
    tree = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": name, "namespace": setting.namespace, "labels": {MANAGED_BY: "tjgen", **setting.labels}},
        "spec": spec,
    }
    return name, Contribution(("objects", f"ResourceClaimTemplate/{name}"), tree, because)


def claims(podset: PodSet, name: str, because: FieldPath) -> Iterator[Contribution]:
    """The claim of a pod, and its use by the main container."""
    claim = {"name": NAME, "resourceClaimTemplateName": name}
    yield Contribution((*podset.pod, "resourceClaims", named(NAME)), claim, because)
    yield Contribution((*podset.main, "resources", "claims", named(NAME)), {"name": NAME}, because)
