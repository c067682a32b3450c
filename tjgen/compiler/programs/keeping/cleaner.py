"""`checkpoints.keep` and `index` -> a CronJob that removes checkpoints that no rule keeps, and lists the others (cleaner.py)."""

from __future__ import annotations

from collections.abc import Sequence

from tjgen.compiler.lower import SPEC
from tjgen.compiler.programs import pods
from tjgen.compiler.programs.containers import PYTHON, TINY, image_of_program, script, shell
from tjgen.compiler.programs.keeping import problems
from tjgen.compiler.programs.keeping.location import Location, owner, resumed_folder
from tjgen.compiler.volumes.claims import access_modes
from tjgen.compiler.volumes.protocol import BY_DRIVER, EVERY_POD
from tjgen.compiler.volumes.pvc import claim_of, new_claim
from tjgen.compiler.volumes.table import pod_source, source_of
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Checkpoints, Keep
from tjgen.trees.canonical import json_text
from tjgen.trees.diagnostics.model import WARNING, Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.k8s import duration
from tjgen.trees.workload.contribution import Contribution, Contributions
from tjgen.trees.workload.roles import at_once
from tjgen.trees.workload.workload import PodSet, Workload

_CHECKPOINTS: FieldPath = (*SPEC, "checkpoints")
ROOT = "/checkpoints"
COLD = "/cold"


def scheduled(
    workload: Workload, users: Sequence[PodSet], checkpoints: Checkpoints, where: Location, setting: Setting
) -> Contributions:
    """The CronJob, one for all runs that share the volume; none without `keep` and `index`."""
    section = checkpoints.keep or checkpoints.index
    if section is None:
        return
    same = _same_claim(checkpoints, where, setting)
    if same is not None:
        yield same
        return
    problem = _out_of_reach(workload, users, checkpoints, where, setting)
    if problem is not None:
        yield problem
        if problem.severity == "error":
            return
    user = pods.user_of(workload, users, setting)
    name = f"{owner(where, setting)}-cleaner"
    ages, mounts, volumes = _ages(checkpoints.keep)
    program = script("deletion.py") + script("cleaner.py")
    container = shell(
        "cleaner",
        image_of_program("python", setting),
        program,
        _variables(checkpoints, where, setting) | ages,
        [{"name": "checkpoints", "mountPath": ROOT}, *mounts],
        command=list(PYTHON),
        resources={"requests": TINY, "limits": TINY},
        # The first of two programs runs the second one.
        **({"args": [script("move-checkpoints.py"), program]} if ages else {}),
    )
    volume = {"name": "checkpoints", **pod_source(checkpoints.volume, where.volume, setting)}
    pod = pods.pod([container], [volume, *volumes], user)
    tree = pods.cron_job(name, "cleaner", section.schedule, pod, setting)
    yield Contribution(("ahead", f"CronJob/{name}"), tree, _at(checkpoints))


def _at(checkpoints: Checkpoints) -> FieldPath:
    """The field that enables the CronJob."""
    return (*_CHECKPOINTS, "index" if checkpoints.keep is None else "keep")


def _variables(checkpoints: Checkpoints, where: Location, setting: Setting) -> dict[str, str]:
    keep, index = checkpoints.keep, checkpoints.index
    variables = {
        "ROOT": ROOT,
        "FOLDER": where.before,
        "NAME": checkpoints.name,
        **({"FILES": json_text(checkpoints.files)} if checkpoints.files else {"MARKER": checkpoints.marker}),
    }
    if keep is not None:
        variables |= {"LAST": str(keep.last), "GRACE": str(keep.grace_seconds), "MOST": str(keep.max_per_pass)}
    variables |= {"AFTER": where.after} if where.run else {"OWNER": owner(where, setting)}
    if index is not None:
        metrics = index.metrics or (keep.metric if keep is not None else None)
        variables |= {"INDEX": "true", **({"METRICS": metrics} if metrics is not None else {})}
    if keep is not None and keep.best and keep.metric is not None:
        variables |= {"BEST": str(keep.best), "METRIC": keep.metric, "MODE": keep.mode}
        if keep.metric_key is not None:
            variables["METRIC_KEY"] = keep.metric_key
    if keep is not None and keep.every_nth is not None:
        variables["NTH"] = str(keep.every_nth)
    source = resumed_folder(checkpoints, where)
    if source is not None:
        variables["SOURCES"] = json_text([source])
    if keep is not None and keep.dry_run:
        variables["DRY_RUN"] = "true"
    return {key: value.replace("$(", "$$(") for key, value in variables.items()}


