"""The runs of an output tree -> the table, or the JSON, of `tjgen runs list`."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from tjgen.cli.command import Arguments, prints_json
from tjgen.cli.reporting import Reporter
from tjgen.cli.workspaces import check_names, runs_of_projects
from tjgen.gitops.output.inventory import ProjectRuns, RunEntry, disagreements, is_stopped, own_files
from tjgen.language.resolve.project import LoadedProject
from tjgen.language.runs.lock import PRUNED, PrunedRun
from tjgen.language.runs.store import LockKey, Locks
from tjgen.trees.fields.path import Tree


def list_runs(patterns: Sequence[str], arguments: Arguments, project: LoadedProject, reporter: Reporter) -> None:
    """Print the runs of a project, or of all projects of a workspace, and those that were removed, as tables or as JSON."""
    several = runs_of_projects(project, arguments, reporter)
    if patterns:
        reporter.add(check_names(several, patterns, [run.name for one in several for _, run in one.pruned]))
    for one in several:
        if one.directory is not None:
            environments = arguments["env"] or [*one.project.spec.environments] or [None]
            reporter.add([*disagreements(one.directory, Locks(one.project.directory).folder, one.entries, environments)])
    chosen = [one.only(patterns) for one in several]
    if prints_json(arguments):
        import json

        sys.stdout.write(json.dumps([run for one in chosen for run in _as_json(one)], indent=2) + "\n")
        return
    is_workspace = project.is_workspace and arguments["output"] is None
    for one in chosen:
        if is_workspace:
            reporter.print_line(f"project {one.project.name_in_workspace or '.'}:")
        _show(one)
        sys.stdout.flush()


def _as_json(one: ProjectRuns) -> list[Tree]:
    runs = [_data(entry, one.directory) for entry in one.entries] + [_of_pruned(place, run) for place, run in one.pruned]
    return [{**run, "project": one.project.name_in_workspace} for run in runs]


def _show(one: ProjectRuns) -> None:
    rows = [("RUN", "STATE", "DEVICES", "EXPERIMENT", "RUNTIME")]
    for entry in one.entries:
        place, locked = entry
        requests = locked.requests_devices and not is_stopped(one.directory, entry)
        devices = "requested" if requests else "none"
        rows.append((locked.name, locked.lifecycle_state, devices, place.key, locked.runtime))
    rows += [(run.name, PRUNED, "none", place.key, "") for place, run in one.pruned]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    for row in rows:
        sys.stdout.write("  ".join(f"{cell:<{width}}" for cell, width in zip(row, (*widths, 0), strict=True)).rstrip() + "\n")


def _data(entry: RunEntry, directory: str | None) -> Tree:
    place, one = entry
    stopped = is_stopped(directory, entry)
    return {
        "name": one.name,
        "state": one.lifecycle_state,
        "asked": one.is_requested,
        "stopped": stopped,
        "requestsDevices": one.requests_devices and not stopped,
        "environment": place.environment,
        "namespace": place.namespace,
        "experiment": place.name,
        "number": one.number,
        "renewal": one.renewal,
        "identity": one.identity,
        "runtime": one.runtime,
        "runtimeDigest": one.runtime_digest,
        "images": list(one.images),
        "promotedFrom": one.promoted_from or None,
        "folder": entry.folder,
        "files": [file.path for file in own_files(directory, entry)] if directory is not None else [],
    }


def _of_pruned(place: LockKey, run: PrunedRun) -> Tree:
    return {
        "name": run.name,
        "state": PRUNED,
        "asked": False,
        "environment": place.environment,
        "namespace": place.namespace,
        "experiment": place.name,
        "number": run.number,
        "renewal": run.renewal,
        "identity": run.identity,
        "was": run.was,
        "reason": run.reason,
        "claims": list(run.claims),
    }
