"""The command line of a run -> the options of `accelerate launch` that do not fit its nodes."""

from __future__ import annotations

from collections.abc import Sequence

from tjgen.trees import regex

_LAUNCH = regex.compile(r"(?:^|[\s;&|(/])(?:accelerate\s+launch|accelerate\.commands\.launch)(?=\s|$)")
_OPTION = regex.compile(r"\s--(machine[_-]rank|num[_-]machines|main[_-]process[_-]ip|config[_-]file)(?:\s+|=)(\S+)")
_ADDRESS = regex.compile(r"(?:[0-9.]+|localhost)$")


def contradiction(words: Sequence[str], nodes: int) -> str | None:
    """What is wrong with the options, if all nodes of the run start this command line; None if they fit."""
    text = " ".join(words)
    match = _LAUNCH.search(text)
    if match is None:
        return None
    options = {one[1].replace("-", "_"): one[2] for one in _OPTION.finditer(text, match.end())}
    rank, machines, address = (options.get(key, "") for key in ("machine_rank", "num_machines", "main_process_ip"))
    if rank.isdigit():
        return f"--machine_rank {rank} is the rank of each of the {nodes} nodes: they would wait for the other ranks"
    if machines.isdigit() and int(machines) != nodes:
        return f"--num_machines {machines} differs from nodes, which is {nodes}"
    if _ADDRESS.match(address):
        return f"--main_process_ip {address} cannot be the address of the first node: a node gets its address when it starts"
    if "config_file" in options and not rank:
        return f"--config_file {options['config_file']} gives all {nodes} nodes one machine_rank"
    return None
