"""Volumes of the finished pods -> what about them would keep the run from starting, or spoil its data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tjgen.compiler.lower import SPEC
from tjgen.compiler.passes.data_sections import data_sections
from tjgen.compiler.volumes.claims import access_modes, own_folder
from tjgen.compiler.volumes.mounts import places, users_of
from tjgen.compiler.volumes.protocol import JOB
from tjgen.compiler.volumes.pvc import new_claim
from tjgen.compiler.volumes.table import source_of
from tjgen.language.platform.profiles import OF_DATA
from tjgen.language.setting import Setting
from tjgen.language.spec.check import shown
from tjgen.language.spec.forms import text
from tjgen.language.spec.objects import Experiment, Sweep, Volume
from tjgen.trees import regex
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, get
from tjgen.trees.k8s import quantity
from tjgen.trees.session import Session
from tjgen.trees.workload.roles import at_once
from tjgen.trees.workload.workload import PodSet, Workload

Problems = Iterator[Diagnostic]
_DATA = regex.compile(r"(?:^|[-_/])(?:data|datasets?|corpus|imagenet|images|samples|shards|inputs?)(?:[-_/]|$)")
"""Names of volumes and folders that hold data."""


def contribute(workload: Workload, experiment: Experiment, setting: Setting) -> Problems:
    """Nothing but diagnostics: every volume by itself, then all volumes of a pod together."""
    spec = experiment.spec
    for name, volume in spec.volumes.items():
        because: FieldPath = (*SPEC, "volumes", name)
        yield from _modes(workload, name, volume, spec.sweep, setting, because)
        yield from _slow_class(name, volume, setting, because)
        yield from source_of(volume).problems(name, volume, setting, because)
        if spec.checkpoints is None or (spec.checkpoints.volume, spec.checkpoints.scope) != (name, "run"):
            yield from _writers(name, volume, spec.sweep, setting, because)
        yield from _owners(workload, name, volume, because)
    data_volumes = list(dict.fromkeys(one.volume for one in data_sections(experiment)))
    for name in data_volumes:
        yield from _data(name, spec.volumes[name])
    yield from _folders(experiment, data_volumes, setting)
    for podset in workload.podsets:
        yield from _local(workload, podset, experiment)


def _modes(workload: Workload, name: str, volume: Volume, sweep: Sweep | None, setting: Setting, because: FieldPath) -> Problems:
    create = new_claim(volume)
    if create is None:
        return
    at: FieldPath = (*because, "pvc", "create")
    offered = setting.cluster.access_modes.get(create.storage_class_name or "")
    missing = [mode for mode in create.access_modes if offered and mode not in offered]
    if offered and missing:
        message = f"storage class {create.storage_class_name} offers {', '.join(offered)}, not {missing[0]}"
        hint = "use a mode or another class of the Platform: such a claim stays pending"
        yield Diagnostic("TJ342", message, path=(*at, "accessModes"), hint=hint)
        return
    pods = at_once(workload, [podset for podset, _ in users_of(workload, name, volume)])
    modes = set(access_modes(create, pods, setting, read_only=volume.read_only))
    writing = next((place for place in places(volume, because) if not place.read_only), None)
    if modes == {"ReadOnlyMany"} and writing is not None:
        message = f'claim of volume "{name}" is ReadOnlyMany, but {writing.path} is mounted for writing'
        hint = "add readOnly: true, or set another access mode"
        yield Diagnostic("TJ329", message, path=writing.because, hint=hint)
    at = (*at, "accessModes") if create.access_modes else at
    who = f"{pods} pods" if pods > 1 else "the runs of the sweep" if sweep is not None and create.scope != "run" else None
    if who is not None and modes == {"ReadWriteOncePod"}:
        message = f'claim of volume "{name}" is ReadWriteOncePod, but {who} mount it at the same time: only one of them can start'
        yield Diagnostic("TJ341", message, path=at, hint="use ReadWriteMany")
    elif who is not None and modes == {"ReadWriteOnce"}:
        message = (
            f'claim of volume "{name}" is ReadWriteOnce, but {who} mount it at the same time: they cannot start '
            f"on different nodes"
        )
        hint = "use ReadWriteMany, or ephemeral to give each pod its own disk"
        yield Diagnostic("TJ340", message, path=at, hint=hint)


def _slow_class(name: str, volume: Volume, setting: Setting, because: FieldPath) -> Problems:
    """A claim whose class delivers less than its profile demands, by the Platform's own figures."""
    create = new_claim(volume)
    profile = setting.cluster.profiles.get(create.profile or "") if create is not None else None
    if create is None or profile is None or profile.throughput is None:
        return
    delivered = setting.cluster.bandwidth.get(create.storage_class_name or "")
    if delivered is not None and delivered < _amount(text(profile.throughput)):
        message = (
            f'profile {create.profile} requires {text(profile.throughput)} bytes per second of volume "{name}", '
            f"but storage class {create.storage_class_name} delivers {quantity.parse(str(delivered))}"
        )
        hint = "use a faster class, or lower the throughput of the profile in the Platform"
        yield Diagnostic("TJ164", message, path=(*because, "pvc", "create", "storageClassName"), hint=hint)


