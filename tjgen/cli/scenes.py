"""Paths of `tjgen lint` -> the scenes that they mean: what experiments build to, and manifests as they were written."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence

from tjgen.cli.against import applied_objects
from tjgen.cli.command import Arguments
from tjgen.cli.inputs import good, listed, sandbox_for, texts
from tjgen.cli.releases import release_for
from tjgen.cli.reporting import Reporter
from tjgen.cluster.synctools.table import NO_TOOL, TOOLS, tools_of
from tjgen.gitops.diff.side import place_of
from tjgen.gitops.emit import header
from tjgen.gitops.lint.reading import Read, read_items
from tjgen.gitops.lint.rule import TOOLS as NAMES_OF_TOOLS
from tjgen.gitops.lint.scene import AppliedObject, Scene
from tjgen.gitops.lint.units import assigned
from tjgen.language.catalog.find import Catalog
from tjgen.language.resolve.project import LoadedProject
from tjgen.trees.diagnostics.model import ERROR, Span
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.source.reader import CORE, read
from tjgen.trees.typing import NamedTuple

_OURS = b"tjgen.dev/"
_MARK = b"ignore"
"""Text that every file has whose comments silence rules."""
_LANGUAGE = {"Experiment", "Overlay", "Platform", "Project"}


class Inputs(NamedTuple):
    """What paths lead to."""

    experiments: list[str]
    """Files with experiments."""
    manifests: dict[str, bytes]
    """Files of manifests, with their contents."""


class Looked(NamedTuple):
    """Scenes, and the texts of the files whose comments may contain marks."""

    scenes: list[Scene]
    texts: dict[str, str]
    files: Sequence[Read] = ()
    """Files of manifests, in their order."""


def inputs(paths: Sequence[str], reporter: Reporter) -> Inputs:
    """Return the files of the paths by kind of content; the reporter gets read errors."""
    experiments: list[str] = []
    manifests: dict[str, bytes] = {}
    for file, content in _readable(paths, reporter):
        kinds = _language(content, file)
        if "Experiment" in kinds:
            experiments.append(file)
        elif not kinds:
            manifests[file] = content
    if experiments or not paths:
        # What a build writes is looked at as it is built.
        manifests = {file: content for file, content in manifests.items() if header.read(content) is None}
    return Inputs(experiments, manifests)


def _readable(paths: Sequence[str], reporter: Reporter) -> Iterator[tuple[str, bytes]]:
    """The files of the paths without those of Helm charts, which a sync does not apply as they are."""
    sandbox = sandbox_for(paths)
    folders = listed([path for path in paths if os.path.isdir(path)], sandbox)
    contents = good(texts(paths, sandbox, folders), reporter)
    if not folders:
        return contents
    from tjgen.cli.rendered import outside_charts

    return outside_charts(contents, folders, sandbox, reporter.add)


def _language(content: bytes, file: str) -> set[str]:
    """The kinds of our language in a file; none where it holds something else."""
    if _OURS not in content or header.read(content) is not None:
        return set()
    documents, _ = read(content, file, CORE)
    trees = [document.value for document in documents if document.value.__class__ is dict]
    return {str(tree.get("kind")) for tree in trees if str(tree.get("apiVersion")).startswith("tjgen.dev/")} & _LANGUAGE


def taken(files: dict[str, bytes]) -> Iterator[tuple[str, bytes]]:
    """Each file with its content, which is then no longer in memory unless it is used."""
    rest = [*reversed(files.items())]
    files.clear()
    while rest:
        yield rest.pop()


def written(
    files: Iterable[tuple[str, bytes]], arguments: Arguments, project: LoadedProject | None, reporter: Reporter
) -> Looked:
    """Return the scene of manifests in files. Raise CompileError for content that cannot be compared."""
    items: list[AppliedObject] = []
    read_files: list[Read] = []
    sandbox = sandbox_for(arguments["paths"])
    texts_with_marks: dict[str, str] = {}
    for file, content in files:
        sandbox.clock.check()
        if _MARK in content:
            texts_with_marks[file] = content.decode(errors="replace")
        read_file = read_items(content, file, _units(file, content, arguments["paths"]), sandbox.budgets)
        sandbox.clock.count(len(read_file.items))
        read_files.append(read_file)
        items += read_file.items
        reporter.add([one for one in read_file.diagnostics if one.severity == ERROR])
    release = release_for(arguments["trainer"])
    catalog = Catalog(arguments["catalog"], versions=release.versions)

    def look_up(kind: str, namespace: str, name: str) -> Tree | None:
        runtime, _ = catalog.find(name, kind=kind, namespace=namespace)
        return runtime.tree if runtime is not None else None

    before = None
    if arguments["against"] is not None:
        old = applied_objects(arguments["against"], arguments["paths"], reporter)
        before = assigned([AppliedObject(one.tree, _placed(one.locate), file=_now(one.file, arguments), units={}) for one in old])
    items = assigned(items)
    others = [document for file in read_files for document in file.others]
    tools = requested_tools(arguments) or _of_project(project) or _spoken_to(items)
    scene = Scene(
        items, tools=tools or NAMES_OF_TOOLS, is_guess=not tools, before=before, others=others, release=release, look_up=look_up
    )
    return Looked([scene], texts_with_marks, read_files)


def _now(file: str, arguments: Arguments) -> str:
    """Return the current place of a file of the earlier state: paths of Applications and Kustomizations are today's."""
    against, paths = arguments["against"], arguments["paths"]
    if not os.path.isdir(against):
        return file.removeprefix(f"{against}:")
    return os.path.join(paths[0], os.path.relpath(file, against)) if len(paths) == 1 and os.path.isdir(paths[0]) else file


def _units(file: str, content: bytes, paths: Sequence[str]) -> dict[str, str]:
    """Return the sync unit of a file by its folder: all below one path, or each stage of a tjgen tree."""
    roots = [path.rstrip("/") for path in paths if os.path.isdir(path)]
    root = next((path for path in roots if file.startswith(f"{path}/")), os.path.dirname(file) or ".")
    place = place_of(os.path.relpath(file, root).replace(os.sep, "/")) if header.read(content) is not None else None
    stage = f"{root}/{place.environment}/{place.stage}" if place is not None else root
    return {tool.name: stage if tool.waits_for_units else root for tool in TOOLS}


def requested_tools(arguments: Arguments) -> tuple[str, ...]:
    """The tools of the command line."""
    requested = arguments["gitops"]
    return () if requested is None else NAMES_OF_TOOLS if requested == "both" else (requested,)


def _of_project(project: LoadedProject | None) -> tuple[str, ...]:
    tool = project.spec.gitops.tool if project is not None else NO_TOOL
    return () if tool == NO_TOOL else (tool,)


def _spoken_to(items: Sequence[AppliedObject]) -> tuple[str, ...]:
    """The one tool that the manifests speak to; none if they are for both, or for no tool."""
    tools: set[str] = set()
    for item in items:
        tools |= tools_of({*item.annotations, *item.labels})
        tools.update(tool.name for tool in TOOLS if item.kind in tool.syncing)
    return tuple(tools) if len(tools) == 1 else ()


def _placed(locate: Callable[[FieldPath], Span | None]) -> Callable[..., Span | None]:
    def located(path: FieldPath, *, key: bool = False) -> Span | None:
        del key
        return locate(path)

    return located
