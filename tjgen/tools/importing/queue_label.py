"""An imported experiment with the label of a queue of Kueue -> `schedule.queue`, if a build results in the same objects."""

from __future__ import annotations

from tjgen.tools.importing.imported import Imported
from tjgen.tools.importing.trial import TrialBuilder
from tjgen.trees.fields.path import MISSING, Tree, get
from tjgen.trees.k8s.labels import KUEUE_PRIORITY, KUEUE_QUEUE
from tjgen.trees.source.edits import changed

_FIELDS = {KUEUE_QUEUE: "queue", KUEUE_PRIORITY: "workloadPriority"}


def with_queue(one: Imported, trial: TrialBuilder) -> Imported:
    """The experiment with fields instead of labels; the same one if a field refuses the run, or changes an object."""
    labels = get(one.experiment, ("metadata", "labels"), None) or {}
    if not labels.get(KUEUE_QUEUE):
        return one
    experiment = one.experiment
    schedule: dict[str, Tree] = {"system": "kueue"}
    for label, field in _FIELDS.items():
        if label in labels:
            schedule[field] = labels[label]
            experiment = changed(experiment, ("metadata", "labels", label), MISSING)
    spec = experiment["spec"]
    if any(field in (spec.get("schedule") or {}) for field in schedule):
        return one
    patches = {key: value for key, value in spec.items() if key == "patches"}
    rest = {key: value for key, value in spec.items() if key not in ("schedule", "patches")}
    schedule = {**schedule, **(spec.get("schedule") or {})}
    experiment = {**experiment, "spec": {**rest, "schedule": schedule, **patches}}
    result = trial.build(experiment)
    return one if result.errors or result.objects != list(one.objects) else one._replace(experiment=experiment)
