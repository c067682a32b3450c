"""Runs of an experiment, and the locks -> the runs that `resumeFrom` names and whose checkpoints the pods cannot read."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from tjgen.compiler.building.origins import setting_of
from tjgen.compiler.building.plan import Plan
from tjgen.compiler.building.run import Run, Unit
from tjgen.compiler.programs.keeping.location import location
from tjgen.compiler.programs.keeping.problems import RESUME
from tjgen.compiler.volumes.pvc import claim_of, new_claim
from tjgen.language.resolve.places import Documents, placed
from tjgen.language.runs.lock import LockedRun, claims_of
from tjgen.language.setting import Setting
from tjgen.trees.diagnostics.model import WARNING, Diagnostic
from tjgen.trees.fields.path import FieldPath, get
from tjgen.trees.k8s.nearest import nearest
from tjgen.trees.session import Session

_AT: FieldPath = ("spec", "checkpoints", "resumeFrom")


def resumed_run(run: Run) -> str | None:
    """The run that a run resumes from, by its name."""
    checkpoints = run.variant.experiment.spec.checkpoints
    return checkpoints.resume_from.run if checkpoints is not None and checkpoints.resume_from is not None else None


def unknown_runs(plan: Plan, session: Session, unit: Unit, runs: Sequence[Run], documents: Documents) -> Iterator[Diagnostic]:
    """TJ135 for each new run that resumes from a run on another claim, or that neither the lock nor this build has.

    There are none in a project without locks: `unlisted` reports them when a build writes the first. A run that the lock has
    already exists, so what it resumes from is decided.
    A try resumes from a run of Git, or from an earlier try, which no lock has. A name that cannot be a run of the experiment has
    its own diagnostic (TJ467).
    """
    family = runs[0].variant.experiment.metadata.name
    locks = plan.locks
    lock = locks.of(unit._replace(name=family))
    locked = lock.runs
    known = [*locked, *(run.name for run in runs)]
    for run in runs:
        name = resumed_run(run)
        is_try = unit.name != family and name is not None and name.startswith(f"{unit.name}-")
        source = locked.get(name or "")
        if source is not None and run.name not in locked:
            problems = _on_another_claim(run, source, setting_of(plan, session, run))
            yield from placed(list(problems), run.variant.tree, documents)
        if name is None or name in known or run.name in locked or is_try:
            continue
        if any(one.code == RESUME for one in run.compiled.diagnostics):
            continue
        everything = list(locks.all())
        if not everything:
            return
        elsewhere = {place.environment or "no environment": one.runs[name] for place, one in everything if name in one.runs}
        others = sorted(elsewhere)
        message = f"resumeFrom names run {name}, which exists only in {', '.join(others)}"
        overlays = [one.document.file for one in plan.project.overlays_of.get(unit.environment or "", ())]
        hint = _elsewhere(unit, elsewhere, name, locked, [*_overlays(documents, unit.environment), *overlays])
        if name in lock.pruned:
            message = f"resumeFrom names run {name}, which was removed with {lock.pruned[name].reason}"
            hint = _of_pruned(run, name, setting_of(plan, session, run))
        elif not others:
            near = nearest(name, known)
            message = f"resumeFrom names run {name}, which does not exist: the run would train from the start"
            hint = (
                f"did you mean {near}?"
                if near
                else "write a name that tjgen runs list prints, or a folder: resumeFrom: {path: ...}"
            )
        yield from placed([Diagnostic("TJ135", message, path=_AT, hint=hint)], run.variant.tree, documents)


def _on_another_claim(run: Run, source: LockedRun, setting: Setting) -> Iterator[Diagnostic]:
    """TJ135 if the claim that tjgen creates for the checkpoints is none of the claims of the run that it resumes from."""
    experiment, claims = run.variant.experiment, claims_of(source.uses)
    checkpoints, where = experiment.spec.checkpoints, location(experiment, setting)
    if checkpoints is None or where is None or new_claim(where.volume) is None:
        return
    claim = claim_of(checkpoints.volume, where.volume, setting.of_run(source.name))
    if claims and claim not in claims:
        used = f"run {source.name}, which uses claim {', '.join(claims)}"
        message = f"resumeFrom names {used}, but volume {checkpoints.volume} is claim {claim}"
        hint = f"use the claim of that run, or copy its checkpoints to a folder of {claim} and set resumeFrom: {{path: FOLDER}}"
        yield Diagnostic("TJ135", message, path=_AT, hint=hint)


def unlisted(runs: Sequence[Run], locked: Collection[str]) -> Iterator[tuple[Run, Diagnostic]]:
    """A warning (TJ135) for each run that the lock is to get, and that resumes from a run that it does not have."""
    known = {*locked, *(run.name for run in runs)}
    for run in runs:
        name = resumed_run(run)
        is_try = run.unit.name != run.variant.experiment.metadata.name
        if name is not None and name not in known and run.name not in locked and not is_try:
            message = f"resumeFrom names run {name}, but the project has no runs yet, so the build cannot check that it exists"
            hint = "correct the name, or remove resumeFrom: without checkpoints in the folder of that run, the pods do not start"
            yield run, Diagnostic("TJ135", message, path=_AT, hint=hint, severity=WARNING)


def _of_pruned(run: Run, name: str, setting: Setting) -> str:
    """The hint for a run that was removed: its folder stays until `tjgen runs clean` or the cleaner removes it."""
    where = location(run.variant.experiment, setting)
    folder = where.source if where is not None and where.source_claim is None else "FOLDER"
    return f"if its folder still has checkpoints, set resumeFrom: {{path: {folder}}}; else remove resumeFrom"


def _elsewhere(
    unit: Unit, others: Mapping[str, LockedRun], name: str, locked: Mapping[str, LockedRun], overlays: Sequence[str]
) -> str:
    """The hint for a run of another environment: its counterpart of this one, and an overlay, or a folder."""
    environment = unit.environment or "this environment"
    place = f"in {overlays[-1]}, or in another overlay for {environment}," if overlays else f"in an overlay for {environment}"
    matching = f"with match: {{names: [{unit.name}]}}"
    promoted = [run.name for run in locked.values() if run.promoted_from.endswith(f"/{name}")]
    if promoted:
        set_run = f"set checkpoints: {{resumeFrom: {{run: {promoted[-1]}}}}}"
        return f"{promoted[-1]} was promoted from it: {place} {matching}, {set_run}"
    for other, run in sorted(others.items()):
        origin = run.promoted_from.rpartition("/")[2]
        if origin in locked:
            moved = f"in an overlay for {other} {matching}, set checkpoints: {{resumeFrom: {{run: {name}}}}}"
            return f"it was promoted from {origin}: set resumeFrom: {{run: {origin}}}, and {moved}"
    return f"copy its checkpoints to this environment; {place} {matching}, set checkpoints: {{resumeFrom: {{path: FOLDER}}}}"


def _overlays(documents: Documents, environment: str | None) -> list[str]:
    """The files of the overlays that name the environment."""
    overlays = [one for one in documents.values() if get(one.value, ("kind",), None) == "Overlay"]
    return [one.file for one in overlays if environment in (get(one.value, ("spec", "match", "environments"), None) or ())]
