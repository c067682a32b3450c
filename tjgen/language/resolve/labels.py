"""The values of a sweep's points -> a short name for each point: `lr-1e-3`, `gpu-h100-8-lr-1e-3`.

A label depends on its own point and on which fields the sweep sets, not on the other values, so that
a point keeps its name when others are added or removed. If that would be too long, or would not distinguish two
points, a few characters of the values' hash are added at the end.
"""

from __future__ import annotations

import re
from collections import Counter

from tjgen.language.spec.forms import text
from tjgen.trees.canonical import json_text, sha256_hex
from tjgen.trees.fields.path import FieldPath, Tree, render

LONGEST = 24

_OTHER = re.compile(r"[^a-z0-9]+")
_Point = list[tuple[FieldPath, Tree]]


def labels(points: list[_Point]) -> list[str]:
    """A label for each point, in order; no two are equal unless their points are."""
    plain = [_plain(point) for point in points]
    times = Counter(plain)
    return [
        label if len(label) <= LONGEST and times[label] == 1 else _marked(label, point)
        for label, point in zip(plain, points, strict=True)
    ]


def _plain(point: _Point) -> str:
    return "-".join(part for path, value in point for part in (_word(str(path[-1])), _word(_shown(value))) if part)


def _marked(label: str, point: _Point) -> str:
    mark = sha256_hex(json_text([[render(path), value] for path, value in point]))[:6]
    return f"{label[: LONGEST - 7].rstrip('-')}-{mark}".lstrip("-")


def _shown(value: Tree) -> str:
    if value.__class__ is dict:
        return "-".join(_shown(item) for item in value.values())
    if value.__class__ is list:
        return "-".join(_shown(item) for item in value)
    return "none" if value is None else text(value)


def _word(words: str) -> str:
    return _OTHER.sub("-", words.lower()).strip("-")
