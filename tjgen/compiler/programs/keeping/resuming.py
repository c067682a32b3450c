"""`checkpoints.resumeFrom` -> the mount and the variable of the folder, and an init container that looks for a checkpoint there.

The kubelet creates a folder that a `subPath` names and that does not exist, so a run would train from the start. With `best`, the
init container chooses one checkpoint by the index that cleaner.py writes, and the variable names a folder with links to it alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.compiler.lower import SPEC
from tjgen.compiler.programs import pods
from tjgen.compiler.programs.containers import TINY, image_in_run, script, shell
from tjgen.compiler.programs.keeping import problems
from tjgen.compiler.programs.keeping.location import Location, is_of_family, is_of_run
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Checkpoints, Resume
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree, get, named
from tjgen.trees.workload.contribution import Contribution, Contributions
from tjgen.trees.workload.workload import PodSet, Workload

AT: FieldPath = (*SPEC, "checkpoints", "resumeFrom")
CHECK = "tjgen-check-resume"
"""The init container that looks for a complete checkpoint, or chooses one."""
RESUME = "/tjgen/resume"
SOURCE = "/tjgen/source"
"""Folder of the other run, if RESUME has links into it."""
WAIT = 3600
"""Seconds to wait for the index: the CronJob writes it every 15 minutes by default."""
_VOLUME = "tjgen-resume"
_LINKS = "tjgen-chosen"


def problems_of(checkpoints: Checkpoints, where: Location, setting: Setting) -> Iterator[Diagnostic]:
    """What is wrong with the field by itself."""
    resume = checkpoints.resume_from
    if resume is None:
        return
    if resume.run is not None:
        if not is_of_family(resume.run, setting):
            family = setting.committed[0] if setting.committed is not None else setting.family
            message = f'"{resume.run}" is not a run of experiment {family}'
            hint = "write a name that tjgen runs list prints; for another experiment, use one claim, and write the folder as path"
            yield Diagnostic(problems.RESUME, message, path=AT, hint=hint)
        elif checkpoints.scope == "family":
            message = "all runs of the experiment use one folder already: scope is family"
            yield Diagnostic(problems.RESUME, message, path=AT, hint="remove resumeFrom, or scope")
    if resume.best is not None and resume.run is not None and checkpoints.index is None:
        message = f'resumeFrom.best is "{resume.best}", but checkpoints has no index, which lists the metrics of each checkpoint'
        hint = "set index: FILE, where each checkpoint has its metrics in FILE; its CronJob lists all runs of the experiment"
        yield Diagnostic(problems.NO_INDEX, message, path=(*AT, "best"), hint=hint)
    if resume.best is not None and resume.run is None and checkpoints.scope == "family":
        message = "resumeFrom.best chooses once for the folder of a run, but all runs of the experiment use one: scope is family"
        yield Diagnostic(problems.BEST, message, path=(*AT, "best"), hint="remove best, or scope")
    if resume.best is not None and resume.path is not None and resume.path.startswith("/"):
        message = f"resumeFrom.best chooses in a folder of the volume, and {resume.path} is a folder of the container"
        yield Diagnostic(
            problems.BEST, message, path=(*AT, "best"), hint="write path from the root of the volume, without / at the start"
        )
    if resume.best is None and resume.mode != "min":
        message = f"resumeFrom.mode is {resume.mode}, but best is not set, so the run resumes from the newest checkpoint"
        yield Diagnostic(problems.BEST, message, path=(*AT, "mode"), hint="set best to the name of a metric, or remove mode")
    if resume.path is not None and ".." in resume.path.split("/"):
        message = f"path {resume.path} points outside the volume"
        yield Diagnostic(problems.RESUME, message, path=(*AT, "path"), hint="name a folder of the volume")
    elif resume.path is not None and is_of_run(where) and resume.path.startswith(f"{where.place.path.rstrip('/')}/"):
        run = next((part for part in resume.path.split("/") if is_of_family(part, setting)), None)
        if run is not None:  # another folder can be one that the program makes
            message = f"the run cannot read {resume.path}: at {where.place.path}, it mounts only its own folder of the volume"
            yield Diagnostic(problems.RESUME, message, path=(*AT, "path"), hint=f"write run: {run}")


def resumed(workload: Workload, podset: PodSet, checkpoints: Checkpoints, where: Location, setting: Setting) -> Contributions:
    """The fields of one pod set; nothing without `resumeFrom`."""
    resume = checkpoints.resume_from
    if resume is None:
        return
    own = get(workload.tree.value, (*podset.main, "volumeMounts"), None) or []
    target = RESUME if resume.best is None else SOURCE
    if resume.path is not None and resume.path.startswith("/"):
        folder = resume.path
        mounts = [
            mount for mount in own if folder == mount["mountPath"] or folder.startswith(mount["mountPath"].rstrip("/") + "/")
        ]
    else:
        folder, mounts = target, []
        for one in _mounted(podset, resume, checkpoints, where, target):
            yield one
            if one.path[-2] == "volumeMounts":
                mounts.append(one.value)
    yield variable(podset, "TJGEN_RESUME_FROM", folder if resume.best is None else RESUME, AT)
    own = [mount for mount in own if mount["mountPath"] == where.place.path]
    if not mounts:
        # The folder of an image: no init container has it.
        message = f"resumeFrom.path {folder} is in no volume of the run: unless the image has it, the run trains from the start"
        hint = f"to name a folder of volume {checkpoints.volume}, write {folder.strip('/')}, or begin with {where.place.path}/"
        yield Diagnostic(problems.NO_MOUNT, message, path=(*AT, "path"), hint=hint)
    if resume.best is not None:
        links: Tree = {"name": _LINKS, "mountPath": RESUME}
        yield Contribution((*podset.pod, "volumes", named(_LINKS)), {"name": _LINKS, "emptyDir": {}}, AT)
        yield Contribution((*podset.main, "volumeMounts", (("mountPath", RESUME),)), {**links, "readOnly": True}, AT)
        variables = {"LINKS": RESUME, "BEST": resume.best, "MODE": resume.mode, "WAIT": str(WAIT)}
        text = script("checkpoints.sh") + script("choose-checkpoint.sh")
        yield from _checked(workload, podset, checkpoints, where, folder, text, [*mounts, *own, links], variables, setting)
    elif mounts:
        read = [{**mount, "readOnly": True} for mount in [*mounts, *(one for one in own if one not in mounts)]]
        text = script("checkpoints.sh") + script("check-resume.sh")
        yield from _checked(workload, podset, checkpoints, where, folder, text, read, {}, setting)


def variable(podset: PodSet, name: str, value: str, because: FieldPath) -> Contribution:
    """A variable of the main container, with its value as it is."""
    return Contribution((*podset.main, "env", named(name)), {"name": name, "value": value.replace("$(", "$$(")}, because)


def _mounted(podset: PodSet, resume: Resume, checkpoints: Checkpoints, where: Location, target: str) -> Iterator[Contribution]:
    volume = checkpoints.volume
    if where.source_claim is not None:
        # Each run, or each try, has a claim, so the pods also mount the claim of the other run.
        volume = _VOLUME
        claim: Tree = {"name": volume, "persistentVolumeClaim": {"claimName": where.source_claim, "readOnly": True}}
        yield Contribution((*podset.pod, "volumes", named(volume)), claim, AT)
    folder = where.source if resume.run is not None else (resume.path or "").strip("/")
    mount: Tree = {"name": volume, "mountPath": target, "readOnly": True, **({"subPath": folder} if folder else {})}
    yield Contribution((*podset.main, "volumeMounts", (("mountPath", target),)), mount, AT)


def _checked(
    workload: Workload,
    podset: PodSet,
    checkpoints: Checkpoints,
    where: Location,
    folder: str,
    text: str,
    mounts: list[Tree],
    more: dict[str, str],
    setting: Setting,
) -> Iterator[Contribution]:
    """The init container that runs the script `text`, with the variables `more` for it."""
    resume = checkpoints.resume_from
    assert resume is not None, "only a run that resumes is checked"
    variables = {
        "OWN": where.inside,
        "RESUME": folder,
        "SOURCE": f"run {resume.run}" if resume.run is not None else f"folder {resume.path}",
        "NAME": checkpoints.name,
        "MARKER": checkpoints.marker,
        "FILES": " ".join(checkpoints.files),
        **more,
    }
    escaped = {key: value.replace("$(", "$$(") for key, value in variables.items()}
    resources = {"requests": TINY, "limits": TINY}
    image = image_in_run("shell", setting)
    container = shell(CHECK, image, text, escaped, mounts, resources=resources)
    safe = pods.secured_in_run(container, pods.user_of(workload, [podset], setting))
    yield Contribution((*podset.pod, "initContainers", named(CHECK)), safe, AT)
    yield Contribution((*podset.pod, "volumes", named(pods.TMP_VOLUME)), pods.tmp_volume(), AT)
