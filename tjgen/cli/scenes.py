"""Paths of `tjgen lint` -> the scenes that they mean: what experiments build to, and manifests as they were written."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from tjgen.building.builder import Builder
from tjgen.building.run import Run
from tjgen.catalog.find import Catalog
from tjgen.cli.against import standing
from tjgen.cli.command import Arguments
from tjgen.cli.inputs import texts
from tjgen.cli.releases import release_for
from tjgen.cli.reporting import Reporter
from tjgen.diagnostics.model import ERROR, Span
from tjgen.diff.side import place_of
from tjgen.emit import header
from tjgen.explain.provenance import place_in
from tjgen.fields.path import FieldPath, Tree
from tjgen.lint.kinds import APPLICATION, APPLICATION_SET, KUSTOMIZATION
from tjgen.lint.reading import read_items
from tjgen.lint.rule import ARGOCD, FLUX, TOOLS
from tjgen.lint.scene import Item, Scene
from tjgen.lint.units import assigned
from tjgen.manifests.manifest import Manifest
from tjgen.resolve.project import find
from tjgen.source.reader import CORE, read
from tjgen.typing import NamedTuple

_OURS = b"tjgen.dev/"
_LANGUAGE = ("Experiment", "Overlay", "Platform", "Project")


class Stage(NamedTuple):
    """A scene, and the files whose comments may say something about it."""

    scene: Scene
    texts: dict[str, str]
    is_built: bool = False


def scenes(arguments: Arguments, reporter: Reporter) -> list[Stage]:
    """Every scene of the paths; errors of reading and building go to the reporter. Raises CompileError."""
    paths = arguments["paths"]
    experiments: list[str] = []
    files: list[tuple[str, bytes]] = []
    if paths:
        found, problems = texts(paths)
        for file, content in found:
            kinds = _language(content, file)
            if "Experiment" in kinds:
                experiments.append(file)
            elif not kinds:
                files.append((file, content))
        reporter.add(problems)
    result = []
    if experiments or not paths:
        result += _built(experiments, arguments, reporter)
        # What a build writes is what was just built.
        files = [(file, content) for file, content in files if header.read(content) is None]
    if files:
        result.append(_written(files, arguments, reporter))
    return result


def _language(content: bytes, file: str) -> set[str]:
    """The kinds of our language in a file; none where it holds something else."""
    if _OURS not in content or header.read(content) is not None:
        return set()
    documents, _ = read(content, file, CORE)
    trees = [document.value for document in documents if document.value.__class__ is dict]
    return {str(tree.get("kind")) for tree in trees if str(tree.get("apiVersion")).startswith("tjgen.dev/")} & {*_LANGUAGE}


def _written(files: list[tuple[str, bytes]], arguments: Arguments, reporter: Reporter) -> Stage:
    """The scene of manifests as they stand in files."""
    items, others, contents = [], [], {}
    for file, content in files:
        root = _root(file, arguments["paths"])
        known = header.read(content)
        place = place_of(os.path.relpath(file, root).replace(os.sep, "/")) if known is not None else None
        # Of a tree of ours, each stage has a Kustomization of its own.
        flux = f"{root}/{place.environment}/{place.stage}" if place is not None else root
        found = read_items(content, file, {ARGOCD: root, FLUX: flux})
        items += found.items
        others += found.others
        reporter.add([one for one in found.diagnostics if one.severity == ERROR])
        contents[file] = content.decode(errors="replace")
    release = release_for(arguments["trainer"])
    catalog = Catalog(arguments["catalog"], versions=release.versions)

    def look_up(kind: str, namespace: str, name: str) -> Tree | None:
        runtime, _ = catalog.find(name, kind=kind, namespace=namespace)
        return runtime.tree if runtime is not None else None

    before = None
    if arguments["against"] is not None:
        old = standing(arguments["against"], arguments["paths"], reporter)
        before = assigned([Item(one.tree, _no_keys(one.locate), file=_now(one.file, arguments), units={}) for one in old])
    items = assigned(items)
    tools = _asked(arguments) or _of_project(arguments["paths"]) or _seen(items) or TOOLS
    scene = Scene(items, tools=tools, before=before, others=others, release=release, look_up=look_up)
    return Stage(scene, contents)


def _now(file: str, arguments: Arguments) -> str:
    """Where a file of the state before stands now: the paths of Applications and Kustomizations are those of today."""
    against, paths = arguments["against"], arguments["paths"]
    if not os.path.isdir(against):
        return file.removeprefix(f"{against}:")
    return os.path.join(paths[0], os.path.relpath(file, against)) if len(paths) == 1 and os.path.isdir(paths[0]) else file


def _root(file: str, paths: Sequence[str]) -> str:
    """The path that led to a file, as a folder."""
    for path in paths:
        if os.path.isdir(path) and (file == path or file.startswith(path.rstrip("/") + "/")):
            return path.rstrip("/")
    return os.path.dirname(file) or "."


def _asked(arguments: Arguments) -> tuple[str, ...]:
    said = arguments["gitops"]
    return () if said is None else TOOLS if said == "both" else (said,)


def _of_project(paths: Sequence[str]) -> tuple[str, ...]:
    """The tool of the project that the paths lie in."""
    file = next((found for path in paths or (".",) if path != "-" and (found := find(path)) is not None), None)
    if file is None:
        return ()
    with open(file, "rb") as stream:
        if b"gitops" not in stream.read():
            return ()
    from tjgen.resolve.project import load

    tool = load(file)[0].spec.gitops.tool
    return () if tool == "none" else (tool,)


def _seen(items: Sequence[Item]) -> tuple[str, ...]:
    """The one tool that the manifests speak to; none where they speak to both, or to nobody."""
    found = set()
    for item in items:
        keys = (*item.annotations, *item.labels)
        if item.kind in (APPLICATION, APPLICATION_SET) or any(key.startswith("argocd.argoproj.io/") for key in keys):
            found.add(ARGOCD)
        if item.kind == KUSTOMIZATION or any(key.startswith("kustomize.toolkit.fluxcd.io/") for key in keys):
            found.add(FLUX)
    return tuple(found) if len(found) == 1 else ()


def _built(experiments: list[str], arguments: Arguments, reporter: Reporter) -> list[Stage]:
    """A scene for each environment of what experiments build to; of the whole project where none is named."""
    builder = Builder(experiments, environments=arguments["env"], trainer=arguments["trainer"])
    tool = builder.project.spec.gitops.tool
    tools = _asked(arguments) or (() if tool == "none" else (tool,))
    applications = builder.project.spec.gitops.application_set
    by_experiment = applications is not None and applications.of == "experiments"
    if not tools:
        reporter.say("no tool is named that syncs (--gitops, or spec.gitops.tool in tjgen.yaml): its rules were not asked")
    items: dict[str | None, dict[object, Item]] = {name: {} for name in builder.environments}
    files: dict[str, str] = {}
    for built in builder.build():
        reporter.add([one for one in built.diagnostics if one.severity == ERROR])
        files[built.unit.document.file] = built.unit.document.text
        for run in built.runs:
            for manifest in run.compiled.manifests:
                units = _units(run, manifest, by_experiment=by_experiment)
                items[built.unit.environment].setdefault(manifest.ref, _item(run, manifest, units))
    reporter.add([one for one in builder.diagnostics if one.severity == ERROR])
    for document in (builder.project.document, *(one.document for one in builder.project.overlays)):
        if document is not None:
            files.setdefault(document.file, document.text)
    release = release_for(arguments["trainer"])
    return [Stage(Scene(found.values(), tools=tools, release=release), files, is_built=True) for found in items.values()]


def _units(run: Run, manifest: Manifest, *, by_experiment: bool) -> dict[str, str]:
    environment = run.unit.environment or ""
    own = by_experiment and manifest.stage == "runs"
    return {ARGOCD: f"{environment}/{run.unit.name}" if own else environment, FLUX: f"{environment}/{manifest.stage}"}


def _item(run: Run, manifest: Manifest, units: dict[str, str]) -> Item:
    sources = run.compiled.sources

    def locate(path: FieldPath, *, key: bool = False) -> Span | None:
        del key  # the line that asked for a field has another one
        return place_in(manifest, path, sources) or run.unit.document.locate(("metadata", "name"))

    return Item(manifest.tree, locate, file=run.unit.document.file, units=units)


def _no_keys(locate: Callable[[FieldPath], Span | None]) -> Callable[..., Span | None]:
    def located(path: FieldPath, *, key: bool = False) -> Span | None:
        del key
        return locate(path)

    return located
