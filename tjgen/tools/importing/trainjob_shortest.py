"""A TrainJob -> experiments that result in it, the shortest first, each with a patch for what its fields do not cover."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.tools.importing import runtime_patches, trainjob
from tjgen.tools.importing.order import in_order_of
from tjgen.tools.importing.patch import with_patch
from tjgen.tools.importing.residue import stated
from tjgen.tools.importing.shortest import without, words
from tjgen.tools.importing.trial import TrialBuilder, TrialResult
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.source.writer import dump
from tjgen.trees.typing import NamedTuple

_KEPT = ("runtime", "naming")
_DEARER = 2
"""A line of a patch is so much harder to read than a field."""


class TrainJobAttempt(NamedTuple):
    """An experiment, and what it results in with its patch."""

    experiment: Tree
    patched: Tree
    result: TrialResult
    cost: tuple[int, int]
    """Errors, then the length of the text."""

    @property
    def has_patch(self) -> bool:
        return self.patched is not self.experiment


def attempts(tree: Tree, trial: TrialBuilder) -> Iterator[TrainJobAttempt]:
    """Yield the shortest experiment, then simple ones, for the case that the shortest results in other objects."""
    wanted = stated(tree)
    first = _attempt(trainjob.experiment(wanted), tree, trial)
    yield _shortest(first, tree, trial) if first.has_patch or first.cost[0] else first
    yield first
    for begin in (trainjob.careful, trainjob.bare):
        yield _attempt(begin(wanted), tree, trial)


def _shortest(first: TrainJobAttempt, tree: Tree, trial: TrialBuilder) -> TrainJobAttempt:
    """The shortest attempt by leaving out one field after the other, with those for pods and without."""
    spec, wanted = first.experiment["spec"], stated(tree)
    best = first
    for fields in (runtime_patches.fields(wanted), runtime_patches.fields_of_roles(wanted)):
        more = {key: value for key, value in fields.items() if key not in spec}
        if more or not fields:
            start = _attempt({**first.experiment, "spec": {**spec, **more}}, tree, trial) if more else first
            best = min(best, _without_fields(start, tree, trial), key=lambda one: one.cost)
    return best


def _without_fields(best: TrainJobAttempt, tree: Tree, trial: TrialBuilder) -> TrainJobAttempt:
    for word in words(best.experiment):
        if word[0] not in _KEPT:
            less = _attempt(without(best.experiment, word), tree, trial)
            best = less if less.cost < best.cost else best
    return best


def _attempt(experiment: Tree, tree: Tree, trial: TrialBuilder) -> TrainJobAttempt:
    patched, result = experiment, trial.build(experiment)
    jobs = result.of_kind(trainjob.KIND)
    operations = runtime_patches.operations(jobs[0], in_order_of(tree, jobs[0])) if jobs else []
    if operations:
        patched = with_patch(experiment, trainjob.KIND, operations, jobs[0])
        result = trial.build(patched)
    # A server refuses the change of the runtime.
    errors = len(result.errors) + (not jobs or _runtime(jobs[0]) != _runtime(tree))
    patches = patched["spec"].get("patches") or {}
    return TrainJobAttempt(experiment, patched, result, (errors, len(dump(experiment)) + _DEARER * len(dump(patches))))


def _runtime(tree: Tree) -> Tree:
    return get(tree, ("spec", "runtimeRef", "name"), None)
