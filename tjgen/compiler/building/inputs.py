"""The words of a command line -> the project, its environments and the files to build, or what is wrong with them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from tjgen.compiler.building.request import Request
from tjgen.compiler.building.run import Unit
from tjgen.language.resolve.files import with_skipped
from tjgen.language.resolve.project import FILE, LoadedProject, alone, find
from tjgen.language.spec.objects import Metadata
from tjgen.trees.diagnostics.model import ERROR, WARNING, CompileError, Diagnostic, Note, has_errors
from tjgen.trees.fields.path import FieldPath
from tjgen.trees.files import problems
from tjgen.trees.files.problems import UnreadableError
from tjgen.trees.files.repository import callers_project, repository_of
from tjgen.trees.files.sandbox import Sandbox
from tjgen.trees.k8s.nearest import nearest
from tjgen.trees.session import Session
from tjgen.trees.source.document import Document
from tjgen.trees.source.reader import CORE, read

_IMPORTED = ("TrainJob", "PyTorchJob", "TFJob", "MPIJob", "JAXJob", "XGBoostJob", "PaddleJob", "JobSet", "Job")
"""Kinds that `tjgen import` rewrites as experiments."""
_SUPPORTING_KINDS = ("Project", "Overlay", "Platform")
_KEYS = frozenset(("apiVersion", "kind", "metadata", "spec"))


def project_at(
    paths: Sequence[str], start: str | None = None, *, confined: Sandbox | None = None, workspace: str | None = None
) -> tuple[LoadedProject, list[Diagnostic]]:
    """The project that all of `paths` belong to, or the one at `start`, which the caller named.

    `confined`: what reads the files, also those of `paths`; where it is None, `paths` may be anywhere, since the caller names
    them. `workspace`: the file of a workspace that the caller named. Raises CompileError where they belong to several projects
    (TJ260).
    """
    projects = {file for path in ((start,) if start is not None else paths or (".",)) if (file := find(path)) is not None}
    if len(projects) > 1:
        message = f"the paths belong to {len(projects)} projects: {', '.join(sorted(projects))}"
        hint = "build one project at a time"
        raise CompileError([Diagnostic("TJ260", message, hint=hint)])
    named_paths = paths if confined is None else ()
    if not projects:
        without = alone(named_paths if start is None or confined is not None else (*named_paths, start))
        return without if confined is None else without._replace(sandbox=confined), []
    from tjgen.language.resolve.project_file import load  # a file can be built without a project

    file = projects.pop()
    is_start = start is not None and os.path.realpath(start) == os.path.realpath(os.path.dirname(file))
    # The caller names a workspace, not each of its projects.
    is_named = is_start and workspace is None
    project, diagnostics = load(file, named_paths, is_named=is_named, sandbox=confined, workspace=workspace)
    return project, list(diagnostics)


def confinement() -> Sandbox:
    """What reads the files of an input that a program passes: those of the working directory's repository.

    Without a repository, those of the caller's project, or of the working directory unless that is the root of the file system.
    """
    working_directory = os.path.realpath(".")
    project = callers_project()
    root = repository_of(working_directory) or (os.path.dirname(project) if project is not None else working_directory)
    return Sandbox([root] if root != "/" else [])


def is_root(paths: Sequence[str]) -> bool:
    """Whether the paths are one folder, which has a project file."""
    return len(paths) == 1 and os.path.lexists(os.path.join(paths[0], FILE))


def files_at(paths: Sequence[str], project: LoadedProject) -> tuple[list[str], list[Diagnostic]]:
    """The files that `paths` name, those of a folder in order and without catalogs, each once; TJ021 for a folder without any."""
    files: list[str] = []
    diagnostics: list[Diagnostic] = []
    for path in paths:
        is_folder = os.path.isdir(path)
        matching, wrong = with_skipped(project.sandbox, "", path) if is_folder else ([path], [])
        files += project.outside_catalogs(matching) if is_folder else matching
        diagnostics += wrong
        if not matching and not has_errors(wrong):
            message = f"{path} contains no file that ends in .yaml or .yml"
            diagnostics.append(Diagnostic(problems.EMPTY, message, hint="name the files to build"))
    return list(dict.fromkeys(files)), diagnostics


def nothing_to_build(project: LoadedProject) -> list[Diagnostic]:
    """TJ261 where no path is given and there is no project either."""
    if project.document is not None:
        return []
    message = "there is nothing to build: no path is given, and neither this folder nor a folder above it has a tjgen.yaml"
    hint = "name an experiment, or create a project with tjgen init"
    return [Diagnostic("TJ261", message, hint=hint)]


def chosen_environments(project: LoadedProject, wanted: Sequence[str]) -> tuple[list[str | None], list[Diagnostic]]:
    """Return the environments to build, in the project's order; None for a project without environments."""
    known = list(project.spec.environments)
    unknown = [project.unknown_environment(name) for name in wanted if name not in known]
    return [name for name in known if name in wanted] if wanted else list(known) or [None], unknown


