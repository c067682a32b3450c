"""A long experiment, and the job that it must produce -> the shortest that produces it, with a patch for the rest.

A field of the language stays if it makes experiment and patch shorter together. That also finds fields that a target
rejects, or that set more than the job has.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.tools.importing.changes import Filled, PatchChange, changes
from tjgen.tools.importing.frameworks import BARE
from tjgen.tools.importing.patch import with_patch
from tjgen.tools.importing.trial import TrialBuilder, TrialResult
from tjgen.trees.fields.path import Tree
from tjgen.trees.source.writer import dump
from tjgen.trees.typing import NamedTuple

_KEPT = ("runtime", "target", "naming", "roles")
_CORE = ("image", "command", "args")
"""Fields that stay unless they are rejected: people look for them when they edit the experiment."""
_BY_ENTRY = ("volumes", "schedule", "volcano", "restart", "cleanup", "pod", "initContainers", "sidecars")
_FRAMEWORK = 100
"""The characters that the name of a framework's runtime is worth: with it, another target sets up the framework, too."""
_DEARER = 2
"""A line of a patch is so much harder to read than a word of the language."""

Word = tuple[str, ...]


class Attempt(NamedTuple):
    """An experiment without its patch, and with it."""

    experiment: Tree
    patched: Tree
    result: TrialResult
    """What the experiment with its patch results in."""
    changes: list[PatchChange]
    """The changes that the patch makes."""
    cost: tuple[int, int]
    """The cost of an experiment: errors first, then its length."""


def shortest(experiment: Tree, job: Tree, filled: Filled, trial: TrialBuilder) -> Attempt:
    """The best of `experiment` without the words that are refused, and those that make it longer."""
    best = _attempt(experiment, job, filled, trial)
    if best.changes or best.cost[0]:
        bare = _attempt(_with(experiment, {"runtime": BARE}), job, filled, trial)
        worth = _FRAMEWORK if experiment["spec"]["runtime"] != BARE else 0
        best = min(best, bare, key=lambda one: (one.cost[0], one.cost[1] + (worth if one is bare else 0)))
    for word in words(best.experiment) if best.cost[0] else ():
        best = _better(best, word, job, filled, trial)
    for word in [word for word in words(best.experiment) if word[0] not in _CORE]:
        best = _better(best, word, job, filled, trial)
    return best if best.cost[0] else _built_whole(best, job, filled, trial)


def _built_whole(attempt: Attempt, job: Tree, filled: Filled, trial: TrialBuilder) -> Attempt:
    """The attempt with the result of a whole build, and a JSON patch if a tree to merge does not result in the job."""
    result = trial.build(attempt.patched)
    done = _built(result, job)
    if not attempt.changes or (done is not None and not changes(done, job, filled)):
        return attempt._replace(result=result)
    operations, built = [one.operation for one in attempt.changes], _built(trial.build(attempt.experiment), job)
    patched = with_patch(attempt.experiment, job["kind"], operations, built, merging=False)
    return attempt._replace(patched=patched, result=trial.build(patched))


def _better(best: Attempt, word: Word, job: Tree, filled: Filled, trial: TrialBuilder) -> Attempt:
    less = _attempt(without(best.experiment, word), job, filled, trial)
    return less if less.cost < best.cost else best


def _attempt(experiment: Tree, job: Tree, filled: Filled, trial: TrialBuilder) -> Attempt:
    result = trial.build(experiment)
    built = _built(result, job)
    if built is None:
        return Attempt(experiment, experiment, result, [], (len(result.errors) + 1, 0))
    differences = changes(built, job, filled)
    unpatched, patched = result, experiment
    if differences:
        patched = with_patch(experiment, job["kind"], [one.operation for one in differences], built)
        result = unpatched.patched(patched)
    extra = sum(len(dump(tree)) for tree in result.objects) - len(dump(_built(result, job) or {}))
    cost = len(dump(experiment)) + _DEARER * (extra + len(dump(patched["spec"].get("patches") or {})))
    return Attempt(experiment, patched, result, differences, (len(result.errors), cost))


def _built(result: TrialResult, job: Tree) -> Tree | None:
    """The job of a build; None if there are errors, or other jobs."""
    built = [tree for tree in result.of_kind(job["kind"]) if tree["apiVersion"] == job["apiVersion"]]
    return built[0] if len(built) == 1 and not result.errors else None


def words(experiment: Tree) -> Iterator[Word]:
    """What can be left out, one by one."""
    spec = experiment["spec"]
    # A build resolves each reference, so a variable that refers to a later one stays as it is only in a patch.
    yield from (("env", name) for name, value in (spec.get("env") or {}).items() if "$(" in str(value))
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
