"""The options of a build beyond compiling, and the receivers of its results."""

from __future__ import annotations

from tjgen.cluster.synctools.table import NO_TOOL
from tjgen.gitops.emit.plan import OutputFile
from tjgen.trees.typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from tjgen.compiler.building.plan import Plan
    from tjgen.compiler.building.records import Answers


class TreeOptions(Protocol):
    """What `OutputTree`, which writes, and `Comparison`, which only looks, have in common."""

    def put(self, file: OutputFile) -> None: ...
    def keep(self, path: str) -> None: ...
    def claim(self, folder: str, *, owner: str = "") -> None: ...
    def record(self, path: str, text: str | None) -> None: ...
    def present(self) -> list[str]: ...


class BuildOptions(NamedTuple):
    """The options of the command line beyond compiling."""

    force: bool = False
    prune_runs: bool = False
    prune_data: bool = False
    keep: int | None = None
    """How many superseded runs of each experiment stay; None: all."""
    tool: str = NO_TOOL
    """What syncs the tree, and whether a person confirms that it deletes a run: its annotations can be changed in place."""
    migrates: bool = False
    """Whether the build may move synced objects to another owner: `tjgen migrate --write`."""
    previews: str = ""
    """The previews to write: none, or their form, COLLAPSED or EACH."""
    jobs: int = 1
    """The most processes that compile."""
    answers: Answers | None = None
    """The records of shards, instead of processes that compile."""
    again: bool = False
    """Run again under another name everything that `renew` answers for, also what would not change."""


def of_project(plan: Plan, options: BuildOptions) -> BuildOptions:
    """The options with what the project sets."""
    spec = plan.project.spec
    tool = spec.gitops.tool
    confirms = tool != NO_TOOL and spec.gitops.removal == "confirm"
    return options._replace(keep=spec.history.keep, tool=f"{tool} confirm" if confirms else tool)
