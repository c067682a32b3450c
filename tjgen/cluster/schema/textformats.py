"""The name of a string format -> the check of a text: those formats that custom resources of others use.

Mirrors k8s.io/kube-openapi `validation/strfmt`; the supported formats are those of k8s.io/apiextensions-apiserver 0.36
`apiserver/validation/formats.go`.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from tjgen.cluster.schema.times import is_date, is_date_time

_GO_DURATION = re.compile(r"[-+]?(?:0|(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:ns|us|\u00b5s|\u03bcs|ms|s|m|h))+)\Z")
_DURATION_PART = re.compile(r"([0-9]+)\s*([A-Za-z\u00b5]+)")
_UNITS = ("ns", "us", "\u00b5s", "ms", "s", "m", "h", "hr", "d", "w", "wk")
_LONG_UNITS = ("nano", "micro", "milli", "sec", "min", "hour", "day", "week")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*\Z")
_BAD_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_LABEL = re.compile(r"[^\W_](?:[^\W_]|-(?!-*\Z)){0,62}\Z")
_UUID = r"(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?%s[0-9a-f]{3}-?%s[0-9a-f]{3}-?[0-9a-f]{12}\Z"
_MAC = re.compile(
    r"(?:[0-9A-Fa-f]{2}([:-]))(?:[0-9A-Fa-f]{2}\1){4}(?:(?:[0-9A-Fa-f]{2}\1){2})?[0-9A-Fa-f]{2}\Z"
    r"|(?:[0-9A-Fa-f]{4}\.){2,3}[0-9A-Fa-f]{4}\Z"
)
_BASE64 = re.compile(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})\Z")
_ZEROS = re.compile(r"(?<![0-9a-fA-F])0+(?=[0-9]+(?:\.|\Z))")
_NAME = r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?"


def is_known(name: str) -> bool:
    """Whether a format is checked, or is none that the server would check."""
    return name.replace("-", "") not in UNCHECKED


def _is_duration(text: str) -> bool:
    """A Go duration, or one with longer words for the units (`strfmt/duration.go:ParseDuration`)."""
    if _GO_DURATION.match(text):
        return True
    units = [unit.lower() for _, unit in _DURATION_PART.findall(text)]
    return any(unit in _UNITS or unit.startswith(_LONG_UNITS) for unit in units)


def _is_address(text: str, version: int) -> bool:
    from ipaddress import ip_address  # few kinds have addresses

    try:
        parsed = ip_address(_ZEROS.sub("", text) if text.count(".") == 3 else text)
    except ValueError:
        return False
    return "%" not in text and (parsed.version == version or (version == 4 and "." in text))


def _is_network(text: str) -> bool:
    from ipaddress import ip_interface

    address, slash, length = text.partition("/")
    try:
        return bool(slash) and "%" not in address and length.isascii() and length.isdigit() and bool(ip_interface(text))
    except ValueError:
        return False


def is_request_uri(text: str) -> bool:
    """Absolute, or an absolute path (net/url ParseRequestURI), as far as its characters go."""
    if not text or any(character <= " " or character == "\x7f" for character in text):
        return False
    scheme, colon, rest = text.partition(":")
    if text[0] == "/":
        rest = text
    elif not (colon and _SCHEME.match(scheme)):
        return False
    return not _BAD_ESCAPE.search(rest.partition("?")[0])


def _is_hostname(text: str) -> bool:
    """Labels of letters, digits and inner dashes (`strfmt/default.go:IsHostname`)."""
    labels = text.split(".")
    if len(text.encode()) > 255 or not all(_LABEL.match(label) for label in labels):
        return False
    return len(labels) == 1 or (len(labels[-1]) >= 2 and labels[-1].isalpha())


CHECKS: dict[str, Callable[[str], object]] = {
    "byte": _BASE64.match,
    "cidr": _is_network,
    "date": is_date,
    "datetime": is_date_time,
    "duration": _is_duration,
    "hostname": _is_hostname,
    "ipv4": lambda text: _is_address(text, 4),
    "ipv6": lambda text: _is_address(text, 6),
    "k8slongname": lambda text: len(text) <= 253 and re.match(rf"{_NAME}(?:\.{_NAME})*\Z", text),
    "k8sshortname": lambda text: len(text) <= 63 and re.match(rf"{_NAME}\Z", text),
    "mac": _MAC.match,
    "password": lambda text: True,
    "uri": is_request_uri,
    "uuid": re.compile(_UUID % ("[0-9a-f]", "[0-9a-f]")).match,
    "uuid3": re.compile(_UUID % ("3", "[0-9a-f]")).match,
    "uuid4": re.compile(_UUID % ("4", "[89ab]")).match,
    "uuid5": re.compile(_UUID % ("5", "[89ab]")).match,
}
"""Name of a format without its dashes -> the check."""

UNCHECKED = ("bsonobjectid", "creditcard", "email", "hexcolor", "isbn", "isbn10", "isbn13", "rgbcolor", "ssn")
"""The formats that the server checks and tjgen does not."""