def unreadable_slicers(project: LoadedProject) -> list[Diagnostic]:
    """What is wrong with files of slicing strategies that are outside of the repository, or not files."""
    refused_paths = []
    for name, file in project.slicers.items():
        content = project.sandbox.content(file)
        # A file that does not exist is reported where a run uses it.
        if isinstance(content, Diagnostic) and content.code != problems.UNREADABLE:
            assert project.document is not None, "nothing else names strategies"
            path: FieldPath = ("spec", "slicers", name)
            refused_paths.append(content._replace(path=path, span=project.document.locate(path)))
    return refused_paths


def refused_slicers(project: LoadedProject) -> dict[str, Diagnostic]:
    """Strategies of the project whose code may not run, and why: TJ208 without trust, TJ209 in a nested project."""
    if not project.slicers:
        return {}
    from tjgen.trees import trust  # few projects have strategies of their own

    if project.is_root and trust.is_granted():
        return {}
    assert project.document is not None, "nothing else names strategies"
    refused = {}
    for name, file in project.slicers.items():
        note = Note("named here", project.document.locate(("spec", "slicers", name)))
        if project.is_root:
            message = f'slicing strategy "{name}" is Python code of this project ({file}), which runs only with --trusted'
            hint = "review the file, then run tjgen build --trusted, or set TJGEN_TRUSTED=1"
            refused[name] = Diagnostic("TJ208", message, related=(note,), hint=hint)
        else:
            message = f'slicing strategy "{name}" is Python code of a nested project ({file}), which this command never runs'
            hint = f"review the file, then name that project: tjgen build --trusted {project.directory or '.'}"
            refused[name] = Diagnostic("TJ209", message, related=(note,), hint=hint)
    return refused


def taken_names(project: LoadedProject) -> list[Diagnostic]:
    """Strategies of the project that are called as those of tjgen."""
    if not project.slicers:
        return []
    from tjgen.language.slicing.strategies import STRATEGIES  # few projects have strategies of their own

    assert project.document is not None, "nothing else names strategies"
    paths: list[FieldPath] = [("spec", "slicers", name) for name in project.slicers if name in STRATEGIES]
    return [
        Diagnostic(
            "TJ365",
            f'the strategy "{path[-1]}" is built in',
            path=path,
            span=project.document.locate(path, key=True),
            hint="give the strategy of the project another name",
        )
        for path in paths
    ]


def is_experiment(document: Document) -> bool:
    return document.value.__class__ is dict and document.value.get("kind") == "Experiment"


def is_platform(document: Document) -> bool:
    return document.value.__class__ is dict and document.value.get("kind") == "Platform"


def is_of_project(documents: list[Document]) -> bool:
    """Return whether a file of a folder or pattern is one that a project keeps with its experiments."""
    return all(one.value.__class__ is dict and one.value.get("kind") in _SUPPORTING_KINDS for one in documents)


def is_next_to_experiments(file: str, documents: list[Document], sandbox: Sandbox, session: Session) -> bool:
    """Whether a file of a folder is not an experiment by intent: the project keeps it, or a program reads it."""
    return is_of_project(documents) or _is_of_program(file, documents, sandbox, session)


def _is_of_program(file: str, documents: Sequence[Document], sandbox: Sandbox, session: Session) -> bool:
    """Whether a file of a folder is a configuration of a program: it has no key of manifests, and is next to or below Python."""
    if not _is_plain(documents):
        return False
    folder = os.path.dirname(file)
    while folder.strip("/"):
        if _has_python(folder, sandbox, session):
            return True
        folder = os.path.dirname(folder)
    return False


