"""What patches should carry -> the overrides of pods in a TrainJob of release 2.0 or 2.1.

Each job gets an override of its own, so that no other job is touched.
"""

from __future__ import annotations

from tjgen.cluster.releases import POD_SPEC_OVERRIDES
from tjgen.cluster.trainer.release import Release
from tjgen.compiler.targets.carriers import JOBSET_METADATA, POD_DEPTH, CarriedValue
from tjgen.trees.fields.managed import Managed, Origin, Owners
from tjgen.trees.fields.path import FieldPath
from tjgen.trees.fields.writer import Writer
from tjgen.trees.workload.keys import LIST_KEYS
from tjgen.trees.workload.workload import JOBS

_RULE = Origin("target:trainjob", "tjgen")


def override(writer: Writer, parts: list[CarriedValue], release: Release) -> None:
    """Write the parts into the TrainJob: metadata of the JobSet as the TrainJob's own, the rest as overrides of jobs."""
    overrides: dict[tuple[str, int], Writer] = {}
    mounted: dict[tuple[FieldPath, str], int] = {}
    # In release 2.0 the override itself holds the fields of the pod, and not those of the template around it.
    start = POD_DEPTH if release.overrides == POD_SPEC_OVERRIDES else POD_DEPTH - 1
    for part in parts:
        if part.path[: len(JOBSET_METADATA)] == JOBSET_METADATA:
            writer.graft(("spec", *part.path[len(JOBSET_METADATA) :]), part.value, {(): part.origins})
            continue
        ordinal = 0
        if len(part.path) >= 2 and part.path[-2] == "volumeMounts":
            # An override keys its mounts by the volume, so the second mount of one comes in a second override.
            key = (part.path[:-2], str(part.value.get("name")))
            ordinal = mounted.get(key, 0)
            mounted[key] = ordinal + 1
        job = part.path[len(JOBS)][0][1]  # type: ignore[index]  # the selector of a job: ((name, ...),)
        own = overrides.get((job, ordinal))
        if own is None:
            shell = Managed({"targetJobs": [{"name": job}]}, {(): (_RULE,)})
            own = overrides[job, ordinal] = Writer(shell, keys=LIST_KEYS)
        own.graft(part.path[start:], part.value, {(): part.origins})
    if overrides:
        trees, owners = [], Owners({(): (_RULE,)})
        for position, own in enumerate(overrides.values()):
            done = own.done()
            trees.append(done.value)
            owners.update({(position, *path): origins for path, origins in done.owners.items()})
        writer.graft(("spec", release.overrides), trees, owners)
