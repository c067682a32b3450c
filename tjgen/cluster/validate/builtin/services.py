"""A Service -> what the API server has against it.

Mirrors kubernetes 1.36 `pkg/apis/core/validation` (ValidateServiceCreate), after the defaults of `pkg/apis/core/v1` and what
`pkg/registry/core/service/storage` fills in. What depends on the addresses and ports of a cluster is left to the cluster.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.validate.builtin.addresses import ip_address, network, read_address
from tjgen.cluster.validate.builtin.selectors import label_name
from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.metadata import labels
from tjgen.cluster.validate.place import Place
from tjgen.cluster.validate.wording import GoStruct
from tjgen.trees.k8s import syntax
from tjgen.trees.typing import Any

_TYPES = ("ClusterIP", "ExternalName", "LoadBalancer", "NodePort")
_AFFINITIES = ("ClientIP", "None")
_PROTOCOLS = ("SCTP", "TCP", "UDP")
_FAMILIES = ("IPv4", "IPv6")
_FAMILY_POLICIES = ("PreferDualStack", "RequireDualStack", "SingleStack")
_TRAFFIC = ("Cluster", "Local")
_DISTRIBUTIONS = ("PreferClose", "PreferSameZone", "PreferSameNode")
_LONGEST_AFFINITY = 86400
_HINTS, _MODE = "service.kubernetes.io/topology-aware-hints", "service.kubernetes.io/topology-mode"
_RANGES = "service.beta.kubernetes.io/load-balancer-source-ranges"
_BALANCED = "may only be used when `type` is 'LoadBalancer'"
_NOT_EXTERNAL = "may not be set for ExternalName services"


def service(tree: dict[str, Any]) -> Iterator[Fault]:
    """`ValidateServiceCreate` without metadata except annotations."""
    spec, at = dict(tree.get("spec", {})), Place("spec", ("spec",))
    annotations = tree.get("metadata", {}).get("annotations", {})
    if spec.get("clusterIP") and not spec.get("clusterIPs"):
        spec["clusterIPs"] = [spec["clusterIP"]]
    kind = spec.get("type") or "ClusterIP"
    if annotations.get(_MODE, "") != annotations.get(_HINTS, "") and _MODE in annotations and _HINTS in annotations:
        field = Place().child("metadata", "annotations").key(_MODE)
        yield field.invalid(annotations[_MODE], f"must match annotations[{_HINTS}] when both are specified")
    is_headless = spec.get("clusterIPs") == ["None"]
    if not spec.get("ports") and not is_headless and kind != "ExternalName":
        yield at.child("ports").required()
    if is_headless and kind in ("LoadBalancer", "NodePort"):
        yield at.child("clusterIPs").item(0).invalid("None", f"may not be set to 'None' for {kind} services")
    if kind == "ExternalName":
        yield from _external_name(spec, at)
    yield from _ports(spec.get("ports", ()), kind, at.child("ports"))
    yield from labels(spec.get("selector", {}), at.child("selector"))
    yield from _affinity(spec, at)
    if kind != "ExternalName":
        yield from _addresses(spec, at, is_headless=is_headless)
    for position, address in enumerate(spec.get("externalIPs", ())):
        yield from _external_address(address, at.child("externalIPs").item(position))
    if kind not in _TYPES:
        yield at.child("type").not_supported(kind, _TYPES)
    yield from _load_balancer(spec, annotations, kind, at)
    yield from _traffic(spec, kind, at)


def _external_name(spec: dict[str, Any], at: Place) -> Iterator[Fault]:
    for name in ("clusterIPs", "ipFamilies"):
        if spec.get(name):
            yield at.child(name).forbidden(_NOT_EXTERNAL)
    if "ipFamilyPolicy" in spec:
        yield at.child("ipFamilyPolicy").forbidden(_NOT_EXTERNAL)
    name = spec.get("externalName", "").removesuffix(".")
    if not name:
        yield at.child("externalName").required()
    for message in syntax.dns1123_subdomain(name) if name else ():
        yield at.child("externalName").invalid(name, message)


def _ports(ports: Any, kind: str, at: Place) -> Iterator[Fault]:
    names: set[str] = set()
    seen: set[tuple[str, str, int]] = set()
    for position, port in enumerate(ports):
        element, name, protocol = at.item(position), port.get("name", ""), port.get("protocol") or "TCP"
        if name:
            for message in syntax.dns1123_label(name):
                yield element.child("name").invalid(name, message)
            if name in names:
                yield element.child("name").duplicate(name)
            names.add(name)
        elif len(ports) > 1:
            yield element.child("name").required()
        yield from _port(port, protocol, element)
        number, outer = port.get("port", 0), port.get("nodePort", 0)
        if outer and kind == "ClusterIP":
            yield element.child("nodePort").forbidden("may not be used when `type` is 'ClusterIP'")
        if outer and ("node", protocol, outer) in seen:
            yield element.child("nodePort").duplicate(outer)
        if ("", protocol, number) in seen:
            yield element.duplicate(GoStruct(Name="", Protocol=protocol, AppProtocol=None, Port=number, TargetPort=0, NodePort=0))
        seen |= {("node", protocol, outer), ("", protocol, number)}


def _port(port: dict[str, Any], protocol: str, at: Place) -> Iterator[Fault]:
    number = port.get("port", 0)
    for message in syntax.port_number(number):
        yield at.child("port").invalid(number, message)
    if protocol not in _PROTOCOLS:
        yield at.child("protocol").not_supported(protocol, _PROTOCOLS)
    target = port.get("targetPort") or number
    for message in syntax.port_name(target) if isinstance(target, str) else syntax.port_number(target):
        yield at.child("targetPort").invalid(target, message)
    if "appProtocol" in port:
        yield from label_name(port["appProtocol"], at.child("appProtocol"))


def _affinity(spec: dict[str, Any], at: Place) -> Iterator[Fault]:
    affinity = spec.get("sessionAffinity") or "None"
    if affinity not in _AFFINITIES:
        yield at.child("sessionAffinity").not_supported(affinity, _AFFINITIES)
    seconds = spec.get("sessionAffinityConfig", {}).get("clientIP", {}).get("timeoutSeconds", 1)
    if affinity == "ClientIP" and not 0 < seconds <= _LONGEST_AFFINITY:
        field = at.child("sessionAffinityConfig", "clientIP", "timeoutSeconds")
        yield field.invalid(seconds, f"must be greater than 0 and less than {_LONGEST_AFFINITY}")


def _addresses(spec: dict[str, Any], at: Place, *, is_headless: bool) -> Iterator[Fault]:
    """`ValidateServiceClusterIPsRelatedFields`."""
    one, several, families = spec.get("clusterIP", ""), spec.get("clusterIPs", []), spec.get("ipFamilies", [])
    field = at.child("clusterIPs")
    if several and not one:
        yield field.invalid(several, "must be empty when `clusterIP` is not specified")
    elif one and several[0] != one:
        yield field.invalid(several, "first value must match `clusterIP`")
    for position, family in enumerate(families):
        if family not in _FAMILIES:
            yield at.child("ipFamilies").item(position).not_supported(family, _FAMILIES)
        if family in families[:position]:
            yield at.child("ipFamilies").item(position).duplicate(family)
    policy = spec.get("ipFamilyPolicy", "SingleStack")
    if policy not in _FAMILY_POLICIES:
        yield at.child("ipFamilyPolicy").not_supported(policy, _FAMILY_POLICIES)
    wrong = [*_cluster_addresses(several, field)]
    yield from wrong
    if len(several) > 2:
        yield field.invalid(several, "may only hold up to 2 values")
    if wrong or is_headless:
        return
    versions = [getattr(read_address(text), "version", 4) for text in several]
    if len(several) > 1 and len(set(versions)) < 2:
        yield field.invalid(several, "may specify no more than one IP for each IP family")
    for position, (version, family) in enumerate(zip(versions, families, strict=False)):
        if family in _FAMILIES and family != f"IPv{version}":
            message = f"expected an {family} value as indicated by `ipFamilies[{position}]`"
            yield field.item(position).invalid(several[position], message)


def _cluster_addresses(several: list[str], at: Place) -> Iterator[Fault]:
    for position, text in enumerate(several):
        if position == 0 and text == "None":
            if len(several) > 1:
                yield at.invalid(several, "'None' must be the first and only value")
            continue
        yield from ip_address(text, at.item(position))


def _external_address(text: str, at: Place) -> Iterator[Fault]:
    """An address that is none of those for special purposes (`ValidateEndpointIP`)."""
    wrong = [*ip_address(text, at)]
    yield from wrong
    if wrong:
        return
    address = read_address(text)
    if address.is_unspecified:
        yield at.invalid(text, f"may not be unspecified ({text})")
    if address.is_loopback:
        yield at.invalid(text, "may not be in the loopback range (127.0.0.0/8, ::1/128)")
    if address.is_link_local:
        yield at.invalid(text, "may not be in the link-local range (169.254.0.0/16, fe80::/10)")
    packed = address.packed
    if packed[:3] == b"\xe0\0\0" if address.version == 4 else packed[0] == 0xFF and packed[1] & 0x0F == 2:
        yield at.invalid(text, "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)")


def _load_balancer(spec: dict[str, Any], annotations: dict[str, str], kind: str, at: Place) -> Iterator[Fault]:
    is_balanced, ranges = kind == "LoadBalancer", spec.get("loadBalancerSourceRanges", ())
    if ranges:
        field = Place(f"{at.field}.LoadBalancerSourceRanges", (*at.path, "loadBalancerSourceRanges"))
        if not is_balanced:
            yield field.forbidden(_BALANCED)
        for position, text in enumerate(ranges):
            yield from network(text.strip(), field.item(position))
    elif _RANGES in annotations:
        field = Place().child("metadata", "annotations").key(_RANGES)
        if not is_balanced:
            yield field.forbidden(_BALANCED)
        for text in annotations[_RANGES].strip().split(",") if annotations[_RANGES].strip() else ():
            yield from network(text.strip(), field)
    for name in ("allocateLoadBalancerNodePorts", "loadBalancerClass"):
        if name in spec and not is_balanced:
            yield at.child(name).forbidden(_BALANCED)
    if "loadBalancerClass" in spec and is_balanced:
        yield from label_name(spec["loadBalancerClass"], at.child("loadBalancerClass"))


def _traffic(spec: dict[str, Any], kind: str, at: Place) -> Iterator[Fault]:
    """`validateServiceExternalTrafficPolicy` and its like; a missing port for health checks is filled in."""
    policy = spec.get("externalTrafficPolicy", "")
    is_outside = kind in ("LoadBalancer", "NodePort") or (kind == "ClusterIP" and bool(spec.get("externalIPs")))
    if policy and not is_outside:
        message = "may only be set for externally-accessible services"
        yield at.child("externalTrafficPolicy").invalid(policy, message)
    elif policy and policy not in _TRAFFIC:
        yield at.child("externalTrafficPolicy").not_supported(policy, _TRAFFIC)
    port, field = spec.get("healthCheckNodePort", 0), at.child("healthCheckNodePort")
    if port and not (kind == "LoadBalancer" and policy == "Local"):
        yield field.invalid(port, "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'")
    elif port:
        for message in syntax.port_number(port):
            yield field.invalid(port, message)
    policy = spec.get("internalTrafficPolicy", "Cluster")
    if policy not in _TRAFFIC:
        yield at.child("internalTrafficPolicy").not_supported(policy, _TRAFFIC)
    distribution = spec.get("trafficDistribution", "PreferClose")
    if distribution not in _DISTRIBUTIONS:
        yield at.child("trafficDistribution").not_supported(distribution, _DISTRIBUTIONS)
