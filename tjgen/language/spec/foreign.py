"""Names of fields in other tools -> what tjgen calls them, for the hint of an unknown field."""

from __future__ import annotations

from collections.abc import Sequence

_NAMES = {
    "gpu: CLASS:COUNT": "devices gpus numgpus ngpus gpucount gpuspernode gpusperworker accelerator accelerators "
    "acceleratortype tpu tpus slotspertrial",
    "nodes": "numnodes nnodes nodecount numworkers worker workers replicas numreplicas instances instancecount",
    "procsPerNode": "nproc nprocpernode numprocpernode numprocesses procspernode ntaskspernode taskspernode slotsperworker",
    "restart: {limit: N}": "backofflimit maxrestarts restartlimit retries maxretries retrylimit",
    "restart: {policy: ...}": "restartpolicy",
    "deadline": "activedeadlineseconds deadlineseconds timeout timelimit walltime maxruntime",
    "cleanup: {ttlSeconds: N}": "ttlsecondsafterfinished ttl",
    "cleanup: {pods: ...}": "cleanpodpolicy",
    "sharedMemory": "shm shmsize devshm",
    "pod: {nodeSelector: ...}": "nodeselector nodelabels",
    "pod: {tolerations: ...}": "tolerations",
    "pod: {affinity: ...}": "affinity",
    "pod: {hostNetwork: true}": "hostnetwork",
    "pod: {terminationGracePeriodSeconds: N}": "terminationgraceperiodseconds",
    "pod: {securityContext: ...}": "securitycontext",
    "schedule: {priorityClassName: ...}": "priorityclassname priorityclass priority",
    "schedule: {queue: ...}": "queue queuename partition",
    "schedule: {minAvailable: N}": "minavailable minmember",
    "schedule: {system: volcano}": "gang gangscheduling podgroup",
    "checkpoints: {volume: NAME}": "checkpointdir checkpointpath",
    "script": "run entrypoint program trainscript trainingscript",
    "command": "cmd",
    "args": "arguments",
    "workingDir": "workdir cwd",
    "env": "environment environmentvariables envvars envs",
    "volumes": "mounts volumemounts storage filemounts storagemounts",
    "cpu": "cpus cpuspertask numcpus vcpus",
    "memory": "mem memorymb ram",
    "ephemeralStorage": "disk disksize localdisk",
    "resources: {NAME: AMOUNT}": "resourcespernode resourcesperworker",
    "cpu: {request: N, limit: N}": "requests limits",
    "imagePullPolicy": "pullpolicy",
    "probes: {liveness: ...}": "livenessprobe healthcheck liveness",
    "probes: {readiness: ...}": "readinessprobe readiness",
    "probes: {startup: ...}": "startupprobe",
    "ports": "containerports containerport port expose",
    "initContainers": "initcontainer initcommand setup",
    "sidecars": "sidecar sidecarcontainers extracontainers containers",
    "image": "dockerimage containerimage imageid baseimage",
    "runtime": "runtimeref framework",
    "state: suspended": "suspend",
    "elastic": "elasticpolicy",
    "success": "successpolicy",
    "data": "dataset datasets",
    "sweep: {maxParallel: N}": "maxparallel maxconcurrent maxconcurrency maxconcurrenttrials paralleltrialcount concurrency",
    "roles: {NAME: {command: [...]}}": "evaluator evaluators ps parameterserver parameterservers master chief launcher",
    "patches": "patch jsonpatch jsonpatches podtemplateoverrides runtimepatches",
    "monitor": "metrics alerts prometheus metricscollector",
}
_OTHER_WORDS = {
    "accelerators": "deviceClasses",
    "classes": "deviceClasses",
    "devices": "deviceClasses",
    "generatename": "name",
    "labels": "nodeLabels",
    "nodelabels": "nodeSelector",
    "nodeselector": "nodeLabels",
    "ns": "namespace",
    "pools": "nodePools",
    "registry": "images",
    "taints": "nodeTaints",
}
"""Fields of metadata or of a Platform -> the field that means the same elsewhere in it, or that its author looks for."""
_CONDITIONS = {
    "names": "names name experiments experiment",
    "environments": "environments environment envs env",
    "clusters": "clusters cluster",
    "labels": "labels label matchlabels selector labelselector",
    "runtimes": "runtimes runtime",
}
"""Conditions of an overlay -> what their authors look for."""
_CONDITION_OF = {name: field for field, names in _CONDITIONS.items() for name in names.split()}
_FIELDS = {name: field for field, names in _NAMES.items() for name in names.split()}


def field_of(name: str) -> str | None:
    """The field of an experiment for what other tools call `name`; None for a name of no tool."""
    return _FIELDS.get(plain(name))


def words() -> dict[str, list[str]]:
    """Each field of an experiment for which other tools have names, with these names as `plain` returns them."""
    return {field: names.split() for field, names in _NAMES.items()}


def condition_of(name: str) -> str | None:
    """The condition of an overlay for `name`; None if there is none."""
    return _CONDITION_OF.get(plain(name))


def synonym_of(name: str, known: Sequence[str]) -> str | None:
    """The field among `known` that means what `name` does; None if there is none."""
    synonym = _OTHER_WORDS.get(plain(name))
    return synonym if synonym in known else None


def notation_of(name: str, known: Sequence[str]) -> str | None:
    """The field among `known` that differs from `name` only in capital letters, `_` and `-`; None if there is none."""
    return next((field for field in known if plain(field) == plain(name)), None)


def number_of(name: str, known: Sequence[str]) -> str | None:
    """The field among `known` of which `name` is the singular or the plural; None if there is none."""
    return next((field for field in known if _singular(field) == _singular(name)), None)


def _singular(name: str) -> str:
    word = plain(name)
    return f"{word[:-3]}y" if word.endswith("ies") else word.removesuffix("s")


def plain(name: str) -> str:
    """A name in small letters, without what separates its words, and without the name of its tool."""
    return name.replace("_", "").replace("-", "").lower().removeprefix("slurm")
