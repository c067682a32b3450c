"""A runtime object -> its template as the controller reads it: typed, with its jobs, containers and provenance.

A runtime is read once: thousands of TrainJobs of one build share it. Trees are values, so the
reading is remembered by the identity of the tree.
"""

from __future__ import annotations

from collections.abc import Sequence

from tjgen.cluster.trainer.goread import DecodeError
from tjgen.cluster.trainer.release import Release
from tjgen.cluster.trainer.requests import pod_requests
from tjgen.cluster.trainer.typed import metadata_of
from tjgen.trees.fields.managed import Origin, Owners
from tjgen.trees.fields.path import FieldPath, Step, Tree
from tjgen.trees.k8s.quantity import Quantity
from tjgen.trees.manifests.leaves import selectors_of
from tjgen.trees.session import Session
from tjgen.trees.typing import Any, NamedTuple

ANCESTOR_LABEL = "trainer.kubeflow.org/trainjob-ancestor-step"
SPEC: FieldPath = ("spec", "template", "spec")
"""Where a runtime holds the JobSet spec."""

POD_SPEC: FieldPath = ("template", "spec", "template", "spec")
"""Where a replicated job holds its pod spec."""

_JOBS: FieldPath = ("spec", "replicatedJobs")
_REMEMBERED = 32


class ContainerShape(NamedTuple):
    """A container of the template. `path` is its path in the JobSet."""

    name: str
    tree: dict[str, Tree]
    path: FieldPath
    is_irregular: bool
    """Whether the controller's copying back of lists changes it, though no plugin touches it."""


class JobShape:
    """A replicated job of the template. `path` is its path in the JobSet."""

    __slots__ = ("_requests", "ancestor", "containers", "init_containers", "name", "path", "pod_spec", "tree")

    def __init__(self, tree: Any, path: FieldPath) -> None:
        template = tree["template"]
        self.tree: dict[str, Any] = tree
        self.path = path
        self.name: str = tree["name"]
        self.ancestor: str | None = (template["metadata"].get("labels") or {}).get(ANCESTOR_LABEL)
        self.pod_spec: dict[str, Any] = template["spec"]["template"]["spec"]
        self.containers = _containers(self.pod_spec, "containers", (*path, *POD_SPEC))
        self.init_containers = _containers(self.pod_spec, "initContainers", (*path, *POD_SPEC))
        self._requests: dict[str, Quantity] | None = None

    @property
    def requests(self) -> dict[str, Quantity]:
        """The requests of one pod; computed when a gang first needs them."""
        if self._requests is None:
            self._requests = pod_requests(self.pod_spec)
        return self._requests


class Runtime:
    """A TrainingRuntime or ClusterTrainingRuntime, read. Do not change it."""

    __slots__ = (
        "annotations",
        "is_gang",
        "jobs",
        "labels",
        "ml_policy",
        "name",
        "object_labels",
        "owners",
        "pod_group_policy",
        "release",
        "size",
        "spec",
        "tree",
        "written_jobs",
    )

    def __init__(self, tree: Tree, release: Release) -> None:
        metadata = metadata_of(tree)
        spec = _spec(tree.get("spec") or {}, release)
        template = spec["template"]
        self.tree = tree
        self.release = release
        self.size = text_size(tree)
        """About how many bytes it has as text: no fewer than its strings have, without line breaks and indentation."""
        self.name: str = metadata.get("name", "")
        self.object_labels: dict[str, str] = metadata.get("labels", {})
        self.ml_policy: dict[str, Tree] | None = spec.get("mlPolicy")
        self.is_gang = "podGroupPolicy" in spec
        self.pod_group_policy: dict[str, Tree] = spec.get("podGroupPolicy") or {}
        self.labels: dict[str, str] = template["metadata"].get("labels") or {}
        self.annotations: dict[str, str] = template["metadata"].get("annotations") or {}
        self.spec: dict[str, Tree] = template["spec"]
        if release.merged_type == "JobSetSpec":
            self.spec = _ordered(self.spec)
        self.jobs = shapes(self.spec)
        self.written_jobs: list[Any] = template["spec"].get("replicatedJobs", [])
        """The trees of the jobs in the order of the file, which is another one where names repeat."""
        self.owners: Owners = {
            (): (Origin("trainer", "tjgen"),),
            ("spec",): (Origin("trainer:jobset", "runtime", SPEC, mirrors=True),),
        }
        for field in ("labels", "annotations"):
            because = ("spec", "template", "metadata", field)
            self.owners[("metadata", field)] = (Origin("trainer:jobset", "runtime", because, mirrors=True),)
        written = tree.get("spec") or {}
        for step in ("template", "spec"):
            written = written.get(step) or {}
        _own_additions(written, template["spec"], ("spec",), self.owners)
        if self.spec is not template["spec"]:
            self._own_moved_jobs(template["spec"]["replicatedJobs"])

    def _own_moved_jobs(self, before: list[Any]) -> None:
        # Jobs with one name are addressed by position, which is another one after sorting.
        places = {id(job): position for position, job in enumerate(before)}
        for known in [known for known in self.owners if known[:2] == _JOBS and len(known) > 2]:
            del self.owners[known]
        for position, shape in enumerate(self.jobs):
            because = (*SPEC, "replicatedJobs", places[id(shape.tree)])
            self.owners[(*_JOBS, position)] = (Origin("trainer:jobset", "runtime", because, mirrors=False),)


