"""The objects of a run -> what a picture of it shows: sync waves, pod sets and their devices, gang, volumes, slices.

Everything is read from the manifests as they are applied and from the objects that the controllers create; nothing
else is shown. Trees may be handwritten, so that every field may be missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tjgen.cluster.kinds.pods import pods_of, starts_pods
from tjgen.cluster.kinds.protocol import Pods
from tjgen.cluster.synctools.argocd import WAVE
from tjgen.cluster.trainer.inputs import is_kind
from tjgen.cluster.trainer.requests import pod_requests
from tjgen.language.platform.computing import is_device
from tjgen.tools.report.storage import ReportVolume, volumes
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.k8s.labels import KUEUE_QUEUE
from tjgen.trees.k8s.quantity import Quantity
from tjgen.trees.manifests.manifest import STAGES, Manifest
from tjgen.trees.typing import NamedTuple
from tjgen.trees.workload.workload import ANCESTOR, INITIALIZERS, NODE

_POD_GROUPS = {"scheduling.volcano.sh": "Volcano", "scheduling.x-k8s.io": "coscheduling"}


class StructureStep(NamedTuple):
    """Objects that are applied together."""

    label: str
    objects: tuple[tuple[str, str], ...]
    """Kind and name of each; "" for the name of the run."""


class StructurePodSet(NamedTuple):
    """Pods that are alike."""

    name: str
    pods: int
    devices: tuple[tuple[str, int], ...]
    """Resource or device class -> how many one pod gets."""
    requests: Mapping[str, Quantity]
    """Other requests of one pod."""
    image: str
    after: tuple[tuple[str, str], ...]
    """Pod sets that it waits for, and for what of them: Ready or Complete."""
    is_initializer: bool


class StructureGang(NamedTuple):
    """Pods that start together or not at all."""

    scheduler: str
    least: int
    queue: str
    priority: str
    topology: str


class Structure(NamedTuple):
    """What the picture of a run shows."""

    steps: tuple[StructureStep, ...]
    podsets: tuple[StructurePodSet, ...]
    gang: StructureGang | None
    queue: str
    """The queue of Kueue that admits the run."""
    volumes: tuple[ReportVolume, ...]
    slices: Tree
    suspended: bool

    @property
    def pods(self) -> int:
        """All pods of the run."""
        return sum(one.pods for one in self.podsets)

    @property
    def devices(self) -> dict[str, int]:
        """All devices of the run, by resource."""
        sums: dict[str, int] = {}
        for podset in self.podsets:
            for name, count in podset.devices:
                sums[name] = sums.get(name, 0) + count * podset.pods
        return sums


class Applied(NamedTuple):
    """An object that is applied, and the stage that it belongs to."""

    stage: str
    tree: Tree


def structure_of(applied: Sequence[Applied], previews: Sequence[Tree], slices: Tree = None) -> Structure:
    """The structure of one run; `previews` are the objects that controllers create from the applied ones."""
    trees = [*[one.tree for one in applied], *previews]
    job: Tree = next((one.tree for one in applied if is_job(one.tree)), {})
    templates = {_name(tree): tree for tree in trees if tree.get("kind") == "ResourceClaimTemplate"}
    podsets_with_trees = [(pods, tree) for tree in trees for pods in pods_of(Manifest(tree, {}))]
    return Structure(
        tuple(_steps(applied)),
        tuple([_podset(pods, tree, templates) for pods, tree in podsets_with_trees]),
        next((_gang(tree) for tree in trees if tree.get("kind") == "PodGroup"), None),
        next((queue for tree in trees if (queue := _label(tree, KUEUE_QUEUE))), ""),
        tuple(volumes([(pods.role, pods.spec) for pods, _ in podsets_with_trees], trees)),
        slices,
        is_suspended(job),
    )


def is_job(tree: Tree) -> bool:
    """Whether an object is what a run is: a TrainJob, or what starts pods by itself."""
    return starts_pods(Manifest(tree, {})) or is_kind(tree, "TrainJob")


def is_suspended(tree: Tree) -> bool:
    """Whether a run is suspended."""
    return any(get(tree, path, False) is True for path in (("spec", "suspend"), ("spec", "runPolicy", "suspend")))


def _steps(applied: Sequence[Applied]) -> Iterator[StructureStep]:
    """By the waves of Argo CD where one object names a wave, else by the stages that Flux and people apply in turn."""
    waves = [_wave(one.tree) for one in applied]
    by_wave = any(wave is not None for wave in waves)
    keys = [wave or 0 if by_wave else STAGES.index(one.stage) for wave, one in zip(waves, applied, strict=True)]
    for number, key in enumerate(sorted(set(keys)), 1):
        objects = [_titled(one.tree) for at, one in zip(keys, applied, strict=True) if at == key]
        yield StructureStep(f"wave {key}" if by_wave else f"{number}", tuple(objects))


def _titled(tree: Tree) -> tuple[str, str]:
    """Kind and name; what is called as the run needs no name."""
    kind = str(tree.get("kind", ""))
    return kind, "" if is_job(tree) else _name(tree)


def _wave(tree: Tree) -> int | None:
    text = (get(tree, ("metadata", "annotations"), None) or {}).get(WAVE)
    try:
        return int(text) if text is not None else None
    except ValueError:
        return None


def _podset(pods: Pods, tree: Tree, templates: Mapping[str, Tree]) -> StructurePodSet:
    requests = pod_requests(pods.spec)
    devices = [(name, amount.value) for name, amount in requests.items() if is_device(name) and amount.value]
    devices += list(_claimed(pods.spec, templates))
    main = main_container(pods)
    job: Tree = get(tree, pods.path[:3], None)
    job = job if job.__class__ is dict else {}
    after = [(str(one.get("name", "")), str(one.get("status", ""))) for one in job.get("dependsOn") or ()]
    return StructurePodSet(
        pods.role,
        pods.number,
        tuple(devices),
        {name: amount for name, amount in requests.items() if not is_device(name)},
        str(main.get("image") or ""),
        tuple(after),
        get(job, ("template", "metadata", "labels", ANCESTOR), "") in INITIALIZERS,
    )


def main_container(pods: Pods) -> Tree:
    """The container that does the work: called as the role, or `node`, or the first one."""
    containers = pods.spec.get("containers") or [{}]
    return next((one for one in containers if one.get("name") in (pods.role, NODE)), containers[0])


def _claimed(pod: Tree, templates: Mapping[str, Tree]) -> Iterator[tuple[str, int]]:
    """Devices by their class, where they are claimed."""
    for claim in pod.get("resourceClaims") or ():
        template = templates.get(claim.get("resourceClaimTemplateName") or "")
        for request in get(template, ("spec", "spec", "devices", "requests"), None) or []:
            exactly = request.get("exactly") or {}
            yield str(exactly.get("deviceClassName", "")), int(exactly.get("count", 1))


def _gang(tree: Tree) -> StructureGang:
    spec = tree.get("spec") or {}
    topology = spec.get("networkTopology") or {}
    tier = topology.get("highestTierAllowed")
    words = f"{topology.get('mode', '')} topology, tier {tier}" if tier is not None else ""
    group = str(tree.get("apiVersion", "")).partition("/")[0]
    return StructureGang(
        _POD_GROUPS.get(group, group),
        int(spec.get("minMember") or 0),
        str(spec.get("queue") or ""),
        str(spec.get("priorityClassName") or ""),
        words.strip(),
    )


def _label(tree: Tree, label: str) -> str:
    return str((get(tree, ("metadata", "labels"), None) or {}).get(label) or "")


def _name(tree: Tree) -> str:
    return str(get(tree, ("metadata", "name"), ""))
