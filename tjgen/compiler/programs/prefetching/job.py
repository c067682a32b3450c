"""What is to be prefetched -> the Job that copies, verifies and marks it, with an index for each worker."""

from __future__ import annotations

from tjgen.compiler.programs import pods
from tjgen.compiler.programs.containers import PYTHON, TINY, image_of_program, script, shell
from tjgen.compiler.variables import by_reference, env_item
from tjgen.compiler.volumes.table import pod_source
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Experiment, Prefetch
from tjgen.trees.canonical import json_text, sha256_hex
from tjgen.trees.fields.path import Tree
from tjgen.trees.k8s import duration
from tjgen.trees.typing import NamedTuple

FOLDER = ".tjgen-prefetch"
"""Folder at the root of the volume: for each content a folder with the data, the list of the source and the marks."""
CONTENT = "content"
"""Folder of the data in the folder of a content."""
WAIT = "tjgen-wait"
"""The init container that waits for the Job."""
TARGET = "/tjgen/target"
SOURCE = "/tjgen/source"
DATASET = "/workspace/dataset"
"""Where the image of Trainer's dataset initializer writes to."""
BRINGING: Tree = {"cpu": "2", "memory": "4Gi"}
_OF_POD = {
    "INDEX": "metadata.annotations['batch.kubernetes.io/job-completion-index']",
    "JOB": "metadata.labels['batch.kubernetes.io/controller-uid']",
    "JOB_NAME": "metadata.labels['batch.kubernetes.io/job-name']",
    "POD": "metadata.name",
}
"""Variable of a worker -> the field of its pod. JOB is the UID of the Job: a Job that is made again does not have it."""
_ATTEMPTS = 3
"""For each worker: downloads fail for reasons that pass."""


class Remote(NamedTuple):
    """How a store is read."""

    purpose: str
    """The helper that reads it."""
    name: str
    """What it is called there."""
    workers: bool
    """Whether several can share the work."""


def remote(uri: str) -> Remote | None:
    """How `uri` is read; None where that is not known."""
    scheme, separator, rest = uri.partition("://")
    if not separator or not rest:
        return None
    stores = {"s3": ":s3,env_auth=true:", "gs": ":gcs,env_auth=true:"}
    if scheme in stores:
        return Remote("copy", stores[scheme] + rest, True)
    if scheme in ("http", "https"):
        return Remote("copy", uri, False)
    return Remote("dataset", uri, False) if scheme == "hf" else None


def content(asked: Prefetch) -> Tree:
    """What makes the data the data that it is: with another one, what is there says nothing."""
    where = [asked.source.uri, asked.source.volume, asked.source.path] if asked.source is not None else []
    environment = [env_item(name, asked.env[name]) for name in sorted(asked.env)]
    return [where, asked.path, asked.image, list(asked.command), list(asked.args), environment]


def state_folder(asked: Prefetch) -> str:
    """The folder of a content below the volume. Another source has another folder, so runs that read this one keep it."""
    return f"{FOLDER}/{sha256_hex(json_text(content(asked)))[:10]}"


def attempts(asked: Prefetch) -> int:
    """Failures of pods that the Job accepts."""
    return _ATTEMPTS * workers_of(asked)


