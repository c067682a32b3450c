"""Manifests of a run -> what it takes: pods, cpu, memory, devices, storage. Always derived, never stored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from tjgen.cluster.kinds.pods import pods_of
from tjgen.cluster.trainer.requests import pod_requests
from tjgen.language.setting import ClaimSizes
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.k8s.quantity import Quantity, multiply, parse, total
from tjgen.trees.manifests.manifest import Manifest
from tjgen.trees.typing import NamedTuple


class ClaimedStorage(NamedTuple):
    """Storage requests under one name."""

    size: Quantity
    storage_class: str
    number: int = 1
    """Claims of that size: a volume for each pod counts once per pod."""


class Totals(NamedTuple):
    """What something takes: pods of all pod sets, requests and limits by resource over all pods, claims, other objects."""

    pods: int
    resources: dict[str, Quantity]
    claims: dict[str, ClaimedStorage]
    """Each PersistentVolumeClaim of the runs, by `namespace/name`: runs may share one."""
    limits: dict[str, Quantity]
    devices: dict[str, int]
    """DeviceClass -> devices that pods claim of it."""
    objects: dict[str, int]
    """`plural.group` -> objects of that kind that are applied."""


def of_run(manifests: Iterable[Manifest], previews: Iterable[Manifest], sizes: ClaimSizes = MappingProxyType({})) -> Totals:
    """The totals of one run, from what starts its pods, applied or previewed, from its claims, and from `sizes` of others."""
    manifests = list(manifests)
    templates = {one.name: one.tree for one in manifests if one.kind == "ResourceClaimTemplate"}
    pods, resources, limits = 0, [], []
    claims: dict[str, ClaimedStorage] = {}
    existing: dict[str, ClaimedStorage] = {}
    devices: dict[str, int] = {}
    for manifest in (*manifests, *previews):
        if manifest.kind != "PersistentVolumeClaim":
            for one in pods_of(manifest):
                count, pod = one.number, with_requests(one.spec)
                pods += count
                resources.append({name: multiply(amount, count) for name, amount in pod_requests(pod).items()})
                limits.append({name: multiply(amount, count) for name, amount in _limits(pod).items()})
                claims.update(_of_pods(manifest, one.role, pod, count))
                existing.update(_existing(manifest.namespace, pod, sizes.get(manifest.namespace, {})))
                for device_class, number in claimed_devices(pod, templates):
                    devices[device_class] = devices.get(device_class, 0) + number * count
            claims.update(_of_policies(manifest))
        else:
            claims.update(_claim(f"{manifest.namespace}/{manifest.name}", manifest.tree.get("spec")))
    objects: dict[str, int] = {}
    for manifest in manifests:
        group = manifest.api_version.rpartition("/")[0]
        kind = f"{manifest.kind.lower()}s" + (f".{group}" if group else "")
        objects[kind] = objects.get(kind, 0) + 1
    return Totals(pods, total(resources), {**existing, **claims}, total(limits), devices, objects)


def idle(totals: Totals) -> Totals:
    """What a run without pods takes: its claims and its objects."""
    return totals._replace(pods=0, resources={}, limits={}, devices={})


def of_gang(totals: Totals, previews: Iterable[Manifest]) -> Totals:
    """The minimum that a run requires to start: the pods that its gang needs, or all of them."""
    for one in previews:
        least = get(one.tree, ("spec", "minResources"), None) if one.kind == "PodGroup" else None
        if least is not None:
            pods = get(one.tree, ("spec", "minMember"), totals.pods)
            # The controller leaves out what has a limit and no request, though the pods need it.
            return totals._replace(pods=pods, resources={**totals.resources, **{name: parse(one) for name, one in least.items()}})
    return totals


def together(several: Sequence[Totals]) -> Totals:
    """The sum; a claim that several share counts once."""
    claims: dict[str, ClaimedStorage] = {}
    for one in several:
        claims.update(one.claims)
    return Totals(
        sum(one.pods for one in several),
        total(one.resources for one in several),
        claims,
        total(one.limits for one in several),
        _summed(one.devices for one in several),
        _summed(one.objects for one in several),
    )


def _summed(counts: Iterable[dict[str, int]]) -> dict[str, int]:
    sums: dict[str, int] = {}
    for one in counts:
        for name, number in one.items():
            sums[name] = sums.get(name, 0) + number
    return sums


def with_requests(pod: Tree) -> Tree:
    """The pod as the API server stores it: a limit without a request is one (core/v1 `SetDefaults_Pod`)."""
    containers = {kind: [_requested(one) for one in pod.get(kind) or ()] for kind in ("containers", "initContainers")}
    return {**pod, **containers}


def _requested(container: Tree) -> Tree:
    resources = container.get("resources") or {}
    if not resources.get("limits"):
        return container
    return {**container, "resources": {**resources, "requests": {**resources["limits"], **(resources.get("requests") or {})}}}


def _limits(pod: Tree) -> dict[str, Quantity]:
    """The limits of a pod: totals as for requests, but only of containers that set limits."""
    turned = {kind: [_as_requests(one) for one in pod.get(kind) or ()] for kind in ("containers", "initContainers")}
    return pod_requests({**_as_requests(pod), **turned})


def _as_requests(holder: Tree) -> Tree:
    limits = get(holder, ("resources", "limits"), None) or {}
    return {**holder, "resources": {"requests": limits}}


def _of_pods(manifest: Manifest, role: str, pod: Tree, count: int) -> Iterable[tuple[str, ClaimedStorage]]:
    """Volumes that are created with each pod."""
    for volume in pod.get("volumes") or ():
        spec = get(volume, ("ephemeral", "volumeClaimTemplate", "spec"), None)
        yield from _claim(f"{manifest.namespace}/{manifest.name}-{role}-{volume['name']}", spec, count)


def _existing(namespace: str, pod: Tree, sizes: Mapping[str, str | int | float]) -> Iterable[tuple[str, ClaimedStorage]]:
    """Claims that the pod mounts and whose size is known."""
    for volume in (pod.get("volumes") or ()) if sizes else ():
        name = get(volume, ("persistentVolumeClaim", "claimName"), None)
        if name in sizes:
            yield f"{namespace}/{name}", ClaimedStorage(parse(sizes[name]), "")


def _of_policies(jobset: Manifest) -> Iterable[tuple[str, ClaimedStorage]]:
    """Claims that JobSet makes, one for all pods of the run."""
    for policy in get(jobset.tree, ("spec", "volumeClaimPolicies"), None) or []:
        for template in policy.get("templates") or []:
            name = get(template, ("metadata", "name"), "")
            yield from _claim(f"{jobset.namespace}/{name}-{jobset.name}", template.get("spec"))


def _claim(name: str, spec: Tree, number: int = 1) -> Iterable[tuple[str, ClaimedStorage]]:
    size = get(spec, ("resources", "requests", "storage"), None) if spec else None
    if size is not None:
        yield name, ClaimedStorage(parse(size), spec.get("storageClassName") or "", number)


def claimed_devices(pod: Tree, templates: dict[str, Tree]) -> Iterable[tuple[str, int]]:
    """DeviceClass and number of each request in the claims of a pod; `templates` are ResourceClaimTemplates by name."""
    for claim in pod.get("resourceClaims") or ():
        template = templates.get(claim.get("resourceClaimTemplateName", ""))
        for request in get(template, ("spec", "spec", "devices", "requests"), None) or []:
            exactly = request.get("exactly") or {}
            yield exactly.get("deviceClassName", ""), int(exactly.get("count", 1))
