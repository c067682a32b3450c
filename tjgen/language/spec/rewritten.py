"""A field of another tool in the spec of an experiment, with its value -> what to write instead, as text that can be pasted."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from tjgen.language.spec.devicetext import request
from tjgen.language.spec.flow import flow
from tjgen.language.spec.sections import COMMIT, TIMES
from tjgen.language.spec.slurmtimes import duration_of
from tjgen.trees.fields.path import Tree
from tjgen.trees.k8s.duration import SECONDS, seconds
from tjgen.trees.k8s.valid_names import dashed

_ARRAY = re.compile(r"([0-9]+)-([0-9]+)(?::([0-9]+))?(?:%([0-9]+))?")
_DURATION = re.compile(r"[1-9][0-9]*[smhd]?")
_MOST_POINTS = 64
"""Points of a sweep that a hint writes, which is the default maximum of a sweep."""
_LONGEST = 120
"""Characters of a value that a hint repeats."""
_METADATA = {"namespace": "namespace", "labels": "labels", "annotations": "annotations"}
_NAMES = "name jobname runname experimentname trialname"
_NOTES = "description comment notes"
_LABELS = "account project team"
_REMOVED = {
    "worldsize": "nodes and procsPerNode determine the number of processes",
    "masterport": "the runtime sets the address and the port",
    "masteraddr": "the runtime sets the address and the port",
    "output": "the log of a pod has what its program prints",
    "error": "the log of a pod has what its program prints",
    "region": "the cluster of the environment determines it",
    "cloud": "the cluster of the environment determines it",
    "cluster": "tjgen.yaml sets the cluster of an environment",
}
_PACKAGES = "requirements pip conda dependencies packages runtimeenv"
_LIMITS = "maxfailures requeue maxretry"
_SPOT = "usespot spot preemptible"
_MANIFEST = (
    "template replicatedjobs mlpolicy pytorchreplicaspecs tfreplicaspecs mpireplicaspecs parallelism completions podspecoverrides"
)
_DEVICES = "gpus accelerators accelerator numgpus gpucount gpuspernode gres"
_NATIVE = ("cpu", "memory", "ephemeral-storage")
_PARTS = "trainer scalingconfig runconfig failureconfig runpolicy schedulingpolicy worker"
_SELECTORS = {
    "zone": "topology.kubernetes.io/zone",
    "instancetype": "node.kubernetes.io/instance-type",
    "nodename": "kubernetes.io/hostname",
    "nodelist": "kubernetes.io/hostname",
}


def rewritten(name: str, value: Tree, field_of: Callable[[str], str | None]) -> str | None:
    """The hint for a field `name` (small letters, no `-` and `_`) of another tool; None if the name of a field suffices."""
    known = _HINTS.get(name)
    if known is not None:
        return known(value)
    if name in _METADATA:
        return f"write {name}: {flow(value)}, in metadata"
    if name in _LABELS.split():
        return f"write labels: {{{name}: {flow(value)}}}, in metadata"
    if name in _REMOVED:
        return f"remove it: {_REMOVED[name]}"
    if name in _SELECTORS and value.__class__ is str:
        return f"write pod: {{nodeSelector: {{{_SELECTORS[name]}: {flow(value)}}}}}"
    if name in _PARTS.split() and value.__class__ is dict:
        return _moved(value, field_of)
    return None


def of_resource(name: str, value: Tree, field_of: Callable[[str], str | None]) -> str | None:
    """The hint for an entry of `resources` that is a field of spec, or of another tool; None for a resource of Kubernetes."""
    word = name.replace("_", "").replace("-", "").lower()
    if "/" in name or name in _NATIVE:
        return None
    if word in _SPOT.split():
        return f"{_spot(value)}, in spec"
    if word in ("gpu", *_DEVICES.split()):
        return f"{_devices(value)}, next to resources"
    field = field_of(name)
    if field in ("cpu", "memory", "ephemeralStorage"):
        amount = value.rstrip("+") if value.__class__ is str else value
        return f"write {field}: {amount}, next to resources"
    return None


def _deadline(value: Tree) -> str:
    if value.__class__ is int:
        return f"write deadline: {value}m"
    is_sound = value.__class__ is str and _DURATION.fullmatch(value) is not None
    return f"write deadline: {duration_of(value) or (value if is_sound else '24h')}"


def _name(value: Tree) -> str:
    return f"write name: {flow(value)}, in metadata"


def _devices(value: Tree) -> str:
    if value.__class__ is dict:
        value = next((f"{key}:{count}" for key, count in value.items() if len(value) == 1), "")
    text = str(value).removeprefix("gpu:")
    return f"write gpu: {request(text) or text.lower() if text.strip() else 'CLASS:COUNT'}"


def _tpus(value: Tree) -> str:
    generation, _, count = str(value).lower().removeprefix("tpu-").rpartition("-")
    return f"write gpu: tpu-{generation}:{count}" if generation and count.isdigit() else "write gpu: tpu-v5e:4"


def _any_devices(value: Tree) -> str:
    return "write gpu: CLASS:COUNT, such as gpu: h100:8" if value is not False else "remove it"


def _resources(value: Tree) -> str | None:
    if value.__class__ is not dict or not value:
        return None
    devices = [amount for key, amount in value.items() if key.lower() == "gpu"]
    return f"write gpu: {flow(devices[0])}" if devices else f"write resources: {flow(value)}"


def _array(value: Tree) -> str:
    matched = _ARRAY.fullmatch(str(value))
    points = list(range(int(matched[1]), int(matched[2]) + 1, int(matched[3] or 1) or 1)) if matched else []
    if not 0 < len(points) <= _MOST_POINTS:
        return "write sweep: {matrix: {env.TASK_ID: [0, 1, 2]}}, with your values"
    most = f", maxParallel: {matrix}" if matched and (matrix := matched[4]) else ""
    text = f"write sweep: {{matrix: {{env.TASK_ID: {points}}}{most}}}"
    return f"{text}, with a queue for maxParallel, as docs/how-to/sweeps.md describes, or without it" if most else text


def _queue(value: Tree) -> str:
    queue = value if value.__class__ is str else "QUEUE"
    return f"write schedule: {{queue: {flow(queue)}}}, and add system: kueue or system: volcano if the project sets no system"


def _program(value: Tree) -> str | None:
    if value.__class__ is not str or "\n" not in value.strip():
        return f"write script: {flow(value.strip())}" if value.__class__ is str else None
    return "write script instead, and begin its text with the line #!/bin/sh"


def _packages(value: Tree) -> str:
    return "install packages in the image, or in a script that begins with the line #!/bin/sh"


def _mounts(value: Tree) -> str:
    if value.__class__ is not dict or not value:
        return "write volumes: {NAME: {pvc: CLAIM, mountPath: /data}}, with your names"
    path, source = next(iter(value.items()))
    if not path.startswith("/"):
        return _mounts(None)
    name = dashed(path) or "data"
    volume = f"write volumes: {{{name}: {{pvc: CLAIM, mountPath: {flow(path)}}}}}"
    if source.__class__ is str and "://" in source:
        return f"{volume}, and prefetch: {{volume: {name}, source: {flow(source)}}} to copy the data to the claim"
    return f"{volume}, with the claim of the data"


def _folder(value: Tree) -> str | None:
    if value.__class__ is not str or not value or value.startswith("/"):
        return None
    return f"write code: {{configMap: {flow(value)}}} for a folder of this machine, or workingDir for one of the image"


def _claim(value: Tree) -> str:
    claim = value if value.__class__ is str else "CLAIM"
    return f"write volumes: {{data: {{pvc: {flow(claim)}, mountPath: /data}}}}"


def _storage(value: Tree) -> str:
    size = value if value.__class__ is str and value[:1].isdigit() else "100Gi"
    return f"write volumes: {{data: {{pvc: {{create: {{size: {size}}}}}, mountPath: /data}}}}"


def _secrets(value: Tree) -> str:
    name, secret = next(iter(value.items())) if value.__class__ is dict and value else ("NAME", "SECRET")
    return f"write env: {{{name}: {{secret: {flow(secret) if secret.__class__ is str else 'SECRET'}, key: KEY}}}}"


def _repository(value: Tree) -> str:
    return (
        f"write code: {{git: {{repository: {flow(value)}, commit: {COMMIT}}}}}, with the ID of your commit"
        if value.__class__ is str
        else "write code: {git: ...}"
    )


def _runtime(value: Tree) -> str | None:
    if value.__class__ is dict and value.get("name").__class__ is str:
        return f"write runtime: {flow(value['name'])}"
    return None


def _parameters(value: Tree) -> str:
    if value.__class__ is not dict or not value:
        return "add them to script, such as --lr 0.1"
    words = [word for key, given in value.items() for word in (f"--{key}", given if given.__class__ is str else flow(given))]
    line = " ".join(words)
    return f"add {line} to script, or write args: {flow(words)} with command" if len(line) <= _LONGEST else "add them to script"


def _containers(value: Tree) -> str | None:
    first = value[0] if value.__class__ is list and value and value[0].__class__ is dict else None
    if first is None:
        return None
    fields = [f"{key}: {flow(first[key])}" for key in ("image", "command", "args") if key in first]
    own = " and ".join(fields) if fields else "image and command"
    return f"write {own} in spec for the container that trains, and others as sidecars: {{NAME: {{image: IMAGE}}}}"


def _platform(value: Tree) -> str:
    name = value.rpartition("/")[2].partition(".")[0] if value.__class__ is str else "NAME"
    return f"write environments: {{dev: {{platform: {name}}}}} in tjgen.yaml, with the name of the Platform"


def _limit(value: Tree) -> str:
    count = value if value.__class__ is int else 3
    return f"write restart: {{limit: {count}}}"


def _restarted(value: Tree) -> str:
    policy = {"never": "Never", "onfailure": "OnFailure", "always": "OnFailure", "exitcode": "ExitCode"}.get(str(value).lower())
    if policy == "OnFailure":  # A Job without a limit fails at the first failure.
        return "write restart: {policy: OnFailure, limit: 3}"
    return f"write restart: {{policy: {policy or 'Never'}}}"


def _kept(value: Tree) -> str:
    text = str(value)
    kept = seconds(text) if text[:-1].isdigit() and text[-1] in SECONDS else value if value.__class__ is int else 3600
    other = f"for targets mpijob and rayjob, write cleanup: {{ttlSeconds: {kept}}}"
    return f"remove it: pods that have ended hold no devices; {other}"


def _moved(value: dict[str, Tree], field_of: Callable[[str], str | None]) -> str:
    """The fields inside a part of another tool's file, as fields of spec."""
    fields = []
    for key, inner in value.items():
        hint = rewritten(key.replace("_", "").replace("-", "").lower(), inner, field_of) or ""
        field = field_of(key) or key
        own, _, template = field.partition(":")
        if hint.startswith("write ") and "," not in hint:
            fields.append(hint.removeprefix("write "))
        elif template.endswith((": N}", ": ...}")) and inner.__class__ is not dict:
            fields.append(f"{own}:{template.replace('...', flow(inner)).replace(': N}', f': {flow(inner)}}}')}")
        elif own == "gpu" or (not template and inner.__class__ is not dict):
            fields.append(f"{own}: {flow(inner)}")
        else:
            fields.append(own)
    return f"write {' and '.join(fields)} in spec" if fields else "remove it"


