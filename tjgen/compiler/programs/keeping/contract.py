"""Checkpoints -> the variables by which training code finds them, and what looks after them.

The contract: TJGEN_CHECKPOINT_PATH is the folder to save to, TJGEN_CHECKPOINT_NAME what a name begins with before its
number, TJGEN_CHECKPOINT_MARKER the file that is written last, TJGEN_CHECKPOINT_EVERY the steps between two of them.
TJGEN_CHECKPOINT_OWNER is what the run writes to the file .tjgen-run there, so that the cleaner works in the folder.
TJGEN_RESUME_FROM is a folder with checkpoints of others, read only, for a run that has none of its own.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.compiler.lower import SPEC
from tjgen.compiler.programs import pods
from tjgen.compiler.programs.containers import TINY, script, shell
from tjgen.compiler.programs.keeping import backup, capacity, cleaner, problems, resuming
from tjgen.compiler.programs.keeping.location import Location, location, mark, owner
from tjgen.compiler.volumes.mounts import users_of
from tjgen.compiler.volumes.pvc import backup_name, claim_of
from tjgen.compiler.volumes.table import source_of
from tjgen.language.resolve.volume_paths import leads_out, within
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Backup, Checkpoints, Experiment, Keep
from tjgen.trees.diagnostics.model import Diagnostic, has_errors
from tjgen.trees.fields.path import FieldPath, get, named
from tjgen.trees.workload.contribution import Contribution, Contributions
from tjgen.trees.workload.workload import PodSet, Workload

_AT: FieldPath = (*SPEC, "checkpoints")
MARKING = "tjgen-mark"
"""The init container that marks a folder as that of the run."""


def contributions(workload: Workload, experiment: Experiment, setting: Setting) -> Contributions:
    """Variables and mounts of the pods that have the volume; then cleaner, backup, and the check of space and time."""
    checkpoints = experiment.spec.checkpoints
    assert checkpoints is not None, "called only with checkpoints"
    where = location(experiment, setting)
    wrong = [*_judged(checkpoints), *_problems(checkpoints, where, experiment, setting)]
    yield from wrong
    if where is None or has_errors(wrong):
        return
    users = [podset for podset, _ in users_of(workload, checkpoints.volume, where.volume)]
    for podset in users:
        yield resuming.variable(podset, "TJGEN_CHECKPOINT_PATH", where.inside, _AT)
        yield resuming.variable(podset, "TJGEN_CHECKPOINT_NAME", checkpoints.name, _AT)
        yield resuming.variable(podset, "TJGEN_CHECKPOINT_MARKER", checkpoints.marker, _AT)
        yield resuming.variable(podset, "TJGEN_CHECKPOINT_OWNER", mark(checkpoints, where, setting), _AT)
        if checkpoints.mark == "init":
            yield from _marked(workload, podset, checkpoints, where, setting)
        if checkpoints.every is not None:
            yield resuming.variable(podset, "TJGEN_CHECKPOINT_EVERY", str(checkpoints.every), (*_AT, "every"))
        yield from resuming.resumed(workload, podset, checkpoints, where, setting)
    yield from capacity.judged(workload, users, checkpoints, where, setting)
    yield from cleaner.scheduled(workload, users, checkpoints, where, setting)
    if checkpoints.backup is not None:
        yield from _backed_up(checkpoints, checkpoints.backup, where, setting)


def _backed_up(checkpoints: Checkpoints, wanted: Backup, where: Location, setting: Setting) -> Contributions:
    at: FieldPath = (*_AT, "backup")
    claim = claim_of(checkpoints.volume, where.volume, setting)
    if claim is None:
        message = f'volume "{checkpoints.volume}" is not a claim, and only claims have snapshots'
        yield Diagnostic(problems.BACKUP, message, path=at, hint="use pvc")
    else:
        yield from backup.scheduled(wanted, claim, backup_name(owner(where, setting)), at, setting)


def _problems(checkpoints: Checkpoints, where: Location | None, experiment: Experiment, setting: Setting) -> Iterator[Diagnostic]:
    if where is None:
        known = experiment.spec.volumes
        if checkpoints.volume not in known:
            hint = f"use one of {', '.join(known)}" if known else "add it to volumes"
            message = f'the experiment has no volume "{checkpoints.volume}"'
            yield Diagnostic(problems.VOLUME, message, path=(*_AT, "volume"), hint=hint)
        return
    path: FieldPath = (*_AT, "volume")
    if where.place.read_only or source_of(where.volume).is_read_only:
        message = f'checkpoints cannot be saved on volume "{checkpoints.volume}": it is read-only'
        yield Diagnostic(problems.READ_ONLY, message, path=path, hint="use a claim that can be written to")
    if not source_of(where.volume).survives_pod:
        message = f'volume "{checkpoints.volume}" is deleted with its pod, together with the checkpoints'
        yield Diagnostic(problems.LOST, message, path=path, hint="use a claim")
    if where.place.sub_path_expr is not None:
        message = (
            f'the folder of the checkpoints on volume "{checkpoints.volume}" is unknown, because it is mounted with subPathExpr'
        )
        yield Diagnostic(problems.PATH, message, path=path, hint="mount it with subPath, or without both")
    if checkpoints.path is not None and leads_out(checkpoints.path):
        message = f"path {checkpoints.path} points outside the volume"
        hint = within(checkpoints.path, where.place.path)
        yield Diagnostic(problems.PATH, message, path=(*_AT, "path"), hint=hint)
    yield from resuming.problems_of(checkpoints, where, setting)


def _marked(
    workload: Workload, podset: PodSet, checkpoints: Checkpoints, where: Location, setting: Setting
) -> Iterator[Contribution]:
    """An init container that marks the folder, with the image and the user that write the checkpoints."""
    main = get(workload.tree.value, podset.main, {})
    variables = {"FOLDER": where.inside, "OWNER": mark(checkpoints, where, setting)}
    mounts = [mount for mount in main.get("volumeMounts") or [] if mount["mountPath"] == where.place.path]
    escaped = {key: value.replace("$(", "$$(") for key, value in variables.items()}
    resources = {"requests": TINY, "limits": TINY}
    container = shell(MARKING, main.get("image", ""), script("mark-folder.sh"), escaped, mounts, resources=resources)
    container |= {key: main[key] for key in ("imagePullPolicy",) if key in main}
    container = pods.secured_in_run(container, pods.user_of(workload, [podset], setting))
    yield Contribution((*podset.pod, "initContainers", named(MARKING)), container, (*_AT, "mark"))
    yield Contribution((*podset.pod, "volumes", named(pods.TMP_VOLUME)), pods.tmp_volume(), (*_AT, "mark"))


# Combinations of fields of `checkpoints` -> conflicts, before any object is created.

_KEEP: FieldPath = (*_AT, "keep")
_RESERVED = (".keep", ".tjgen-checkpoints.jsonl", ".tjgen-cleaner.json", ".tjgen-resume", ".tjgen-run", ".tjgen-trash")
"""Files and folders that mean something to the cleaner, and to the choice of the checkpoint to resume from."""


def _judged(checkpoints: Checkpoints) -> Iterator[Diagnostic]:
    """Diagnostics about names that the cleaner uses, and about `keep`."""
    names = {"marker": checkpoints.marker, "name": checkpoints.name}
    for field, value in names.items():
        if value in _RESERVED:
            yield _reserved(value, (*_AT, field))
    for position, ending in enumerate(checkpoints.files):
        if ending in _RESERVED:
            yield _reserved(ending, (*_AT, "files", position))
    if checkpoints.keep is not None:
        yield from _keep(checkpoints.keep, checkpoints)
    if checkpoints.index is not None:
        yield from _file(checkpoints.index.metrics, checkpoints, "index", "metrics")


def _keep(keep: Keep, checkpoints: Checkpoints) -> Iterator[Diagnostic]:
    if keep.last == 1 and keep.reason is None:
        message = "keep.last is 1: if this checkpoint is damaged, the run cannot resume"
        yield Diagnostic(problems.ONE, message, path=_KEEP, hint="set last to 2 or more, or write a reason")
    if keep.best and keep.metric is None:
        message = f"keep.best is {keep.best}, but keep.metric does not name the file with the metric"
        yield Diagnostic(problems.METRIC, message, path=(*_KEEP, "best"), hint="set metric to the name of a file")
    if keep.metric is not None and not keep.best and checkpoints.index is None:
        message = f'keep.metric is "{keep.metric}", but keep.best is 0, so nothing reads it'
        yield Diagnostic(problems.UNREAD, message, path=(*_KEEP, "metric"), hint="set best, or remove metric")
    yield from _file(keep.metric, checkpoints, "keep", "metric")


def _file(name: str | None, checkpoints: Checkpoints, section: str, field: str) -> Iterator[Diagnostic]:
    """Diagnostics about a field that names a file of each checkpoint."""
    path: FieldPath = (*_AT, section, field)
    if name is not None and checkpoints.files and name not in checkpoints.files:
        message = f'{section}.{field} is "{name}", but a checkpoint consists of {", ".join(checkpoints.files)}'
        hint = f"set {field} to one of the files, or add it to files"
        yield Diagnostic(problems.FILES, message, path=path, hint=hint)
    if name in _RESERVED:
        yield _reserved(name, path)


def _reserved(name: str, path: FieldPath) -> Diagnostic:
    message = f'"{name}" is reserved: the cleaner uses this name'
    return Diagnostic(problems.RESERVED, message, path=path, hint="use another name")
