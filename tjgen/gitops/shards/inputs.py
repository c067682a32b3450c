"""A plan -> what all shards of a build and their merge have in common, and what is different if they do not."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256

import tjgen
from tjgen.compiler.building.plan import Plan
from tjgen.gitops.emit import program
from tjgen.trees import trust
from tjgen.trees.typing import NamedTuple


class ShardInputs(NamedTuple):
    """The inputs of a build, apart from the content of its experiments: each record has the digest of its own."""

    version: str
    """The version of tjgen."""
    program: str
    """The digest of its files."""
    environments: str
    files: str
    """The digest of the names of the experiments' files, in order."""
    previews: str
    """The form of the previews; empty if there are none."""
    trusted: str
    project: str
    """The digest of the project file, overlays, Platforms, catalogs, policies, pins and limits."""


_DIFFERENCES = {
    "version": "by another version of tjgen",
    "program": "by another installation of tjgen",
    "environments": "with other values of --env",
    "files": "from other experiments: files were added, removed or named differently",
    "previews": "with other values of --expanded and --all-pods",
    "trusted": "with another value of --trusted",
    "project": "from another project file, overlay, Platform, runtime, policy or pin",
}


def inputs_of(plan: Plan, previews: str) -> ShardInputs:
    """The inputs of this build."""
    return ShardInputs(
        tjgen.__version__,
        program.content_digest(),
        ",".join(name or "" for name in plan.environments),
        _digest(file.encode(errors="surrogateescape") for file in plan.files),
        previews,
        "yes" if trust.is_granted() else "no",
        _digest([repr(plan.sandbox.budgets).encode(), *plan.surroundings()]),
    )


def difference(one: ShardInputs, other: ShardInputs) -> str | None:
    """How the first input that differs ends the sentence "it was built"; None if all are equal."""
    return next((words for field, words in _DIFFERENCES.items() if getattr(one, field) != getattr(other, field)), None)


def _digest(parts: Iterable[bytes]) -> str:
    whole = sha256()
    for part in parts:
        whole.update(len(part).to_bytes(8, "big") + part)
    return whole.hexdigest()
