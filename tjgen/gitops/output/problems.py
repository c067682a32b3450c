"""What is wrong with a build into a directory, and what is to be known of its runs -> diagnostics."""

from __future__ import annotations

import os
from collections.abc import Iterator

from tjgen.compiler.building.run import Built, Run, Unit
from tjgen.gitops.emit.plan import OutputFile
from tjgen.gitops.output.damaged import restoring_lock
from tjgen.gitops.output.disk import OnDisk
from tjgen.gitops.output.records import Record
from tjgen.language.runs.lock import ACTIVE, SUPERSEDED, Lock, PrunedRun, claims_of, is_claim
from tjgen.language.runs.names import point_of
from tjgen.trees.diagnostics.model import CompileError, Diagnostic, ObjectRef

SEVERAL = 3
"""The number of runs that stay up to which each has a line."""
STAYING = {
    "TJ076": "would change, but are locked and stay as they are",
    "TJ236": "are locked and keep blocks that a build no longer creates",
}
"""Code -> what is reported of many such runs."""
_RENEW = (
    "use --renew NAME (a name or pattern) to run them again under other names: they train from the start, in empty checkpoint "
    "folders, and the old runs are superseded"
)
_NEW_ATTEMPT = "increase attempt to get a new name"
_ONE_CLAIM = "give the claim another name or scope, or use the same settings in both experiments"
_ONE_OBJECT = "use the same settings in all runs that share the object; set backup of a claim in one experiment only"
_OTHER_NAME = "give one of the experiments another name, or remove naming: fixed"


def refuse_nested(directory: str, previews: str) -> None:
    """Raise CompileError (TJ271) if previews would be in the applied output, or the other way round."""
    outer, inner = os.path.realpath(directory), os.path.realpath(previews)
    if os.path.commonpath([outer, inner]) in (outer, inner):
        message = f"the previews in {previews} would be in {directory}, which is applied"
        hint = "pass --expanded a folder outside the output"
        raise CompileError([Diagnostic("TJ271", message, hint=hint)])


def differing_file(path: str, run: Run | None) -> Diagnostic:
    """Two experiments build the same file with different content."""
    return Diagnostic(
        "TJ270",
        f"{path} is built twice with different content" + (f", once by run {run.name}" if run is not None else ""),
        span=run.unit.document.locate(("metadata", "name")) if run is not None else None,
        hint=_ONE_CLAIM if "persistentvolumeclaim" in path.lower() else _ONE_OBJECT,
    )


