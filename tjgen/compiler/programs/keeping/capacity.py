"""The size of a checkpoint -> whether the claim is large enough for those that stay, and the pods have time to save one.

The request of a claim is (last + best + 1) checkpoints and a fifth more: one is being written while the others
stay, and one more if removed checkpoints stay in the trash for a time.

A run that saves for more than half a minute is idle for too long, and after a minute it is slower to save
than what most clusters wait before they take a node away.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.compiler.lower import SPEC
from tjgen.compiler.programs.keeping import problems
from tjgen.compiler.programs.keeping.location import Location
from tjgen.compiler.volumes.claims import claim_size
from tjgen.compiler.volumes.pvc import new_claim
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Checkpoints
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, get
from tjgen.trees.k8s.quantity import parse
from tjgen.trees.workload.contribution import Contribution, Contributions
from tjgen.trees.workload.workload import PodSet, Workload, is_runtimes

AT: FieldPath = (*SPEC, "checkpoints", "expectedSize")
WARNING_SECONDS = 30
CRITICAL_SECONDS = 60
USUAL_GRACE = 30
"""Seconds that a pod has to end by default. Upstream: core/v1 `DefaultTerminationGracePeriodSeconds`."""
_MARGIN = (6, 5)
"""Numerator and denominator of the reserve over the need: a fifth more."""


def judged(
    workload: Workload, users: Sequence[PodSet], checkpoints: Checkpoints, where: Location, setting: Setting
) -> Contributions:
    """Nothing if the size is not set. The grace period of the pods is raised unless one is set."""
    if checkpoints.expected_size is None:
        return
    size = parse(checkpoints.expected_size).value
    yield from _capacity(size, checkpoints, where)
    bandwidth = _bandwidth(where, setting)
    if not bandwidth:
        return
    seconds = -(-size // bandwidth)
    if seconds > WARNING_SECONDS:
        critical = seconds > CRITICAL_SECONDS
        limit = CRITICAL_SECONDS if critical else WARNING_SECONDS
        message = f"saving {_text(size)} takes {seconds} s at {_text(bandwidth)}/s, more than {limit} s"
        hint = f"use a storage class with {_text(-(-size // limit))}/s, or save smaller checkpoints"
        yield Diagnostic(problems.TOO_SLOW if critical else problems.SLOW, message, path=AT, hint=hint)
    for podset in users:
        yield from _grace(workload, podset, seconds)


def _capacity(size: int, checkpoints: Checkpoints, where: Location) -> Iterator[Diagnostic]:
    create = new_claim(where.volume)
    if create is None:
        return
    keep = checkpoints.keep
    count = 2 if keep is None else keep.last + keep.best + 1 + (keep.grace_seconds > 0)
    needed = -(-count * size * _MARGIN[0] // _MARGIN[1])
    size_of_claim = claim_size(create)
    if parse(size_of_claim).value < needed:
        message = (
            f"{count} checkpoints of {_text(size)} with 20% of free space need {_text(needed)}, but the claim of volume "
            f'"{checkpoints.volume}" has {size_of_claim}'
        )
        hint = f"raise its size to {_text(needed)} for each run that shares it, or keep fewer"
        yield Diagnostic(problems.CAPACITY, message, path=AT, hint=hint)


def _bandwidth(where: Location, setting: Setting) -> int | None:
    create = new_claim(where.volume)
    return setting.cluster.bandwidth.get(create.storage_class_name or "") if create is not None else None


def _grace(workload: Workload, podset: PodSet, seconds: int) -> Contributions:
    path: FieldPath = (*podset.pod, "terminationGracePeriodSeconds")
    grace_period = get(workload.tree.value, path, None)
    needed = -(-seconds * _MARGIN[0] // _MARGIN[1])
    if grace_period is None or all(is_runtimes(origin) for origin in workload.tree.origins(path)):
        if needed > (grace_period if grace_period is not None else USUAL_GRACE):
            yield Contribution(path, needed, AT)
    elif grace_period < seconds:
        message = f"pods of {podset.name} have {grace_period} s to end, but saving a checkpoint takes {seconds} s"
        hint = f"set pod.terminationGracePeriodSeconds to {needed}, or remove it"
        yield Diagnostic(problems.GRACE, message, path=workload.tree.origins(path)[0].because, hint=hint)


def _text(amount: int) -> str:
    """Bytes for people, in the largest unit that leaves a whole number, or with one digit behind the point."""
    for power, unit in ((4, "Ti"), (3, "Gi"), (2, "Mi"), (1, "Ki")):
        if amount >= 1024**power:
            tenths = -(-amount * 10 // 1024**power)
            return f"{tenths // 10}{unit}" if tenths % 10 == 0 else f"{tenths // 10}.{tenths % 10}{unit}"
    return str(amount)
