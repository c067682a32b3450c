"""A NetworkPolicy -> what the API server has against it.

Mirrors kubernetes 1.36 `pkg/apis/networking/validation` (ValidateNetworkPolicy).
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.validate.builtin.addresses import network, read_network
from tjgen.cluster.validate.builtin.selectors import label_selector
from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.place import Place
from tjgen.trees.k8s import syntax
from tjgen.trees.typing import Any

_PROTOCOLS = ("TCP", "UDP", "SCTP")
_TYPES = ("Ingress", "Egress")


def network_policy(tree: dict[str, Any]) -> Iterator[Fault]:
    """`ValidateNetworkPolicy`, metadata left out."""
    spec, at = tree.get("spec", {}), Place("spec", ("spec",))
    yield from label_selector(spec.get("podSelector"), at.child("podSelector"))
    for side, peers in (("ingress", "from"), ("egress", "to")):
        for position, rule in enumerate(spec.get(side, ())):
            field = at.child(side).item(position)
            for number, port in enumerate(rule.get("ports", ())):
                yield from _port(port, field.child("ports").item(number))
            for number, peer in enumerate(rule.get(peers, ())):
                yield from _peer(peer, field.child(peers).item(number))
    types, field = spec.get("policyTypes", ()), at.child("policyTypes")
    if len(types) > len(_TYPES):
        yield field.invalid(types, "may not specify more than two policyTypes")
        return
    for position, kind in enumerate(types):
        if kind not in _TYPES:
            yield field.item(position).not_supported(kind, _TYPES)


def _port(given: dict[str, Any], at: Place) -> Iterator[Fault]:
    """`ValidateNetworkPolicyPort`."""
    protocol, port, end = given.get("protocol", "TCP"), given.get("port"), given.get("endPort")
    if protocol not in _PROTOCOLS:
        yield at.child("protocol").not_supported(protocol, _PROTOCOLS)
    if port is None:
        if end is not None:
            yield at.child("endPort").invalid(end, "may not be specified when `port` is not specified")
    elif isinstance(port, str):
        if end is not None:
            yield at.child("endPort").invalid(end, "may not be specified when `port` is non-numeric")
        for message in syntax.port_name(port):
            yield at.child("port").invalid(port, message)
    else:
        for message in syntax.port_number(port):
            yield at.child("port").invalid(port, message)
        if end is not None:
            if end < port:
                yield at.child("endPort").invalid(port, "must be greater than or equal to `port`")
            for message in syntax.port_number(end):
                yield at.child("endPort").invalid(end, message)


def _peer(peer: dict[str, Any], at: Place) -> Iterator[Fault]:
    """`ValidateNetworkPolicyPeer`."""
    selectors = [name for name in ("podSelector", "namespaceSelector") if name in peer]
    for name in selectors:
        yield from label_selector(peer[name], at.child(name))
    if "ipBlock" in peer:
        yield from _block(peer["ipBlock"], at.child("ipBlock"))
        if selectors:
            yield at.forbidden("may not specify both ipBlock and another peer")
    elif not selectors:
        yield at.required("must specify a peer")


def _block(block: dict[str, Any], at: Place) -> Iterator[Fault]:
    """`ValidateIPBlock`."""
    text = block.get("cidr", "")
    if not text:
        yield at.child("cidr").required()
        return
    yield from network(text, at.child("cidr"))
    whole = read_network(text)
    for position, part_text in enumerate(block.get("except", ()) if whole else ()):
        element = at.child("except").item(position)
        yield from network(part_text, element)
        part = read_network(part_text)
        if part and whole and not (part.version == whole.version and part != whole and part.subnet_of(whole)):
            yield element.invalid(part_text, "must be a strict subset of `cidr`")
