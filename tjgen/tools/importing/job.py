"""A job of another kind than TrainJob -> the experiment that gives the same, and what there is to know of it."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.trainer.release import Release
from tjgen.cluster.validate import registry
from tjgen.compiler.building.request import NAMESPACE
from tjgen.tools.importing import forwarding, imported
from tjgen.tools.importing.changes import PatchChange, changes
from tjgen.tools.importing.imported import Imported, ImportedObject
from tjgen.tools.importing.kinds import Importer
from tjgen.tools.importing.queue_label import with_queue
from tjgen.tools.importing.residue import stated
from tjgen.tools.importing.shortest import shortest
from tjgen.tools.importing.trainjob import NOT_THEIRS, OURS
from tjgen.tools.importing.trial import TrialBuilder, TrialResult
from tjgen.trees.diagnostics.model import ERROR, Diagnostic
from tjgen.trees.fields.path import get

_ABSENT = {"namespace": NAMESPACE}


def read_job(job: ImportedObject, importer: Importer, release: Release) -> tuple[Imported, list[Diagnostic]] | Diagnostic:
    """Return the experiment, and notes about it: TJ950 for values in a patch, TJ774 for differences.

    TJ775 where no experiment gives such a job.
    """
    wanted = stated(job.tree)
    with TrialBuilder({}, release.name) as trial:
        attempt = shortest(importer.experiment(wanted), wanted, importer.filled, trial)
        if attempt.result.errors or not attempt.result.objects:
            return imported.not_importable(job, _why(job, attempt.result, release))
        result, suspended = with_queue(Imported(job, attempt.patched, attempt.result.objects), trial)
    diagnostics = imported.by_patch(job, [(change.place, _change_text(change)) for change in attempt.changes])
    return result, [*diagnostics, *suspended, *_differences(job, importer, attempt.result)]


def _why(job: ImportedObject, result: TrialResult, release: Release) -> str:
    """What is wrong with the job, or else with the experiment."""
    refused = next((one for one in registry.of_object(job.tree, release.versions) if one.severity == ERROR), None)
    if refused is not None:
        return refused.message
    return result.errors[0].message if result.errors else "no object is built from it"


def _change_text(change: PatchChange) -> str:
    return f"{change.operation['op']} {change.operation['path']}"


def _differences(job: ImportedObject, importer: Importer, result: TrialResult) -> Iterator[Diagnostic]:
    (built,) = result.of_kind(job.tree["kind"])
    for change in changes(built, stated(job.tree), importer.filled):
        yield imported.different(
            job, f"{job.tree['kind']} needs {_change_text(change)}", "set it in the experiment manually", change.place
        )
    forwarded = forwarding.names(built, job.tree)
    if forwarded:
        what = f"mpirun also gives {', '.join(forwarded)} to the processes on workers"
        yield imported.different(
            job, what, "remove a variable that only the launcher needs from env", ("spec", "mpiReplicaSpecs")
        )
    for field in ("labels", "annotations"):
        before, after = (get(tree, ("metadata", field), None) or {} for tree in (job.tree, built))
        for key in [*before, *(key for key in after if key not in before)]:
            if before.get(key) != after.get(key) and key not in (*NOT_THEIRS, *OURS):
                what = f"{field[:-1]} {key} was {before.get(key, 'absent')}, is {after.get(key, 'absent')}"
                yield imported.different(job, what, "check whether the difference is acceptable", ("metadata", field))
    for field in ("name", "namespace"):
        before, after = (get(tree, ("metadata", field), None) or _ABSENT.get(field) for tree in (job.tree, built))
        if before != after:
            yield imported.different(job, f"{field} was {before or 'absent'}, is {after}", "give the job a name", ("metadata",))
    for tree in result.objects:
        if tree is not built:
            what = f"{tree['kind']} {tree['metadata']['name']} is also created"
            yield imported.different(job, what, "check whether the run needs it")
