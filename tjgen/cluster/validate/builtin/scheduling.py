"""Tolerations, topology spread, gates and DNS of a pod -> what the API server has against them.

Mirrors kubernetes 1.36 `pkg/apis/core/validation` (ValidateTolerations, validateTopologySpreadConstraints and their kin).
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.validate.builtin.addresses import ip_address
from tjgen.cluster.validate.builtin.selectors import label_name, label_selector, match_label_keys
from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.place import Place
from tjgen.trees.k8s import syntax
from tjgen.trees.typing import Any

_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_DNS_POLICIES = ("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")
_SCHEDULE_ACTIONS = ("DoNotSchedule", "ScheduleAnyway")
_INCLUSION = ("Honor", "Ignore")


def tolerations(given: list[Any], at: Place) -> Iterator[Fault]:
    """`ValidateTolerations`."""
    for position, toleration in enumerate(given):
        yield from _toleration(toleration, at.item(position))


def _toleration(toleration: dict[str, Any], at: Place) -> Iterator[Fault]:
    key, operator = toleration.get("key", ""), toleration.get("operator", "")
    value, effect = toleration.get("value", ""), toleration.get("effect", "")
    if key:
        yield from label_name(key, at.child("key"))
    elif operator != "Exists":
        message = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
        yield at.child("operator").invalid(operator, message)
    if "tolerationSeconds" in toleration and effect != "NoExecute":
        yield at.child("effect").invalid(effect, "effect must be 'NoExecute' when `tolerationSeconds` is set")
    if operator in ("Equal", ""):
        messages = syntax.label_value(value)
        if messages:
            yield at.child("operator").invalid(value, ";".join(messages))
    elif operator == "Exists":
        if value:
            yield at.child("operator").invalid(value, "value must be empty when `operator` is 'Exists'")
    else:
        # Gt and Lt are behind a gate that is off; upstream then names them among the supported ones all the same.
        known = ("Equal", "Exists", "Lt", "Gt") if operator in ("Lt", "Gt") else ("Equal", "Exists")
        yield at.child("operator").not_supported(operator, known)
    if effect and effect not in _EFFECTS:
        yield at.child("effect").not_supported(effect, _EFFECTS)


def topology_spread(constraints: list[Any], at: Place) -> Iterator[Fault]:
    """`validateTopologySpreadConstraints`."""
    last = {_spread(constraint): position for position, constraint in enumerate(constraints)}
    for position, constraint in enumerate(constraints):
        element = at.item(position)
        skew, key, action = (constraint.get(name) for name in ("maxSkew", "topologyKey", "whenUnsatisfiable"))
        if (skew or 0) <= 0:
            yield element.child("maxSkew").invalid(skew or 0, "must be greater than zero")
        if not key:
            yield element.child("topologyKey").required("can not be empty")
        if action not in _SCHEDULE_ACTIONS:
            yield element.child("whenUnsatisfiable").not_supported(action or "", _SCHEDULE_ACTIONS)
        if last[key, action] > position:
            yield element.spelt("{topologyKey, whenUnsatisfiable}").duplicate(f"{{{key or ''}, {action or ''}}}")
        yield from _min_domains(constraint, element.child("minDomains"))
        for name in ("nodeAffinityPolicy", "nodeTaintsPolicy"):
            if name in constraint and constraint[name] not in _INCLUSION:
                yield element.child(name).not_supported(constraint[name], _INCLUSION)
        yield from match_label_keys(constraint, element)
        yield from label_selector(constraint.get("labelSelector"), element.child("labelSelector"))


def _spread(constraint: dict[str, Any]) -> tuple[Any, Any]:
    return constraint.get("topologyKey"), constraint.get("whenUnsatisfiable")


def _min_domains(constraint: dict[str, Any], at: Place) -> Iterator[Fault]:
    least, action = constraint.get("minDomains"), constraint.get("whenUnsatisfiable", "")
    if least is None:
        return
    if least <= 0:
        yield at.invalid(least, "must be greater than zero")
    if action != "DoNotSchedule":
        yield at.invalid(least, f"can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {action}")


def scheduling_gates(gates: list[Any], at: Place) -> Iterator[Fault]:
    """`validateSchedulingGates`."""
    seen: set[str] = set()
    for position, gate in enumerate(gates):
        name = gate.get("name", "")
        yield from label_name(name, at.item(position))
        if name in seen:
            yield at.item(position).duplicate(name)
        seen.add(name)


def dns(spec: dict[str, Any], at: Place) -> Iterator[Fault]:
    """`validateDNSPolicy` and `validatePodDNSConfig`, with the pod's place."""
    policy, config = spec.get("dnsPolicy") or "ClusterFirst", spec.get("dnsConfig")
    if policy not in _DNS_POLICIES:
        yield at.child("dnsPolicy").not_supported(policy, _DNS_POLICIES)
    field = at.child("dnsConfig")
    if policy == "None":
        if config is None:
            yield field.required("must provide `dnsConfig` when `dnsPolicy` is None")
            return
        if not config.get("nameservers"):
            yield field.child("nameservers").required("must provide at least one DNS nameserver when `dnsPolicy` is None")
            return
    if config is not None:
        yield from _dns_config(config, field)


def _dns_config(config: dict[str, Any], at: Place) -> Iterator[Fault]:
    servers, searches = config.get("nameservers", []), config.get("searches", [])
    if len(servers) > 3:
        yield at.child("nameservers").invalid(servers, "must not have more than 3 nameservers")
    for position, server in enumerate(servers):
        yield from ip_address(server, at.child("nameservers").item(position))
    if len(searches) > 32:
        yield at.child("searches").invalid(searches, "must not have more than 32 search paths")
    if len(" ".join(searches).encode()) > 2048:
        message = "must not have more than 2048 characters (including spaces) in the search list"
        yield at.child("searches").invalid(searches, message)
    for position, search in enumerate(searches):
        if search != ".":
            shorter = search.removesuffix(".")
            for message in syntax.dns1123_subdomain_with_underscore(shorter):
                yield at.child("searches").item(position).invalid(shorter, message)
    for position, option in enumerate(config.get("options", ())):
        if not option.get("name"):
            yield at.child("options").item(position).required("must not be empty")


def host_aliases(aliases: list[Any], at: Place) -> Iterator[Fault]:
    """`ValidateHostAliases`."""
    for position, alias in enumerate(aliases):
        element = at.item(position)
        yield from ip_address(alias.get("ip", ""), element.child("ip"))
        for number, hostname in enumerate(alias.get("hostnames", ())):
            for message in syntax.dns1123_subdomain(hostname):
                yield element.child("hostnames").item(number).invalid(hostname, message)