def _same_claim(checkpoints: Checkpoints, where: Location, setting: Setting) -> Diagnostic | None:
    move = checkpoints.keep.move_to if checkpoints.keep is not None else None
    if move is None:
        return None
    at: FieldPath = (*_CHECKPOINTS, "keep", "moveTo")
    if claim_of(checkpoints.volume, where.volume, setting) == move.pvc:
        message = f'keep.moveTo is claim "{move.pvc}", which is that of volume "{checkpoints.volume}"'
        return Diagnostic(problems.COLD, message, path=at, hint="name another claim, or remove moveTo")
    if move.path is not None and (move.path.startswith("/") or ".." in move.path.split("/")):
        message = f'the folder "{move.path}" of keep.moveTo is not below the root of the volume'
        return Diagnostic(problems.COLD, message, path=(*at, "path"), hint="write it without a leading / and without ..")
    return None


def _ages(keep: Keep | None) -> tuple[dict[str, str], list[Tree], list[Tree]]:
    """Variables, mounts and volumes for the ages of checkpoints, and for the volume to which they move; empty without them."""
    variables: dict[str, str] = {}
    if keep is None:
        return variables, [], []
    if keep.older_than is not None:
        variables["OLDER_THAN"] = str(duration.seconds(keep.older_than))
    move = keep.move_to
    if move is None:
        return variables, [], []
    variables |= {"COLD": COLD, **({"COLD_PATH": move.path} if move.path is not None else {})}
    if move.delete_after is not None:
        variables["DELETE_AFTER"] = str(duration.seconds(move.delete_after))
    claim = {"name": "cold", "persistentVolumeClaim": {"claimName": move.pvc}}
    return variables, [{"name": "cold", "mountPath": COLD}], [claim]


def _out_of_reach(
    workload: Workload, users: Sequence[PodSet], checkpoints: Checkpoints, where: Location, setting: Setting
) -> Diagnostic | None:
    volume, at = where.volume, _at(checkpoints)
    if source_of(volume).reach not in (EVERY_POD, BY_DRIVER):
        does, instead = (
            ("removes", "or remove them in the program") if checkpoints.keep is not None else ("lists", "or remove index")
        )
        message = f'the CronJob that {does} checkpoints runs in its own pod, which cannot reach volume "{checkpoints.volume}"'
        return Diagnostic(problems.CLEANER, message, path=at, hint=f"use a claim, nfs or csi, {instead}")
    create = new_claim(volume)
    if create is None:
        return None
    if create.scope == "project" and where.run and not where.before:
        message = f'on the claim of volume "{checkpoints.volume}" the folders of the experiment are unknown'
        return Diagnostic(problems.CLEANER, message, path=at, hint="use scope: family for the claim, or shared: true")
    if create.volume_mode == "Block":
        message = f'volume "{checkpoints.volume}" is a device and has no folders'
        return Diagnostic(problems.CLEANER, message, path=at, hint="use volumeMode: Filesystem")
    modes = set(access_modes(create, at_once(workload, users), setting, read_only=False))
    if modes <= {"ReadWriteOnce", "ReadWriteOncePod"}:
        claim = f'the claim of volume "{checkpoints.volume}" is {", ".join(sorted(modes))}'
        done = "removed" if checkpoints.keep is not None else "listed"
        message = f"{claim}: checkpoints are {done} only on the run's node"
        return Diagnostic(problems.CLEANER, message, path=at, hint="use ReadWriteMany", severity=WARNING)
    return None
