"""The runs of a tree, and the Trainer release of the clusters -> TJ282 for runs that were written for another release."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping

from tjgen.cluster.trainer.release import RELEASES, Release
from tjgen.compiler.building.environment import trainer_path
from tjgen.compiler.building.plan import Plan
from tjgen.gitops.emit.ondisk import files
from tjgen.gitops.output.layout import folder_of
from tjgen.language.runs.lock import ARCHIVED, Lock
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath
from tjgen.trees.typing import NamedTuple

_SHOWN = 3


class Outdated(NamedTuple):
    """A run whose TrainJob has a field that the release does not have."""

    run: str
    environment: str | None
    field: str
    release: str


def outdated(plan: Plan, directory: str, locks: Mapping[str, Lock]) -> list[Outdated]:
    """The runs that a sync would apply. `locks`: key of an experiment -> its lock after the build, if it has another one."""
    return list(_runs(plan, directory, locks, ()))


def report(plan: Plan, directory: str, locks: Mapping[str, Lock], current: Container[str]) -> list[Diagnostic]:
    """TJ282 for each release, with the choices. Raises CompileError if a file cannot be read.

    `current`: paths of locks all of whose runs were written for the release of their environment.
    """
    by_field: dict[tuple[str, str, FieldPath], list[str]] = {}
    for one in _runs(plan, directory, locks, current):
        path = trainer_path(plan.project, one.environment)
        by_field.setdefault((one.release, one.field, path), []).append(one.run)
    document = plan.project.document
    return [
        Diagnostic(
            "TJ282",
            f"{_named(runs)} spec.{field}, which Trainer {release} does not have, so a sync is refused "
            "(field not declared in schema)",
            span=document.locate(path) if document is not None else None,
            hint=f"use tjgen runs archive {' '.join(runs[:_SHOWN])}{' ...' if len(runs) > _SHOWN else ''} if they have ended, "
            "tjgen build --prune-runs to remove superseded runs, or keep the release until they have ended",
        )
        for (release, field, path), runs in by_field.items()
    ]


def _runs(plan: Plan, directory: str, locks: Mapping[str, Lock], current: Container[str]) -> Iterator[Outdated]:
    foreign = {environment: _foreign(plan.release_of(environment)) for environment in plan.environments}
    for place, before in plan.locks.all(but=current):
        if place.environment not in foreign:
            continue
        for run in locks.get(before.experiment, before).runs.values():
            texts = files(directory, folder_of(place, run)) if run.lifecycle_state != ARCHIVED else []
            jobs = [file.body for file in texts if file.path.rpartition("/")[2].startswith("trainjob-")]
            field = next((field for job in jobs for field in foreign[place.environment] if f"\n  {field}:" in _spec(job)), None)
            if field is not None:
                yield Outdated(run.name, place.environment, field, plan.release_of(place.environment).name)


def _foreign(release: Release) -> list[str]:
    """The fields of a TrainJob's spec that only other releases have."""
    fields = [name for name in dict.fromkeys(other.overrides for other in RELEASES.values()) if name != release.overrides]
    return fields if release.propagates_metadata else [*fields, "labels", "annotations"]


def _spec(text: str) -> str:
    return text.partition("\nspec:")[2]


def _named(runs: list[str]) -> str:
    if len(runs) == 1:
        return f'run "{runs[0]}" has'
    return f"{len(runs)} runs ({', '.join(runs[:_SHOWN])}{' ...' if len(runs) > _SHOWN else ''}) have"
