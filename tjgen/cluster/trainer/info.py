"""What the plugins of one expansion read and write: pod sets, containers, policies, and who wrote what.

Mirrors pkg/runtime `Info`, `PodSet` and `Container`, v2.3.0. It lives as long as one expansion;
the trees of the runtime below it are never written into: a list is copied when it first changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tjgen.cluster.trainer.requests import pod_requests
from tjgen.cluster.trainer.runtimes import POD_SPEC, ContainerShape, JobShape, Runtime
from tjgen.trees.fields.managed import Origin, Owners
from tjgen.trees.fields.path import MISSING, FieldPath, Step, Tree, get
from tjgen.trees.k8s.quantity import Quantity
from tjgen.trees.typing import Any

TRAINER = "trainer"
NODE = "node"
LAUNCHER = "launcher"
DATASET_INITIALIZER = "dataset-initializer"
MODEL_INITIALIZER = "model-initializer"
KNOWN_ANCESTORS = (TRAINER, DATASET_INITIALIZER, MODEL_INITIALIZER)
"""The ancestors whose jobs the controller treats in a special way, with one replica each."""


PANIC = "panic: runtime error: invalid memory address or nil pointer dereference"
"""Go's message for a missing value."""


class RefusedError(Exception):
    """The controller stops here with an error; `path` is the TrainJob's field that has to change."""

    def __init__(self, text: str, path: FieldPath, hint: str) -> None:
        super().__init__(text)
        self.path = path
        self.hint = hint


class PanicError(RefusedError):
    """The controller crashes here."""


class Container:
    """A container of a pod set with what plugins changed in it. `owners` are those of the whole expansion."""

    __slots__ = ("_places", "added_ports", "changes", "env", "is_irregular", "mounts", "name", "owners", "path", "tree")

    def __init__(self, shape: ContainerShape, owners: Owners) -> None:
        self.owners = owners
        self.name = shape.name
        self.tree: dict[str, Any] = shape.tree
        self.path = shape.path
        self.is_irregular = shape.is_irregular
        self.env: list[Any] | None = None
        self._places: dict[str, int] = {}
        self.mounts: list[Any] | None = None
        self.added_ports: list[Any] = []
        self.changes: dict[str, Tree] = {}

    @property
    def variables(self) -> list[Any]:
        """The env list in its current state."""
        return self.tree.get("env", []) if self.env is None else self.env

    @property
    def volume_mounts(self) -> list[Any]:
        """The list of mounts in its current state."""
        return self.tree.get("volumeMounts", []) if self.mounts is None else self.mounts

    def upsert_env(self, variables: Iterable[Any], origins: Iterable[tuple[Origin, ...]]) -> None:
        """Put each variable, with its owners, instead of the one with its name, else last."""
        env = self.env
        if env is None:
            env = self.env = list(self.tree.get("env", ()))
            self._places = {env[position]["name"]: position for position in range(len(env) - 1, -1, -1)}
        path, owners, places = (*self.path, "env"), self.owners, self._places
        for variable, origin in zip(variables, origins, strict=True):
            name = variable["name"]
            position = places.get(name)
            if position is None:
                places[name] = len(env)
                env.append(variable)
            else:
                env[position] = variable
            owners[(*path, (("name", name),))] = origin

    def replace_env(self, env: list[Any]) -> None:
        """Take another list with the same names in the same places."""
        self.upsert_env((), ())
        self.env = env

    def upsert_mounts(self, mounts: Iterable[Tree], origin: Origin) -> None:
        """Put each mount instead of the one with its path, else last."""
        if self.mounts is None:
            self.mounts = list(self.tree.get("volumeMounts", ()))
        for mount in mounts:
            upsert(self.mounts, mount, "mountPath")
            self.owners[(*self.path, "volumeMounts", (("mountPath", mount["mountPath"]),))] = (origin,)

    def add_port(self, port: Tree, origin: Origin) -> None:
        """Offer a port; where it lands among the others is decided when the JobSet is built."""
        self.added_ports.append(port)
        self.owners[(*self.path, "ports", (("containerPort", port["containerPort"]),))] = (origin,)

    def change(self, field: str, value: Tree, origin: Origin) -> None:
        """Replace a field whole; an empty value removes it."""
        self.changes[field] = value
        self.owners[(*self.path, field)] = (origin,)


