"""The registry of facts about objects: each fact is one rule, with the phase in which its input is complete.

| phase | input |
|---|---|
| SERVER | one object: the verdict of the API server and its webhooks |
| OBJECT | one object that the server accepts |
| TOGETHER | all objects that are applied together, with those that the Trainer controller creates for TrainJobs |
| CLOSED | all objects of a cluster |
| UPDATE | an object, and the object that it replaces |

`check`, `lint` and `build` run the rules of phases SERVER, OBJECT and TOGETHER. A build compares runs by what it extracts of each
(`compiler/totals/relations.py`), and claims with the tree that it replaces. `diff`, `verify`, and `check` and `lint` with
`--against` run those of UPDATE. `verify` builds again what the base lacks, and runs those of TOGETHER on what differs and on what
that concerns.
`import` sees one object after the other, so it runs SERVER and OBJECT.
`tests/cluster/validate/test_registry.py` shows for each rule that these gates report it, or states why one does not.
Rules about what a GitOps tool does with objects are in `tjgen/gitops/lint/rules`: they need to know the tool.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from tjgen.cluster.validate import dropped, gangs, overridden, processes, unmakeable
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import Tree
from tjgen.trees.typing import NamedTuple

SERVER = "server"
OBJECT = "object"
TOGETHER = "together"
CLOSED = "closed"
UPDATE = "update"

Versions = Mapping[str, str] | None


class RegisteredRule(NamedTuple):
    """A fact about objects."""

    phase: str
    codes: tuple[str, ...]
    """The codes of its findings."""


class ObjectRule(NamedTuple):
    """A fact that one object shows."""

    rule: RegisteredRule
    find: Callable[[Tree, Versions], Iterator[Diagnostic]]


class TogetherRule(NamedTuple):
    """A fact that objects show together, apart from TrainJobs (see `together.py`)."""

    rule: RegisteredRule
    find: Callable[[Sequence[gangs.Located]], Iterator[Diagnostic]]


OBJECT_RULES = (
    ObjectRule(
        RegisteredRule(OBJECT, ("TJ427", "TJ511")),
        lambda tree, versions: unmakeable.diagnostics(tree, versions=versions),
    ),
    ObjectRule(
        RegisteredRule(OBJECT, ("TJ336", "TJ337", "TJ417", "TJ421")),
        lambda tree, _: overridden.diagnostics(tree),
    ),
    ObjectRule(RegisteredRule(OBJECT, ("TJ533",)), lambda tree, _: processes.diagnostics(tree)),
    ObjectRule(RegisteredRule(OBJECT, ("TJ528",)), lambda tree, _: gangs.own(tree)),
    ObjectRule(RegisteredRule(OBJECT, ("TJ472",)), dropped.diagnostics),
)
"""In the order in which they report."""
TOGETHER_RULES = (TogetherRule(RegisteredRule(TOGETHER, ("TJ528",)), gangs.waiting),)
RULES: tuple[RegisteredRule, ...] = (
    RegisteredRule(SERVER, ("TJ501",)),
    RegisteredRule(SERVER, ("TJ502",)),
    RegisteredRule(SERVER, ("TJ503", "TJ504", "TJ505", "TJ506", "TJ507", "TJ508", "TJ509", "TJ510")),
    RegisteredRule(SERVER, ("TJ530",)),
    RegisteredRule(SERVER, ("TJ531",)),
    RegisteredRule(SERVER, ("TJ109",)),
    *[one.rule for one in OBJECT_RULES],
    RegisteredRule(TOGETHER, ("TJ865", "TJ866")),
    RegisteredRule(TOGETHER, ("TJ529", "TJ801")),
    RegisteredRule(TOGETHER, ("TJ895",)),
    *[one.rule for one in TOGETHER_RULES],
    RegisteredRule(CLOSED, ("TJ532", "TJ801")),
    RegisteredRule(UPDATE, ("TJ540", "TJ542")),
    RegisteredRule(UPDATE, ("TJ541",)),
)
"""Every rule. Phase SERVER is `judge`. Rules without a function here are in `together.py`, `unresolved.py` and `gitops/diff`."""


def of_object(tree: Tree, versions: Versions = None, *, has_pods: bool = True) -> Iterator[Diagnostic]:
    """What the rules of phase OBJECT report about an object that the server accepts.

    `has_pods` is False for an object whose pods the caller checks in the objects that controllers create from it.
    """
    for one in OBJECT_RULES if has_pods else OBJECT_RULES[1:]:
        yield from one.find(tree, versions)


def of_objects(objects: Sequence[gangs.Located]) -> Iterator[Diagnostic]:
    """What the rules of phase TOGETHER report about objects, without those about TrainJobs."""
    for one in TOGETHER_RULES:
        yield from one.find(objects)
