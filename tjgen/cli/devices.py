"""`tjgen devices`: the classes that `gpu` can name, those of the Platform and the built-in ones."""

from __future__ import annotations

import sys

from tjgen.cli.command import COMMON, VALUE, Arguments, Command, Option, refuse_use
from tjgen.cli.reporting import Reporter
from tjgen.language.platform.devices import Accelerator, classes
from tjgen.language.resolve.project import LoadedProject
from tjgen.language.resolve.project_file import load_current
from tjgen.trees.k8s.nearest import nearest

COMMAND = Command(
    "devices",
    "List the device classes that experiments can name.",
    "Print each class with its resource, the memory of one device, the processes that start for it, its parts (`mig`), "
    "and the labels of its nodes. The list contains the classes of the Platform and the built-in ones.",
    "tjgen devices --env prod",
    "",
    (Option(("--env",), "env", "Environment of the project whose Platform to use.", VALUE, "NAME"), *COMMON),
    most=0,
)
_HEADER = ("CLASS", "FROM", "RESOURCE", "MEMORY", "PROCESSES", "PARTS", "NODES")


def run(arguments: Arguments) -> int:
    """Print the table; an environment that the project does not have, or several and none named, is wrong use."""
    reporter = Reporter(arguments)
    project, problems = load_current()
    reporter.add(problems)
    if reporter.failed:
        return reporter.close()
    refuse_use(_wrong_use(project, arguments["env"]))
    environments = list(project.spec.environments)
    platform = project.platform(arguments["env"] or (environments[0] if environments else None))
    described = platform.platform.spec.device_classes if platform is not None else {}
    source = platform.platform.metadata.name if platform is not None else ""
    rows = [_row(device, source if name in described else "built in") for name, device in classes(described).items()]
    _print([_HEADER, *sorted(rows, key=lambda row: (row[1] == "built in", row[0]))])
    return reporter.close()


def _wrong_use(project: LoadedProject, environment: str | None) -> str | None:
    known = list(project.spec.environments)
    if environment is not None and environment not in known:
        near = nearest(environment, known)
        return f'the project has no environment "{environment}"' + (f': did you mean "{near}"?' if near else "")
    platforms = {project.environment(name).platform for name in known}  # type: ignore[union-attr]  # all of them are known
    return (
        f"the environments have several platforms: set --env {'|'.join(known)}"
        if not environment and len(platforms) > 1
        else None
    )


def _row(device: Accelerator, source: str) -> tuple[str, ...]:
    nodes = ", ".join(f"{label}={value}" for label, value in device.node_selector.items())
    parts = ", ".join(device.partitions)
    claimed = f"claimed: {device.dra.device_class_name}" if device.dra is not None else ""
    return (
        device.name,
        source,
        device.resource or claimed,
        str(device.memory or "-"),
        str(device.processes),
        parts or "-",
        nodes or "-",
    )


def _print(rows: list[tuple[str, ...]]) -> None:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        sys.stdout.write("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() + "\n")
