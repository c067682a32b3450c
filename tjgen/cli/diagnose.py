"""`tjgen diagnose`: experiments -> Jobs that measure the volumes of their runs, for `kubectl apply`."""

from __future__ import annotations

import sys

from tjgen.cli.command import COMMON, FOLDER, MANY, SET, TRAINER, TRUSTED, Arguments, Command, Option, enter
from tjgen.cli.reporting import Reporter
from tjgen.cluster.validate import report
from tjgen.cluster.validate.judge import judge
from tjgen.compiler.building.compile import build
from tjgen.compiler.building.origins import setting_of
from tjgen.compiler.building.plan import make_plan
from tjgen.compiler.building.request import Request
from tjgen.compiler.programs.monitoring.diagnosis import jobs
from tjgen.language.resolve.places import placed
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import Tree
from tjgen.trees.session import Session
from tjgen.trees.source.writer import dump_all

COMMAND = Command(
    "diagnose",
    "Write Jobs that measure the volumes of an experiment.",
    "Print a Job for each volume of a run that a separate pod can mount. In the Job, fio reads the volume in sequence and at "
    "random, and writes and reads a checkpoint in the folder of the checkpoints. The Job also reads the cache statistics of the "
    "driver. Each Job writes one report to its log, JSON with fixed keys, and is deleted a day after it has ended. For a sweep, "
    "the first run is used. With monitor.diagnose, every run includes the same Jobs, suspended.",
    "tjgen diagnose experiment.yaml | kubectl apply -f -",
    "EXPERIMENT...",
    (
        Option(("--env",), "env", "Environment of the project.", MANY, "NAME"),
        SET,
        FOLDER,
        TRAINER,
        TRUSTED,
        *COMMON,
    ),
    least=1,
)


def run(arguments: Arguments) -> int:
    """Write the Jobs, report, and answer with the exit code."""
    enter(arguments)
    reporter = Reporter(arguments)
    created: list[Tree] = []
    with reporter:
        request = Request(
            arguments["paths"], environments=arguments["env"], set_values=arguments["set"], trainer=arguments["trainer"]
        )
        plan, session = make_plan(request), Session()
        for built in build(plan, session):
            reporter.add(built.diagnostics)
            # Points of a sweep mount the same volumes, tasks do not.
            first = {run.variant.task: run for run in reversed(built.runs)}
            for one in [] if built.failed else [first[task] for task in dict.fromkeys(run.variant.task for run in built.runs)]:
                jobs_of_run = list(
                    jobs(one.compiled.workload, one.variant.experiment, setting_of(plan, session, one), waits=False)
                )
                problems = [diagnostic for diagnostic in jobs_of_run if isinstance(diagnostic, Diagnostic)]
                reporter.add(placed(problems, one.variant.tree, one.compiled.sources.documents))
                created += [job for job in jobs_of_run if not isinstance(job, Diagnostic)]
        for job in created:
            reporter.add(list(report.diagnostics(job, judge(job))))
    if not reporter.failed:
        sys.stdout.write(dump_all(created))
    return reporter.close()
