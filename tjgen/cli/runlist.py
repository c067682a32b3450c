"""The runs of an output tree -> the table, or the JSON, of `tjgen runs list`."""

from __future__ import annotations

import sys

from tjgen.gitops.output.inventory import RunEntry, own_files
from tjgen.language.runs.lock import PRUNED, PrunedRun
from tjgen.language.runs.store import LockKey
from tjgen.trees.fields.path import Tree


def show_runs(
    chosen: list[RunEntry], pruned_runs: list[tuple[LockKey, PrunedRun]], directory: str | None, *, as_json: bool
) -> None:
    """Print the runs, and those that were removed, as a table or as JSON."""
    if as_json:
        import json

        data = [*[_data(entry, directory) for entry in chosen], *[_of_pruned(place, run) for place, run in pruned_runs]]
        sys.stdout.write(json.dumps(data, indent=2) + "\n")
        return
    rows = [("RUN", "STATE", "DEVICES", "EXPERIMENT", "RUNTIME")]
    for place, locked in chosen:
        rows.append(
            (locked.name, locked.lifecycle_state, "requested" if locked.requests_devices else "none", place.key, locked.runtime)
        )
    rows += [(run.name, PRUNED, "none", place.key, "") for place, run in pruned_runs]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    for row in rows:
        sys.stdout.write("  ".join(f"{cell:<{width}}" for cell, width in zip(row, (*widths, 0), strict=True)).rstrip() + "\n")


def _data(entry: RunEntry, directory: str | None) -> Tree:
    place, one = entry
    return {
        "name": one.name,
        "state": one.lifecycle_state,
        "asked": one.is_requested,
        "stopped": one.stopped,
        "requestsDevices": one.requests_devices,
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
