"""`tjgen status`: the runs of an output tree with their state in the cluster, and runs that are only in the cluster."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Sequence

from tjgen.cli.cluster import read_cluster, read_more
from tjgen.cli.command import (
    COMMON,
    ENVIRONMENTS,
    FOLDER,
    NO_OUTPUT,
    OUTPUT,
    TRUSTED,
    VALUE,
    Arguments,
    Command,
    Option,
    UsageError,
    enter,
    prints_json,
)
from tjgen.cli.reporting import Reporter
from tjgen.cli.workspaces import check_names, runs_of_projects
from tjgen.cluster.kinds.supporting import DATASET, JOB
from tjgen.gitops.output.data_sets import CachedData, distinct
from tjgen.gitops.output.inventory import ProjectRuns, named
from tjgen.gitops.output.layout import namespace_of
from tjgen.gitops.output.reported import MISSING, UNKNOWN, Status, others, reported, statuses, with_more
from tjgen.gitops.sync.states import DEGRADED, HEALTHY, PROGRESSING, SUSPENDED
from tjgen.language.resolve.project import LoadedProject
from tjgen.language.resolve.project_file import load_current
from tjgen.language.runs.lock import ARCHIVED
from tjgen.trees.diagnostics.model import has_errors
from tjgen.trees.fields.path import Tree

COMMAND = Command(
    "status",
    "Show the state of runs in the cluster.",
    "Show the runs of the output tree, or those that match a NAME, with their state in the cluster: waiting, starting, "
    "running, refused, suspended, completed, or failed. A NAME can be an experiment with one current "
    "run. The list contains the time of the state, restarts, the reason of a failure, its pod, and the command for its "
    "logs. It also contains runs of the project's experiments that are not in the tree. One line counts the runs of other "
    "projects. For data sets of Fluid that the runs "
    "mount, a second list shows what is cached. The command reads the cluster with kubectl, or saved output of kubectl "
    "with --from. In the folder of a workspace, it shows the runs of all projects.",
    "tjgen status 'resnet50-*' --context training",
    "[NAME]...",
    (
        OUTPUT,
        ENVIRONMENTS,
        Option(("--from",), "source", "Output of kubectl get -o json; - is standard input.", VALUE, "FILE"),
        Option(("--context",), "context", "Context of kubectl.", VALUE, "NAME"),
        Option(("--namespace", "-n"), "namespace", "Only this namespace.", VALUE, "NAME"),
        Option(("--json",), "json", "The same as --format json."),
        FOLDER,
        TRUSTED,
        *COMMON,
    ),
)
_COLORS = {HEALTHY: "32", DEGRADED: "31", PROGRESSING: "36", SUSPENDED: "33", MISSING: "33", UNKNOWN: "33"}
"""Color of each word of health on a terminal, as Argo CD shows them."""
_DATA_SETS = f"{DATASET.plural}.{DATASET.group}"
_JOBS = f"{JOB.plural}.{JOB.group}"
_WORKLOADS = "workloads.kueue.x-k8s.io"
_EVENTS = "events"


def run(arguments: Arguments) -> int:
    """Show the state of the runs; 1 if the cluster or the tree cannot be read."""
    if arguments["source"] is not None and arguments["context"] is not None:
        raise UsageError("use --context, which runs kubectl, or --from, which reads its output, but not both")
    enter(arguments)
    with Reporter(arguments) as reporter:
        project, problems = load_current()
        if has_errors(problems):
            reporter.add(problems)
            return reporter.close()
        several = runs_of_projects(project, arguments, reporter)
        if any(one.directory is None and (one.entries or len(several) == 1) for one in several):
            raise UsageError(NO_OUTPUT)
        names = named([entry for one in several for entry in one.entries], arguments["paths"])
        unknown = check_names(several, names)
        reporter.add(unknown)
        if several and not has_errors(unknown):
            shown, others_count = _chosen(several, names, arguments, reporter)
            _show(shown, arguments, reporter, projects=_headings(project, several, arguments))
            if others_count and not names:
                reporter.print_line(f"runs of other projects: {others_count} (not listed)")
    return reporter.close()


def _chosen(
    several: Sequence[ProjectRuns], names: Sequence[str], arguments: Arguments, reporter: Reporter
) -> tuple[list[Status], int]:
    """The statuses to show, and the number of runs of others; the cluster is read once for all projects."""
    namespace = arguments["namespace"]
    known = {one.namespace for runs in several for one in runs.entries}
    known |= {namespace_of(*removed) for runs in several for removed in runs.pruned}
    namespaces = sorted(known) if namespace is None else [namespace]
    text, source = read_cluster(arguments["source"], namespaces, arguments["context"])
    objects = reported(text, source)
    wanted = {(one.project.name_in_workspace, run.run.name) for one in several for run in one.only(names).entries}

    def chosen() -> list[Status]:
        return [
            one
            for one in statuses(several, objects)
            if namespace in (None, one.namespace) and (not names or (one.project, one.run) in wanted)
        ]

    if arguments["source"] is None:
        more, problems = read_more(_unread(chosen()), namespaces, arguments["context"])
        objects = with_more(objects, more)
        reporter.add(problems)
    return chosen(), others(several, objects, namespace)


def _unread(shown: Sequence[Status]) -> dict[str, str]:
    """The resources that can explain these states further, with the selector of their fields. Not every role may list them."""
    resources = {_DATA_SETS: ""}
    if any(one.health == PROGRESSING for one in shown):
        resources[_EVENTS] = "type=Warning"
    if any(one.health == SUSPENDED for one in shown):
        resources[_WORKLOADS] = ""
    if any(one.has_ended and one.restarts is None for one in shown):
        resources[_JOBS] = ""
    return resources


def _headings(project: LoadedProject, several: Sequence[ProjectRuns], arguments: Arguments) -> list[str]:
    """The projects of a workspace, in their order; empty for one project, whose runs have no heading."""
    if not project.is_workspace or arguments["output"] is not None:
        return []
    return [one.project.name_in_workspace for one in several]


def _show(shown: Sequence[Status], arguments: Arguments, reporter: Reporter, *, projects: Sequence[str]) -> None:
    """Print the statuses as JSON, or as a table of all, or with `projects` of each project that has some."""
    if prints_json(arguments):
        import json

        sys.stdout.write(json.dumps([_data(one, arguments["context"]) for one in shown], indent=2) + "\n")
        return
    if not projects:
        _table(shown, arguments["context"])
    for project in projects:
        own = [one for one in shown if one.project == project]
        if own:
            reporter.print_line(f"project {project or '.'}:")
            _table(own, arguments["context"])
            sys.stdout.flush()
    _data_sets(distinct(one.data_sets for one in shown))
    clusters = dict.fromkeys(one.cluster for one in shown) if projects else {}
    if len(clusters) < 2:
        reporter.print_line(f"runs: {_counts(shown)}")
        return
    # The objects of one cluster were read, and no total combines two clusters.
    for cluster in clusters:
        reporter.print_line(f"runs in {cluster}: {_counts([one for one in shown if one.cluster == cluster])}")


def _counts(shown: Sequence[Status]) -> str:
    """The number of runs with each health, and in parentheses with each word, if it is another one."""
    healths = Counter(one.health or ARCHIVED for one in shown)
    words = Counter((one.health, one.word) for one in shown if one.word)
    parts = []
    for health, count in sorted(healths.items()):
        own = [(word, number) for (of, word), number in sorted(words.items()) if of == health and word != health.lower()]
        details = ", ".join(f"{number} {word}" for word, number in own)
        parts.append(f"{count} {health} ({details})" if details else f"{count} {health}")
    return ", ".join(parts) or "none"


def _table(shown: Sequence[Status], context: str | None) -> None:
    rows = [("RUN", "STATE", "HEALTH", "SINCE", "RESTARTS", "MESSAGE")]
    rows += [(one.run, one.state, one.health or "-", one.since or "-", _number(one.restarts), one.message) for one in shown]
    color = sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    for row, cells, one in zip(rows, _padded(rows), [None, *shown], strict=True):
        if color and row[2] in _COLORS:
            cells[2] = f"\033[{_COLORS[row[2]]}m{cells[2]}\033[0m"
        sys.stdout.write("  ".join(cells).rstrip() + "\n")
        for line in _details(one, context) if one is not None else ():
            sys.stdout.write(f"  {line}\n")


def _number(restarts: int | None) -> str:
    return "-" if restarts is None else str(restarts)


def _data_sets(data_sets: Sequence[CachedData]) -> None:
    """Print what Fluid caches of the data of the runs, after an empty line; nothing without data sets."""
    if not data_sets:
        return
    rows = [("DATA SET", "NAMESPACE", "PHASE", "CACHED", "SHARE", "HIT RATIO")]
    for one in data_sets:
        amounts = (one.cached or "-", one.percentage or "-", one.hit_ratio or "-")
        rows.append((one.name, one.namespace, MISSING if one.phase is None else one.phase or "-", *amounts))
    sys.stdout.write("\n" + "".join("  ".join(cells).rstrip() + "\n" for cells in _padded(rows)))


def _padded(rows: Sequence[tuple[str, ...]]) -> list[list[str]]:
    """The cells of rows, all of a column with the same width except in the last one."""
    widths = [*(max(map(len, column)) for column in list(zip(*rows, strict=True))[:-1]), 0]
    return [[f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)] for row in rows]


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
        "phase": one.word or None,
        "health": one.health or None,
        "message": one.message,
        "since": one.since or None,
        "project": one.project,
        "cluster": one.cluster,
        "restarts": one.restarts,
        "ended": one.has_ended,
        "pod": look.pod if look is not None else None,
        "container": (look.container or None) if look is not None else None,
        "reason": (look.reason or None) if look is not None else None,
        "commands": _commands(one, context),
        "dataSets": [
            {
                "name": data.name,
                "namespace": data.namespace,
                "phase": data.phase or None,
                "cached": data.cached or None,
                "cachedPercentage": data.percentage or None,
                "cacheHitRatio": data.hit_ratio or None,
            }
            for data in one.data_sets
        ],
    }
