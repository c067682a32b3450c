"""A pod as the checks of Pod Security see it, and the words of what they refuse."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.typing import NamedTuple

LATEST = 1_000_000
"""The minor release of the version `latest`."""
CONTEXT: FieldPath = ("spec", "securityContext")


class Violation(NamedTuple):
    """What one check refuses."""

    path: FieldPath
    """The first field of the pod that the check refuses, or that lacks what it requires."""
    reason: str
    detail: str

    def __str__(self) -> str:
        return f"{self.reason} ({self.detail})" if self.detail else self.reason


class PodView(NamedTuple):
    """A pod with the minor release that judges it."""

    metadata: Tree
    spec: Tree
    minor: int

    def containers(self) -> Iterator[tuple[FieldPath, Tree, Tree]]:
        """The path, the container and its security context."""
        for kind in ("initContainers", "containers", "ephemeralContainers"):
            for position, container in enumerate(self.spec.get(kind) or ()):
                yield ("spec", kind, position), container, container.get("securityContext") or {}

    @property
    def context(self) -> Tree:
        return self.spec.get("securityContext") or {}

    @property
    def is_in_user_namespace(self) -> bool:
        return self.spec.get("hostUsers") is False

    @property
    def is_windows(self) -> bool:
        return bool(get(self.spec, ("os", "name"), None) == "windows")


def quoted(items: list[str]) -> str:
    return ", ".join(f'"{item}"' for item in items)


def plural(word: str, items: list[str]) -> str:
    return word if len(items) == 1 else f"{word}s"


def named_list(items: list[str], word: str = "container") -> str:
    return f"{plural(word, items)} {quoted(items)}"


def setters(pod: bool, names: list[str]) -> str:
    return " and ".join([*(["pod"] if pod else []), *([named_list(names)] if names else [])])


class Violations:
    """The containers that a check refuses, in their order, and the values that are refused."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.values: set[str] = set()
        self.path: FieldPath = ()

    def add(self, path: FieldPath, name: str | None, *values: str) -> None:
        """A container, or with None the pod."""
        self.path = self.path or path
        if name is not None:
            self.names.append(name)
        self.values.update(values)

    @property
    def sorted(self) -> list[str]:
        return sorted(self.values)
