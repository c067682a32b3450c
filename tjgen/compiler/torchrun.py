"""The command line of a run -> the options of torchrun and mpirun that do not fit its nodes."""

from __future__ import annotations

from collections.abc import Sequence

from tjgen.trees import regex

_LAUNCH = regex.compile(r"(?:^|[\s;&|(/])(?:torchrun|torch\.distributed\.run)(?=\s|$)")
_NODES = regex.compile(r"\s--nnodes(?:\s+|=)([0-9]+)(?::([0-9]+))?(?=\s|$)")
_STANDALONE = regex.compile(r"\s--standalone(?=\s|$)")
_PROCESSES = regex.compile(r"(?:^|[\s;&|(/])(?:mpirun|mpiexec)\s(?:[^;&|\n]*\s)?(?:-np|-n|--np)\s+([0-9]+)(?=\s|$)")


def contradiction(words: Sequence[str], nodes: int) -> str | None:
    """What is wrong with the options of torchrun, if all nodes of the run start this command line; None if they fit."""
    text = " ".join(words)
    launch = _LAUNCH.search(text)
    if launch is None:
        return None
    if _STANDALONE.search(text, launch.end()) is not None:
        return f"torchrun --standalone connects no nodes: each of the {nodes} nodes would train alone"
    match = _NODES.search(text, launch.end())
    if match is None or int(match[1]) <= nodes <= int(match[2] or match[1]):
        return None
    return f"{match[0].strip()} of torchrun differs from nodes, which is {nodes}"


def too_few(words: Sequence[str], nodes: int) -> int | None:
    """The number of processes that mpirun starts, if it is smaller than the number of nodes."""
    match = _PROCESSES.search(" ".join(words))
    return int(match[1]) if match is not None and int(match[1]) < nodes else None
