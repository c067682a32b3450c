"""A Service that is created or applied -> the Service with the fields that the API server allocates.

The server allocates cluster IPs and IP families, and keeps them when a later manifest leaves them out.
Mirrors kubernetes 1.36 `pkg/registry/core/service/storage` (beginCreate, beginUpdate), on a cluster with one IPv4 family. Which
addresses and families a cluster has is not known: the addresses are placeholders.
"""

from __future__ import annotations

from tjgen.cluster.validate.update.fill import Struct, pointed
from tjgen.trees.typing import Any

HEADLESS = "None"
_EXTERNAL_NAME = "ExternalName"
_SINGLE, _REQUIRED, _PREFERRED = "SingleStack", "RequireDualStack", "PreferDualStack"
_ADDRESSES = {"IPv4": "192.0.2.1", "IPv6": "2001:db8::1"}
_OTHER = {"IPv4": "IPv6", "IPv6": "IPv4"}


def created(service: Struct) -> Struct:
    """The Service as it is stored: `allocateCreate`."""
    spec: dict[str, Any] = service.get("spec", {})
    if spec.get("clusterIP") and not spec.get("clusterIPs"):
        spec = {**spec, "clusterIPs": [spec["clusterIP"]]}
    if spec.get("type") == _EXTERNAL_NAME:
        return {**service, "spec": spec}
    if needs_health_check(spec):
        spec = {**spec, "healthCheckNodePort": spec.get("healthCheckNodePort") or 32000}
    return {**service, "spec": _with_address(_with_families(spec, {}))}


def updated(spec: dict[str, Any], before: dict[str, Any]) -> dict[str, Any]:
    """The spec that replaces `before`, with what that has allocated: `patchAllocatedValues`, `allocateUpdate`."""
    if _EXTERNAL_NAME not in (spec.get("type"), before.get("type")):
        kept = {key: before[key] for key in ("clusterIP", "clusterIPs") if before.get(key) and not spec.get(key)}
        spec = {**spec, **kept}
    if needs_health_check(spec) and needs_health_check(before) and not spec.get("healthCheckNodePort"):
        spec = {**spec, "healthCheckNodePort": before.get("healthCheckNodePort", 0)}
    spec = _with_normal_addresses(spec, before)
    if spec.get("type") == _EXTERNAL_NAME or _keeps_families(spec, before):
        return spec
    return _with_address(_with_families(spec, before))


def needs_health_check(spec: dict[str, Any]) -> bool:
    """`needsHCNodePort`."""
    return bool(spec.get("type") == "LoadBalancer" and spec.get("externalTrafficPolicy") == "Local")


def _with_normal_addresses(spec: dict[str, Any], before: dict[str, Any]) -> dict[str, Any]:
    """`normalizeClusterIPs`: the first of `clusterIPs` is `clusterIP`."""
    one, other = spec.get("clusterIP", ""), before.get("clusterIP", "")
    several, others = spec.get("clusterIPs") or [], before.get("clusterIPs") or []
    if others and not several and one == other:
        several = others
    if one != other and several == others:
        several = [one] if one or not other else []
    return {**{key: value for key, value in spec.items() if key != "clusterIPs"}, **({"clusterIPs": several} if several else {})}


def _keeps_families(spec: dict[str, Any], before: dict[str, Any]) -> bool:
    """`isMatchingPreferDualStackClusterIPFields`."""
    fields = ("type", "ipFamilyPolicy", "clusterIP", "clusterIPs", "ipFamilies")
    return spec.get("ipFamilyPolicy") == _PREFERRED and all(spec.get(field) == before.get(field) for field in fields)


def _with_families(spec: dict[str, Any], before: dict[str, Any]) -> dict[str, Any]:
    """`initIPFamilyFields`."""
    is_open = spec.get("clusterIP") == HEADLESS and not spec.get("selector")
    policy = spec.get("ipFamilyPolicy") or before.get("ipFamilyPolicy") or (_REQUIRED if is_open else _SINGLE)
    spec = {**pointed(spec, ipFamilyPolicy=policy), "ipFamilyPolicy": policy}
    families = list(spec.get("ipFamilies") or [])
    several = list(spec.get("clusterIPs") or [])
    if before and policy == _SINGLE:
        several = several[:1] if several == before.get("clusterIPs") else several
        families = families[:1] if families == before.get("ipFamilies") else families
    for address in several[len(families) :]:
        if address != HEADLESS:
            families.append("IPv6" if ":" in address else "IPv4")
    families = families or ["IPv4"]
    if is_open and len(families) == 1 and policy != _SINGLE and families[0] in _OTHER:
        families.append(_OTHER[families[0]])
    return {**spec, "ipFamilies": families, **({"clusterIPs": several} if several else {})}


def _with_address(spec: dict[str, Any]) -> dict[str, Any]:
    """The spec with the address that the server allocates if it has none."""
    if spec.get("clusterIP") or spec.get("clusterIPs"):
        return spec
    address = _ADDRESSES.get(spec["ipFamilies"][0], _ADDRESSES["IPv4"])
    return {**spec, "clusterIP": address, "clusterIPs": [address]}
