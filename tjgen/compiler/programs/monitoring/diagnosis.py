"""The volumes of a run -> a Job for each that others can reach too: it measures the volume and writes a report (diagnose.sh).

Under GitOps the Job waits, suspended, until you start it: it has no ttlSecondsAfterFinished, since a sync would make
it again, and Flux applies it once, since it would stop it again otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tjgen.cluster.policies.pod_security import PRIVILEGED
from tjgen.cluster.synctools.table import WITHOUT_EFFECT
from tjgen.compiler.lower import SPEC
from tjgen.compiler.programs import pods
from tjgen.compiler.programs.containers import image_of_program, script, shell
from tjgen.compiler.programs.prefetching import cache
from tjgen.compiler.programs.prefetching.sections import prefetch_sections
from tjgen.compiler.volumes.mounts import users_of
from tjgen.compiler.volumes.pvc import claim_of, new_claim
from tjgen.compiler.volumes.table import pod_source, source_of
from tjgen.language.platform.profiles import profile
from tjgen.language.platform.tools import DIAGNOSE
from tjgen.language.setting import Setting
from tjgen.language.spec.forms import text
from tjgen.language.spec.objects import Experiment, Volume
from tjgen.trees.canonical import sha256_hex
from tjgen.trees.diagnostics.model import ERROR, WARNING, Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.k8s.labels import HOSTNAME
from tjgen.trees.k8s.quantity import parse
from tjgen.trees.typing import NamedTuple
from tjgen.trees.workload.roles import members
from tjgen.trees.workload.workload import PodSet, Workload

ROOT = "/volume"
SECONDS = 60
SIZE = 2**30
"""Bytes of a file that is written, if there is none to read."""
DEADLINE = 1800
KEPT = 24 * 3600
"""Seconds for which a Job that you start by hand stays when it has ended."""
CACHES: Mapping[str, str] = {
    "csi.juicefs.com": 'cat "$VOLUME/.stats"',
    "fsx.csi.aws.com": "cat /proc/fs/lustre/llite/*/read_ahead_stats",
    "lustre.csi.storage.gke.io": "cat /proc/fs/lustre/llite/*/read_ahead_stats",
    "nfs.csi.k8s.io": "cat /proc/self/mountstats",
    "efs.csi.aws.com": "cat /proc/self/mountstats",
    "filestore.csi.storage.gke.io": "cat /proc/self/mountstats",
}
"""CSI driver -> the command that prints cache statistics; the Platform may set others (`monitoring.cacheStatistics`)."""
_CONTENT = """\
du -sk . | awk '{ printf "used: %.0f bytes\\n", $1 * 1024 }'
find . -type f | awk 'END { printf "files: %d\\n", NR }'
df -Pk . | awk 'NR == 2 { printf "disk: %.0f bytes\\nfree: %.0f bytes\\n", $2 * 1024, $4 * 1024 }'
"""
"""Command that prints what is in a cache."""
_RESOURCES: Tree = {"cpu": "2", "memory": "2Gi"}
_LONGEST_NAME = 63
_SHORT = 8
Alerts = Iterator[Tree | Diagnostic]


def jobs(workload: Workload, experiment: Experiment, setting: Setting, *, waits: bool) -> Alerts:
    """The Jobs; with `waits` those that a sync creates, else those that you start at once."""
    field: FieldPath = (*SPEC, "monitor", "diagnose") if waits else SPEC
    if not setting.helpers.get(DIAGNOSE):
        message = "the Platform names no image that measures volumes"
        hint = "set images.helpers.diagnose of the Platform to an image with fio, best by its digest"
        yield Diagnostic("TJ178", message, path=field, hint=hint)
        return
    is_created = False
    caches, unreachable = _caches(workload)
    for kind in [] if waits else unreachable:
        message = f"the {kind} cache of a pod exists only while the pod runs, so no Job can reach it"
        hint = f'run in a pod of the run: df -h "${cache.variable(kind)}"'
        yield Diagnostic("TJ179", message, path=cache.AT, hint=hint)
    for name, volume in [*experiment.spec.volumes.items(), *caches]:
        at: FieldPath = (*SPEC, "volumes", name) if name in experiment.spec.volumes else cache.AT
        if source_of(volume).driver is None:
            continue
        if volume.host_path is not None:
            level = setting.cluster.security_of(setting.namespace)
            if level not in (None, PRIVILEGED):
                message = f'volume "{name}" is a hostPath, which Pod Security {level} refuses in namespace {setting.namespace}'
                yield Diagnostic("TJ300", message, path=at, hint="measure it by hand, on each node that the run uses")
                continue
            on_nodes = _disks(name, volume, experiment)
            for disk in on_nodes:
                is_created = True
                yield _on(disk, _job(name, volume, workload, experiment, setting, waits=waits, suffix=disk.suffix))
            if on_nodes:
                continue
            message = f'volume "{name}" is a folder of each node: the Job measures that of the node on which it runs'
            hint = "add spec.nodeName to the pod of a copy of the Job for each other node; the report names the node"
            yield Diagnostic("TJ334", message, path=at, hint=hint)
        create = new_claim(volume)
        if create is not None and create.volume_mode == "Block":
            message = f'volume "{name}" is a device without a file system, and is not measured'
            yield Diagnostic("TJ941", message, path=at, hint="measure it by hand")
            continue
        if create is not None and list(create.access_modes) == ["ReadWriteOncePod"]:
            message = f'the claim of volume "{name}" is for one pod at a time: it cannot be measured while the run mounts it'
            yield Diagnostic("TJ942", message, path=at, hint="use ReadWriteMany")
        is_created = True
        yield _job(name, volume, workload, experiment, setting, waits=waits)
    if not is_created:
        message = "the experiment has no volume that a pod of its own could reach, so there is nothing to measure"
        hint = "use a claim, nfs, csi, hostPath or a data set, or leave diagnose out"
        yield Diagnostic("TJ940", message, path=field, hint=hint, severity=WARNING if waits else ERROR)


def _caches(workload: Workload) -> tuple[list[tuple[str, Volume]], list[str]]:
    """The caches that are folders of nodes, by the names of their volumes; and the kinds of caches that pods do not share."""
    reachable: dict[str, Volume] = {}
    unreachable: list[str] = []
    for podset in members(workload):
        for one in get(workload.tree.value, (*podset.pod, "volumes"), None) or []:
            for kind in cache.KINDS:
                if one["name"] != cache.volume_name(kind):
                    continue
                if "hostPath" in one:
                    reachable[one["name"]] = Volume({"hostPath": one["hostPath"], "readOnly": True})
                elif kind not in unreachable:
                    unreachable.append(kind)
    return list(reachable.items()), unreachable


def _job(
    name: str, volume: Volume, workload: Workload, experiment: Experiment, setting: Setting, *, waits: bool, suffix: str = ""
) -> Tree:
    called = _called(f"{setting.run}-diagnose-{name}{suffix}".lower().replace("_", "-").replace(".", "-"))
    users = [podset for podset, _ in users_of(workload, name, volume)] or list(members(workload))
    read_only = volume.read_only or source_of(volume).is_read_only
    container = shell(
        "diagnose",
        image_of_program(DIAGNOSE, setting),
        script("diagnose.sh"),
        _environment(name, volume, experiment, setting, read_only=read_only),
        [{"name": "volume", "mountPath": ROOT, **({"readOnly": True} if read_only else {})}],
        resources={"requests": _RESOURCES, "limits": _RESOURCES},
    )
    container["env"].append({"name": "NODE", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}})
    mounted = {"name": "volume", **pod_source(name, volume, setting)}
    pod = pods.pod([container], [mounted], pods.user_of(workload, users, setting))
    start: Tree = {"suspend": True} if waits else {"ttlSecondsAfterFinished": KEPT}
    template = {**_placement(workload, users), **pod}
    job = pods.job(called, "diagnose", template, setting, deadline=DEADLINE, backoffLimit=0, **start)
    return {**job, "metadata": {**job["metadata"], "annotations": WITHOUT_EFFECT}} if waits else job


def _on(disk: NodeDisk, job: Tree) -> Tree:
    """The Job with its pod on the node of the disk, and with the folder of the disk as its volume."""
    template = job["spec"]["template"]
    pod = template["spec"]
    volumes = [
        {**one, "hostPath": {**one["hostPath"], "path": disk.path}} if one["name"] == "volume" else one for one in pod["volumes"]
    ]
    on_node = {**pod, "nodeSelector": {**pod.get("nodeSelector", {}), HOSTNAME: disk.node}, "volumes": volumes}
    return {**job, "spec": {**job["spec"], "template": {**template, "spec": on_node}}}


def _called(name: str) -> str:
    """The name, with a digest instead of what is too long of it: pods are labelled with it."""
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - _SHORT - 1]}-{sha256_hex(name)[:_SHORT]}"


def _environment(name: str, volume: Volume, experiment: Experiment, setting: Setting, *, read_only: bool) -> dict[str, str]:
    driver_of = source_of(volume).driver
    driver = driver_of(volume, setting) if driver_of is not None else ""
    checkpoints = experiment.spec.checkpoints
    has_checkpoints = checkpoints is not None and checkpoints.volume == name
    platform = setting.cluster.monitoring
    commands = {**CACHES, **(platform.cache_statistics if platform is not None else {})}
    variables = {
        "ROOT": ROOT,
        "VOLUME": name,
        "CLAIM": claim_of(name, volume, setting) or "",
        "DRIVER": driver,
        "READ_ONLY": "true" if read_only else "false",
        "CHECKPOINTS": "true" if has_checkpoints else "false",
        "DEMANDS": _demands(volume, setting, has_checkpoints=has_checkpoints),
        "FOLDER": f".tjgen-diagnose-{setting.run}",
        "CACHE": commands.get(driver, "") if name in experiment.spec.volumes else _CONTENT,
        "SIZE": str(SIZE),
        "TIME": str(SECONDS),
    }
    # Kubernetes would put variables instead of `$(NAME)`.
    return {key: value.replace("$(", "$$(") for key, value in variables.items()}


def _placement(workload: Workload, users: list[PodSet]) -> Tree:
    """The fields that place the pods which use the volume, and pull their images."""
    pod = get(workload.tree.value, users[0].pod, None) or {} if users else {}
    return {field: pod[field] for field in ("nodeSelector", "tolerations", "affinity", "imagePullSecrets") if pod.get(field)}


# The profile of a new claim -> what `diagnose.sh` must measure on the volume, as the variable DEMANDS.
#
# A word for each measurement: `sequentialRead:500000000:20` demands at least 500000000 bytes per second, and a mean of at most
# 20 milliseconds. Either number can be empty.


class _Judged(NamedTuple):
    """The measurements by which volumes are judged."""

    throughput: tuple[str, ...]
    latency: str


_MIXED = _Judged(("sequentialRead",), "randomRead")
_BY_PATTERN: Mapping[str, _Judged] = {
    "sequential": _Judged(("sequentialRead",), "sequentialRead"),
    "random": _Judged(("randomRead",), "randomRead"),
    "mixed": _MIXED,
}
_CHECKPOINTS = _Judged(("checkpointWrite", "checkpointRead"), "checkpointRead")


def _demands(volume: Volume, setting: Setting, *, has_checkpoints: bool) -> str:
    """The words, separated by blanks; "" if the profile demands nothing."""
    create = new_claim(volume)
    wanted = profile(create.profile or "", setting.cluster.profiles) if create is not None else None
    if wanted is None:
        return ""
    judged = _CHECKPOINTS if has_checkpoints else _BY_PATTERN.get(wanted.read_pattern or "", _MIXED)
    least = {name: str(parse(wanted.throughput).value) for name in judged.throughput} if wanted.throughput is not None else {}
    most = {judged.latency: text(wanted.latency)} if wanted.latency is not None else {}
    return " ".join([f"{name}:{least.get(name, '')}:{most.get(name, '')}" for name in dict.fromkeys([*least, *most])])


# A `hostPath` volume -> the nodes that the experiment lists for it, and the folder on each.


class NodeDisk(NamedTuple):
    """The folder of a volume on one node."""

    node: str
    path: str
    suffix: str
    """What the name of its Job gets at its end."""


def _disks(name: str, volume: Volume, experiment: Experiment) -> list[NodeDisk]:
    """The disks that a prefetch fills or that hold slices, each once, in order of their nodes; empty if no field lists nodes."""
    if volume.host_path is None:
        return []
    default = volume.host_path.path
    folders = {(node, default) for one in prefetch_sections(experiment) if one.fields.volume == name for node in one.fields.nodes}
    data = experiment.spec.data
    for section in (data, *data.sets.values()) if data is not None else ():
        if section.slices is not None and section.volume == name:
            nodes, sources = section.slices.nodes, section.slices.sources
            folders.update(zip(nodes, sources or [default] * len(nodes), strict=False))
    counts: dict[str, int] = {}
    listed: list[NodeDisk] = []
    for node, path in sorted(folders):
        counts[node] = counts.get(node, 0) + 1
        listed.append(NodeDisk(node, path, f"-{node}" if counts[node] == 1 else f"-{node}-{counts[node]}"))
    return listed
