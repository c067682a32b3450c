"""A name with random characters -> the names that KubeRay derives from it.

Upstream: KubeRay v1.5.1 `controllers/ray/utils/util.go:PodName`, `CheckName`, `CheckLabel`. They cut names by their length, so
random characters are counted as the five that the operator generates.
"""

from __future__ import annotations

from tjgen.trees.k8s.placeholders import RANDOM

_MARK = "\0"
_LONGEST_PREFIX = 50
_LONGEST_LABEL = 63


def pod_prefix(name: str, role: str) -> str:
    """The prefix of the names of pods: the first 50 characters, and the role."""
    return f"{_back(_marked(name)[:_LONGEST_PREFIX])}-{role}-".lower()


def own_name(name: str) -> str:
    """The name of an account or a secret: the last 50 characters, which begin with a letter."""
    return _back(_with_letter(_marked(name)[-_LONGEST_PREFIX:], is_name=True))


def label(value: str) -> str:
    """The value of a label: the last 63 characters."""
    return _back(_with_letter(_marked(value)[-_LONGEST_LABEL:], is_name=False))


def _with_letter(text: str, *, is_name: bool) -> str:
    is_wrong = text[:1] in "-._" or (is_name and text[:1].isdigit())
    return f"r{text[1:]}" if text and is_wrong else text


def _marked(text: str) -> str:
    return text.replace(RANDOM, _MARK * 5)


def _back(text: str) -> str:
    if _MARK not in text:
        return text
    head, _, tail = text.partition(_MARK)
    return f"{head}{RANDOM}{tail.lstrip(_MARK)}"
