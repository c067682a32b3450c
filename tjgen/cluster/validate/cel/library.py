"""The name of a function beyond the core language -> what it does: the libraries that Kubernetes gives to rules.

Mirrors k8s.io/apiserver 0.36 `pkg/cel/library` (lists, regex, URLs, quantities, IP addresses, networks) and
github.com/google/cel-go `ext` (strings, sets, lists) with the conversions of its standard library, and its optionals. Not the
names of formats: rules that need them are not understood. Loaded when a rule uses one.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from tjgen.cluster.schema.pattern_escapes import PatternError
from tjgen.cluster.schema.patterns import find_all
from tjgen.cluster.validate.cel import addresses, amounts, conversions, formatting, links, lists, optionals, times, values
from tjgen.cluster.validate.cel.values import CelError, overload
from tjgen.trees.typing import Any

Function = Callable[..., Any]


def find(name: str, arguments: int, *, has_target: bool) -> Function | None:
    """The function of a name with that many arguments (its target among them); None if there is none."""
    table = _METHODS if has_target else _GLOBALS
    return table.get((name, arguments)) or (optionals.METHODS.get((name, arguments)) if has_target else None)


def namespaced(name: str, arguments: int) -> Function | None:
    """A function that is written behind the name of its library: `sets.contains`."""
    return _NAMESPACED.get((name, arguments)) or optionals.NAMESPACED.get((name, arguments))


def _of(kind: type, *others: Any) -> None:
    if any(other.__class__ is not kind for other in others):
        raise overload()


def _index_of(value: Any, part: Any, start: Any = 0) -> int:
    if value.__class__ is list:
        return next((position for position, item in enumerate(value) if values.equal(item, part)), -1)
    _of(str, value, part)
    _of(int, start)
    if start < 0:
        raise CelError(f"index out of range: {start}")
    return int(value.find(part, start)) if part else start


def _last_index_of(value: Any, part: Any, last: Any = None) -> int:
    if value.__class__ is list:
        return max((position for position, item in enumerate(value) if values.equal(item, part)), default=-1)
    _of(str, value, part)
    if last is None:
        return int(value.rfind(part))
    _of(int, last)
    if last < 0:
        raise CelError(f"index out of range: {last}")
    return int(value.rfind(part, 0, last + len(part))) if last < len(value) else -1 if part else last


def _substring(text: Any, start: Any, end: Any = None) -> str:
    _of(str, text)
    is_open = end is None
    end = len(text) if is_open else end
    _of(int, start, end)
    if start < 0 or end > len(text) or (is_open and start > end):
        raise CelError(f"index out of range: {end if 0 <= start <= end else start}")
    if start > end:
        raise CelError(f"invalid substring range. start: {start}, end: {end}")
    return str(text[start:end])


def _char_at(text: Any, position: Any) -> str:
    _of(str, text)
    _of(int, position)
    if not 0 <= position <= len(text):
        raise CelError(f"index out of range: {position}")
    return str(text[position : position + 1])


def _split(text: Any, separator: Any, most: Any = -1) -> list[str]:
    _of(str, text, separator)
    _of(int, most)
    if most == 0:
        return []
    if not separator:
        parts = list(text)
        return parts if most < 0 or most > len(parts) else [*parts[: most - 1], "".join(parts[most - 1 :])]
    return list(text.split(separator, most - 1)) if most > 0 else list(text.split(separator))


def _join(parts: Any, separator: Any = "") -> str:
    _of(list, parts)
    _of(str, separator, *parts)
    values.bounded(separator, sum(map(len, parts)) + len(separator) * len(parts))
    return str(separator.join(parts))


def _replace(text: Any, old: Any, new: Any, most: Any = -1) -> str:
    _of(str, text, old, new)
    _of(int, most)
    if new and len(text) * len(new) > values.MOST_CHARACTERS:
        values.bounded(text, len(text) + text.count(old) * len(new))
    return str(text.replace(old, new, most))


def _case(change: Callable[[str], str]) -> Function:
    def changed(text: Any) -> str:
        _of(str, text)
        return "".join(change(character) if character.isascii() else character for character in text)

    return changed


def _trim(text: Any) -> str:
    _of(str, text)
    return str(text.strip())


def _find(text: Any, pattern: Any) -> str:
    return "".join(_find_all(text, pattern, 1))


def _find_all(text: Any, pattern: Any, most: Any = -1) -> list[str]:
    _of(str, text, pattern)
    _of(int, most)
    try:
        return [text[start:end] for start, end in find_all(pattern, text, most)]
    except PatternError as problem:
        raise CelError(f"Illegal regex: error parsing regexp: {problem}") from None


def _is_sorted(items: Any) -> bool:
    _of(list, items)
    return all(values.at_most(left, right) for left, right in pairwise(items))


def _sum(items: Any) -> Any:
    _of(list, items)
    total: Any = 0
    for position, item in enumerate(items):
        total = values.add(total, item) if position else item
    return total


def _extreme(is_better: Callable[[Any, Any], bool], name: str) -> Function:
    def extreme(items: Any) -> Any:
        _of(list, items)
        if not items:
            raise CelError(f"{name} called on empty list")
        best = items[0]
        for item in items[1:]:
            best = item if is_better(item, best) else best
        return best

    return extreme


def _contains_all(items: Any, others: Any) -> bool:
    _of(list, items, others)
    return all(values.contains(item, items) for item in others)


def _intersects(left: Any, right: Any) -> bool:
    _of(list, left, right)
    return any(values.contains(item, right) for item in left)


_GLOBALS: dict[tuple[str, int], Function] = {
    **lists.GLOBALS,
    ("bool", 1): conversions.to_bool,
    ("bytes", 1): conversions.to_bytes,
    ("cidr", 1): addresses.cidr,
    ("double", 1): conversions.to_double,
    ("duration", 1): times.duration,
    ("dyn", 1): lambda value: value,
    ("int", 1): conversions.to_int,
    ("ip", 1): addresses.ip,
    ("isCIDR", 1): addresses.is_cidr,
    ("isIP", 1): addresses.is_ip,
    ("isQuantity", 1): amounts.is_quantity,
    ("isURL", 1): links.is_url,
    ("quantity", 1): amounts.quantity,
    ("sign", 1): amounts.sign,
    ("string", 1): conversions.to_string,
    ("timestamp", 1): times.timestamp,
    ("type", 1): conversions.type_of,
    ("uint", 1): conversions.to_uint,
    ("url", 1): links.url,
}


def _compared(value: Any, other: Any) -> int:
    return lists.compare_versions(value, other) if value.__class__ is lists.SemanticVersion else amounts.compared(value, other)


_METHODS: dict[tuple[str, int], Function] = {
    **lists.METHODS,
    **times.METHODS,
    ("add", 2): amounts.added,
    ("asApproximateFloat", 1): amounts.approximate,
    ("asInteger", 1): amounts.as_integer,
    ("charAt", 2): _char_at,
    ("compareTo", 2): _compared,
    ("containsCIDR", 2): addresses.contains_cidr,
    ("containsIP", 2): addresses.contains_ip,
    ("family", 1): addresses.family,
    ("find", 2): _find,
    ("findAll", 2): _find_all,
    ("findAll", 3): _find_all,
    ("format", 2): formatting.formatted,
    ("getEscapedPath", 1): links.path,
    ("getHost", 1): links.host,
    ("getHostname", 1): links.host_name,
    ("getPort", 1): links.port,
    ("getQuery", 1): links.query,
    ("getScheme", 1): links.scheme,
    ("indexOf", 2): _index_of,
    ("indexOf", 3): _index_of,
    ("ip", 1): addresses.address_of,
    ("isGreaterThan", 2): lambda left, right: _compared(left, right) > 0,
    ("isInteger", 1): amounts.is_integer,
    ("isGlobalUnicast", 1): addresses.is_global_unicast,
    ("isLessThan", 2): lambda left, right: _compared(left, right) < 0,
    ("isLinkLocalMulticast", 1): addresses.is_link_local_multicast,
    ("isLinkLocalUnicast", 1): addresses.is_link_local_unicast,
    ("isLoopback", 1): addresses.is_loopback,
    ("isSorted", 1): _is_sorted,
    ("isUnspecified", 1): addresses.is_unspecified,
    ("join", 1): _join,
    ("join", 2): _join,
    ("lastIndexOf", 2): _last_index_of,
    ("lastIndexOf", 3): _last_index_of,
    ("lowerAscii", 1): _case(str.lower),
    ("masked", 1): addresses.masked,
    ("max", 1): _extreme(lambda item, best: values.less(best, item), "max"),
    ("min", 1): _extreme(values.less, "min"),
    ("prefixLength", 1): addresses.prefix_length,
    ("replace", 3): _replace,
    ("replace", 4): _replace,
    ("split", 2): _split,
    ("split", 3): _split,
    ("sub", 2): amounts.subtracted,
    ("substring", 2): _substring,
    ("substring", 3): _substring,
    ("sum", 1): _sum,
    ("trim", 1): _trim,
    ("upperAscii", 1): _case(str.upper),
}
_NAMESPACED: dict[tuple[str, int], Function] = {
    **lists.NAMESPACED,
    ("ip.isCanonical", 1): addresses.is_canonical,
    ("sets.contains", 2): _contains_all,
    ("sets.equivalent", 2): lambda left, right: _contains_all(left, right) and _contains_all(right, left),
    ("sets.intersects", 2): _intersects,
}