def _writers(name: str, volume: Volume, sweep: Sweep | None, setting: Setting, because: FieldPath) -> Problems:
    """Several runs that write to one folder; a sweep makes them at once."""
    if sweep is None or volume.shared or source_of(volume).filled_by != JOB or _is_swept(name, sweep, setting.session):
        return
    create = new_claim(volume)
    if create is not None and create.scope == "run":
        return
    for place in places(volume, because):
        own = own_folder(create, shared=False, read_only=place.read_only, setting=setting)
        if not place.read_only and own is None and place.sub_path_expr is None:
            message = f'the runs of the sweep all write to one folder of volume "{name}"'
            hint = "add readOnly: true, or shared: true if this is intended"
            yield Diagnostic("TJ349", message, path=place.at, hint=hint)


def _is_swept(name: str, sweep: Sweep, session: Session) -> bool:
    """Whether the points of a sweep change the volume, so that they may well not share it."""
    # All runs of a sweep have the same object here, so the comparison of the keys does not read them.
    parts = [sweep.matrix, sweep.zipped, sweep.include]
    return name in session.latest("swept volumes", parts, lambda: _volumes_of(sweep))


def _volumes_of(sweep: Sweep) -> set[str]:
    """The words of the keys of a sweep that reach into volumes."""
    keys = {*sweep.matrix, *sweep.zipped, *(key for point in sweep.include for key in point)}
    return {word for key in keys if "volumes" in key for word in key.replace("[", ".").replace("]", ".").split(".")}


def _owners(workload: Workload, name: str, volume: Volume, because: FieldPath) -> Problems:
    source = source_of(volume)
    if not source.is_chowned or volume.read_only or not source.is_filled(volume):
        return
    for podset, _ in users_of(workload, name, volume):
        context = get(workload.tree.value, (*podset.pod, "securityContext"), None) or {}
        if context.get("fsGroup") is not None and context.get("fsGroupChangePolicy") != "OnRootMismatch":
            message = f'the pods have an fsGroup, so each start changes the group of every file in volume "{name}"'
            wanted = {**context, "fsGroupChangePolicy": "OnRootMismatch"}
            hint = f"add readOnly: true, or set pod.securityContext to {shown(wanted)}"
            yield Diagnostic("TJ350", message, path=because, hint=hint)
            return


def _data(name: str, volume: Volume) -> Problems:
    place = next(places(volume, (*SPEC, "volumes", name)), None)
    source = source_of(volume)
    if source.is_filled(volume) and not source.is_read_only and place is not None and not place.read_only:
        message = f'volume "{name}" holds the data, but the program can write to it'
        yield Diagnostic("TJ348", message, path=place.because, hint="add readOnly: true")


