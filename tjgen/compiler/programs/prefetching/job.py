"""What is to be prefetched -> the Job that copies, verifies and marks it, with an index for each worker."""

from __future__ import annotations

from collections.abc import Sequence

from tjgen.compiler.programs import pods
from tjgen.compiler.programs.containers import PYTHON, TINY, image_of_program, script, shell
from tjgen.compiler.programs.prefetching.sections import PrefetchSection
from tjgen.compiler.variables import by_reference, env_item
from tjgen.compiler.volumes.table import pod_source
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Experiment, PrefetchSet, Volume
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
JOB_NAME_OF_POD = "metadata.labels['batch.kubernetes.io/job-name']"
_OF_POD = {
    "INDEX": "metadata.annotations['batch.kubernetes.io/job-completion-index']",
    "JOB": "metadata.labels['batch.kubernetes.io/controller-uid']",
    "JOB_NAME": JOB_NAME_OF_POD,
    "POD": "metadata.name",
}
"""Variable of a worker -> the field of its pod. JOB is the UID of the Job: a Job that is created again has another one."""
_ATTEMPTS = 3
"""For each worker: downloads fail for reasons that pass."""


class Store(NamedTuple):
    """How data at the URIs of one scheme is read."""

    purpose: str
    """The helper that reads it."""
    prefix: str
    """What the helper writes before the rest of the URI."""
    workers: bool
    """Whether several can share the work: it lists the files of a folder, and copies and verifies each."""
    lists: bool = True
    """Whether its program reports what it brings, so that it can be verified."""


STORES = {
    "s3": Store("copy", ":s3,env_auth=true:", workers=True),
    "gs": Store("copy", ":gcs,env_auth=true:", workers=True),
    "https": Store("copy", "https://", workers=False),
    "http": Store("copy", "http://", workers=False),
    "hf": Store("dataset", "hf://", workers=False, lists=False),
}
"""Scheme of a URI -> how its data is read."""
UNENCRYPTED = ("http",)
"""Schemes that hints leave out."""


class Remote(NamedTuple):
    """How a source is read."""

    store: Store
    name: str
    """The name of the source for the helper."""


class Start(NamedTuple):
    """What a Job waits for before it copies."""

    containers: Sequence[Tree] = ()
    """Init containers that wait."""
    volumes: Sequence[Tree] = ()
    """The volumes that only these containers mount."""
    seconds: int = 0
    """The longest wait."""


def remote(uri: str) -> Remote | None:
    """How `uri` is read; None where that is not known."""
    scheme, _, rest = uri.partition("://")
    store = STORES.get(scheme)
    return Remote(store, store.prefix + rest) if store is not None and rest else None


def content(prefetch: PrefetchSet) -> Tree:
    """The identity of the data: if it changes, the existing copy is not valid."""
    source = prefetch.source
    where = [source.uri, source.volume, source.path, *sorted(source.paths)] if source is not None else []
    environment = [env_item(name, prefetch.env[name]) for name in sorted(prefetch.env)]
    return [where, prefetch.path, prefetch.image, list(prefetch.command), list(prefetch.args), environment]


def state_folder(prefetch: PrefetchSet) -> str:
    """The folder of a content below the volume. Another source has another folder, so runs that read this one keep it."""
    return f"{FOLDER}/{sha256_hex(json_text(content(prefetch)))[:10]}"


def attempts(prefetch: PrefetchSet) -> int:
    """Failures of pods that the Job accepts."""
    return _ATTEMPTS * workers_of(prefetch)


def job(
    section: PrefetchSection, experiment: Experiment, user: pods.User, setting: Setting, start: Start, placement: Tree
) -> tuple[str, Tree]:
    """Name and tree of the Job. The name follows from all that the Job does, since a Job cannot be changed.

    `placement` has the fields of the pod that place it.
    """
    prefetch = section.fields
    target = _writable_source(section.volume, experiment.spec.volumes[section.volume], setting)
    workers = workers_of(prefetch)
    state = f"{TARGET}/{state_folder(prefetch)}"
    variables = {"STATE": state, "TARGET": f"{state}/{CONTENT}", "WORKERS": str(workers)}
    if prefetch.path is not None:
        variables["MOUNT_POINT"] = f"{TARGET}/{prefetch.path.strip('/')}"
    volumes: list[Tree] = [{"name": "target", **target}, *start.volumes]
    mounts: list[Tree] = [{"name": "target", "mountPath": TARGET}]
    where = prefetch.source
    if where is not None and where.volume is not None:
        volumes.append({"name": "source", **pod_source(where.volume, experiment.spec.volumes[where.volume], setting)})
        mounts.append({"name": "source", "mountPath": SOURCE, "readOnly": True})
        variables["SOURCE"] = f"{SOURCE}/{where.path.strip('/')}" if where.path is not None else SOURCE
    known = remote(where.uri) if where is not None and where.uri is not None else None
    if where is not None and where.uri is not None:
        variables["STORAGE_URI"] = where.uri
    if where is not None and where.paths:
        variables["PATHS"] = "\n".join(sorted(where.paths))
    if prefetch.command or (known is not None and not known.store.lists):
        # The program is not ours: nothing is known of what it should bring, so nothing is verified.
        bring = _of_others(prefetch, variables, mounts, user, setting)
        first = [*start.containers, _tiny("prepare", variables, mounts[:1], setting), bring]
        pod = pods.pod([_tiny("mark", variables, mounts[:1], setting)], volumes, user, first=first)
    else:
        bring = _bringing(prefetch, known, variables, mounts, user, setting)
        pod = pods.pod([bring], volumes, user, first=start.containers)
    pod = {**pod, **placement}
    name = f"{setting.family}-prefetch-{sha256_hex(json_text([workers, pod]))[:10]}"
    # No ttlSecondsAfterFinished: a sync would create the Job again each time.
    spec: Tree = {
        "completionMode": "Indexed",
        "completions": workers,
        "parallelism": workers,
        "backoffLimit": attempts(prefetch),
    }
    deadline = start.seconds + duration.seconds(prefetch.deadline)
    return name, pods.job(name, "prefetch", pod, setting, deadline=deadline, **spec)


