"""One input that grows, and the command that reads it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from tests.scaling.inputs import Files, document, dumped, experiment, one

BUILD = ("build", "experiment.yaml")
CHECK = ("check", "manifests.yaml", "--no-cache")
LINT = ("lint", "manifests.yaml", "--gitops", "both")


class Case(NamedTuple):
    """One input that grows."""

    name: str
    words: tuple[str, ...]
    """The command line that is measured."""
    files: Callable[[int], Files]
    size: int
    """The number of elements of the smallest of the three inputs: more than what the code treats as a short list."""
    before: tuple[tuple[str, ...], ...] = ()
    """Command lines that run before."""
    stdin: str = ""
    """The file that is standard input."""


def many(count: int, make: Callable[[int], Any], key: str = "key-{:05}") -> dict[str, Any]:
    """A mapping of so many keys."""
    return {key.format(number): make(number) for number in range(count)}


def manifests(*trees: Any) -> Files:
    """One file of manifests."""
    return {"manifests.yaml": dumped(*trees)}


def sweep(axis: dict[str, Any], **more: Any) -> Files:
    """One experiment with a sweep."""
    return one(sweep={**axis, "max": 100_000, **more})


def overlay(name: str, match: Any = None, **spec: Any) -> dict[str, Any]:
    """An overlay, with what it says of experiments."""
    return document("Overlay", name, {**({"match": match} if match else {}), "experiment": spec})


def described(**metadata: Any) -> Files:
    """One experiment with more metadata."""
    return {"experiment.yaml": dumped({**experiment(), "metadata": {"name": "many", **metadata}})}