def _folders(experiment: Experiment, data_volumes: Sequence[str], setting: Setting) -> Problems:
    """Data on a claim of which each run mounts an empty folder of its own, as is right for checkpoints."""
    spec = experiment.spec
    saved = spec.checkpoints.volume if spec.checkpoints is not None else None
    for name, volume in spec.volumes.items():
        create, is_data = new_claim(volume), name in data_volumes
        for place in places(volume, (*SPEC, "volumes", name)):
            own = own_folder(create, shared=volume.shared, read_only=place.read_only, setting=setting)
            if own is None or (name == saved and not is_data) or place.sub_path_expr is not None:
                continue
            hint = "add readOnly: true for data, shared: true for one folder of all runs, or checkpoints: {volume: ...}"
            if is_data:
                message = f'volume "{name}" holds the data, but each run mounts its own empty folder of the claim'
                fix = "add readOnly: true, or shared: true for one folder of all runs"
                if name == saved:
                    fix = "add another volume for the data, with readOnly: true, or set shared: true for one folder of all runs"
                yield Diagnostic("TJ146", message, path=place.at, hint=fix)
            elif _DATA.search(name) or _DATA.search(place.path) or (create is not None and create.profile in OF_DATA):
                message = f'volume "{name}" looks like data, but each run mounts its own empty folder of the claim'
                yield Diagnostic("TJ147", message, path=place.at, hint=hint)


def _local(workload: Workload, podset: PodSet, experiment: Experiment) -> Problems:
    """What the pod's own volumes may take, against the limits of its main container."""
    limits = get(workload.tree.value, (*podset.main, "resources", "limits"), None) or {}
    volumes = get(workload.tree.value, (*podset.pod, "volumes"), None) or []
    sizes: Mapping[bool, dict[str, int]] = {True: {}, False: {}}
    for volume in volumes:
        limit = get(volume, ("emptyDir", "sizeLimit"), None)
        if limit is not None:
            sizes[get(volume, ("emptyDir", "medium"), None) == "Memory"][volume["name"]] = _amount(limit)
        medium = get(volume, ("emptyDir", "medium"), None) or ""
        if medium.startswith("HugePages") and not any(
            name.startswith(medium.replace("HugePages", "hugepages")) for name in limits
        ):
            yield _no_pages(podset, volume["name"], medium, experiment)
    memory, disk = sum(sizes[True].values()), sum(sizes[False].values())
    if sizes[True] and "memory" in limits and memory >= _amount(limits["memory"]):
        message = f"volumes in memory can take {_text(memory)}, but {podset.name} is limited to {limits['memory']} of memory"
        hint = "raise memory, or make them smaller: their pages count against the limit"
        yield Diagnostic("TJ346", message, path=_cause(sizes[True], experiment), hint=hint)
    storage = limits.get("ephemeral-storage")
    if sizes[False] and storage is not None and disk > _amount(storage):
        message = f"volumes on the node's disk can take {_text(disk)}, but {podset.name} is limited to {storage} of it"
        hint = "raise ephemeralStorage, or make them smaller: the pod is evicted above its limit"
        yield Diagnostic("TJ347", message, path=_cause(sizes[False], experiment), hint=hint)


def _no_pages(podset: PodSet, name: str, medium: str, experiment: Experiment) -> Diagnostic:
    wanted = medium.replace("HugePages", "hugepages") if "-" in medium else "hugepages-2Mi"
    message = f'volume "{name}" uses {medium}, but {podset.name} requests no such pages'
    hint = f"add resources: {{{wanted}: 1Gi}}"
    return Diagnostic("TJ332", message, path=_cause({name: 0}, experiment), hint=hint)


def _cause(sizes: Mapping[str, int], experiment: Experiment) -> FieldPath:
    """Return the size of the largest volume of the experiment."""
    spec = experiment.spec
    largest = max(sizes, key=lambda name: (name in spec.volumes, sizes[name]))
    if largest in spec.volumes:
        return (*SPEC, "volumes", largest)
    return (*SPEC, "sharedMemory") if spec.shared_memory is not None else SPEC


def _amount(written: str) -> int:
    return quantity.parse(written).value


def _text(amount: int) -> str:
    return str(quantity.parse(str(amount))) if amount % 1024 else str(quantity.parse(f"{amount // 1024}Ki"))
