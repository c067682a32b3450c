"""The command line of a run -> processes of it that do not train together, and devices that no process uses (TJ150)."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.kinds.protocol import PADDLEPADDLE
from tjgen.cluster.kinds.table import facts_of
from tjgen.compiler.script import AT, NONE, PADDLE, alone_in_shell, interpreter_alone, launcher_of_one_node
from tjgen.language.spec.objects import Experiment
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, get
from tjgen.trees.workload.contribution import EXPERIMENT
from tjgen.trees.workload.roles import nodes, programs, workers
from tjgen.trees.workload.workload import PodSet, Workload

_OF_TORCHRUN = ("--nnodes", "--standalone", "--node", "--master", "--rdzv")
"""How options begin that name the nodes of a run."""


def check(workload: Workload, experiment: Experiment, *, devices: int, is_torch: bool) -> Iterator[Diagnostic]:
    """TJ150 for a command of the experiment that does not connect to the other nodes, or starts too few processes.

    `devices` is the number of devices of each node.
    """
    is_mpi = get(workload.ml_policy or {}, ("mpi",), None) is not None
    count = nodes(workload)
    if count < 2 and devices < 2:
        return
    if not is_torch and not is_mpi:
        yield from _paddle(workload, experiment, count)
        return
    for podset in programs(workload) if is_mpi else workers(workload):
        words, because = command_line(workload, podset, "command")
        if because is None:
            continue
        problem = _of_mpi(words, count) if is_mpi else _of_nodes(words, count, workload, experiment)
        if problem is None and devices > 1 and not is_mpi and _starts_one_process(experiment):
            problem = _of_devices(words, devices)
        if problem is not None:
            message, hint = problem
            yield Diagnostic("TJ150", message, path=because, hint=hint)
            return


def _paddle(workload: Workload, experiment: Experiment, count: int) -> Iterator[Diagnostic]:
    """A program of several nodes that the launcher of PaddlePaddle does not start, or does not connect."""
    is_paddle = facts_of(experiment.spec.target).framework == PADDLEPADDLE
    for podset in workers(workload) if count > 1 else ():
        words, because = command_line(workload, podset, "command")
        if because is None or _names_nodes_of_paddle(workload, podset, words):
            continue
        is_left_alone = not is_paddle or experiment.spec.launcher is not None
        program = None if is_left_alone else interpreter_alone(words) or alone_in_shell(words)
        if program is not None:
            message = f"{program} starts a program that does not connect the nodes: each of the {count} nodes would train alone"
            hint = f"write python -m {PADDLE} instead of {program}"
            if because == AT:
                hint = "use runtime: tjgen-paddle, whose launcher connects the nodes"
            yield Diagnostic("TJ150", message, path=because, hint=hint)
            return
        if not is_paddle and any(PADDLE in word for word in words):
            message = f"{PADDLE} finds no other nodes without PADDLE_MASTER: each of the {count} nodes would train alone"
            hint = "use target: paddlejob, whose operator sets it, or set PADDLE_MASTER and PADDLE_NNODES in env"
            yield Diagnostic("TJ150", message, path=because, hint=hint)
            return


def _names_nodes_of_paddle(workload: Workload, podset: PodSet, words: list[str]) -> bool:
    """Whether options or variables name the nodes. An experiment may take variables from elsewhere."""
    main = get(workload.tree.value, podset.main, None) or {}
    names = {variable["name"] for variable in main.get("env") or []}
    has_options = any(option in word for word in words for option in ("--master", "--ips"))
    return has_options or bool(main.get("envFrom")) or not names.isdisjoint(("PADDLE_MASTER", "PADDLE_TRAINER_ENDPOINTS"))


def command_line(workload: Workload, podset: PodSet, *fields: str) -> tuple[list[str], FieldPath | None]:
    """The command line of a role, and the field of the experiment that sets one of `fields`; None if a runtime sets them."""
    main = get(workload.tree.value, podset.main, None) or {}
    origins = [origin for field in fields for origin in workload.tree.origins((*podset.main, field))]
    origin = next((origin for origin in origins if origin.source == EXPERIMENT), None)
    return [str(word) for word in [*(main.get("command") or []), *(main.get("args") or [])]], origin and origin.because


def _of_nodes(words: list[str], count: int, workload: Workload, experiment: Experiment) -> tuple[str, str] | None:
    if count < 2:
        return None
    contradiction = _of_accelerate(words, count)
    if contradiction is not None:
        hint = "write the .py file alone: torchrun of the runtime starts it, and Accelerate reads the variables of torchrun"
        return f"accelerate launch: {contradiction}", hint
    contradiction = _of_torchrun(words, count)
    if contradiction is not None:
        return (
            contradiction,
            "remove all options for nodes, ranks and addresses: torchrun reads them from variables that the run sets",
        )
    # The operators of other targets set the variables that a program without a launcher reads.
    is_left_alone = workload.is_direct or experiment.spec.launcher is not None
    program = launcher_of_one_node(words) or (None if is_left_alone else interpreter_alone(words) or alone_in_shell(words))
    if program is None:
        return None
    message = f"{program} starts processes on its own node only: each of the {count} nodes would train alone"
    return message, f"write torchrun, which connects all nodes, instead of {program}"


def _of_devices(words: list[str], devices: int) -> tuple[str, str] | None:
    program = interpreter_alone(words) or alone_in_shell(words)
    if program is None:
        return None
    message = f"{program} starts one process on a node with {devices} devices, and torchrun would start {devices}"
    return message, "write torchrun instead of it, or set procsPerNode: 1 if one process uses all devices"


def _of_mpi(words: list[str], count: int) -> tuple[str, str] | None:
    program = interpreter_alone(words) or alone_in_shell(words)
    if program is not None and count > 1:
        message = f"{program} starts one process in the launcher pod, and none on the {count} nodes of the run"
        return message, f"write mpirun before {program}"
    launcher = launcher_of_one_node(words, is_mpi=True)
    if launcher is not None and count > 1:
        message = f"{launcher} starts processes in the launcher pod only, and none on the {count} nodes of the run"
        return message, f"write mpirun python instead of {launcher}, or use a runtime of torchrun, such as tjgen-torch"
    if count > 1 and any("mpi" in word for word in words):
        from tjgen.compiler.torchrun import too_few  # few runs use MPI

        processes = too_few(words, count)
        if processes is not None:
            return f"mpirun starts {processes} processes, but the run has {count} nodes", "remove the option -np"
    return None


def _starts_one_process(experiment: Experiment) -> bool:
    """Whether nothing in the experiment states that one process uses all devices of a node."""
    spec = experiment.spec
    return spec.procs_per_node != 1 and spec.launcher != NONE


def _of_accelerate(words: list[str], count: int) -> str | None:
    """Which options of `accelerate launch` do not fit the nodes."""
    if not any("accelerate" in word for word in words):
        return None
    from tjgen.compiler.accelerate import contradiction  # few scripts name it

    return contradiction(words, count)


def _of_torchrun(words: list[str], count: int) -> str | None:
    """Which options of torchrun do not fit the nodes."""
    if not any(mark in word for word in words for mark in _OF_TORCHRUN):
        return None
    from tjgen.compiler.torchrun import contradiction  # few scripts have these options

    return contradiction(words, count)
