"""`checkpoints.keep` -> a CronJob that removes what shall not stay, by the script cleaner.sh."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.diagnostics.model import Diagnostic
from tjgen.fields.path import FieldPath
from tjgen.lower import SPEC
from tjgen.passes import tool_pods
from tjgen.passes.beside import TINY, alone, script, shell
from tjgen.passes.claims import access_modes
from tjgen.passes.keeping import problems
from tjgen.passes.keeping.location import Location
from tjgen.passes.sources import source
from tjgen.setting import Setting
from tjgen.spec.objects import Checkpoints, Keep
from tjgen.workload.contribution import Contribution
from tjgen.workload.roles import at_once
from tjgen.workload.workload import PodSet, Workload

Found = Iterator[Contribution | Diagnostic]
AT: FieldPath = (*SPEC, "checkpoints", "keep")
ROOT = "/checkpoints"
ABANDONED_MINUTES = 24 * 60
"""A checkpoint that is half written, older than a complete one and not touched for so long is nobody's any more."""


def scheduled(workload: Workload, users: Sequence[PodSet], asked: Checkpoints, where: Location, setting: Setting) -> Found:
    """The CronJob, one for all runs that share the volume."""
    keep = asked.keep
    assert keep is not None, "asked only where something is to be kept"
    problem = _out_of_reach(workload, users, asked, where, setting)
    if problem is not None:
        yield problem
        if problem.severity == "error":
            return
    name = f"{owner(where, setting)}-cleaner"
    container = shell(
        "cleaner",
        alone("shell", setting),
        script("cleaner.sh"),
        _told(keep, asked, where),
        [{"name": "checkpoints", "mountPath": ROOT}],
        resources={"requests": TINY, "limits": TINY},
    )
    volume = {"name": "checkpoints", **source(asked.volume, where.volume, setting)}
    pod = tool_pods.pod([container], [volume], tool_pods.user_of(workload, users, setting))
    tree = tool_pods.cron_job(name, "cleaner", keep.schedule, pod, setting)
    yield Contribution(("ahead", f"CronJob/{name}"), tree, AT)


def owner(where: Location, setting: Setting) -> str:
    """What looks after a claim is called after whoever has it: the run, or the experiment."""
    create = where.volume.pvc.create if where.volume.pvc is not None else None
    return setting.run if create is not None and create.scope == "run" else setting.family


def _told(keep: Keep, asked: Checkpoints, where: Location) -> dict[str, str]:
    told = {
        "BEFORE": f"{ROOT}/{where.before}".rstrip("/"),
        "NAME": asked.name,
        "MARKER": asked.marker,
        "LAST": str(keep.last),
        "ABANDONED": str(ABANDONED_MINUTES),
    }
    if where.run:
        told |= {"EACH": "true", "AFTER": where.after}
    if keep.best:
        told |= {"BEST": str(keep.best), "METRIC": keep.metric, "MODE": keep.mode}
    if keep.every_nth is not None:
        told["NTH"] = str(keep.every_nth)
    return {key: value.replace("$(", "$$(") for key, value in told.items()}


def _out_of_reach(
    workload: Workload, users: Sequence[PodSet], asked: Checkpoints, where: Location, setting: Setting
) -> Diagnostic | None:
    volume = where.volume
    if volume.pvc is None and volume.nfs is None and volume.csi is None:
        message = f'what removes checkpoints runs in a pod of its own, which cannot reach volume "{asked.volume}"'
        return problems.error(problems.CLEANER, message, path=AT, hint="use a claim, nfs or csi, or remove them in the training")
    create = volume.pvc.create if volume.pvc is not None else None
    if create is None:
        return None
    if create.scope == "project" and where.run and not where.before:
        message = f'on the claim of volume "{asked.volume}" nobody knows which folders are those of the experiment'
        return problems.error(problems.CLEANER, message, path=AT, hint="use scope: family for the claim, or shared: true")
    if create.volume_mode == "Block":
        message = f'volume "{asked.volume}" is a device and has no folders'
        return problems.error(problems.CLEANER, message, path=AT, hint="use volumeMode: Filesystem")
    modes = set(access_modes(create, at_once(workload, users), setting, read_only=False))
    if modes <= {"ReadWriteOnce", "ReadWriteOncePod"}:
        message = (
            f'the claim of volume "{asked.volume}" is {", ".join(sorted(modes))}: checkpoints are removed only on the run\'s node'
        )
        return problems.warning(problems.CLEANER, message, path=AT, hint="use ReadWriteMany")
    return None
