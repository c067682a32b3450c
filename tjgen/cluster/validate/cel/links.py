"""URLs in rules.

Mirrors k8s.io/apiserver 0.36 `pkg/cel/library/urls.go`: what net/url ParseRequestURI takes and is absolute, or is a path.
"""

from __future__ import annotations

from tjgen.cluster.schema.textformats import is_request_uri
from tjgen.cluster.validate.cel.addresses import is_ip
from tjgen.cluster.validate.cel.values import CelError, overload
from tjgen.trees.typing import Any, NamedTuple


class Link(NamedTuple):
    """The parts of a URL."""

    scheme: str
    host: str
    path: str
    query: str = ""


def _parsed(text: Any) -> Link | None:
    if text.__class__ is not str:
        raise overload()
    if not is_request_uri(text):
        return None
    scheme, _, rest = ("", "", text) if text[0] == "/" else text.partition(":")
    host = ""
    if rest.startswith("//") and (scheme or not rest.startswith("///")):
        host, slash, rest = rest[2:].partition("/")
        rest = slash + rest
        host, question, query = host.partition("?")
        rest = rest or question + query
    host = host.rpartition("@")[2]
    number = _port(host)
    if "#" in host or (number and not (number.isascii() and number.isdigit())):
        return None
    if host[:1] == "[" and not is_ip(host[1:].partition("]")[0]):
        return None
    place, _, query_text = rest.partition("#")[0].partition("?")
    return Link(scheme.lower(), host, place, query_text)


def url(text: Any) -> Link:
    """`url(text)`."""
    link = _parsed(text)
    if link is None:
        words = "invalid URI for request" if text else "empty url"
        raise CelError(f'URL parse error during conversion from string: parse "{text}": {words}')
    return link


def is_url(text: Any) -> bool:
    """`isURL(text)`."""
    return _parsed(text) is not None


def scheme(link: Any) -> str:
    """`link.getScheme()`."""
    return _of(link).scheme


def host(link: Any) -> str:
    """`link.getHost()`, with its port."""
    return _of(link).host


def host_name(link: Any) -> str:
    """`link.getHostname()`."""
    given = _of(link).host
    return given[1:].partition("]")[0] if given[:1] == "[" else given.partition(":")[0]


def port(link: Any) -> str:
    """`link.getPort()`."""
    return _port(_of(link).host)


def path(link: Any) -> str:
    """`link.getEscapedPath()`."""
    return _of(link).path


def _port(host: str) -> str:
    return host.rpartition("]")[2].partition(":")[2]


def query(link: Any) -> dict[str, list[str]]:
    """`link.getQuery()`."""
    from urllib.parse import parse_qs  # few rules read it

    return parse_qs(_of(link).query, keep_blank_values=True)


def _of(value: Any) -> Link:
    if value.__class__ is not Link:
        raise overload()
    link: Link = value
    return link
