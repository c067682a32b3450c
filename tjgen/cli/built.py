"""Experiments -> the scenes of what they build to: one for each environment, with the line of the source for each field."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable

from tjgen.cli.command import Arguments
from tjgen.cli.reporting import Reporter
from tjgen.cli.scenes import Looked, requested_tools
from tjgen.cluster.synctools.table import NO_TOOL, units_of
from tjgen.cluster.trainer.release import chosen
from tjgen.compiler.building.compile import build
from tjgen.compiler.building.plan import Plan
from tjgen.compiler.building.run import Run
from tjgen.gitops.diff.side import Side, place_of
from tjgen.gitops.emit import header
from tjgen.gitops.emit.ondisk import files
from tjgen.gitops.lint.reading import read_items
from tjgen.gitops.lint.scene import AppliedObject, Scene
from tjgen.gitops.lint.units import assigned
from tjgen.trees.diagnostics.model import ERROR, CompileError, Diagnostic, Span
from tjgen.trees.explain.provenance import place_in
from tjgen.trees.fields.path import FieldPath, get
from tjgen.trees.manifests.manifest import RUNS, SYNC, Manifest
from tjgen.trees.session import Session


def built(plan: Plan, arguments: Arguments, reporter: Reporter) -> Looked:
    """The scenes of a build; of a whole project with an output folder, of the tree that it would leave.

    Raises CompileError for what nothing can be built or compared with.
    """
    tool = plan.project.spec.gitops.tool
    tools = requested_tools(arguments) or (() if tool == NO_TOOL else (tool,))
    if not tools:
        reporter.print_line(
            "rules for GitOps tools were skipped: name the tool with --gitops, or as spec.gitops.tool in tjgen.yaml"
        )
    if plan.whole and plan.output is not None:
        scenes = _of_tree(plan, plan.output, tools, arguments["against"], reporter)
    else:
        scenes = _of_runs(plan, tools, arguments, reporter)
    return Looked(scenes, _texts(plan))


def _of_runs(plan: Plan, tools: Iterable[str], arguments: Arguments, reporter: Reporter) -> list[Scene]:
    """Return the scenes of runs alone, without other known objects."""
    if arguments["against"] is not None:
        message = "--against compares experiments only as a whole project that has an output folder"
        hint = "remove the paths and set spec.output.directory in tjgen.yaml, or name manifests"
        raise CompileError([Diagnostic("TJ543", message, hint=hint)])
    items: dict[str | None, dict[object, AppliedObject]] = {name: {} for name in plan.environments}
    applications = plan.project.spec.gitops.application_set
    apart = applications is not None and applications.of == "experiments"
    for one in build(plan, Session()):
        reporter.add([problem for problem in one.diagnostics if problem.severity == ERROR])
        for run in one.runs:
            for manifest in run.compiled.manifests:
                items_of_environment = items[run.unit.environment]
                items_of_environment.setdefault(manifest.ref, _item_of(run, manifest, apart=apart))
    return [_scene(items_of_scene.values(), tools, plan, name) for name, items_of_scene in items.items()]


def _item_of(run: Run, manifest: Manifest, *, apart: bool) -> AppliedObject:
    environment = run.unit.environment or ""
    application = f"{environment}/{run.unit.name}" if apart and manifest.stage == RUNS else environment
    units = units_of(environment, manifest.stage, application)
    sources = run.compiled.sources

    def locate(path: FieldPath, *, key: bool = False) -> Span | None:
        del key  # the line of the old key does not apply to the new field
        return place_in(manifest, path, sources) or run.unit.document.locate(("metadata", "name"))

    return AppliedObject(manifest.tree, locate, file=run.unit.document.file, units=units)


def _of_tree(plan: Plan, directory: str, tools: Iterable[str], against: str | None, reporter: Reporter) -> list[Scene]:
    """The scenes of the tree that a build would leave, with what stays of earlier runs and with what makes the tool sync."""
    from tjgen.gitops.output.earlier import earlier
    from tjgen.gitops.output.planned import bodies_on_disk, plan_side

    side, problems = plan_side(plan, directory)
    reporter.add([one for one in problems if one.severity == ERROR])
    old: Side | None = None
    if against is not None and os.path.isdir(against):
        old = Side(against, bodies_on_disk(against), {})
    elif against is not None:
        old, problems = earlier(against, plan, directory, side)
        reporter.add([one for one in problems if one.severity == ERROR])
    now = _by_environment(side, directory, plan)
    before = _by_environment(old, f"{against}:{directory}", plan) if old is not None else {}
    return [_scene(items, tools, plan, name, before.get(name, []) if old is not None else None) for name, items in now.items()]


def _by_environment(side: Side, directory: str, plan: Plan) -> dict[str | None, list[AppliedObject]]:
    """The objects of each environment. What there is once for all is in each."""
    by_environment: dict[str | None, list[AppliedObject]] = {name: [] for name in plan.environments}
    owners: dict[str, dict[str, str]] = {}
    for path, body in side.bodies.items():
        folder = path.rpartition("/")[0]
        if folder not in owners:
            owners[folder] = {one.path: one.owner for one in files(directory, folder)}
        place, first = place_of(path), path.partition("/")[0]
        if first in plan.project.spec.environments and first not in by_environment:
            continue
        names: list[str | None] = [first] if first in by_environment else [*by_environment]
        stage = place.stage if place is not None else SYNC
        file = os.path.join(directory, path)
        # Lines are those of the file, which begins with a header. A file that does not exist yet will have the same.
        owner = owners[folder].get(path, "owned" if stage == RUNS else "")
        below = "\n" * header.lines(owner) + body
        for name in names:
            units = units_of(name or "", stage)
            for item in read_items(below, file, units).items:
                located_item = AppliedObject(item.tree, _locator(side, item), file=file, units=units)
                by_environment[name].append(located_item)
    return {name: assigned(items) for name, items in by_environment.items()}


def _locator(side: Side, item: AppliedObject) -> Callable[..., Span | None]:
    """The source line of a field, or its place in the output if the source is unknown."""

    def locate(path: FieldPath, *, key: bool = False) -> Span | None:
        for length in range(len(path), -1, -1):
            value = get(item.tree, path[:length], None)
            origin = side.attribution_of(item.ref, path[:length], value) if value is not None else None
            if origin is not None and origin.span is not None:
                return origin.span
        return item.locate(path, key=key)

    return locate


def _scene(
    items: Iterable[AppliedObject],
    tools: Iterable[str],
    plan: Plan,
    environment: str | None,
    before: Iterable[AppliedObject] | None = None,
) -> Scene:
    own = plan.project.environment(environment)
    release = chosen(own.trainer if own is not None and own.trainer is not None else plan.project.spec.trainer)
    return Scene(items, tools=tools, before=before, release=release)


def _texts(plan: Plan) -> dict[str, str]:
    """The sources, whose comments may silence something."""
    project = plan.project
    overlays = [*project.overlays, *(one for group in project.overlays_of.values() for one in group)]
    texts_by_file = {one.document.file: one.document.text for one in overlays}
    for file in [*plan.files, *project.files(project.spec.catalogs)]:
        content = plan.sandbox.content(file)
        if not isinstance(content, Diagnostic):  # the build reports the others
            texts_by_file[file] = content.decode(errors="replace")
    return texts_by_file