def staying(diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    """What there is to report of runs that stay as they are: one line for all if there are many with one code."""
    lines: list[Diagnostic] = []
    for code, reason in STAYING.items():
        same = [one for one in diagnostics if one.code == code]
        lines += same if len(same) <= SEVERAL else [Diagnostic(code, f"{len(same)} runs {reason}", hint=_RENEW)]
    return lines


def scaled(run: Run) -> Diagnostic:
    """A run keeps its fixed name, and its number of pods changes."""
    return Diagnostic(
        "TJ398",
        f'run "{run.name}" changes its number of pods in place: the next sync starts or stops pods of the running Job',
        span=run.unit.document.locate(("spec", "naming")),
        hint="increase attempt if the program cannot continue with another number of pods",
    )


def renewed_request(run: Run) -> Diagnostic:
    """An experiment requests a run that was archived when it was superseded."""
    return Diagnostic(
        "TJ088",
        f'run "{run.name}" is requested again, but it is archived and does not run',
        span=run.unit.document.locate(("metadata", "name")),
        hint=f"use tjgen runs unarchive {run.name} to continue it with its checkpoints, or tjgen runs rerun {run.name} to train "
        "from the start under another name",
    )


def renamed(run: Run, record: Record) -> Diagnostic:
    """A new run equals an archived run whose experiment was removed."""
    return Diagnostic(
        "TJ087",
        f'run "{run.name}" equals archived run "{record.run}", whose experiment {record.experiment} '
        "no longer exists, so it is also archived",
        span=run.unit.document.locate(("metadata", "name")),
        hint=f"use tjgen runs rerun {run.name} to run it again",
    )


def repeated(run: Run, record: Record) -> Diagnostic:
    """The same in a build that does not know all experiments."""
    return Diagnostic(
        "TJ089",
        f'run "{run.name}" repeats archived run "{record.run}" of experiment {record.experiment}',
        span=run.unit.document.locate(("metadata", "name")),
        hint="if the experiment was renamed, build the whole project, which also archives its runs",
    )


def name_stays(run: Run) -> Diagnostic:
    """A run with `naming: fixed` was to run again under another name."""
    return Diagnostic(
        "TJ090",
        f'run "{run.name}" cannot run again under another name: its experiment sets naming: fixed',
        path=("spec", "naming"),
        hint=_NEW_ATTEMPT,
    )


def merged_points(unit: Unit, before: Lock, after: Lock, directory: str) -> Iterator[Diagnostic]:
    """Points with several requested runs in the lock, as after a merge of two branches that each created one.

    The source decides which of them stays requested. Both branches have the same source after the merge.
    """
    points: dict[str, list[str]] = {}
    for name, run in before.runs.items():
        point = point_of(name)
        if run.is_requested and point is not None:
            points.setdefault(point, []).append(name)
    for names in points.values():
        superseded = [name for name in sorted(names) if not after.runs[name].is_requested]
        if len(names) > 1 and superseded:
            yield _merged(unit, sorted(names), superseded, directory)


def _merged(unit: Unit, names: list[str], superseded: list[str], directory: str) -> Diagnostic:
    """Merged branches each created a run of one point."""
    return Diagnostic(
        "TJ276",
        f"{unit.key} has {len(names)} current runs of the same point, as after a merge: {', '.join(names)}; "
        f"the source does not request {', '.join(superseded)}",
        span=unit.document.locate(("metadata", "name")),
        hint=f"commit the result of tjgen build -o {directory}, which supersedes the runs that the source does not request; "
        f"if no commit has {', '.join(superseded)}, use tjgen runs discard instead",
    )


def not_stopped(unit: Unit, run: str, reason: str) -> Diagnostic:
    """A run is superseded, and `onSupersede: stop` cannot stop it."""
    return Diagnostic(
        "TJ285",
        f'run "{run}" is superseded and continues, although onSupersede is stop: {reason}',
        span=unit.document.locate(("metadata", "name")),
        hint=f"use tjgen runs prune {run}, which removes it from the cluster, or set onSupersede: keep",
    )


def one_folder(built: Built, before: Lock, after: Lock) -> Iterator[Diagnostic]:
    """Each run that is superseded and keeps writing to the checkpoint folder that all runs of the experiment use."""
    families = [
        run for run in built.runs if (own := run.variant.experiment.spec.checkpoints) is not None and own.scope == "family"
    ]
    if built.stops or not families:
        return
    claims = {claim for run in families if run.name in after.runs for claim in claims_of(after.runs[run.name].uses)}
    for name, run in before.runs.items():
        is_new = run.is_requested and run.state == ACTIVE and after.runs[name].lifecycle_state == SUPERSEDED
        mounted = claims_of(run.uses)
        if is_new and (not mounted or not claims or claims.intersection(mounted)):
            yield Diagnostic(
                "TJ499",
                f'run "{name}" is superseded and continues, and {families[0].name} writes to the same checkpoint folder: '
                "scope is family",
                span=built.unit.document.locate(("spec", "checkpoints", "scope")),
                hint=f"set onSupersede: stop together with such a change; now use tjgen runs prune {name}, or wait until it ends",
            )


def not_suspended(unit: Unit, run: str, state: str, reason: str) -> Diagnostic:
    """A promoted run of an earlier version of its experiment should get a state, and no sync can change it."""
    return Diagnostic(
        "TJ224",
        f'promoted run "{run}" stays as it is, although its state is {state} in {unit.environment}: {reason}',
        span=unit.document.locate(("metadata", "name")),
        hint='to stop it in the cluster, see "Stop a run" in docs/troubleshooting.md',
    )


def not_for_promoted(unit: Unit, run: str, state: str) -> Diagnostic:
    """The state in an experiment is for its new version, and its earlier version runs in an environment of promoted runs."""
    return Diagnostic(
        "TJ225",
        f'promoted run "{run}" in {unit.environment} is not {state}: the state in the experiment applies to its new version only',
        span=unit.document.locate(("spec", "state")),
        hint=f"to stop it, set experiment: {{state: {state}}} in an overlay for this experiment in {unit.environment}",
    )


def name_was_pruned(run: Run, pruned: PrunedRun) -> Diagnostic:
    """A run needs a name that a removed run had."""
    return Diagnostic(
        "TJ272",
        f'the name "{run.name}" was used by a run that was removed ({pruned.reason}), and is never used again',
        path=("spec", "naming"),
        hint=_NEW_ATTEMPT,
    )


def without_lock(on_disk: OnDisk, folder: str) -> Diagnostic:
    """The files of a run exist, but no lock has it: the data of the run was lost with the lock."""
    return Diagnostic(
        "TJ740",
        f"{on_disk.directory}/{folder} contains a run that is not in a lock: it may be running, or be a record that must not run "
        "again",
        hint=f"{restoring_lock(on_disk.locks, folder)}; or remove the folder, if it is a copy",
    )


def refused_updates(on_disk: OnDisk, file: OutputFile, run: Run) -> Iterator[Diagnostic]:
    """TJ540 and TJ169 for a shared object of `run` that exists (see updates.py)."""
    stored = on_disk.body(file.path)
    if stored is not None and (stored != file.body or is_claim(file.path)):
        from tjgen.gitops.output import updates  # few builds have a claim that exists

        yield from updates.refused_updates(on_disk, stored, run, file)


def idle_runtime(on_disk: OnDisk, path: str) -> Diagnostic:
    """A build removes a runtime whose runs are in no lock: if they were deleted from Git, they may be running."""
    return Diagnostic(
        "TJ750",
        f"the build removes {on_disk.directory}/{path}: no run of a lock uses it",
        hint=f"if its runs were deleted from Git, find the commit with git log --diff-filter=D --stat -- {on_disk.locks}; "
        "then use git checkout COMMIT^ -- PATH for their locks and folders",
    )


def same_object(ref: ObjectRef, other: str) -> Diagnostic:
    """Runs of two experiments would be one object to the cluster."""
    return Diagnostic(
        "TJ741",
        f"{ref.kind}/{ref.name} in namespace {ref.namespace} is also created by experiment {other}",
        path=("metadata", "name"),
        hint=_OTHER_NAME,
    )


def same_name(run: Run, holder: str) -> Diagnostic:
    """The same, of an experiment that is not built now."""
    return Diagnostic(
        "TJ741",
        f'run "{run.name}" in namespace {run.unit.namespace} is also a run of experiment {holder}',
        path=("metadata", "name"),
        hint=_OTHER_NAME,
    )