def made(asked: Prefetch, experiment: Experiment, target: Tree, user: pods.User, setting: Setting) -> tuple[str, Tree]:
    """Name and tree of the Job. The name follows from all that the Job does, since a Job cannot be changed."""
    workers = workers_of(asked)
    state = f"{TARGET}/{state_folder(asked)}"
    told = {"STATE": state, "TARGET": f"{state}/{CONTENT}", "WORKERS": str(workers)}
    if asked.path is not None:
        told["MOUNT_POINT"] = f"{TARGET}/{asked.path.strip('/')}"
    volumes: list[Tree] = [{"name": "target", **target}]
    mounts: list[Tree] = [{"name": "target", "mountPath": TARGET}]
    where = asked.source
    if where is not None and where.volume is not None:
        volumes.append({"name": "source", **pod_source(where.volume, experiment.spec.volumes[where.volume], setting)})
        mounts.append({"name": "source", "mountPath": SOURCE, "readOnly": True})
        told["SOURCE"] = f"{SOURCE}/{where.path.strip('/')}" if where.path is not None else SOURCE
    known = remote(where.uri) if where is not None and where.uri is not None else None
    if where is not None and where.uri is not None:
        told["STORAGE_URI"] = where.uri
    if asked.command or (known is not None and known.purpose == "dataset"):
        # The program is not ours: nothing is known of what it should bring, so nothing is verified.
        bring = _of_others(asked, told, mounts, user, setting)
        first = [_tiny("prepare", told, mounts[:1], setting), bring]
        pod = pods.pod([_tiny("mark", told, mounts[:1], setting)], volumes, user, first=first)
    else:
        pod = pods.pod([_bringing(asked, known, told, mounts, user, setting)], volumes, user)
    name = f"{setting.family}-prefetch-{sha256_hex(json_text([workers, pod]))[:10]}"
    # No ttlSecondsAfterFinished: a sync would create the Job again each time.
    spec: Tree = {
        "completionMode": "Indexed",
        "completions": workers,
        "parallelism": workers,
        "backoffLimit": attempts(asked),
    }
    return name, pods.job(name, "prefetch", pod, setting, deadline=duration.seconds(asked.deadline), **spec)


def workers_of(asked: Prefetch) -> int:
    """As many as are asked for, but one for what cannot be divided."""
    known = remote(asked.source.uri) if asked.source is not None and asked.source.uri is not None else None
    return 1 if known is not None and not known.workers and not asked.command else asked.workers


def _bringing(
    asked: Prefetch, known: Remote | None, told: dict[str, str], mounts: list[Tree], user: pods.User, setting: Setting
) -> Tree:
    """The container that copies, verifies and marks a part."""
    more: dict[str, Tree] = {"resources": {"requests": BRINGING, "limits": BRINGING}}
    if known is None:
        purpose, text = "python", script("copy-volume.py")
        more["command"] = list(PYTHON)
    else:
        purpose, text = known.purpose, script("marks.sh") + script("copy-remote.sh")
        told = {**told, "REMOTE": known.name, **({} if known.workers else {"ONE": "true"})}
    image = setting.emitted(asked.image) if asked.image is not None else image_of_program(purpose, setting)
    return _completed(shell("bring", image, text, told, mounts, **more), asked, user)


def _of_others(asked: Prefetch, told: dict[str, str], mounts: list[Tree], user: pods.User, setting: Setting) -> Tree:
    """The container with the command of the experiment, or with Trainer's dataset initializer."""
    image = (
        setting.emitted(asked.image)
        if asked.image is not None
        else image_of_program("dataset" if not asked.command else "shell", setting)
    )
    container = shell("bring", image, "", told, mounts, resources={"requests": BRINGING, "limits": BRINGING})
    del container["command"], container["args"]
    if asked.command:
        container["command"] = list(asked.command)
    else:
        below = told["TARGET"].removeprefix(f"{TARGET}/")
        container["volumeMounts"] = [{"name": "target", "mountPath": DATASET, "subPath": below}]
    if asked.args:
        container["args"] = list(asked.args)
    return _completed(container, asked, user)


def _completed(container: Tree, asked: Prefetch, user: pods.User) -> Tree:
    """The container with what the experiment sets for the program that brings the data."""
    own = [env_item(name, asked.env[name]) for name in by_reference(asked.env)]
    more: dict[str, Tree] = {"env": [*_variables_of_pod(), *container["env"], *own]}
    if asked.image is not None:
        more["securityContext"] = user.of_container_of_others()
    if asked.secret is not None:
        more["envFrom"] = [{"secretRef": {"name": asked.secret}}]
    return {**container, **more}


def _tiny(name: str, told: dict[str, str], mounts: list[Tree], setting: Setting) -> Tree:
    """A container with the script of this name, before or after a program that is not ours."""
    text = script("marks.sh") + script(f"{name}.sh")
    container = shell(name, image_of_program("shell", setting), text, told, mounts, resources={"requests": TINY, "limits": TINY})
    return {**container, "env": [*_variables_of_pod(), *container["env"]]}


def _variables_of_pod() -> list[Tree]:
    return [{"name": name, "valueFrom": {"fieldRef": {"fieldPath": path}}} for name, path in _OF_POD.items()]
