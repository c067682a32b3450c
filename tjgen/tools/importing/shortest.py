"""A long experiment, and the job that it must produce -> the shortest that produces it, with a patch for the rest.

A field of the language stays if it makes experiment and patch shorter together. That also finds fields that a target
rejects, or that set more than the job has.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.tools.importing.changes import Filled, PatchChange, changes, cost_of
from tjgen.tools.importing.guards import guards
from tjgen.tools.importing.trial import TrialBuilder, TrialResult
from tjgen.trees.fields.path import Tree
from tjgen.trees.source.writer import dump
from tjgen.trees.typing import NamedTuple

PATCH = "as-it-was"
_KEPT = ("runtime", "target", "naming", "roles")
_CORE = ("image", "command", "args")
"""Fields that stay unless they are rejected: people look for them when they edit the experiment."""
_BY_ENTRY = ("volumes", "schedule", "volcano", "restart", "cleanup", "pod")
_PLAIN = "tjgen-plain"
_PROGRAM = ("/env", "/command", "/args")
"""What a runtime adds to a job that has none of it: the patch that removes it rejects edits of the program."""
_DEARER = 2
"""A line of a patch is so much harder to read than a word of the language."""

Word = tuple[str, ...]


class Attempt(NamedTuple):
    """An experiment without its patch, and what is still to be changed of what it gives."""

    experiment: Tree
    result: TrialResult
    changes: list[PatchChange]
    tests: list[Tree]
    """Operations that reject an edit of a field if the patch undoes its effect."""
    cost: tuple[int, int]
    """The cost of an experiment: errors first, then its length."""


def shortest(experiment: Tree, job: Tree, filled: Filled, trial: TrialBuilder) -> Attempt:
    """The best of `experiment` without the words that are refused, and those that make it longer."""
    best = _attempt(experiment, job, filled, trial)
    if best.cost[0] and experiment["spec"]["runtime"] != _PLAIN:
        plain = _attempt(_with(experiment, {"runtime": _PLAIN}), job, filled, trial)
        best = best if plain.cost[0] else plain
    elif any(test["path"].endswith(_PROGRAM) for test in best.tests) and experiment["spec"]["runtime"] != _PLAIN:
        plain = _attempt(_with(experiment, {"runtime": _PLAIN}), job, filled, trial)
        best = plain if plain.cost < best.cost else best
    for word in words(best.experiment) if best.cost[0] else ():
        best = _better(best, word, job, filled, trial)
    for word in [word for word in words(best.experiment) if word[0] not in _CORE]:
        best = _better(best, word, job, filled, trial)
    return best


def _better(best: Attempt, word: Word, job: Tree, filled: Filled, trial: TrialBuilder) -> Attempt:
    less = _attempt(without(best.experiment, word), job, filled, trial)
    return less if less.cost < best.cost else best


def patched(attempt: Attempt, kind: str) -> Tree:
    """The experiment with the patch for what is still to be changed."""
    if not attempt.changes:
        return attempt.experiment
    patch = {"target": {"kind": kind}, "json": [*attempt.tests, *(change.operation for change in attempt.changes)]}
    return _with(attempt.experiment, {"patches": {PATCH: patch}})


def _attempt(experiment: Tree, job: Tree, filled: Filled, trial: TrialBuilder) -> Attempt:
    result = trial.build(experiment)
    built = [tree for tree in result.of_kind(job["kind"]) if tree["apiVersion"] == job["apiVersion"]]
    if result.errors or len(built) != 1:
        return Attempt(experiment, result, [], [], (len(result.errors) + 1, 0))
    differences = changes(built[0], job, filled)
    extra = sum(len(dump(tree)) for tree in result.objects if tree is not built[0])
    operations = [change.operation for change in differences]
    tests = guards(operations, built[0])
    cost = len(dump(experiment)) + _DEARER * (extra + sum(map(cost_of, [*tests, *operations])))
    return Attempt(experiment, result, differences, tests, (0, cost))


def words(experiment: Tree) -> Iterator[Word]:
    """What can be left out, one by one."""
    spec = experiment["spec"]
    for key in [key for key in spec if key not in _KEPT]:
        if key in _BY_ENTRY and len(spec[key]) > 1:
            yield from ((key, entry) for entry in spec[key])
        else:
            yield (key,)
    for role, fields in (spec.get("roles") or {}).items():
        yield from (("roles", role, field) for field in fields if field != "replicas")


def without(experiment: Tree, word: Word) -> Tree:
    """Return the experiment without the field."""
    return {**experiment, "spec": _less(experiment["spec"], word)}


def _less(tree: Tree, word: Word) -> Tree:
    if len(word) == 1 or word[0] not in tree:
        return {key: value for key, value in tree.items() if key != word[0]}
    rest = _less(tree[word[0]], word[1:])
    return {key: rest if key == word[0] else value for key, value in tree.items() if key != word[0] or rest}


def _with(experiment: Tree, fields: Tree) -> Tree:
    return {**experiment, "spec": {**experiment["spec"], **fields}}
