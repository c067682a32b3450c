"""A host and a port -> a connection, but not to this machine, its network segment or the metadata of a cloud.

An image names its registry, and any user can name an image: so the addresses of a name are checked when the connection is
opened, not before, and the hosts that the caller names on the command line are the only exceptions.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Collection
from ipaddress import IPv4Address, IPv6Address, ip_address
from urllib.parse import urlsplit
from urllib.request import getproxies

from tjgen.cluster.registry.failure import ADDRESS, RegistryError

_METADATA = frozenset(
    ip_address(text) for text in ("169.254.169.254", "fd00:ec2::254", "100.100.100.200", "168.63.129.16", "192.0.0.192")
)
"""Where clouds answer their machines, with credentials among other things."""

Connect = Callable[..., socket.socket]


def connecting(named: Collection[str]) -> Connect:
    """A function like `socket.create_connection`. `named`: hosts, with or without port, that the caller names."""

    def connect(address: tuple[str, int], timeout: float | None = None, source: tuple[str, int] | None = None) -> socket.socket:
        host, port = address
        if is_named(host, port, named) or address in _proxies():
            return socket.create_connection(address, timeout, source)
        problem: OSError | None = None
        for family, kind, protocol, _, place in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
            refuse(str(place[0]), host)
            connection = socket.socket(family, kind, protocol)
            try:
                connection.settimeout(timeout)
                connection.connect(place)
            except OSError as error:
                connection.close()
                problem = error
            else:
                return connection
        raise problem or OSError(f"{host} has no address")

    return connect


def is_named(host: str, port: int, named: Collection[str]) -> bool:
    """Whether the caller names the host, alone or with this port."""
    bare = host.strip("[]")
    shown = f"[{bare}]" if ":" in bare else bare
    return shown in named or f"{shown}:{port}" in named or bare in named


def refuse(text: str, host: str) -> None:
    """Raises RegistryError where `text` is an address that no image may lead to; what is not an address is let through."""
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    if _is_refused(address):
        shown = host if host == text else f"{host} ({text})"
        raise RegistryError(ADDRESS, f"{shown} is an address of this machine, its network segment or a cloud's metadata")


def _is_refused(address: IPv4Address | IPv6Address) -> bool:
    special = address.is_loopback or address.is_link_local or address.is_unspecified or address.is_multicast
    return special or address in _METADATA


def _proxies() -> set[tuple[str, int]]:
    """The proxies that the caller's environment names."""
    proxies = set()
    for url in getproxies().values():
        parts = urlsplit(url if "://" in url else f"http://{url}")
        if parts.hostname:
            proxies.add((parts.hostname, parts.port or (443 if parts.scheme == "https" else 80)))
    return proxies
