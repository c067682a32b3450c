"""What the operator of a job sets up for its programs, and a run of another target -> what they miss."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tjgen.cluster.kinds.pods import pods_of
from tjgen.cluster.kinds.protocol import JAX, MPI, PADDLEPADDLE, PYTORCH, TENSORFLOW, XGBOOST, Pods
from tjgen.cluster.kinds.volcano_job import TARGET as VOLCANO
from tjgen.tools.importing.losses import framework_of
from tjgen.trees.fields.path import get
from tjgen.trees.manifests.manifest import Manifest
from tjgen.trees.typing import NamedTuple
from tjgen.trees.workload.workload import INITIALIZERS, NODE

_LAUNCHERS = ("torchrun", "torch.distributed", "torch/distributed", "accelerate", "deepspeed", "composer")
"""Programs that read PET_* or start the processes themselves."""
_OF_LAUNCHERS = "PET_NNODES"
"""A variable of each pod whose launchers find each other."""
_HOST_FILES = ("OMPI_MCA_orte_default_hostfile", "I_MPI_HYDRA_HOST_FILE", "HYDRA_HOST_FILE")
"""Variables by which mpirun finds the nodes: one for each implementation of MPI."""


class MissingSetup(NamedTuple):
    """What programs miss, and what to do."""

    why: str
    hint: str
    is_refused: bool
    """Whether a change of the program or its command does not suffice."""


class _Setup(NamedTuple):
    """What the operator of a target, or a plugin of Volcano, does for its programs."""

    variables: tuple[str, ...]
    """The first one shows whether others exist. training-operator v1.9 `controller.v1/*/envvar.go` and `tensorflow.go`."""
    plugin: str
    """The plugin of Volcano that sets the same variables; empty if none does."""
    hint: str
    is_refused: bool = True


_SETUPS = {
    TENSORFLOW: _Setup(("TF_CONFIG",), "tensorflow", "set it in env, or keep target {former}"),
    PYTORCH: _Setup(
        ("MASTER_ADDR", "MASTER_PORT", "WORLD_SIZE", "RANK"),
        "pytorch",
        "start the program with torchrun, which sets them: command: [torchrun, train.py]",
        is_refused=False,
    ),
    JAX: _Setup(
        ("COORDINATOR_ADDRESS", "COORDINATOR_PORT", "NUM_PROCESSES", "PROCESS_ID"),
        "",
        "let the program read JAX_COORDINATOR_ADDRESS, JAX_NUM_PROCESSES and JAX_PROCESS_ID",
        is_refused=False,
    ),
    XGBOOST: _Setup(
        ("MASTER_ADDR", "MASTER_PORT", "WORLD_SIZE", "RANK", "WORKER_ADDRS", "WORKER_PORT"),
        "",
        "let the program read the variables of the target, set them in env, or keep target {former}",
    ),
    PADDLEPADDLE: _Setup(
        ("PADDLE_MASTER", "PADDLE_NNODES", "PADDLE_JOB_ID"),
        "",
        "set them in env, or keep target {former}",
    ),
}
"""Framework of the operator of a target -> what it sets up."""
_SAME_FOR_JAX = "JAX_COORDINATOR_ADDRESS"
"""What the runtime adds to a JAXJob, as Trainer does: its programs need no variable of the operator."""


def missing(former: str, target: str, before: Iterable[Manifest], after: Iterable[Manifest]) -> MissingSetup | None:
    """What the programs of target `former` get, and those of `target` do not; None if they miss nothing.

    One pod needs no other, so it misses none. A program that torchrun starts reads other variables.
    """
    before, after = list(before), list(after)
    old, new = _pods(before), _pods(after)
    if former == target or sum(one.number for one in old) < 2:
        return None
    plugins = _plugins(after)
    if framework_of(former) == MPI:
        return _without_hosts(target, new, plugins)
    setup = _setup(former, before)
    if setup is None or setup.plugin in plugins or (new and all(setup.variables[0] in variables_of(one) for one in new)):
        return None
    texts = list(texts_of(old))
    is_read = any(reference in text for text in texts for name in setup.variables for reference in _references(name))
    hint = setup.hint.format(former=former)
    names = _listed(setup.variables)
    if setup.plugin == "pytorch":
        is_launched = any(launcher in text for text in texts for launcher in _LAUNCHERS)
        is_connected = any(_OF_LAUNCHERS in variables_of(one) for one in new)
        if is_launched and is_connected and not is_read:
            return None
        if is_launched and is_connected:
            hint = "remove the options of torchrun that refer to them: it reads PET_* of the runtime"
        elif is_launched:
            names, hint = "PET_*", "use a runtime for torch, such as tjgen-torch"
        elif not is_connected:
            hint = "use a runtime for torch, such as tjgen-torch, and start the program with torchrun"
    if framework_of(former) == JAX and not is_read and old and all(_SAME_FOR_JAX in variables_of(one) for one in old):
        return None
    who = f"the plugin {setup.plugin} of Volcano" if former == VOLCANO else "the Training Operator"
    return MissingSetup(f"{who} sets {names} in each pod, and target {target} does not", hint, setup.is_refused)


def _without_hosts(target: str, pods: list[Pods], plugins: set[str]) -> MissingSetup | None:
    """Workers of an MPIJob that mpirun of another target does not reach."""
    hint = "use a runtime for MPI, such as tjgen-mpi, without further roles, or keep target mpijob"
    if "mpi" not in plugins and not any(name in variables_of(one) for one in pods for name in _HOST_FILES):
        why = f"the MPI Operator writes a host file for mpirun, and target {target} does not with this runtime"
        return MissingSetup(why, hint, is_refused=True)
    others = [one.role for one in pods if one.role not in (*INITIALIZERS, "launcher", NODE)]
    if others and any(one.role == NODE for one in pods):
        why = f"the host file of target {target} contains the pods of role {NODE}, and not those of role {others[0]}"
        return MissingSetup(why, hint, is_refused=True)
    return None


def _setup(former: str, before: Iterable[Manifest]) -> _Setup | None:
    if former != VOLCANO:
        return _SETUPS.get(framework_of(former))
    plugins = _plugins(before)
    return next((setup for setup in _SETUPS.values() if setup.plugin in plugins), None)


def _plugins(manifests: Iterable[Manifest]) -> set[str]:
    return {name for one in manifests for name in get(one.tree, ("spec", "plugins"), None) or ()}


def _listed(names: tuple[str, ...]) -> str:
    return " and ".join((", ".join(names[:-1]), names[-1])) if len(names) > 1 else names[0]


def _references(name: str) -> tuple[str, ...]:
    """References to a variable as Kubernetes has them, and as shells have them."""
    return f"$({name})", f"${name}", f"${{{name}}}"


def _pods(manifests: Iterable[Manifest]) -> list[Pods]:
    return [one for manifest in manifests for one in pods_of(manifest) if one.number]


def texts_of(sets: Iterable[Pods]) -> Iterator[str]:
    """The command lines of containers, and the values of their variables."""
    for one in sets:
        for container in one.spec.get("containers") or ():
            yield " ".join(map(str, (*(container.get("command") or ()), *(container.get("args") or ()))))
            yield from (str(get(variable, ("value",), "")) for variable in container.get("env") or ())


def variables_of(pods: Pods) -> set[str]:
    containers = pods.spec.get("containers") or ()
    return {str(get(variable, ("name",), None)) for container in containers for variable in container.get("env") or ()}
