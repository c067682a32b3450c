"""What may not change of a Service, and what is dropped where its type no longer needs it.

Mirrors kubernetes 1.36 `pkg/apis/core/validation` (ValidateServiceUpdate) and `pkg/registry/core/service/strategy.go`
(dropTypeDependentFields).
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.place import Place
from tjgen.cluster.validate.update.service import needs_health_check
from tjgen.trees.typing import Any

_FIXED = "may not change once set"
_WITH_NODE_PORTS = ("LoadBalancer", "NodePort")


def service(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Fault]:
    """`ValidateServiceUpdate`."""
    spec, before, at = new.get("spec", {}), old.get("spec", {}), Place("spec", ("spec",))
    if _releases_family(spec, before):
        yield at.child("ipFamilyPolicy").invalid(
            spec.get("ipFamilyPolicy"), "must be 'SingleStack' to release the secondary IP family"
        )
        return
    if "ExternalName" not in (spec.get("type"), before.get("type")):
        yield from _addresses(spec, before, at)
        if _is_headless(spec) == _is_headless(before) is False:
            yield from _families(spec, before, at)
    is_balanced = spec.get("type") == before.get("type") == "LoadBalancer"
    if is_balanced and spec.get("loadBalancerClass") != before.get("loadBalancerClass"):
        yield at.child("loadBalancerClass").invalid(spec.get("loadBalancerClass"), _FIXED)
    needs_check = needs_health_check(spec) and needs_health_check(before)
    if needs_check and not _same(spec, before, "healthCheckNodePort"):
        yield at.child("healthCheckNodePort").forbidden("field is immutable")


def _is_headless(spec: dict[str, Any]) -> bool:
    return bool(spec.get("clusterIPs") == ["None"])


def _releases_family(spec: dict[str, Any], before: dict[str, Any]) -> bool:
    """`reducedIPFamilies`, which the storage of Services checks before anything is validated."""
    given, stored = spec.get("ipFamilies") or [], before.get("ipFamilies") or []
    return 0 < len(given) < len(stored) and spec.get("ipFamilyPolicy") != "SingleStack" and spec.get("type") != "ExternalName"


def _addresses(spec: dict[str, Any], before: dict[str, Any], at: Place) -> Iterator[Fault]:
    """`validateUpgradeDowngradeClusterIPs`."""
    if _is_headless(spec) and _is_headless(before):
        return
    given, stored = spec.get("clusterIPs") or [], before.get("clusterIPs") or []
    field = at.child("clusterIPs")
    if len(given) == len(stored):
        for position, address in enumerate(stored):
            if given[position] != address:
                yield field.item(position).invalid(given, _FIXED)
        return
    if not given:
        yield field.item(0).invalid(given, "primary clusterIP can not be unset")
    if stored and given and given[0] != stored[0]:
        yield field.item(0).invalid(given, _FIXED)
    if len(stored) > len(given) == 1 and spec.get("ipFamilyPolicy") != "SingleStack":
        words = "must be set to 'SingleStack' when releasing the secondary clusterIP"
        yield at.child("ipFamilyPolicy").invalid(spec.get("ipFamilyPolicy"), words)


def _families(spec: dict[str, Any], before: dict[str, Any], at: Place) -> Iterator[Fault]:
    """`validateUpgradeDowngradeIPFamilies`."""
    given, stored = spec.get("ipFamilies") or [], before.get("ipFamilies") or []
    element = at.child("ipFamilies").item(0)
    if len(given) == len(stored):
        for family, other in zip(given, stored, strict=True):
            if family != other:
                yield element.invalid(given, _FIXED)
        return
    if len(stored) > len(given) and not spec.get("clusterIPs"):
        yield element.invalid(given, "primary ipFamily can not be unset")
    if stored and given and given[0] != stored[0]:
        yield element.invalid(spec.get("clusterIPs") or [], _FIXED)


def without_dependent(spec: dict[str, Any], before: dict[str, Any]) -> dict[str, Any]:
    """`patchAllocatedValues` and `dropTypeDependentFields`: what was filled in for the old type goes with it."""
    kind, was = spec.get("type"), before.get("type")
    dropped: set[str] = set()
    if was != "ExternalName" and kind == "ExternalName":
        if _same(spec, before, "clusterIP") and _same(spec, before, "clusterIPs"):
            dropped |= {"clusterIP", "clusterIPs"}
        dropped |= {name for name in ("ipFamilies", "ipFamilyPolicy") if _same(spec, before, name)}
    if needs_health_check(before) and not needs_health_check(spec) and _same(spec, before, "healthCheckNodePort"):
        dropped.add("healthCheckNodePort")
    if was == "LoadBalancer" != kind:
        dropped |= {name for name in ("allocateLoadBalancerNodePorts", "loadBalancerClass") if _same(spec, before, name)}
    if _is_external(before) and not _is_external(spec) and _same(spec, before, "externalTrafficPolicy"):
        dropped.add("externalTrafficPolicy")
    kept = {key: value for key, value in spec.items() if key not in dropped}
    if was in _WITH_NODE_PORTS and kind not in _WITH_NODE_PORTS and _node_ports(spec) <= _node_ports(before):
        kept["ports"] = [{key: value for key, value in port.items() if key != "nodePort"} for port in spec.get("ports") or []]
    return kept


def _same(spec: dict[str, Any], before: dict[str, Any], name: str) -> bool:
    return (spec.get(name) or None) == (before.get(name) or None)


def _is_external(spec: dict[str, Any]) -> bool:
    """`ExternallyAccessible`."""
    return spec.get("type") in _WITH_NODE_PORTS or bool(spec.get("type") == "ClusterIP" and spec.get("externalIPs"))


def _node_ports(spec: dict[str, Any]) -> set[int]:
    return {port["nodePort"] for port in spec.get("ports") or [] if port.get("nodePort")}