def _is_plain(documents: Sequence[Document]) -> bool:
    """Whether there are documents, and none has a key of manifests."""
    return bool(documents) and all(one.value.__class__ is not dict or _KEYS.isdisjoint(one.value) for one in documents)


def _has_python(folder: str, sandbox: Sandbox, session: Session) -> bool:
    def look() -> bool:
        try:
            return any(entry.name.endswith(".py") for entry in sandbox.entries(folder))
        except UnreadableError:
            return False

    return session.once("has Python", folder, look)


def unusable(paths: Sequence[str], sandbox: Sandbox) -> list[Diagnostic]:
    """What is wrong with named files in every environment: they cannot be read, or are the project's own (TJ263)."""
    diagnostics = []
    for path in paths:
        if path == "-" or os.path.isdir(path):
            continue
        content = sandbox.content(path)
        if isinstance(content, Diagnostic):
            diagnostics.append(content)
            continue
        documents, _ = read(content, path, CORE, sandbox.budgets)
        if documents and is_of_project(documents) and not any(one.value["kind"] == "Platform" for one in documents):
            diagnostics.append(no_experiment(path, documents, named=True))
    return diagnostics


def no_experiment(file: str, documents: list[Document], *, named: bool) -> Diagnostic:
    """TJ263: no document of a file is an Experiment."""
    span = documents[0].locate(()) if documents else None
    hint = "start it with apiVersion: tjgen.dev/v1alpha1 and kind: Experiment"
    if not named and _is_plain(documents):
        hint += "; if it configures a program, move it to a folder with the code (.py files) of the program"
    kinds: dict[str, Document] = {}
    for one in documents:
        if one.value.__class__ is dict and one.value.get("kind"):
            kinds.setdefault(str(one.value["kind"]), one)
    for kind, document in kinds.items():
        near = nearest(kind, ("Experiment",))
        if near is not None or kind in _IMPORTED:
            span = document.locate(("kind",))
            hint = f"write kind: {near}" if near is not None else f"run tjgen import {file}, which writes an experiment for it"
            break
    else:
        if documents and documents[0].value.__class__ is dict and "spec" in documents[0].value and not kinds:
            hint = "add kind: Experiment"
        elif kinds and all(kind.endswith("TrainingRuntime") for kind in kinds):
            hint = "list its folder under catalogs in tjgen.yaml, and not under experiments"
        elif kinds and is_of_project(documents):
            hint = "name an experiment, or run tjgen build without a path, which reads this file with the project"
    message = f"{file} contains no Experiment document" + (f", only {', '.join(sorted(kinds))}" if kinds else "")
    return Diagnostic("TJ263", message, span=span, hint=hint, severity=ERROR if named else WARNING)


def without_kind(documents: Sequence[Document]) -> Iterator[Diagnostic]:
    """TJ265 for each document without a kind, next to an experiment: a `---` too many ends the document before it."""
    for one in documents:
        if one.value.__class__ is not dict or not one.value.get("kind"):
            message = "the document has no kind, so a build ignores it"
            hint = "remove the --- before it if its fields belong to the experiment; otherwise remove the document"
            yield Diagnostic("TJ265", message, span=one.locate(()), hint=hint)


def same_experiment(unit: Unit, documents: Sequence[Document], index: int) -> Diagnostic:
    """TJ264: an experiment of the same name as the one in the document of number `index` among `documents`."""
    first = documents[index] if index < len(documents) else None
    return Diagnostic(
        "TJ264",
        f'experiment "{unit.name}" exists twice in namespace {unit.namespace}',
        span=unit.document.locate(("metadata", "name")),
        related=(Note("first defined here", first.locate(("metadata", "name"))),) if first is not None else (),
        hint="give one of them another name or namespace",
    )


def namespace_left_out(unit: Unit, metadata: Metadata, request: Request) -> list[Diagnostic]:
    """TJ766 if neither the experiment nor its environment nor the caller names a namespace."""
    if metadata.namespace or request.namespace:
        return []
    hint = f"add namespace: {unit.namespace} to metadata, or the namespace of your team"
    if unit.environment:
        hint += f"; or set spec.environments.{unit.environment}.namespace in tjgen.yaml"
    message = f"the experiment has no namespace: its objects go to {unit.namespace}"
    return [Diagnostic("TJ766", message, span=unit.document.locate(("metadata",), key=True), hint=hint)]