class PodSet:
    """The pods of one replicated job. `owners` are those of the whole expansion."""

    __slots__ = (
        "ancestor",
        "containers",
        "count",
        "count_origin",
        "gang_resources",
        "has_merged_resources",
        "init_containers",
        "name",
        "owners",
        "shape",
        "volumes",
    )

    def __init__(self, shape: JobShape, owners: Owners, count: int, origin: Origin) -> None:
        self.owners = owners
        self.shape = shape
        self.name = shape.name
        self.ancestor = shape.ancestor
        self.count = count
        self.count_origin = origin
        self.containers = [Container(container, owners) for container in shape.containers]
        self.init_containers = [Container(container, owners) for container in shape.init_containers]
        self.volumes: list[Any] | None = None
        self.has_merged_resources = False
        self.gang_resources: dict[str, Any] | None = None
        """What a gang counts the container `node` with, where that is not what the container gets."""

    @property
    def requests(self) -> dict[str, Quantity]:
        """The requests of one pod, before plugins add containers."""
        if not self.has_merged_resources and self.gang_resources is None:
            return self.shape.requests
        trees = [container.tree for container in self.containers]
        if self.gang_resources is not None:
            first = next((position for position, tree in enumerate(trees) if tree["name"] == NODE), None)
            if first is not None:
                trees[first] = {**trees[first], "resources": self.gang_resources}
        return pod_requests({**self.shape.pod_spec, "containers": trees})

    def upsert_volumes(self, volumes: Iterable[Tree], origin: Origin) -> None:
        """Put each volume instead of the one with its name, else last."""
        if self.volumes is None:
            self.volumes = list(self.shape.pod_spec.get("volumes", ()))
        for volume in volumes:
            upsert(self.volumes, volume, "name")
            path = (*self.shape.path, *POD_SPEC, "volumes", (("name", volume["name"]),))
            self.owners[path] = (origin,)

    def container(self, name: str) -> Container | None:
        """The first container of that name, init containers aside."""
        for container in self.containers:
            if container.name == name:
                return container
        return None


class Info:
    """The state of one expansion between decoding and building."""

    __slots__ = (
        "annotations",
        "labels",
        "ml_policy",
        "owners",
        "pod_annotations",
        "pod_group_policy",
        "pod_labels",
        "podsets",
        "release",
        "runtime",
        "spec",
    )

    def __init__(self, runtime: Runtime) -> None:
        self.runtime = runtime
        self.release = runtime.release
        self.spec = runtime.spec
        self.ml_policy = runtime.ml_policy
        self.pod_group_policy = runtime.pod_group_policy
        self.labels = runtime.labels
        self.annotations = runtime.annotations
        self.pod_labels: dict[str, str] = {}
        self.pod_annotations: dict[str, str] = {}
        self.podsets: list[PodSet] = []
        self.owners: Owners = runtime.owners.copy()

    def policy(self, name: str) -> dict[str, Any] | None:
        """An ML policy of the runtime, or None if it does not have it."""
        return self.ml_policy.get(name) if self.ml_policy else None

    def origin(self, manager: str, *because: Step) -> Origin:
        """An origin at a place in the runtime's file, or at the nearest part of it that is written."""
        while get(self.runtime.tree, because) is MISSING:
            because = because[:-1]
        return Origin(manager, "runtime", because)

    def podset_of_ancestor(self, ancestor: str) -> PodSet | None:
        """The first pod set of that ancestor."""
        for podset in self.podsets:
            if podset.ancestor == ancestor:
                return podset
        return None

    def podset(self, name: str) -> PodSet | None:
        """The first pod set of that name."""
        for podset in self.podsets:
            if podset.name == name:
                return podset
        return None

    def trainer_container(self) -> Container | None:
        """The `node` container of the first trainer pod set: the one that plugins set up."""
        podset = self.podset_of_ancestor(TRAINER)
        return podset.container(NODE) if podset else None

    def all_containers(self) -> Iterator[Container]:
        """Every container, init containers of a pod set after its containers."""
        for podset in self.podsets:
            yield from podset.containers
            yield from podset.init_containers


def upsert(items: list[Any], item: Any, key: str) -> None:
    """Replace the first element with the same key, else append.

    Upstream: pkg/apply `upsert`, v2.3.0.
    """
    wanted = item[key]
    for position, other in enumerate(items):
        if other.get(key) == wanted:
            items[position] = item
            return
    items.append(item)
