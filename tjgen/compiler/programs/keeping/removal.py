"""Runs that are no longer in the tree -> a Job that removes their checkpoint folders (remove-runs.py)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.compiler.lower import SPEC
from tjgen.compiler.programs import pods
from tjgen.compiler.programs.containers import PYTHON, TINY, image_of_program, script, shell
from tjgen.compiler.programs.keeping import problems
from tjgen.compiler.programs.keeping.location import Location, location
from tjgen.compiler.volumes.mounts import users_of
from tjgen.compiler.volumes.protocol import BY_DRIVER, EVERY_POD
from tjgen.compiler.volumes.pvc import new_claim
from tjgen.compiler.volumes.table import pod_source, source_of
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Checkpoints, Experiment
from tjgen.trees.canonical import json_text, sha256_hex
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.workload.workload import Workload

ROOT = "/checkpoints"
QUIET = 3600
"""Seconds for which nothing in a folder may have changed."""
DEADLINE = 6 * pods.HOUR
KEPT = 24 * pods.HOUR
"""Seconds for which the Job stays when it has ended."""
_AT: FieldPath = (*SPEC, "checkpoints")


def removal(workload: Workload, experiment: Experiment, setting: Setting, runs: Sequence[str]) -> Iterator[Tree | Diagnostic]:
    """The Job for runs of an experiment, from another run of it; nothing if the experiment has no checkpoints."""
    checkpoints = experiment.spec.checkpoints
    where = location(experiment, setting) if checkpoints is not None else None
    if checkpoints is None or where is None:
        return
    reason = _out_of_reach(where, checkpoints)
    if reason:
        message = f"no Job can remove the checkpoint folders of {', '.join(runs)}: {reason}"
        yield Diagnostic(problems.FOLDERS, message, path=_AT, hint="remove them manually")
        return
    users = [podset for podset, _ in users_of(workload, checkpoints.volume, where.volume)]
    variables = {"ROOT": ROOT, "FOLDER": where.before, "AFTER": where.after, "RUNS": json_text(list(runs)), "QUIET": str(QUIET)}
    container = shell(
        "remove",
        image_of_program("python", setting),
        script("deletion.py") + script("remove-runs.py"),
        variables,
        [{"name": "checkpoints", "mountPath": ROOT}],
        command=list(PYTHON),
        resources={"requests": TINY, "limits": TINY},
    )
    volume = {"name": "checkpoints", **pod_source(checkpoints.volume, where.volume, setting)}
    pod = pods.pod([container], [volume], pods.user_of(workload, users, setting))
    name = f"{setting.family}-remove-{sha256_hex(json_text(pod))[:10]}"
    yield pods.job(name, "remove", pod, setting, deadline=DEADLINE, backoffLimit=0, ttlSecondsAfterFinished=KEPT)


def _out_of_reach(where: Location, checkpoints: Checkpoints) -> str:
    """Why the folders of other runs cannot be found or reached; empty if they can."""
    create = new_claim(where.volume)
    if not where.run:
        return "the runs have no folders of their own"
    if source_of(where.volume).reach not in (EVERY_POD, BY_DRIVER):
        return f'volume "{checkpoints.volume}" is of the pods or nodes of a run'
    if create is not None and create.volume_mode == "Block":
        return f'volume "{checkpoints.volume}" is a device without folders'
    if create is not None and create.scope == "project" and not where.before:
        return f'on the claim of volume "{checkpoints.volume}" the folders of the experiment are unknown'
    return ""
