"""A TrainJob -> its fields as the controller reads them, and origins that point into it."""

from __future__ import annotations

from tjgen.cluster.trainer.goread import DecodeError
from tjgen.cluster.trainer.release import Release
from tjgen.cluster.trainer.typed import metadata_of
from tjgen.trees.fields.managed import Origin
from tjgen.trees.fields.path import MISSING, FieldPath, Step, Tree, get
from tjgen.trees.session import Session
from tjgen.trees.typing import Any

TRAINJOB = "trainjob"
RUNTIME = "runtime"
RULE = "tjgen"
"""What an origin's path is in: the TrainJob, the runtime, or no file at all."""

BUILDER = "trainer:jobset"

_COMMAND = Origin(BUILDER, TRAINJOB, ("spec", "trainer", "command"), mirrors=True)
_ARGS = Origin(BUILDER, TRAINJOB, ("spec", "trainer", "args"), mirrors=True)
_ENV: FieldPath = ("spec", "trainer", "env")
_NAMESPACE = Origin("trainer", TRAINJOB, ("metadata", "namespace"), mirrors=True)
_NO_NAMESPACE = Origin("trainer", RULE)

CONTROLLER = "trainer.kubeflow.org/trainjob-controller"
TORCHTUNE = ["tune", "run"]
"""The command that starts torchtune, by which upstream detects a torchtune job."""


class DecodedTrainJob:
    """A decoded TrainJob. `command` and `args` are separate fields because two plugins rewrite them."""

    __slots__ = (
        "args",
        "args_origin",
        "command",
        "command_origin",
        "env",
        "env_owners",
        "name",
        "namespace",
        "namespace_origin",
        "release",
        "session",
        "spec",
        "trainer",
        "tree",
        "uid",
    )

    def __init__(self, tree: Tree, uid: str, release: Release, session: Session) -> None:
        """`session` caches decoded objects, and the merges of the TrainJob and its runtime."""
        metadata = metadata_of(tree)
        written = tree.get("spec")
        # A default inside an absent parent does nothing, so a missing spec stays without a runtimeRef.
        self.spec: dict[str, Any] = {"runtimeRef": {}} if written is None else _spec(written, release, session)
        self.release = release
        self.session = session
        self.tree = tree
        self.uid = uid
        self.name: str = metadata.get("name", "")
        self.namespace: str = metadata.get("namespace", "default")
        self.trainer: dict[str, Any] | None = self.spec.get("trainer")
        trainer = self.trainer or {}
        self.command = _list(trainer, written, "command")
        self.args = _list(trainer, written, "args")
        self.command_origin = _COMMAND
        self.args_origin = _ARGS
        self.env = variables(trainer["env"]) if "env" in trainer else []
        self.env_owners = owners_of(written["trainer"]["env"], _ENV, self.env) if self.env else []
        self.namespace_origin = _NAMESPACE if "namespace" in metadata else _NO_NAMESPACE

    @property
    def suspend(self) -> bool:
        return bool(self.spec.get("suspend"))

    @property
    def resources(self) -> dict[str, Any] | None:
        """`spec.trainer.resourcesPerNode`, or None where it is not given."""
        return self.trainer.get("resourcesPerNode") if self.trainer else None

    @property
    def resource_lists(self) -> dict[str, Any]:
        """Limits and requests of `resourcesPerNode`, if set; Go distinguishes an empty list from a missing one."""
        lists = {}
        for kind in ("limits", "requests"):
            amounts = (self.resources or {}).get(kind)
            if amounts is not None or get(self.tree, ("spec", "trainer", "resourcesPerNode", kind)) == {}:
                lists[kind] = amounts or {}
        return lists

    def trainer_field(self, field: str) -> Any:
        """A field of `spec.trainer`, or None."""
        return self.trainer.get(field) if self.trainer else None

    def origin(self, manager: str, *because: Step) -> Origin:
        """An origin that copies the value at `because` in the TrainJob."""
        return Origin(manager, TRAINJOB, because, mirrors=True)

    def origin_of(self, manager: str, because: FieldPath, value: Tree) -> Origin:
        """An origin at `because`, which mirrors only where the TrainJob holds just this value there."""
        written = get(self.tree, because)
        return Origin(manager, RULE) if written is MISSING else Origin(manager, TRAINJOB, because, written == value)


def owners_of(written: list[Any], path: FieldPath, variables: list[dict[str, Any]]) -> list[tuple[Origin]]:
    """The origin of each variable of a list, which mirrors where the variable came through as written."""
    by_name = {item.get("name"): item for item in reversed(written)}
    owners = []
    for position, item in enumerate(variables):
        name = item["name"]
        # The webhook gives a variable without a name an empty one.
        step: Step = (("name", name),) if name in by_name else position
        owners.append((Origin(BUILDER, TRAINJOB, (*path, step), by_name.get(name) == item),))
    return owners


def variables(env: Any) -> list[dict[str, Any]]:
    """A list of the TrainJob's variables as the controller copies them."""
    return [environment_variable(item) for item in env]


def environment_variable(item: dict[str, Any]) -> dict[str, Tree]:
    """A variable of a TrainJob as the controller copies it, losing `fileKeyRef` and `fieldRef.apiVersion`.

    Upstream: pkg/apply `EnvVar`, v2.3.0.
    """
    source = item.get("valueFrom")
    if source is None:
        return {"name": item["name"], "value": item.get("value", "")}
    copied: dict[str, Tree] = {}
    if "fieldRef" in source:
        copied["fieldRef"] = {"fieldPath": source["fieldRef"]["fieldPath"]}
    if "resourceFieldRef" in source:
        copied["resourceFieldRef"] = {"containerName": "", **source["resourceFieldRef"]}
    for kind in ("configMapKeyRef", "secretKeyRef"):
        if kind in source:
            copied[kind] = {"name": "", **source[kind]}
    return {"name": item["name"], "valueFrom": copied}


def _spec(written: Tree, release: Release, session: Session) -> dict[str, Any]:
    """The decoded spec; webhooks and controller decode the same one, one after the other."""

    def decoded() -> dict[str, Any]:
        try:
            spec: dict[str, Any] = release.types.typed(written, "TrainJobSpec")
        except DecodeError as error:
            raise error.under("spec") from None
        return spec

    return session.latest("spec of TrainJob", (written, release), decoded)


def _list(trainer: dict[str, Any], written: Any, field: str) -> list[str] | None:
    # An empty list differs from an absent one: it clears the list of the runtime. Printing loses the difference.
    if field in trainer:
        entries: list[str] = trainer[field]
        return entries
    return [] if get(written, ("trainer", field)) == [] else None
