"""Files in the language of tjgen -> what is wrong with them, and the objects that they build to.

`tjgen check` compiles experiments as `tjgen build` does and writes nothing. Files of one project are compiled together: the
whole project where its project file is among them, else the experiments that are named, with the settings of the project.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from tjgen.cli.inputs import STANDARD_INPUT
from tjgen.cli.reporting import Reporter
from tjgen.cluster.trainer.warnings.clashes import ClashingRun
from tjgen.cluster.validate.references import (
    CLUSTER_QUEUE,
    DEVICE_CLASS,
    FLAVOR,
    LOCAL_QUEUE,
    PRIORITY_CLASS,
    STORAGE_CLASS,
    VOLCANO_QUEUE,
    WORKLOAD_PRIORITY,
)
from tjgen.cluster.validate.unresolved import Known
from tjgen.compiler.building.compile import build
from tjgen.compiler.building.inputs import is_experiment, project_at
from tjgen.compiler.building.plan import Plan, make_plan
from tjgen.compiler.building.request import Request
from tjgen.compiler.building.run import Run
from tjgen.language.resolve.members import with_overlays
from tjgen.language.resolve.project import LoadedProject, find
from tjgen.language.spec.objects import PlatformSpec
from tjgen.tools.hosts.items import HostItem, HostItems, is_source
from tjgen.trees.diagnostics.model import CompileError, Diagnostic, has_errors
from tjgen.trees.explain.provenance import place_in
from tjgen.trees.fields.path import Tree
from tjgen.trees.manifests.manifest import Manifest
from tjgen.trees.session import Session
from tjgen.trees.source.document import Document
from tjgen.trees.source.reader import CORE, read
from tjgen.trees.typing import NamedTuple

Group = Mapping[str, tuple[bytes, list[Document]]]
"""Source files, each with its content and its documents for tjgen."""

API = "tjgen.dev/v1alpha1"
_LANGUAGE = ("Experiment", "Overlay", "Platform", "Project")
_RECORDS = ("ImagePin", "LockedPlatform", "LockedRun", "PrunedRun", "RunLock")
"""What tjgen writes for itself: builds read it."""


class BuiltObject(NamedTuple):
    """An object of a run, and where its fields come from."""

    manifest: Manifest
    run: Run

    @property
    def tree(self) -> Tree:
        """The manifest."""
        return self.manifest.tree

    @property
    def kind(self) -> Tree:
        """The kind of the manifest."""
        return self.manifest.tree["kind"]

    def at(self, diagnostic: Diagnostic) -> Diagnostic:
        """The diagnostic with the line of the source that its field comes from."""
        return diagnostic._replace(span=place_in(self.manifest, diagnostic.path or (), self.run.compiled.sources))


class CompiledSources(NamedTuple):
    """What source files come to."""

    runs: int
    """Number of runs, in all environments."""
    objects: list[BuiltObject]
    """Objects to apply, each once."""
    catalogs: list[str]
    """Files of the runtimes of the projects."""
    clashing: list[ClashingRun]
    """TrainJobs with the objects that the controller creates for each."""
    platforms: list[PlatformSpec]
    """The Platforms of the projects, and those that are named."""


def is_manifest(tree: Tree) -> bool:
    """Whether a document is for a cluster, rather than for tjgen alone."""
    return tree.__class__ is not dict or tree.get("apiVersion") != API or tree.get("kind") not in (*_LANGUAGE, *_RECORDS)


def language_documents(content: bytes, file: str) -> tuple[list[Document], bool]:
    """The documents of a file that are for tjgen, and whether it has others."""
    documents, _ = read(content, file, CORE)
    ours = [document for document in documents if not is_manifest(document.value)]
    return ours, len(ours) < len(documents)


def compiled(files: Group, trainer: str | None, reporter: Reporter) -> CompiledSources:
    """Compile source files, each with its content and its documents for tjgen. Problems go to the reporter."""
    groups_of_projects = [_of_project(file, group, trainer, reporter) for file, group in _by_project(files).items()]
    return CompiledSources(
        sum(one.runs for one in groups_of_projects),
        [item for one in groups_of_projects for item in one.objects],
        [item for one in groups_of_projects for item in one.catalogs],
        [item for one in groups_of_projects for item in one.clashing],
        [item for one in groups_of_projects for item in one.platforms],
    )


def declared(platforms: Sequence[PlatformSpec]) -> Known:
    """The objects that Platforms declare, by kind."""
    drivers = [one.dra.device_class_name for spec in platforms for one in spec.device_classes.values() if one.dra is not None]
    queues = [name for spec in platforms for name in spec.queues]
    return {
        STORAGE_CLASS: [name for spec in platforms for name in spec.storage_classes],
        PRIORITY_CLASS: [name for spec in platforms for name in spec.priority_classes],
        WORKLOAD_PRIORITY: [name for spec in platforms for name in spec.priority_classes],
        LOCAL_QUEUE: queues,
        CLUSTER_QUEUE: queues,
        VOLCANO_QUEUE: queues,
        FLAVOR: [name for spec in platforms for name in spec.flavors],
        DEVICE_CLASS: drivers,
    }


def _by_project(files: Group) -> dict[str, dict[str, tuple[bytes, list[Document]]]]:
    """Project file, or "" for none -> the source files that belong to it."""
    groups: dict[str, dict[str, tuple[bytes, list[Document]]]] = {}
    for file, one in files.items():
        project_of_file = find("." if file == STANDARD_INPUT else file)
        groups.setdefault(os.path.normpath(project_of_file) if project_of_file is not None else "", {})[file] = one
    return groups


def _of_project(project_file: str, group: Group, trainer: str | None, reporter: Reporter) -> CompiledSources:
    """The sources of one project, or of none. Problems of the project go to the reporter, and nothing is compiled then."""
    result = CompiledSources(0, [], [], [], [])
    experiments = [file for file, (_, documents) in group.items() if any(map(is_experiment, documents))]
    with HostItems(_piped(group)) as opened:
        supporting = [file for file, (_, documents) in group.items() if any(map(_is_supporting, documents))]
        supporting = [
            *(file for file in supporting if file != STANDARD_INPUT and os.path.normpath(file) != project_file),
            *opened.overlays,
        ]
        try:
            project, _ = project_at([*group], os.path.dirname(project_file) or "." if project_file else None)
            if any(os.path.normpath(file) == project_file for file in group):
                whole = make_plan(Request(project=os.path.dirname(project_file) or ".", trainer=trainer))
                project, result = whole.project, _compiled(whole, result, reporter)
                known = {os.path.realpath(file) for file in whole.files}
                experiments = [file for file in experiments if os.path.realpath(file) not in known]
            supporting = [file for file in supporting if not _is_member(project, file)]
            added, problems = with_overlays(project, supporting)
            reporter.add([opened.named(one) for one in problems])
            if experiments and not has_errors(problems):
                given = {file: group[file][0] for file in experiments if file == STANDARD_INPUT}
                paths = [file for file in experiments if file != STANDARD_INPUT]
                # Without a project, the Platform among the files is that of the experiments.
                described = [one.document.file for one in added.platforms] if not project_file else []
                plan = make_plan(Request(paths, given=given, overlays=described, trainer=trainer))
                result = _compiled(plan, result, reporter)
            return result._replace(platforms=[one.platform.spec for one in added.platforms])
        except CompileError as error:
            reporter.add([opened.named(one) for one in error.diagnostics])
            return result


def _piped(group: Group) -> list[HostItem]:
    """The overlays and platforms on standard input."""
    if STANDARD_INPUT not in group:
        return []
    return [
        HostItem(STANDARD_INPUT, one.value) for one in group[STANDARD_INPUT][1] if is_source(one.value) and not is_experiment(one)
    ]


def _is_supporting(document: Document) -> bool:
    return document.value.get("kind") in _LANGUAGE and not is_experiment(document)


def _is_member(project: LoadedProject, file: str) -> bool:
    """Whether a project has a file of overlays or platforms already."""
    own = [*project.overlays, *(one for group in project.overlays_of.values() for one in group)]
    files = [one.document.file for one in own] + [one.document.file for one in project.platforms]
    return os.path.realpath(file) in {os.path.realpath(one) for one in files}


def _compiled(plan: Plan, before: CompiledSources, reporter: Reporter) -> CompiledSources:
    """What a plan builds, added to what is known. Raises CompileError as `build` does."""
    runs = before.runs
    objects = {one.manifest.ref: one for one in before.objects}
    clashing = list(before.clashing)
    for result in build(plan, Session(), watch=reporter.watch()):
        reporter.add(result.diagnostics)
        runs += len(result.runs)
        for run in result.runs:
            for manifest in run.compiled.manifests:
                objects.setdefault(manifest.ref, BuiltObject(manifest, run))
                if manifest.kind == "TrainJob":
                    clashing.append(ClashingRun(manifest.tree, [one.tree for one in run.compiled.previews]))
    catalogs = [*before.catalogs, *plan.project.catalogs]
    return before._replace(runs=runs, objects=list(objects.values()), catalogs=catalogs, clashing=clashing)
