"""`tjgen status`: the runs of an output tree with their state in the cluster, and runs that are only in the cluster."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Sequence

from tjgen.cli.cluster import read_cluster
from tjgen.cli.command import (
    COMMON,
    ENVIRONMENTS,
    OUTPUT,
    TRUSTED,
    VALUE,
    Arguments,
    Command,
    Option,
    UsageError,
    output_of,
)
from tjgen.cli.reporting import Reporter
from tjgen.cli.workspaces import refuse_workspace
from tjgen.gitops.output import interrupted
from tjgen.gitops.output.inventory import entries, matching, pruned
from tjgen.gitops.output.layout import namespace_of
from tjgen.gitops.output.reported import MISSING, UNKNOWN, Status, reported, statuses
from tjgen.gitops.sync.health import DEGRADED, HEALTHY, PROGRESSING, SUSPENDED
from tjgen.language.resolve.project_file import load_current
from tjgen.language.runs.store import Locks
from tjgen.trees.diagnostics.model import has_errors
from tjgen.trees.fields.path import Tree

COMMAND = Command(
    "status",
    "Show the state of runs in the cluster.",
    "The runs of the output tree, or those that match a NAME, with their state in the cluster, in the words of the health checks "
    "for Argo CD. The list has the time of the state, restarts, the reason of a failure, its pod, and the command for its logs. "
    "Also runs that tjgen made and that are not in the tree. Reads the cluster with kubectl, or its output with --from.",
    "tjgen status 'resnet50-*' --context training",
    "[NAME]...",
    (
        OUTPUT,
        ENVIRONMENTS,
        Option(("--from",), "source", "Output of kubectl get -o json; - is standard input.", VALUE, "FILE"),
        Option(("--context",), "context", "Context of kubectl.", VALUE, "NAME"),
        Option(("--namespace", "-n"), "namespace", "Only this namespace.", VALUE, "NAME"),
        Option(("--json",), "json", "The same as --format json."),
        TRUSTED,
        *COMMON,
    ),
)
_COLORS = {HEALTHY: "32", DEGRADED: "31", PROGRESSING: "36", SUSPENDED: "33", MISSING: "33", UNKNOWN: "33"}
"""Color of each word of health on a terminal, as Argo CD shows them."""


def run(arguments: Arguments) -> int:
    """Show the state of the runs; 1 if the cluster or the tree cannot be read."""
    if arguments["source"] is not None and arguments["context"] is not None:
        raise UsageError("--context goes with kubectl, and --from reads its output")
    with Reporter(arguments) as reporter:
        project, problems = load_current()
        reporter.add(problems)
        directory = output_of(arguments, project.output)
        if not has_errors(problems):
            locks = Locks(project.directory)
            refuse_workspace("status", project, has_runs=next(locks.all(), None) is not None)
            environments: list[str | None] = [*project.spec.environments] or [None]
            known = entries(locks, arguments["env"], project=environments)
            pruned_runs = pruned(locks, arguments["env"])
            chosen, problems = matching(known, arguments["paths"]) if arguments["paths"] else (known, [])
            reporter.add([*interrupted.warning(directory), *problems])
            if not reporter.failed:
                namespace = arguments["namespace"]
                namespaces = (
                    sorted({*(one.namespace for one in known), *(namespace_of(*one) for one in pruned_runs)})
                    if namespace is None
                    else [namespace]
                )
                text, source = read_cluster(arguments["source"], namespaces, arguments["context"])
                run_statuses = list(statuses(known, pruned_runs, directory, reported(text, source)))
                names = {entry.run.name for entry in chosen}
                shown = [
                    one
                    for one in run_statuses
                    if namespace in (None, one.namespace) and (not arguments["paths"] or one.run in names)
                ]
                _show(shown, arguments, reporter)
    return reporter.close()


def _show(shown: Sequence[Status], arguments: Arguments, reporter: Reporter) -> None:
    if arguments["json"] or arguments["format"] == "json":
        import json

        sys.stdout.write(json.dumps([_data(one, arguments["context"]) for one in shown], indent=2) + "\n")
        return
    rows = [("RUN", "STATE", "HEALTH", "SINCE", "RESTARTS", "MESSAGE")]
    rows += [(one.run, one.state, one.health or "-", one.since or "-", str(one.restarts), one.message) for one in shown]
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    color = sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    for row, one in zip(rows, [None, *shown], strict=True):
        cells = [f"{cell:<{width}}" for cell, width in zip(row, (*widths, 0), strict=True)]
        if color and row[2] in _COLORS:
            cells[2] = f"\033[{_COLORS[row[2]]}m{cells[2]}\033[0m"
        sys.stdout.write("  ".join(cells).rstrip() + "\n")
        for line in _details(one, arguments["context"]) if one is not None else ():
            sys.stdout.write(f"  {line}\n")
    counts = Counter(one.health or "archived" for one in shown)
    reporter.print_line("runs: " + (", ".join(f"{count} {health}" for health, count in sorted(counts.items())) or "none"))


def _details(one: Status, context: str | None) -> list[str]:
    if one.look is None:
        return []
    where = f"{one.look.pod}, container {one.look.container}" if one.look.container else one.look.pod
    reason = f"pod: {where}: {one.look.reason}" if one.look.reason else f"pod: {where}"
    return [reason, *_commands(one, context)]


def _commands(one: Status, context: str | None) -> list[str]:
    """The commands that show more of the pod to look at."""
    if one.look is None:
        return []
    begin = f"kubectl --context {context}" if context is not None else "kubectl"
    if not one.look.has_logs:
        return [f"{begin} describe pod -n {one.namespace} {one.look.pod}"]
    container = f"-c {one.look.container}" if one.look.container else "--all-containers"
    return [f"{begin} logs -n {one.namespace} {one.look.pod} {container}{' --previous' if one.look.is_previous else ''}"]


def _data(one: Status, context: str | None) -> Tree:
    look = one.look
    return {
        "run": one.run,
        "kind": one.kind,
        "namespace": one.namespace,
        "experiment": one.experiment,
        "state": one.state,
        "health": one.health or None,
        "message": one.message,
        "since": one.since or None,
        "restarts": one.restarts,
        "ended": one.has_ended,
        "pod": look.pod if look is not None else None,
        "container": (look.container or None) if look is not None else None,
        "reason": (look.reason or None) if look is not None else None,
        "commands": _commands(one, context),
    }
