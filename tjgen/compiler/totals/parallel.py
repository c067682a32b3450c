"""A point of a sweep, and its queue -> whether the queue limits how many points train at once to `sweep.maxParallel`.

Only a queue can count runs that wait and runs that have ended. It is in the cluster, so a build compares its capability.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.compiler.totals.quotas import Limits, shown, summed, used
from tjgen.compiler.totals.tally import Totals
from tjgen.language.spec.objects import ExperimentSpec
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath
from tjgen.trees.k8s.quantity import parse

AT: FieldPath = ("spec", "sweep", "maxParallel")


def has_limit(spec: ExperimentSpec) -> bool:
    """Whether an experiment limits how many points of its sweep train at once."""
    return spec.sweep is not None and spec.sweep.max_parallel is not None


def unlimited(spec: ExperimentSpec, totals: Totals, capability: Limits) -> Iterator[Diagnostic]:
    """TJ167 if no queue limits the points, and TJ168 if the queue admits more of them; `totals` is what a point requests."""
    assert spec.sweep is not None and spec.sweep.max_parallel is not None
    most, queue = spec.sweep.max_parallel, spec.schedule.queue
    requests = {key: amount for key, amount in summed(used(totals, capability)).items() if amount}
    if not requests:
        where = f"queue {queue} has no quota or capability for what they request" if queue else "the experiment has no queue"
        message = f"nothing limits how many points of the sweep train at once: {where}"
        hint = "set schedule.queue to a queue of the Platform that limits what they request, and that is in no cohort"
        yield Diagnostic("TJ167", message, path=AT, hint=hint)
        return
    admitted = min(parse(capability[key]).nanos // amount for key, amount in requests.items())
    if admitted > most:
        key = max(requests, key=lambda one: ("/" in one, one))
        limit = shown(requests[key] * most, parse(capability[key]))
        message = f"queue {queue} admits {admitted} points of the sweep at once, but sweep.maxParallel is {most}"
        hint = f"use a queue with {key}: {limit}, or raise maxParallel to {admitted}"
        yield Diagnostic("TJ168", message, path=AT, hint=hint)
