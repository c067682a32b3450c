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


_PAGE = '"Limit how many points train at once" in docs/how-to/sweeps.md has an example'


def unlimited(spec: ExperimentSpec, totals: Totals, capability: Limits) -> Iterator[Diagnostic]:
    """TJ167 if no queue limits the points, and TJ168 if the queue admits more of them; `totals` is what a point requests."""
    assert spec.sweep is not None and spec.sweep.max_parallel is not None
    most, queue = spec.sweep.max_parallel, spec.schedule.queue
    requests = {key: amount for key, amount in summed(used(totals, capability)).items() if amount}
    if not requests:
        where = f"queue {queue} has no quota or capability for what they request" if queue else "the experiment has no queue"
        message = f"nothing limits how many points of the sweep train at once: {where}"
        yield Diagnostic("TJ167", message, path=AT, hint=_with_limit(queue, totals, most))
        return
    admitted = min(parse(capability[key]).nanos // amount for key, amount in requests.items())
    if admitted > most:
        key = max(requests, key=lambda one: ("/" in one, one))
        limit = shown(requests[key] * most, parse(capability[key]))
        message = f"queue {queue} admits {admitted} points of the sweep at once, but sweep.maxParallel is {most}"
        hint = f"use a queue with {key}: {limit}, or raise maxParallel to {admitted}"
        yield Diagnostic("TJ168", message, path=AT, hint=hint)


def _with_limit(queue: str | None, totals: Totals, most: int) -> str:
    """The queue of a Platform that admits `most` points, each with `totals`."""
    key = max(totals.resources, key=lambda one: ("/" in one, one), default="")
    amount = shown(totals.resources[key].nanos * most, totals.resources[key]) if key else "AMOUNT"
    entry = f"queues: {{{queue or 'sweeps'}: {{capability: {{{key or 'RESOURCE'}: {amount}}}}}}}"
    if queue:
        return f"write {entry} in the Platform, with a queue that has no cohort; {_PAGE}"
    return f"write schedule: {{system: kueue, queue: sweeps}}, and {entry} in a Platform of the project; {_PAGE}"
