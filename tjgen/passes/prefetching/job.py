"""What is to be prefetched -> the Job that does so: an index for each worker, first what brings its part, then the mark."""

from __future__ import annotations

from tjgen.canonical import json_text, sha256_hex
from tjgen.fields.path import Tree
from tjgen.k8s import duration
from tjgen.lower import by_reference, env_item
from tjgen.passes import tool_pods
from tjgen.passes.beside import TINY, alone, script, shell
from tjgen.passes.sources import source
from tjgen.setting import Setting
from tjgen.spec.objects import Experiment, Prefetch
from tjgen.typing import NamedTuple

TARGET = "/tjgen/target"
SOURCE = "/tjgen/source"
DATASET = "/workspace/dataset"
"""Where the image of Trainer's dataset initializer writes to."""
BRINGING: Tree = {"cpu": "2", "memory": "4Gi"}
INDEX: Tree = {
    "name": "INDEX",
    "valueFrom": {"fieldRef": {"fieldPath": "metadata.annotations['batch.kubernetes.io/job-completion-index']"}},
}
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


def made(
    asked: Prefetch, experiment: Experiment, target: Tree, marks: str, user: tool_pods.User, setting: Setting
) -> tuple[str, Tree]:
    """Name and tree of the Job; the name follows all that it does, since a Job cannot be changed."""
    workers = workers_of(asked)
    folder = f"{TARGET}/{asked.path.strip('/')}" if asked.path is not None else TARGET
    volumes: list[Tree] = [{"name": "target", **target}]
    mounts: list[Tree] = [{"name": "target", "mountPath": TARGET}]
    bring = _bringing(asked, experiment, folder, workers, volumes, mounts, user, setting)
    mark = shell(
        "mark",
        alone("shell", setting),
        script("mark.sh"),
        {"MARKS": f"{TARGET}/{marks}", "WORKERS": str(workers)},
        [{"name": "target", "mountPath": TARGET}],
        resources={"requests": TINY, "limits": TINY},
    )
    mark["env"] = [INDEX, *mark["env"]]
    pod = tool_pods.pod([mark], volumes, user, first=[bring])
    name = f"{setting.family}-prefetch-{sha256_hex(json_text([workers, pod]))[:10]}"
    # No ttlSecondsAfterFinished: a sync would create the Job again each time.
    spec: Tree = {
        "completionMode": "Indexed",
        "completions": workers,
        "parallelism": workers,
        "backoffLimit": _ATTEMPTS * workers,
    }
    return name, tool_pods.job(name, "prefetch", pod, setting, deadline=duration.seconds(asked.deadline), **spec)


def workers_of(asked: Prefetch) -> int:
    """As many as are asked for, but one for what cannot be divided."""
    known = remote(asked.source.uri) if asked.source is not None and asked.source.uri is not None else None
    return 1 if known is not None and not known.workers and not asked.command else asked.workers


def _bringing(
    asked: Prefetch,
    experiment: Experiment,
    folder: str,
    workers: int,
    volumes: list[Tree],
    mounts: list[Tree],
    user: tool_pods.User,
    setting: Setting,
) -> Tree:
    """The container that brings a part. It adds the volumes that it needs."""
    told = {"TARGET": folder, "WORKERS": str(workers)}
    purpose, text = "shell", script("copy-volume.sh")
    where = asked.source
    if where is not None and where.volume is not None:
        volumes.append({"name": "source", **source(where.volume, experiment.spec.volumes[where.volume], setting)})
        mounts.append({"name": "source", "mountPath": SOURCE, "readOnly": True})
        told["SOURCE"] = f"{SOURCE}/{where.path.strip('/')}" if where.path is not None else SOURCE
    elif where is not None and where.uri is not None:
        known = remote(where.uri)
        told["STORAGE_URI"] = where.uri
        if known is not None:
            purpose, text = known.purpose, script("copy-remote.sh")
        if known is not None and purpose == "copy":
            told["REMOTE"] = known.name
            if not known.workers:
                told["ONE"] = "true"
    image = setting.emitted(asked.image) if asked.image is not None else alone(purpose, setting)
    container: dict[str, Tree] = shell("bring", image, text, told, mounts, resources={"requests": BRINGING, "limits": BRINGING})
    if asked.command or purpose == "dataset":
        del container["command"], container["args"]
        if asked.command:
            container["command"] = list(asked.command)
        if asked.args:
            container["args"] = list(asked.args)
    if purpose == "dataset" and not asked.command:
        below = {"subPath": asked.path.strip("/")} if asked.path is not None else {}
        container["volumeMounts"] = [{"name": "target", "mountPath": DATASET, **below}]
    own = [env_item(name, asked.env[name]) for name in by_reference(asked.env)]
    container["env"] = [INDEX, *container["env"], *own]
    if asked.image is not None:
        container["securityContext"] = user.of_container_of_others()
    if asked.secret is not None:
        container["envFrom"] = [{"secretRef": {"name": asked.secret}}]
    return container
