"""`checkpoints.resumeFrom` -> the mount and the variable of the folder, and an init container that looks for a checkpoint there.

The kubelet creates a folder that a `subPath` names and that does not exist, so a run would train from the start.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.compiler.lower import SPEC
from tjgen.compiler.programs import pods
from tjgen.compiler.programs.containers import TINY, image_in_run, script, shell
from tjgen.compiler.programs.keeping import problems
from tjgen.compiler.programs.keeping.location import Location, is_of_family
from tjgen.compiler.volumes.claims import claim_name
from tjgen.compiler.volumes.pvc import new_claim
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Checkpoints, Resume
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree, get, named
from tjgen.trees.workload.contribution import Contribution
from tjgen.trees.workload.workload import PodSet, Workload

AT: FieldPath = (*SPEC, "checkpoints", "resumeFrom")
CHECK = "tjgen-check-resume"
"""The init container that looks for a complete checkpoint."""
RESUME = "/tjgen/resume"
_VOLUME = "tjgen-resume"


def problems_of(checkpoints: Checkpoints, setting: Setting) -> Iterator[Diagnostic]:
    """What is wrong with the field by itself."""
    resume = checkpoints.resume_from
    if resume is None:
        return
    if resume.run is not None:
        if not is_of_family(resume.run, setting):
            message = f'"{resume.run}" is not a run of experiment {setting.family}'
            hint = "write its name as tjgen runs shows it, or the folder of another experiment as path"
            yield Diagnostic(problems.RESUME, message, path=AT, hint=hint)
        elif checkpoints.scope == "family":
            message = "all runs of the experiment use one folder already: scope is family"
            yield Diagnostic(problems.RESUME, message, path=AT, hint="remove resumeFrom, or scope")
    elif resume.path is not None and ".." in resume.path.split("/"):
        message = f"path {resume.path} leads out of the volume"
        yield Diagnostic(problems.RESUME, message, path=(*AT, "path"), hint="name a folder of the volume")


def resumed(
    workload: Workload, podset: PodSet, checkpoints: Checkpoints, where: Location, setting: Setting
) -> Iterator[Contribution]:
    """The fields of one pod set; nothing without `resumeFrom`."""
    resume = checkpoints.resume_from
    if resume is None:
        return
    own = get(workload.tree.value, (*podset.main, "volumeMounts"), None) or []
    if resume.path is not None and resume.path.startswith("/"):
        folder = resume.path
        mounts = [
            mount for mount in own if folder == mount["mountPath"] or folder.startswith(mount["mountPath"].rstrip("/") + "/")
        ]
    else:
        folder, mounts = RESUME, []
        for one in _mounted(podset, resume, checkpoints, where, setting):
            yield one
            if one.path[-2] == "volumeMounts":
                mounts.append(one.value)
    yield variable(podset, "TJGEN_RESUME_FROM", folder, AT)
    if mounts:
        mounts += [mount for mount in own if mount["mountPath"] == where.place.path and mount not in mounts]
        yield from _checked(workload, podset, checkpoints, where, folder, mounts, setting)


def variable(podset: PodSet, name: str, value: str, because: FieldPath) -> Contribution:
    """A variable of the main container, with its value as it is."""
    return Contribution((*podset.main, "env", named(name)), {"name": name, "value": value.replace("$(", "$$(")}, because)


def _mounted(
    podset: PodSet, resume: Resume, checkpoints: Checkpoints, where: Location, setting: Setting
) -> Iterator[Contribution]:
    create = new_claim(where.volume)
    volume = checkpoints.volume
    if resume.run is not None and create is not None and create.scope == "run":
        # Each run has a claim, so the pods also mount the claim of the other run.
        volume = _VOLUME
        name = claim_name(checkpoints.volume, create, setting._replace(run=resume.run))
        claim: Tree = {"name": volume, "persistentVolumeClaim": {"claimName": name, "readOnly": True}}
        yield Contribution((*podset.pod, "volumes", named(volume)), claim, AT)
    folder = where.on_volume(resume.run) if resume.run is not None else (resume.path or "").strip("/")
    mount: Tree = {"name": volume, "mountPath": RESUME, "readOnly": True, **({"subPath": folder} if folder else {})}
    yield Contribution((*podset.main, "volumeMounts", (("mountPath", RESUME),)), mount, AT)


def _checked(
    workload: Workload,
    podset: PodSet,
    checkpoints: Checkpoints,
    where: Location,
    folder: str,
    mounts: list[Tree],
    setting: Setting,
) -> Iterator[Contribution]:
    resume = checkpoints.resume_from
    assert resume is not None, "only a run that resumes is checked"
    variables = {
        "OWN": where.inside,
        "RESUME": folder,
        "SOURCE": f"run {resume.run}" if resume.run is not None else f"folder {resume.path}",
        "NAME": checkpoints.name,
        "MARKER": checkpoints.marker,
        "FILES": " ".join(checkpoints.files),
    }
    escaped = {key: value.replace("$(", "$$(") for key, value in variables.items()}
    read_only = [{**mount, "readOnly": True} for mount in mounts]
    resources = {"requests": TINY, "limits": TINY}
    image = image_in_run("shell", setting)
    container = shell(CHECK, image, script("check-resume.sh"), escaped, read_only, resources=resources)
    safe = pods.secured_in_run(container, pods.user_of(workload, [podset], setting))
    yield Contribution((*podset.pod, "initContainers", named(CHECK)), safe, AT)
    yield Contribution((*podset.pod, "volumes", named(pods.TMP_VOLUME)), pods.tmp_volume(), AT)
