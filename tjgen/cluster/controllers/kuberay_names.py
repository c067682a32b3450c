"""A name -> the names that KubeRay derives from it.

Upstream: KubeRay v1.5.1 `controllers/ray/utils/util.go:GenerateRayClusterName`, `PodName`, `CheckName`, `CheckLabel`.
"""

from __future__ import annotations

_RANDOM = "xxxxx"
_LONGEST_PREFIX = 50
_LONGEST_LABEL = 63


def with_random(name: str) -> str:
    """The name with five random characters, as the operator names a RayCluster and the submission of a program."""
    return f"{name}-{_RANDOM}"


def pod_prefix(name: str, role: str) -> str:
    """The prefix of the names of pods: the first 50 characters, and the role."""
    return f"{name[:_LONGEST_PREFIX]}-{role}-".lower()


def own_name(name: str) -> str:
    """The name of an account or a secret: the last 50 characters, which begin with a letter."""
    return _with_letter(name[-_LONGEST_PREFIX:], is_name=True)


def label(value: str) -> str:
    """The value of a label: the last 63 characters."""
    return _with_letter(value[-_LONGEST_LABEL:], is_name=False)


def _with_letter(text: str, *, is_name: bool) -> str:
    is_wrong = text[:1] in ("-", ".", "_") or (is_name and text[:1].isdigit())
    return f"r{text[1:]}" if is_wrong else text
