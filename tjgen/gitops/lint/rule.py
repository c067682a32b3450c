"""What a rule of lint is: what is known about a trap, and what its check yields."""

from __future__ import annotations

from tjgen.cluster.synctools import table
from tjgen.cluster.synctools.table import ARGOCD, FLUX
from tjgen.trees.diagnostics.model import ERROR, INFO, WARNING
from tjgen.trees.fields.path import MISSING, FieldPath, Tree
from tjgen.trees.typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tjgen.gitops.lint.scene import AppliedObject, Scene

__all__ = [
    "ARGOCD",
    "DEDUCED",
    "DOCUMENTED",
    "ERROR",
    "EVIDENCE",
    "FLUX",
    "INFO",
    "MISSING",
    "SEEN",
    "SOURCE",
    "TOOLS",
    "WARNING",
    "FieldEdit",
    "Finding",
    "Rule",
    "RuleEntry",
]

TOOLS = tuple([tool.name for tool in table.TOOLS])
"""What may sync the manifests."""

DOCUMENTED = "documented"
SOURCE = "source-read"
SEEN = "observed on the test cluster"
DEDUCED = "deduced"
EVIDENCE = {
    SEEN: "end to end, with the real API server, controllers and sync engines",
    SOURCE: "in the source of the tool or controller",
    DOCUMENTED: "by the project itself",
    DEDUCED: "from sources, but not observed: at most a warning",
}
"""How it is known that a trap is one."""


class Rule(NamedTuple):
    """What is known about a trap. Texts are sentences."""

    code: str
    """TJ6NN."""
    name: str
    """What it finds; its module is called the same."""
    severity: str
    evidence: str
    source: str
    """The URL of the code, the page or the issue that shows the trap."""
    since: str
    """The first release of tjgen that has the rule."""
    title: str
    """The problem in the manifests, in a few words."""
    why: str
    """The effect of the problem."""
    remedy: str
    effects: Mapping[str, str]
    """Name of a tool -> what it does, a sentence; for at least the tools that the rule matters for."""
    upstream: str = ""
    """Where it is written: functions, pages, issues, releases."""
    release: str = ""
    """The first release of the upstream project that has the trap, where earlier supported ones do not: "Trainer 2.3"."""
    tools: tuple[str, ...] = TOOLS
    """The tools that it matters for; none if it matters with every tool."""
    against: bool = False
    """Whether it compares with the state before."""
    by_default: bool = True
    """Whether it runs without `--all` or `--select`: not if it does not protect a run, claim or sync."""


class FieldEdit(NamedTuple):
    """A part of a fix: the new value at `path` of `item`, MISSING to remove it."""

    item: AppliedObject
    path: FieldPath
    value: Tree = MISSING


class RelatedPlace(NamedTuple):
    """A second place that belongs to a finding."""

    item: AppliedObject
    path: FieldPath
    message: str


class Finding(NamedTuple):
    """One thing that a rule found, at `path` of `item`; with `key` the key is shown, not the value."""

    item: AppliedObject
    path: FieldPath
    message: str
    hint: str = ""
    key: bool = False
    changes: tuple[FieldEdit, ...] = ()
    """What cures it, where that is mechanical."""
    related: tuple[RelatedPlace, ...] = ()
    severity: str = ""
    """Where a case is milder than the rule."""


class RuleEntry(NamedTuple):
    """A rule with its check."""

    rule: Rule
    check: Callable[[Scene], Iterator[Finding]]
