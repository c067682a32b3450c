"""The command line of a run -> the options of torchrun and mpirun that do not fit its nodes."""

from __future__ import annotations

from collections.abc import Sequence

from tjgen.trees import regex

_LAUNCH = regex.compile(r"(?:^|[\s;&|(/])(?:torchrun|torch\.distributed\.run)(?=\s|$)")
_PROGRAM = regex.compile(r"\s(?:\S+\.py|-m|--module)(?=\s|$)")
"""What ends the options of torchrun: the options after it are those of the program."""
_OPTION = regex.compile(
    r"\s(--(standalone|nnodes|node[_-]rank|master[_-]addr|rdzv[_-](?:backend|endpoint))(?:(?:\s+|=)([^\s-]\S*))?)(?=\s|$)"
)
_NODES = regex.compile(r"([0-9]+)(?::([0-9]+))?$")
_ADDRESS = regex.compile(r"(?:\[[0-9a-f:]+\]|[\w-]+|[0-9.]+)(?::[0-9]*)?$")
"""An IP address, `localhost` or a name without a domain. The name of a pod has the subdomain of its run."""
_PROCESSES = regex.compile(r"(?:^|[\s;&|(/])(?:mpirun|mpiexec)\s(?:[^;&|\n]*\s)?(?:-np|-n|--np)\s+([0-9]+)(?=\s|$)")


def contradiction(words: Sequence[str], nodes: int) -> str | None:
    """What is wrong with the options of torchrun, if all nodes of the run start this command line; None if they fit."""
    text = " ".join(words)
    launch = _LAUNCH.search(text)
    if launch is None:
        return None
    program = _PROGRAM.search(text, launch.end())
    written, values = {}, {}
    for one in _OPTION.finditer(text, launch.end(), program.start() if program is not None else len(text)):
        option = one[2].replace("-", "_")
        written[option], values[option] = one[1], one[3] or ""
    if "standalone" in written:
        return f"torchrun --standalone does not connect the nodes: each of the {nodes} nodes would train alone"
    match = _NODES.match(values.get("nnodes", ""))
    if match is not None and not int(match[1]) <= nodes <= int(match[2] or match[1]):
        return f"{written['nnodes']} of torchrun differs from nodes, which is {nodes}"
    is_static = values.get("rdzv_backend", "static") == "static"
    if is_static and values.get("node_rank", "").isdigit():
        return f"{written['node_rank']} of torchrun is the rank of each of the {nodes} nodes: they would wait for the other ranks"
    for option in ("rdzv_endpoint", "master_addr"):
        if _ADDRESS.match(values.get(option, "")):
            return f"{written[option]} of torchrun cannot be the first node: a node gets its address when it starts"
    if not is_static and "rdzv_endpoint" not in written:
        return (
            f"{written['rdzv_backend']} of torchrun without --rdzv_endpoint does not connect the nodes: each waits for the others"
        )
    return None


def too_few(words: Sequence[str], nodes: int) -> int | None:
    """The number of processes that mpirun starts, if it is smaller than the number of nodes."""
    match = _PROCESSES.search(" ".join(words))
    return int(match[1]) if match is not None and int(match[1]) < nodes else None
