"""`rdma` -> the network devices that go with the device class, in the pods that compute."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.compiler.lower import SPEC
from tjgen.compiler.variables import env_item
from tjgen.language.platform.devices import Accelerator, NodeNetwork
from tjgen.language.spec.forms import text
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, get, named
from tjgen.trees.workload.contribution import Contribution, extended, is_from_experiment
from tjgen.trees.workload.workload import PodSet, Workload

AT: FieldPath = (*SPEC, "rdma")


def missing(device: Accelerator | None) -> Diagnostic:
    """TJ378: the network devices are not described."""
    what = f"class {device.name} has no network devices" if device is not None else "without gpu, no class sets which devices"
    message = f"rdma requests network devices, but {what}"
    hint = "set network in the Platform's class, or request them by name in resources"
    return Diagnostic("TJ378", message, path=AT, hint=hint)


def contributions(workload: Workload, podset: PodSet, network: NodeNetwork, count: int) -> Iterator[Contribution]:
    """Resources, variables, annotations and rights of one pod with `count` devices. The experiment's settings take precedence."""
    number = network.per_device * count if network.per_device is not None else network.per_pod
    amounts = {network.resource: str(number), **{name: text(amount) for name, amount in network.resources.items()}}
    for resource, amount in amounts.items():
        for bound in ("limits", "requests"):
            if not is_from_experiment(workload, (*podset.main, "resources", bound, resource)):
                yield Contribution((*podset.main, "resources", bound, resource), amount, AT)
    present = {item["name"] for item in get(workload.tree.value, (*podset.main, "env"), None) or []}
    for name, variable in network.env.items():
        if name not in present:
            yield Contribution((*podset.main, "env", named(name)), env_item(name, variable), AT)
    for key, value in network.annotations.items():
        if not is_from_experiment(workload, (*podset.pod_metadata, "annotations", key)):
            yield Contribution((*podset.pod_metadata, "annotations", key), value, AT)
    yield from _rights(workload, podset, network)
    if network.host_network:
        yield Contribution((*podset.pod, "hostNetwork"), True, AT)
        if get(workload.tree.value, (*podset.pod, "dnsPolicy"), None) is None:
            # Names of the cluster are resolved on the node's network only with this policy.
            yield Contribution((*podset.pod, "dnsPolicy"), "ClusterFirstWithHostNet", AT)


def _rights(workload: Workload, podset: PodSet, network: NodeNetwork) -> Iterator[Contribution]:
    path: FieldPath = (*podset.main, "securityContext", "capabilities", "add")
    before = get(workload.tree.value, path, None) or []
    added = [one for one in network.capabilities if one not in before]
    if added:
        yield from extended(workload, path, added, AT)