def _writable_source(name: str, volume: Volume, setting: Setting) -> Tree:
    """The volume's source as the program that fills it mounts it, also if the runs only read it."""
    (kind, fields) = next(iter(pod_source(name, volume, setting).items()))
    return {kind: {key: value for key, value in fields.items() if key != "readOnly"}}


def workers_of(prefetch: PrefetchSet) -> int:
    """Return the requested number, but 1 for data that cannot be divided."""
    known = remote(prefetch.source.uri) if prefetch.source is not None and prefetch.source.uri is not None else None
    return 1 if known is not None and not known.store.workers and not prefetch.command else prefetch.workers


def _bringing(
    prefetch: PrefetchSet, known: Remote | None, variables: dict[str, str], mounts: list[Tree], user: pods.User, setting: Setting
) -> Tree:
    """The container that copies, verifies and marks a part."""
    more: dict[str, Tree] = {"resources": {"requests": BRINGING, "limits": BRINGING}}
    if known is None:
        purpose, text = "python", script("copy-volume.py")
        more["command"] = list(PYTHON)
    else:
        purpose, text = known.store.purpose, script("marks.sh") + script("copy-remote.sh")
        variables = {**variables, "REMOTE": known.name, **({} if known.store.workers else {"ONE": "true"})}
    image = setting.emitted(prefetch.image) if prefetch.image is not None else image_of_program(purpose, setting)
    return _completed(shell("bring", image, text, variables, mounts, **more), prefetch, user)


def _of_others(prefetch: PrefetchSet, variables: dict[str, str], mounts: list[Tree], user: pods.User, setting: Setting) -> Tree:
    """The container with the command of the experiment, or with Trainer's dataset initializer."""
    image = (
        setting.emitted(prefetch.image)
        if prefetch.image is not None
        else image_of_program("dataset" if not prefetch.command else "shell", setting)
    )
    container = shell("bring", image, "", variables, mounts, resources={"requests": BRINGING, "limits": BRINGING})
    del container["command"], container["args"]
    if prefetch.command:
        container["command"] = list(prefetch.command)
    else:
        below = variables["TARGET"].removeprefix(f"{TARGET}/")
        container["volumeMounts"] = [{"name": "target", "mountPath": DATASET, "subPath": below}]
    if prefetch.args:
        container["args"] = list(prefetch.args)
    return _completed(container, prefetch, user)


def _completed(container: Tree, prefetch: PrefetchSet, user: pods.User) -> Tree:
    """The container with what the experiment sets for the program that brings the data."""
    own = [env_item(name, prefetch.env[name]) for name in by_reference(prefetch.env)]
    more: dict[str, Tree] = {"env": [*variables_of_pod(), *container["env"], *own]}
    if prefetch.image is not None:
        more["securityContext"] = user.of_container_of_others()
    if prefetch.secret is not None:
        more["envFrom"] = [{"secretRef": {"name": prefetch.secret}}]
    return {**container, **more}


def _tiny(name: str, variables: dict[str, str], mounts: list[Tree], setting: Setting) -> Tree:
    """A container with the script of this name, before or after a program that is not ours."""
    text = script("marks.sh") + script(f"{name}.sh")
    container = shell(
        name, image_of_program("shell", setting), text, variables, mounts, resources={"requests": TINY, "limits": TINY}
    )
    return {**container, "env": [*variables_of_pod(), *container["env"]]}


def variables_of_pod(**names: str) -> list[Tree]:
    """The variables of a worker; `names` are other names for some of them."""
    return [{"name": names.get(name, name), "valueFrom": {"fieldRef": {"fieldPath": path}}} for name, path in _OF_POD.items()]
