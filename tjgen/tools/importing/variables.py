"""The variables that the Training Operator sets in pods, and a run of another target -> those that its programs miss."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tjgen.cluster.kinds.pods import pods_of
from tjgen.cluster.kinds.protocol import Pods
from tjgen.tools.importing.comparison import Difference
from tjgen.trees.fields.path import get
from tjgen.trees.manifests.manifest import Manifest
from tjgen.trees.typing import NamedTuple

_LAUNCHERS = ("torchrun", "torch.distributed", "torch/distributed", "accelerate", "deepspeed", "composer")
"""Programs that read PET_* or start the processes themselves."""


class _Setup(NamedTuple):
    """What the operator of a target does for its programs."""

    variables: tuple[str, ...]
    """The first one shows whether others exist. training-operator v1.9 `controller.v1/*/envvar.go` and `tensorflow.go`."""
    plugin: str
    """The plugin of Volcano that sets the same variables; empty if none does."""
    hint: str


_SETUPS = {
    "tfjob": _Setup(("TF_CONFIG",), "tensorflow", "set it in env, or keep target tfjob"),
    "pytorchjob": _Setup(
        ("MASTER_ADDR", "MASTER_PORT", "WORLD_SIZE", "RANK"),
        "pytorch",
        "start the program with torchrun, which sets them: command: [torchrun, train.py]",
    ),
    "xgboostjob": _Setup(
        ("MASTER_ADDR", "MASTER_PORT", "WORLD_SIZE", "RANK", "WORKER_ADDRS", "WORKER_PORT"),
        "",
        "let the program read the variables of the target, set them in env, or keep target xgboostjob",
    ),
    "paddlejob": _Setup(
        ("PADDLE_MASTER", "PADDLE_NNODES", "PADDLE_JOB_ID"),
        "",
        "set them in env, or keep target paddlejob",
    ),
}


def missing(former: str, target: str, before: Iterable[Manifest], after: Iterable[Manifest]) -> Difference | None:
    """The variables that programs of target `former` get, and pods of `target` do not; None if they miss none.

    One pod needs no other, so it misses none. A program that torchrun starts reads other variables.
    """
    setup = _SETUPS.get(former)
    if setup is None or former == target:
        return None
    old, new = _pods(before), _pods(after)
    is_alone = sum(one.number for one in old) < 2
    if is_alone or (former == "pytorchjob" and any(launcher in text for text in _commands(old) for launcher in _LAUNCHERS)):
        return None
    first = setup.variables[0]
    has_plugin = any(setup.plugin and setup.plugin in (get(one.tree, ("spec", "plugins"), None) or ()) for one in after)
    if has_plugin or (new and all(first in _variables(one) for one in new)):
        return None
    names = " and ".join((", ".join(setup.variables[:-1]), setup.variables[-1])) if len(setup.variables) > 1 else first
    return Difference(f"the Training Operator sets {names} in each pod, and target {target} does not", setup.hint)


def _pods(manifests: Iterable[Manifest]) -> list[Pods]:
    return [one for manifest in manifests for one in pods_of(manifest) if one.number]


def _commands(sets: Iterable[Pods]) -> Iterator[str]:
    for one in sets:
        for container in one.spec.get("containers") or ():
            yield " ".join(map(str, (*(container.get("command") or ()), *(container.get("args") or ()))))


def _variables(pods: Pods) -> set[str]:
    containers = pods.spec.get("containers") or ()
    return {str(get(variable, ("name",), None)) for container in containers for variable in container.get("env") or ()}
