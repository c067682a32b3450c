"""Texts that should be IP addresses -> what the API server has against them.

Mirrors k8s.io/apimachinery 0.36 `util/validation/ip.go` with strict validation, as kubernetes 1.36 has it.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.place import Place
from tjgen.trees.typing import Any

_NO_ADDRESS = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
_NO_NETWORK = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"


def ip_address(text: str, at: Place) -> Iterator[Fault]:
    """`IsValidIPForLegacyField`."""
    address, zeros = _read(text)
    if address is None:
        yield at.invalid(text, _NO_ADDRESS)
        return
    if zeros:
        yield at.invalid(text, "must not have leading 0s")
    if address.version == 6 and address.ipv4_mapped is not None:
        yield at.invalid(text, "must not be an IPv4-mapped IPv6 address")


def _read(text: str) -> tuple[Any, bool]:
    """Return the address that a text contains (octets may begin with zeros), and whether some do."""
    from ipaddress import ip_address as parsed  # pods rarely name addresses

    zeros = False
    octets = text.split(".")
    if len(octets) == 4 and all(octet.isascii() and octet.isdigit() and len(octet) <= 3 for octet in octets):
        plain = ".".join(str(int(octet)) for octet in octets)
        zeros, text = plain != text, plain
    try:
        return (None, False) if "%" in text else (parsed(text), zeros)
    except ValueError:
        return None, False


def read_address(text: str) -> Any:
    """Return the address that a text contains, which may have leading zeros; None for none."""
    return _read(text)[0]


def read_network(text: str) -> Any:
    """Return the network around the address in a text, which need not be its first; None for none (`ParseCIDRSloppy`)."""
    from ipaddress import ip_network

    address, _, length = text.partition("/")
    parsed = read_address(address)
    if parsed is None or not (length.isascii() and length.isdigit()) or int(length) > parsed.max_prefixlen:
        return None
    return ip_network(f"{parsed}/{int(length)}", strict=False)


def network(text: str, at: Place) -> Iterator[Fault]:
    """`IsValidCIDRForLegacyField`."""
    address_text, slash, length = text.partition("/")
    address, zeros = _read(address_text)
    bits = 0 if address is None else address.max_prefixlen
    if not slash or address is None or not (length.isascii() and length.isdigit()) or int(length) > bits:
        yield at.invalid(text, _NO_NETWORK)
        return
    if zeros or (length != "0" and length.startswith("0")):
        yield at.invalid(text, "must not have leading 0s in IP or prefix length")
        return
    if address.version == 6 and address.ipv4_mapped is not None:
        yield at.invalid(text, "must not have an IPv4-mapped IPv6 address")
    elif int(address) & ((1 << (bits - int(length))) - 1):
        yield at.invalid(text, "must not have bits set beyond the prefix length")
