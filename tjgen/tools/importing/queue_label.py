"""An imported experiment with the label of a queue of Kueue -> `schedule.queue`, if a build results in the same objects."""

from __future__ import annotations

from collections.abc import Sequence

from tjgen.cluster.kinds.table import kind_of
from tjgen.language.runs.lock import SUSPENDED
from tjgen.tools.importing.imported import Imported, without_suspension
from tjgen.tools.importing.trial import TrialBuilder
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import MISSING, Tree, get
from tjgen.trees.k8s.labels import KUEUE_PRIORITY, KUEUE_QUEUE
from tjgen.trees.source.edits import changed

_FIELDS = {KUEUE_QUEUE: "queue", KUEUE_PRIORITY: "workloadPriority"}


def with_queue(one: Imported, trial: TrialBuilder) -> tuple[Imported, list[Diagnostic]]:
    """The experiment with fields instead of labels; the same one if a field refuses the run, or changes an object.

    Kueue's webhook suspends each job with a queue and its controller resumes it, so `state: suspended` is left out (TJ400).
    """
    queued = _queued(one.experiment)
    if queued is None:
        return one, []
    spec = queued["spec"]
    if spec.get("state") == SUSPENDED:
        active = {**queued, "spec": {key: value for key, value in spec.items() if key != "state"}}
        result = trial.build(active)
        if not result.errors and _active(result.objects) == _active(one.objects):
            return one._replace(experiment=active, objects=result.objects), [without_suspension(one.subject)]
    result = trial.build(queued)
    return (one if result.errors or result.objects != list(one.objects) else one._replace(experiment=queued)), []


def _queued(experiment: Tree) -> Tree | None:
    """The experiment with the fields; None without the label of a queue, or if it has the fields."""
    labels = get(experiment, ("metadata", "labels"), None) or {}
    if not labels.get(KUEUE_QUEUE):
        return None
    schedule: dict[str, Tree] = {"system": "kueue"}
    for label, field in _FIELDS.items():
        if label in labels:
            schedule[field] = labels[label]
            experiment = changed(experiment, ("metadata", "labels", label), MISSING)
    spec = experiment["spec"]
    if any(field in (spec.get("schedule") or {}) for field in schedule):
        return None
    patches = {key: value for key, value in spec.items() if key == "patches"}
    rest = {key: value for key, value in spec.items() if key not in ("schedule", "patches")}
    schedule = {**schedule, **(spec.get("schedule") or {})}
    return {**experiment, "spec": {**rest, "schedule": schedule, **patches}}


def _active(objects: Sequence[Tree]) -> list[Tree]:
    """The objects without the fields that suspend them."""
    return [_without_suspend(tree) for tree in objects]


def _without_suspend(tree: Tree) -> Tree:
    kind = kind_of(tree)
    if kind is None or kind.suspend is None:
        return tree
    less = changed(tree, kind.suspend, MISSING) if get(tree, kind.suspend) is not MISSING else tree
    above = kind.suspend[:-1]
    # A struct of Go: an empty one is the same as none.
    return changed(less, above, MISSING) if len(above) > 1 and get(less, above) == {} else less
