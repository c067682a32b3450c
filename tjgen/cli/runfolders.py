"""`tjgen runs clean`: pruned runs -> Jobs that remove their checkpoint folders, for `kubectl apply`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase

from tjgen.cli.cluster import read_cluster
from tjgen.cli.command import Arguments, UsageError
from tjgen.cli.reporting import Reporter
from tjgen.cluster.validate import report
from tjgen.cluster.validate.judge import judge
from tjgen.compiler.building.compile import build
from tjgen.compiler.building.origins import setting_of
from tjgen.compiler.building.plan import Plan, make_plan
from tjgen.compiler.building.request import Request
from tjgen.compiler.building.run import Run
from tjgen.compiler.programs.keeping.location import is_of_family
from tjgen.compiler.programs.keeping.removal import removal
from tjgen.gitops.output.inventory import entries, matching, pruned
from tjgen.gitops.output.kept_folders import Pruned, select
from tjgen.gitops.output.layout import namespace_of
from tjgen.gitops.output.reported import reported
from tjgen.language.resolve.places import placed
from tjgen.language.runs.store import LockKey, Locks
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import Tree
from tjgen.trees.session import Session
from tjgen.trees.source.writer import dump_all


def clean(patterns: Sequence[str], arguments: Arguments, locks: Locks, reporter: Reporter) -> None:
    """Write the Jobs, or report why the folder of one of the runs must stay. Then there are no Jobs."""
    removed = pruned(locks, arguments["env"])
    existing = entries(locks)
    if patterns:
        removed = [one for one in removed if any(fnmatchcase(one[1].name, pattern) for pattern in patterns)]
        reporter.add(matching(existing, patterns, [run.name for _, run in removed])[1])
        reporter.add([_exists(one.run.name, one.run.lifecycle_state) for one in existing if one.run.name in patterns])
    if reporter.failed or (patterns and not removed):
        return
    plan, session = make_plan(Request((), environments=arguments["env"])), Session()
    runs: dict[str, list[Run]] = {}
    for built in build(plan, session):
        reporter.add(built.diagnostics)
        for run in built.runs:
            runs.setdefault(run.unit.key, []).append(run)
    built_runs = [run for several in runs.values() for run in several]
    keep_runs = _keep_runs(built_runs)
    if not patterns and not keep_runs and not reporter.failed:
        raise UsageError("tjgen runs clean needs the NAME of a run, or an experiment with checkpoints.keepRuns")
    selection = select(pruned(locks, arguments["env"]), existing, patterns, keep_runs, _sources(removed, built_runs))
    reporter.add(selection.problems)
    for line in selection.kept:
        reporter.print_line(line)
    _write(selection.chosen, runs, plan, session, arguments, reporter)


def _write(
    removed: Pruned, runs: Mapping[str, list[Run]], plan: Plan, session: Session, arguments: Arguments, reporter: Reporter
) -> None:
    """Write the Jobs for runs that can go, unless the cluster or another run still needs one of them."""
    environments = {place.environment or "" for place, _ in removed}
    if len(environments) > 1:
        raise UsageError(f"these runs are of several environments, which may be several clusters: add --env {min(environments)}")
    if reporter.failed or not removed:
        return
    text, source = read_cluster(arguments["source"], sorted({namespace_of(*one) for one in removed}), arguments["context"])
    reporter.add(list(_in_cluster(removed, [(key[2], key[3]) for key in reported(text, source).objects])))
    sources = _sources(removed, [run for several in runs.values() for run in several])
    reporter.add([_resumed(name, by) for name, by in sources.items()])
    created = [one for place, several in _by_experiment(removed).items() for one in _jobs(place, several, runs, plan, session)]
    jobs = [one for one in created if not isinstance(one, Diagnostic)]
    reporter.add([one for one in created if isinstance(one, Diagnostic)])
    for job in jobs:
        reporter.add(list(report.diagnostics(job, judge(job))))
    if not reporter.failed:
        sys.stdout.write(dump_all(jobs))


def _keep_runs(runs: Sequence[Run]) -> dict[str, int]:
    """The largest `keepRuns` of the runs of each experiment that sets it, by the key of the experiment."""
    numbers: dict[str, int] = {}
    for run in runs:
        checkpoints = run.variant.experiment.spec.checkpoints
        if checkpoints is not None and checkpoints.keep_runs is not None:
            numbers[run.unit.key] = max(checkpoints.keep_runs, numbers.get(run.unit.key, 0))
    return numbers


def _by_experiment(removed: Pruned) -> Mapping[LockKey, list[str]]:
    names: dict[LockKey, list[str]] = {}
    for place, run in removed:
        names.setdefault(place, []).append(run.name)
    return names


def _jobs(
    place: LockKey, names: list[str], runs: Mapping[str, list[Run]], plan: Plan, session: Session
) -> Iterator[Tree | Diagnostic]:
    """The Jobs for runs of one experiment. Tasks may have their checkpoints on different volumes, so each has a Job."""
    known = runs.get(place.key, [])
    if not known:
        message = f"experiment {place.key} is not in the project, so the folders of {', '.join(names)} are unknown"
        yield Diagnostic("TJ535", message, hint="remove them manually")
    for run in {run.variant.task: run for run in reversed(known)}.values():
        setting = setting_of(plan, session, run)
        own = [name for name in names if is_of_family(name, setting)]
        for one in removal(run.compiled.workload, run.variant.experiment, setting, own) if own else ():
            yield from placed([one], run.variant.tree, run.compiled.sources.documents) if isinstance(one, Diagnostic) else [one]


def _exists(name: str, state: str) -> Diagnostic:
    message = f'run "{name}" is {state}, so its checkpoint folder stays'
    return Diagnostic("TJ534", message, hint=f"remove the run first: tjgen runs prune {name}")


def _in_cluster(removed: Pruned, objects: Sequence[tuple[str, str]]) -> Iterator[Diagnostic]:
    """Runs of which the cluster still has an object: one of that name, or a pod, whose name begins with it."""
    for place, run in removed:
        namespace = namespace_of(place, run)
        left = [name for where, name in objects if where == namespace and (name == run.name or name.startswith(f"{run.name}-"))]
        if left:
            message = f'run "{run.name}" is removed from the tree, and the cluster still has {left[0]} in namespace {namespace}'
            yield Diagnostic("TJ536", message, hint="sync first, and wait until the run is deleted")


def _sources(removed: Pruned, runs: Sequence[Run]) -> dict[str, str]:
    """The removed runs that runs of the project resume from, by name, each with one that does."""
    names = {run.name for _, run in removed}
    sources: dict[str, str] = {}
    for run in runs:
        checkpoints = run.variant.experiment.spec.checkpoints
        resume = checkpoints.resume_from if checkpoints is not None else None
        parts = [resume.run or "", *(resume.path or "").split("/")] if resume is not None else []
        sources |= {part: run.name for part in parts if part in names}
    return sources


def _resumed(name: str, by: str) -> Diagnostic:
    message = f'run "{by}" resumes from the checkpoints of "{name}"'
    return Diagnostic("TJ536", message, hint=f"keep the folder of {name}, or prune {by} too")
