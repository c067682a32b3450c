"""IP addresses and networks in rules.

Mirrors k8s.io/apiserver 0.36 `pkg/cel/library/ip.go` and `cidr.go`: no leading zeros, no zones, no IPv4 within IPv6.
"""

from __future__ import annotations

from collections.abc import Callable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from tjgen.cluster.validate.cel.values import NO_OVERLOAD, CelError, overload
from tjgen.trees.typing import Any, NamedTuple

_ADDRESSES = (IPv4Address, IPv6Address)
_BROADCAST = IPv4Address("255.255.255.255")
_LINK_LOCAL_MULTICAST = (IPv4Network("224.0.0.0/24"), IPv6Network("ff02::/16"))


class IpNetwork(NamedTuple):
    """An address and the network that it is in."""

    address: IPv4Address | IPv6Address
    network: IPv4Network | IPv6Network


def ip(text: Any) -> Any:
    """`ip(text)`."""
    if text.__class__ is not str:
        raise overload()
    try:
        address = ip_address(text)
    except ValueError:
        octets = text.split(".")
        leads = len(octets) == 4 and any(octet[:1] == "0" and len(octet) > 1 for octet in octets)
        words = "IPv4 field has octet with leading zero" if leads else "unable to parse IP"
        raise CelError(f'IP Address "{text}" parse error during conversion from string: ParseAddr("{text}"): {words}') from None
    if "%" in text:
        raise CelError(f'IP address "{text}" with zone value is not allowed')
    if address.version == 6 and address.ipv4_mapped is not None:
        raise CelError(f'IPv4-mapped IPv6 address "{text}" is not allowed')
    return address


def is_ip(text: Any) -> bool:
    """`isIP(text)`."""
    return _is_accepted(ip, text)


def is_canonical(text: Any) -> bool:
    """`ip.isCanonical(text)`."""
    return bool(str(ip(text)) == text)


def cidr(text: Any) -> IpNetwork:
    """`cidr(text)`."""
    if text.__class__ is not str:
        raise overload()
    before, slash, length = text.rpartition("/")
    if not slash:
        raise _wrong_network(text, "no '/'")
    try:
        address = ip(before)
    except CelError as problem:
        if before.startswith("::ffff:"):
            mapped = f'IPv4-mapped IPv6 address "{text}" is not allowed'
            raise CelError(f"network address parse error during conversion from string: {mapped}") from None
        raise _wrong_network(text, str(problem).partition(" from string: ")[2] or str(problem)) from None
    if not (length.isascii() and length.isdigit() and (length == "0" or length[0] != "0")):
        raise _wrong_network(text, f'bad bits after slash: "{length}"')
    if int(length) > address.max_prefixlen:
        raise _wrong_network(text, "prefix length out of range")
    return IpNetwork(address, ip_network(text, strict=False))


def _wrong_network(text: str, words: str) -> CelError:
    return CelError(f'{"network address parse error during conversion from string: " * 2}netip.ParsePrefix("{text}"): {words}')


def is_cidr(text: Any) -> bool:
    """`isCIDR(text)`."""
    return _is_accepted(cidr, text)


def _is_accepted(read: Callable[[Any], Any], text: Any) -> bool:
    try:
        read(text)
    except CelError as problem:
        if str(problem) == NO_OVERLOAD:
            raise
        return False
    return True


def contains_ip(network: Any, address: Any) -> bool:
    """`network.containsIP(address)`, an address or its text."""
    if address.__class__ is str:
        if not is_ip(address):
            raise overload()
        address = ip(address)
    return _is_address(address) in _of(network).network


def contains_cidr(network: Any, other: Any) -> bool:
    """`network.containsCIDR(other)`, a network or its text."""
    outer, inner = _of(network).network, _of(cidr(other) if other.__class__ is str else other).network
    return outer.version == inner.version and inner.prefixlen >= outer.prefixlen and inner.network_address in outer


def address_of(network: Any) -> Any:
    """`network.ip()`."""
    return _of(network).address


def prefix_length(network: Any) -> int:
    """`network.prefixLength()`."""
    return _of(network).network.prefixlen


def masked(network: Any) -> IpNetwork:
    """`network.masked()`."""
    address = _of(network).network
    return IpNetwork(address.network_address, address)


def family(address: Any) -> int:
    """`address.family()`."""
    return int(_is_address(address).version)


def is_loopback(address: Any) -> bool:
    """`address.isLoopback()`."""
    return bool(_is_address(address).is_loopback)


def is_global_unicast(address: Any) -> bool:
    """`address.isGlobalUnicast()`, as Go defines it: also private addresses."""
    value = _is_address(address)
    is_broadcast = value.version == 4 and value == _BROADCAST
    return not (value.is_loopback or value.is_unspecified or value.is_multicast or value.is_link_local or is_broadcast)


def is_link_local_unicast(address: Any) -> bool:
    """`address.isLinkLocalUnicast()`."""
    return bool(_is_address(address).is_link_local)


def is_link_local_multicast(address: Any) -> bool:
    """`address.isLinkLocalMulticast()`."""
    return any(_is_address(address) in network for network in _LINK_LOCAL_MULTICAST)


def is_unspecified(address: Any) -> bool:
    """`address.isUnspecified()`."""
    return bool(_is_address(address).is_unspecified)


def _of(value: Any) -> IpNetwork:
    if value.__class__ is not IpNetwork:
        raise overload()
    network: IpNetwork = value
    return network


def _is_address(value: Any) -> Any:
    if value.__class__ not in _ADDRESSES:
        raise overload()
    return value
