"""A release of Trainer and what else a cluster runs -> where the two do not fit together.

Source: the modules that each project is built with: `sigs.k8s.io/jobset` in Trainer's go.mod, Trainer in Kueue's go.mod.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.releases import KUEUE_WRITES, RUNTIME_PATCHES, version
from tjgen.cluster.trainer.release import RELEASES, Release
from tjgen.trees.typing import NamedTuple


class Misfit(NamedTuple):
    """What does not fit; `project` is kueue or jobset."""

    project: str
    message: str
    hint: str


def misfits(release: Release, *, jobset: str | None, kueue: str | None) -> Iterator[Misfit]:
    """What the releases of JobSet and Kueue in a cluster, such as "0.11", have against the release of Trainer."""
    needed = version(release.jobset.removeprefix("v"))[:2]
    if jobset is not None and version(jobset)[:2] < needed:
        least = ".".join(str(number) for number in needed)
        built = f"Trainer {release.name} is built with JobSet {least}"
        message = f"{built}, and the cluster has {jobset}, which may not know what Trainer sets"
        yield Misfit("jobset", message, f"bring JobSet to {least} or later")
    if kueue is not None:
        yield from kueue_misfits(release, kueue)


def kueue_misfits(release: Release, kueue: str) -> Iterator[Misfit]:
    """At most one: a Kueue that writes a field into queued TrainJobs that the release of Trainer does not have."""
    written = next((field for since, field in KUEUE_WRITES if version(kueue) >= since), None)
    if written is None or written == release.overrides:
        return
    fitting = " or ".join(one.name for one in RELEASES.values() if one.overrides == written)
    message = (
        f"Kueue {kueue} writes {written} into TrainJobs, which Trainer {release.name} does not have: queued runs never resume"
    )
    if release.overrides == RUNTIME_PATCHES:  # seen with Kueue 0.15.2 and Trainer 2.3.0
        message += f", and their own {release.overrides} are removed"
    yield Misfit("kueue", message, f"use Trainer {fitting} with this Kueue, or another release of Kueue; or set target: jobset")
