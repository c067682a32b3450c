"""Manifests of a run -> the paths and texts of its files in the output tree.

[environment/]runtimes/<namespace>/<name>.yaml          shared, before everything
[environment/]data/<namespace>/<kind>-<name>.yaml       claims: they outlive runs
[environment/]runs/<namespace>/<experiment>/<run>/      what one run is
"""

from __future__ import annotations

from collections.abc import Sequence

from tjgen.compiler.building.run import Run
from tjgen.language.runs.lock import LockedRun, PrunedRun
from tjgen.language.runs.store import Locked
from tjgen.trees.manifests.manifest import DATA, RUNS, RUNTIMES, STAGES, Manifest

PREVIEW_NOTE = "# A preview: what controllers will create from the run. It is not to be applied.\n# +argocd:skip-file-rendering\n"
"""Argo CD leaves out files that contain these words (util/manifeststream, `+argocd:skip-file-rendering`)."""
PREVIEWS = "previews.yaml"
"""File of the objects that controllers will create from a run. One for each object would be most files of a large tree."""


def stage_folder(environment: str | None, stage: str) -> str:
    """The folder of one stage."""
    return f"{environment}/{stage}" if environment else stage


def namespaces_in(environment: str | None, present: Sequence[str]) -> tuple[str, ...]:
    """The namespaces of the manifests of an environment: each stage has a folder for each of them."""
    folders = [f"{stage_folder(environment, stage)}/" for stage in STAGES]
    files = [file.removeprefix(folder) for folder in folders for file in present if file.startswith(folder)]
    return tuple(sorted({file.partition("/")[0] for file in files if "/" in file}))


def experiment_folder(unit: Locked) -> str:
    """The folder of all runs of an experiment."""
    return f"{stage_folder(unit.environment, RUNS)}/{unit.namespace}/{unit.name}"


def run_folder(unit: Locked, run: str) -> str:
    """The folder of one run."""
    return f"{experiment_folder(unit)}/{run}"


def folder_of(unit: Locked, run: LockedRun | PrunedRun) -> str:
    """The folder of a run that a lock has: it stays where it is if its experiment is renamed, so that no sync sees a change."""
    return run.folder or run_folder(unit, run.name)


def namespace_of(unit: Locked, run: LockedRun | PrunedRun) -> str:
    """The namespace of the objects of a run, which a rename of the namespace does not change."""
    return folder_of(unit, run).split("/")[-3]


def path_of(manifest: Manifest, run: Run) -> str:
    """The path of an object that is applied."""
    if manifest.stage == RUNTIMES:
        return f"{stage_folder(run.unit.environment, RUNTIMES)}/{manifest.namespace}/{manifest.name}.yaml"
    if manifest.stage == DATA:
        folder = f"{stage_folder(run.unit.environment, DATA)}/{manifest.namespace}"
        return f"{folder}/{manifest.kind.lower()}-{manifest.name}.yaml"
    return f"{run_folder(run.unit, run.name)}/{file_name(manifest)}"


def file_name(manifest: Manifest) -> str:
    """The name of an object's file in the folder of its run."""
    return f"{manifest.kind.lower()}-{manifest.name}.yaml"


def preview_files(run: Run, form: str) -> dict[str, str]:
    """Path -> text of everything that controllers will create; `form` is COLLAPSED or EACH."""
    text = run.compiled.preview_text(form)
    path = f"{run_folder(run.unit, run.name)}/{PREVIEWS}"
    return {path: PREVIEW_NOTE + text} if text else {}