def _spot(value: Tree) -> str:
    return "write pod: {nodeSelector: {KEY: VALUE}}, with the label of such nodes in your cluster, or remove it"


def _all(names: str, hint: Callable[[Tree], str | None]) -> dict[str, Callable[[Tree], str | None]]:
    return dict.fromkeys(names.split(), hint)


_HINTS: Mapping[str, Callable[[Tree], str | None]] = {
    **_all("time timelimit timeoutmin walltime", _deadline),
    **_all(_NAMES, _name),
    **_all(_NOTES, lambda value: f"write annotations: {{description: {flow(value)}}}, in metadata"),
    **_all(_DEVICES, _devices),
    **_all("tpu tpus", _tpus),
    **_all("gputype", lambda value: f"write gpu: {flow(value).lower()}:8, with your number of devices"),
    **_all("resourcesperworker resourcespernode", _resources),
    **_all("gpumemory gpumem vram", lambda value: f"write gpu: {{class: CLASS, count: N, minMemory: {flow(value)}}}"),
    **_all("cron crontab cronschedule", lambda value: TIMES),
    **_all("usegpu", _any_devices),
    **_all("array", _array),
    **_all("qos", lambda value: f"write schedule: {{priorityClassName: {flow(value)}}}"),
    **_all("queue queuename partition", _queue),
    **_all("run entrypoint program", _program),
    **_all(f"setup {_PACKAGES}", _packages),
    **_all("filemounts volumemounts mount mounts storagemounts", _mounts),
    **_all("workdir", _folder),
    **_all("pvc claim persistentvolumeclaim", _claim),
    **_all("storage disksize", _storage),
    **_all("secrets", _secrets),
    **_all("git repo repository giturl", _repository),
    **_all("runtimeref", _runtime),
    **_all("params parameters hyperparameters hyperparams", _parameters),
    **_all("containers container", _containers),
    **_all("platform", _platform),
    **_all(_LIMITS, _limit),
    **_all("restartpolicy", _restarted),
    **_all("ttl ttlsecondsafterfinished", _kept),
    **_all(_SPOT, _spot),
    **_all(
        _MANIFEST,
        lambda value: "this is a field of a manifest: tjgen import FILE turns a manifest into an experiment",
    ),
    **_all("ntasks", lambda value: "write nodes and procsPerNode, such as nodes: 2 and procsPerNode: 8"),
    **_all("mempercpu mempergpu", lambda value: "write memory: 64Gi, with the memory of a whole pod"),
    **_all("memgb", lambda value: f"write memory: {flow(value)}Gi"),
    **_all("memmb memorymb", lambda value: f"write memory: {flow(value)}Mi"),
    **_all("dataset datasets", lambda value: "write data: {volume: NAME}, with the name of an entry of volumes"),
}
