"""`tjgen fit`: which runs start on the nodes and queues of the Platform, in which order, and why others do not."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

from tjgen.cli.command import COMMON, FOLDER, MANY, SET, TRAINER, TRUSTED, Arguments, Command, Option, enter, prints_json
from tjgen.cli.counts import counted
from tjgen.cli.reporting import Reporter
from tjgen.compiler.building.compile import build
from tjgen.compiler.building.fit import ClusterFit, TreeRun, fit
from tjgen.compiler.building.plan import Plan, make_plan
from tjgen.compiler.building.projects import is_of_all
from tjgen.compiler.building.request import Request
from tjgen.compiler.building.run import NEVER_STARTS, Built, Run
from tjgen.compiler.fit.verdicts import FitVerdict
from tjgen.gitops.output.tree_runs import tree_runs
from tjgen.trees.diagnostics.model import ERROR, Diagnostic
from tjgen.trees.k8s.nearest import nearest
from tjgen.trees.session import Session

COMMAND = Command(
    "fit",
    "Predict which runs start on the nodes and in the queues.",
    "Place the pods of each run on the nodes of the Platform, with the filters and scores of kube-scheduler. Each run "
    "is placed alone on the empty cluster, then next to the other runs, in the order of their priority. Queues of Kueue "
    "admit runs by their quotas, flavors, and cohorts, place pods in domains of topologies, and evict others by their "
    "preemption rules. Queues of Volcano share the nodes by their weights, and HyperNodes bound gangs. For a run that "
    "does not start, print the message of the scheduler or the queue, the line that causes it, and the change that lets "
    "it start. With EXPERIMENT, a file or folder, only its runs are placed. With NAME, a run or an experiment of the "
    "project or a pattern, all runs are placed, and only the matching ones are shown. Exit code 1 if a run never starts.",
    "tjgen fit bert-krdnvrxh",
    "[EXPERIMENT|NAME...]",
    (
        Option(("--env",), "env", "Environment of the project; may be repeated.", MANY, "NAME"),
        SET,
        FOLDER,
        TRAINER,
        TRUSTED,
        *COMMON,
    ),
)
_HEADER = ("ORDER", "NAMESPACE", "RUN", "PODS", "QUEUE", "FLAVOR", "RESULT")
NOT_COVERED = (
    "This is a snapshot: it assumes that no run ends, and that no pods of others are on the nodes.",
    "Not covered: autoscalers; fair sharing of queues; reclaim, preemption and queue trees of Volcano; the places of existing "
    "volumes; nodes that pods of ended runs leave fragmented.",
)


def run(arguments: Arguments) -> int:
    """Print the table of each cluster and the limits of the model, report, and answer with the exit code."""
    enter(arguments)
    reporter = Reporter(arguments)
    results: list[ClusterFit] = []
    with reporter:
        paths = arguments["paths"]
        wanted = ShownRuns(paths if paths and not any(map(_is_path, paths)) else ())
        request = Request(
            () if wanted.patterns else paths,
            environments=arguments["env"],
            set_values=arguments["set"],
            trainer=arguments["trainer"],
        )
        plan = make_plan(request)
        runs: list[tuple[Plan, Run]] = []
        of_tree: list[tuple[Plan, TreeRun]] = []

        def add(one: Plan, part: Reporter) -> None:
            part.add(one.diagnostics)
            waiting = 0
            results: dict[str, Built] = {}
            for built in build(one, Session()):
                if isinstance(built, Built):
                    results[built.unit.key] = built
                if not isinstance(built, Built) or wanted.note(built):
                    waiting += built.waiting
                    errors = [one for one in built.diagnostics if one.severity == ERROR and one.code not in NEVER_STARTS]
                    part.add(errors)
                runs.extend((one, run) for run in built.runs)
            if waiting:
                from tjgen.cli.build import not_promoted  # few projects promote runs

                part.add([not_promoted(one, waiting)])
            if one.output is not None and not (arguments["set"] or arguments["trainer"]):
                of_tree.extend((one, each) for each in tree_runs(one, one.output, results))

        if is_of_all(plan):
            from tjgen.cli.projects import for_each  # few projects are in a workspace

            for_each(plan, arguments, reporter, add)
        else:
            add(plan, reporter)
        unknown = wanted.unknown([one.name for _, one in of_tree])
        reporter.add(unknown)
        for one in fit(runs, of_tree, wanted.has) if not unknown else ():
            results.append(one)
            reporter.add(one.diagnostics)
    if results and prints_json(arguments):
        import json

        sys.stdout.write(json.dumps([_as_json(one, wanted) for one in results], indent=2) + "\n")
    elif any(wanted.of(one) for one in results):
        sys.stdout.write("\n".join(_table(one, wanted) for one in results if wanted.of(one)))
        for line in NOT_COVERED:
            reporter.print_line(line)
    elif not reporter.failed:
        reporter.print_line("there are no runs to place")
    return reporter.close()


class ShownRuns:
    """The runs to show, by patterns of their names and those of their experiments; all runs without patterns."""

    def __init__(self, patterns: Sequence[str]) -> None:
        self.patterns = patterns
        self._runs: set[str] = set()
        """Runs of experiments that a pattern matches."""
        self._known: set[str] = set()

    def note(self, built: Built) -> bool:
        """Remember the runs of an experiment; whether it is one of those to show."""
        names = [run.name for run in built.runs]
        experiment = built.unit.key.rpartition("/")[2]
        self._known |= {experiment, *names}
        is_shown = self._matches(experiment)
        self._runs |= {*names} if is_shown else set()
        return is_shown or any(map(self.has, names)) or not self.patterns

    def has(self, name: str) -> bool:
        """Whether the run of this name is shown."""
        return not self.patterns or name in self._runs or self._matches(name)

    def of(self, one: ClusterFit) -> list[FitVerdict]:
        """The verdicts of a cluster that are shown."""
        return [verdict for verdict in one.verdicts if self.has(verdict.run.name)]

    def unknown(self, others: Sequence[str]) -> list[Diagnostic]:
        """TJ080 for each pattern that matches no run. `others`: names of runs that no source makes."""
        known = {*self._known, *others}
        idle = [pattern for pattern in self.patterns if not any(fnmatchcase(name, pattern) for name in known)]
        return [_unknown(pattern, known) for pattern in idle]

    def _matches(self, name: str) -> bool:
        return any(fnmatchcase(name, pattern) for pattern in self.patterns)


def _unknown(pattern: str, names: Iterable[str]) -> Diagnostic:
    near = nearest(pattern, sorted(names))
    hint = f'did you mean "{near}"?' if near else "use tjgen runs list to see all runs, or pass the file of an experiment"
    return Diagnostic("TJ080", f'no run and no experiment matches "{pattern}"', hint=hint)


def _is_path(word: str) -> bool:
    return "/" in word or word.endswith((".yaml", ".yml", ".json", ".py")) or word == "-" or os.path.lexists(word)


def _table(one: ClusterFit, wanted: ShownRuns) -> str:
    """The runs of a cluster: those that start in their order, then the others."""
    ordered = sorted(wanted.of(one), key=lambda verdict: (not verdict.order, verdict.order))
    rows = [_HEADER, *[_row(verdict) for verdict in ordered]]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADER))]
    more = {
        "STATE": [verdict.run.state for verdict in ordered],
        "DOMAINS": [verdict.domains for verdict in ordered],
        "CAN BE EVICTED BY": [", ".join(verdict.evictable_by) for verdict in ordered],
    }
    for name, values in more.items():
        if any(values):
            cells = [name, *[value or "-" for value in values]]
            rows = [(*row, cell) for row, cell in zip(rows, cells, strict=True)]
            widths.append(max(map(len, cells)))
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    starting = sum(verdict.order > 0 for verdict in one.verdicts)
    head = f"{one.cluster}: {counted(one.nodes, 'node')}; {starting} of {counted(len(one.verdicts), 'run')} can start"
    return "\n".join([head, *lines]) + "\n"


def _row(verdict: FitVerdict) -> Sequence[str]:
    own = verdict.run
    return (
        str(verdict.order or "-"),
        own.namespace,
        own.name,
        str(own.demand.number),
        own.queue or "-",
        ", ".join(verdict.flavors) or "-",
        verdict.result,
    )


def _as_json(one: ClusterFit, wanted: ShownRuns) -> dict[str, object]:
    runs = [
        {
            "namespace": verdict.run.namespace,
            "run": verdict.run.name,
            "state": verdict.run.state,
            "pods": verdict.run.demand.number,
            "priority": verdict.run.demand.priority,
            "workloadPriority": verdict.run.demand.workload_priority,
            "queue": verdict.run.queue,
            "flavors": list(verdict.flavors),
            "domains": verdict.domains,
            "result": "starts" if verdict.order else verdict.mode,
            "order": verdict.order or None,
            "by": verdict.by,
            "message": verdict.message,
            "share": verdict.share,
            "evicts": list(verdict.evicts),
            "evictedFor": verdict.evicted_for,
            "evictableBy": list(verdict.evictable_by),
        }
        for verdict in wanted.of(one)
    ]
    return {"platform": one.platform, "cluster": one.cluster, "nodes": one.nodes, "runs": runs}
