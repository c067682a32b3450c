"""IP addresses and networks in rules.

Mirrors k8s.io/apiserver 0.36 `pkg/cel/library/ip.go` and `cidr.go`: no leading zeros, no zones, no IPv4 within IPv6.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from tjgen.cluster.validate.cel.values import CelError, overload
from tjgen.trees.typing import Any, NamedTuple

_ADDRESSES = (IPv4Address, IPv6Address)


class IpNetwork(NamedTuple):
    """An address and the network that it is in."""

    address: IPv4Address | IPv6Address
    network: IPv4Network | IPv6Network


def _parsed(text: Any) -> IPv4Address | IPv6Address | None:
    if text.__class__ is not str:
        raise overload()
    try:
        address = ip_address(text)
    except ValueError:
        return None
    mapped = address.version == 6 and getattr(address, "ipv4_mapped", None) is not None
    return None if "%" in text or mapped else address


def ip(text: Any) -> Any:
    """`ip(text)`."""
    address = _parsed(text)
    if address is None:
        raise CelError(f'IP Address "{text}" parse error during conversion from string: ParseAddr("{text}"): unable to parse IP')
    return address


def is_ip(text: Any) -> bool:
    """`isIP(text)`."""
    return _parsed(text) is not None


def is_canonical(text: Any) -> bool:
    """`ip.isCanonical(text)`."""
    return bool(str(ip(text)) == text)


def _network(text: Any) -> IpNetwork | None:
    if text.__class__ is not str:
        raise overload()
    address, slash, length = text.partition("/")
    parsed = _parsed(address)
    plain = length.isascii() and length.isdigit() and (length == "0" or length[0] != "0")
    if parsed is None or not slash or not plain or int(length) > parsed.max_prefixlen:
        return None
    return IpNetwork(parsed, ip_network(text, strict=False))


def cidr(text: Any) -> IpNetwork:
    """`cidr(text)`."""
    network = _network(text)
    if network is None:
        raise CelError(f'network address parse error during conversion from string: "{text}"')
    return network


def is_cidr(text: Any) -> bool:
    """`isCIDR(text)`."""
    return _network(text) is not None


def contains_ip(network: Any, address: Any) -> bool:
    """`network.containsIP(address)`, an address or its text."""
    return bool((ip(address) if address.__class__ is str else address) in _of(network).network)


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