def read(tree: Tree, release: Release, session: Session) -> Runtime:
    """Return the runtime that `tree` describes; raise DecodeError if a value does not fit its Go type."""
    return session.latest("runtime", (tree, release), lambda: Runtime(tree, release), most=_REMEMBERED)


def _spec(written: Tree, release: Release) -> Any:
    try:
        return release.types.typed(written, "TrainingRuntimeSpec")
    except DecodeError as error:
        raise error.under("spec") from None


def shapes(spec: dict[str, Tree], known: tuple[JobShape, ...] = ()) -> tuple[JobShape, ...]:
    """The jobs of a JobSet spec; those of `known` are taken over where they are the same trees."""
    jobs: list[Any] = spec.get("replicatedJobs") or []
    by_identity = {id(shape.tree): shape for shape in known}
    steps = steps_of(jobs)
    result = []
    for job, step in zip(jobs, steps, strict=True):
        shape = by_identity.get(id(job))
        path = (*_JOBS, step)
        result.append(shape if shape is not None and shape.path == path else JobShape(job, path))
    return tuple(result)


def _ordered(spec: Any) -> dict[str, Tree]:
    # mergeRuntimePatches sorts jobs by the last position of their name, which shows only where names repeat.
    jobs = spec.get("replicatedJobs")
    if not _repeats(jobs, "name"):
        return spec  # type: ignore[no-any-return]  # a dict, as typed() printed it
    order = {job["name"]: position for position, job in enumerate(jobs)}
    return {**spec, "replicatedJobs": sorted(jobs, key=lambda job: order[job["name"]])}


def steps_of(items: list[Any], key: str = "name") -> list[Step]:
    """How the elements of a keyed list are addressed: by key, or by position where keys repeat."""
    names = [item.get(key) for item in items]
    if len(set(names)) == len(names):
        return [((key, name),) for name in names]
    return list(range(len(items)))


def _containers(pod_spec: Any, field: str, path: FieldPath) -> tuple[ContainerShape, ...]:
    items = pod_spec.get(field) or []
    return tuple(
        [
            ContainerShape(item["name"], item, (*path, field, step), _is_irregular(item))
            for item, step in zip(items, steps_of(items), strict=True)
        ]
    )


def _is_irregular(container: Any) -> bool:
    ports = container.get("ports")
    return (
        _repeats(container.get("env"), "name")
        or _repeats(container.get("volumeMounts"), "mountPath")
        or (ports is not None and len(ports) > 1 and (_repeats(ports, "containerPort") or _repeats(ports, "name")))
    )


def _repeats(items: Any, key: str) -> bool:
    if not items or len(items) < 2:
        return False
    keys = [item.get(key) for item in items]
    return len(set(keys)) < len(keys)


def text_size(tree: Tree) -> int:
    """The bytes of all strings and keys of a tree."""
    if tree.__class__ is str:
        return len(tree) if tree.isascii() else len(tree.encode(errors="replace"))
    if tree.__class__ is dict:
        return sum([len(key) + text_size(value) for key, value in tree.items()])
    if tree.__class__ is list:
        return sum([text_size(item) for item in tree])
    return 1


def _own_additions(written: Tree, decoded: Tree, path: FieldPath, owners: Owners) -> None:
    """What the API server or a Go type added is not in the runtime's file: it has an origin of its own."""
    if decoded.__class__ is dict and decoded and written.__class__ is dict:
        for key, value in decoded.items():
            if written.get(key) is None:
                owners[(*path, key)] = (Origin("trainer:jobset", "tjgen"),)
            else:
                _own_additions(written[key], value, (*path, key), owners)
    elif decoded.__class__ is list and written.__class__ is list and len(decoded) == len(written):
        steps: Sequence[Step] = selectors_of(decoded, path[-1]) or range(len(decoded))
        for step, before, after in zip(steps, written, decoded, strict=True):
            _own_additions(before, after, (*path, step), owners)
    elif decoded.__class__ in (dict, list) and decoded != written:
        owners[path] = (Origin("trainer:jobset", "tjgen"),)
