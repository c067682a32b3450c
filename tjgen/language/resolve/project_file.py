"""The path of a project file -> the project, with the overlays and platforms that it names, and what is wrong with it."""

from __future__ import annotations

import os
from collections.abc import Sequence

from tjgen import __version__
from tjgen.language.resolve import policy
from tjgen.language.resolve.members import Members, at_entry
from tjgen.language.resolve.project import LoadedProject, OverlayDocument, alone, find
from tjgen.language.resolve.reading import of_kind
from tjgen.language.spec.objects import ProjectSpec
from tjgen.trees.budgets import CommandBudgets
from tjgen.trees.ceilings import ceiling
from tjgen.trees.diagnostics.model import Diagnostic, has_errors
from tjgen.trees.fields.path import FieldPath
from tjgen.trees.files.problems import UnreadableError
from tjgen.trees.files.repository import callers_project, projects_above, repository_of
from tjgen.trees.files.sandbox import Sandbox, around, is_below
from tjgen.trees.k8s.nearest import nearest
from tjgen.trees.source.document import Document


def load(
    file: str,
    paths: Sequence[str] = (),
    *,
    is_named: bool = False,
    sandbox: Sandbox | None = None,
    workspace: str | None = None,
) -> tuple[LoadedProject, list[Diagnostic]]:
    """A project and the files that it names. Where something is wrong, what could be read, and errors.

    `paths`: what the caller names on the command line, which may be read at any place. `is_named`: whether the caller named
    the project itself. `sandbox`: what reads the files; where it is None, one for the repository around the project.
    `workspace`: the file of a workspace that the caller named.
    """
    directory = os.path.dirname(file)
    callers = callers_project()
    is_root = is_named or os.path.realpath(file) == callers
    trusted = (callers, os.path.realpath(workspace) if workspace is not None else None)
    sandbox = _sandbox(directory, callers, workspace) if sandbox is None else sandbox
    for path in paths:
        sandbox.name(path)
    of_project = of_kind("Project", [file], sandbox)
    diagnostics = of_project.diagnostics
    if not of_project.good:
        if not diagnostics:
            diagnostics = [Diagnostic("TJ204", f"{file} contains no document of kind Project")]
        return alone(paths)._replace(directory=directory, sandbox=sandbox), diagnostics
    document, tree = of_project.good[0]
    above = projects_above(directory or ".")
    membership = None
    if above or tree["spec"].get("projects"):
        from tjgen.language.resolve.membership import Membership  # most projects belong to no workspace

        membership = Membership.of(document, tree, above, trusted, sandbox)
        diagnostics += membership.diagnostics
        document, tree = membership.document, membership.tree
    sets_limits = is_root or (membership is not None and membership.workspace_file in trusted)
    if callers is not None and not sets_limits:
        _extend_by(callers, sandbox)
    project = LoadedProject(directory, ProjectSpec(tree["spec"]), sandbox, document, is_root=is_root, sets_limits=sets_limits)
    if sets_limits:
        sandbox.budgets = CommandBudgets.of(project.spec.budgets)
    diagnostics += _extended(project, document)
    if project.spec.requires is not None:
        diagnostics += _requirement(project.spec.requires, document)
    reader = Members(project, diagnostics)
    overlays = reader.overlays(project.spec.overlays, ("spec", "overlays"))
    own = {
        name: reader.overlays(environment.overlays, ("spec", "environments", name, "overlays"))
        for name, environment in project.spec.environments.items()
    }
    known = len(diagnostics)
    platforms = reader.platforms(project.spec.platforms, ("spec", "platforms"))
    are_all_read = not has_errors(diagnostics[known:])
    project = project._replace(overlays=overlays, overlays_of=own, platforms=platforms)
    if membership is not None:
        project, problems = membership.joined(project)
        diagnostics += problems
    reader.same_names([item.document for item in (*overlays, *(item for group in own.values() for item in group))])
    reader.same_names([item.document for item in platforms])
    diagnostics += _unknown_environments(project)
    if are_all_read:
        diagnostics += _unknown_platforms(project, document)
    return project, [*diagnostics, *policy.unknown(project.spec.policy, document)]


def load_current() -> tuple[LoadedProject, list[Diagnostic]]:
    """The project of the working directory, and the problems of its file. Without a file, a project of default values."""
    file = find(".")
    return load(file) if file is not None else (alone(), [])


def _sandbox(directory: str, callers: str | None, workspace: str | None) -> Sandbox:
    """The repository around a project.

    Without Git, the caller's project or the workspace that the caller named, if it contains this one, else the project itself.
    """
    repository = repository_of(directory or ".")
    if repository is not None:
        return Sandbox([repository])
    real = os.path.realpath(directory)
    outer = (os.path.dirname(os.path.realpath(one)) for one in (workspace, callers) if one is not None)
    return Sandbox([next((one for one in outer if is_below(real, one)), real)])


def _extend_by(callers: str, sandbox: Sandbox) -> None:
    """Let the budgets and the readable folders of the caller's project hold for a project below it."""
    for _, tree in of_kind("Project", [callers], around([callers])).good:
        spec = ProjectSpec(tree["spec"])
        sandbox.budgets = CommandBudgets.of(spec.budgets)
        for entry in spec.readable:
            folder = os.path.join(os.path.dirname(callers), entry)
            if (limit := ceiling()) is None or limit.is_readable(os.path.realpath(folder)):
                sandbox.allow(folder)


def _extended(project: LoadedProject, document: Document) -> list[Diagnostic]:
    """Let the root project name more folders to read; TJ037 for another one, TJ202 for a folder that does not exist."""
    diagnostics: list[Diagnostic] = []
    limit = ceiling()
    if limit is not None:
        from tjgen.language.resolve.ceiling import exceeded  # few callers have a settings file

        diagnostics += exceeded(project.spec, document, limit)
    for position, entry in enumerate(project.spec.readable):
        path: FieldPath = ("spec", "readable", position)
        folder = os.path.join(project.directory, entry)
        if not project.sets_limits:
            message = f"only the root project can list folders to read, but {document.file} is not the root project"
            hint = "move the entry to the project file in the working directory, or build this project from its own folder"
            diagnostics.append(Diagnostic("TJ037", message, path=path, span=document.locate(path), hint=hint))
        elif not os.path.isdir(folder):
            message = f"folder {entry} does not exist"
            diagnostics.append(Diagnostic("TJ202", message, path=path, span=document.locate(path)))
        elif limit is None or limit.is_readable(os.path.realpath(folder)):
            project.sandbox.allow(folder)
    if project.spec.schemas is not None and project.schemas is None:
        try:
            project.sandbox.check_folder(os.path.normpath(os.path.join(project.directory, project.spec.schemas)))
        except UnreadableError as problem:
            diagnostics += at_entry([problem.diagnostic], document, ("spec", "schemas"))
    return diagnostics


def _requirement(requires: str, document: Document) -> list[Diagnostic]:
    from tjgen.language.resolve.requires import is_met  # few projects have requirements

    path: FieldPath = ("spec", "requires")
    met = is_met(requires, __version__)
    if met is True:
        return []
    if met is None:
        message, hint = f'"{requires}" is not a requirement on releases', "write it like ~= 0.1, >= 0.1, < 0.3 or == 0.1.*"
        return [Diagnostic("TJ207", message, path=path, span=document.locate(path), hint=hint)]
    message, hint = (
        f"this is tjgen {__version__}, but the project requires {requires}",
        "install a release that it allows from a wheel or a commit, as docs/how-to/install.md describes",
    )
    return [Diagnostic("TJ206", message, path=path, span=document.locate(path), hint=hint)]


def _unknown_platforms(project: LoadedProject, document: Document) -> list[Diagnostic]:
    known = [item.platform.metadata.name for item in project.platforms]
    diagnostics = []
    for name, environment in project.spec.environments.items():
        if environment.platform is not None and project.platforms.named(environment.platform) is None:
            path: FieldPath = ("spec", "environments", name, "platform")
            near = nearest(environment.platform, known)
            hint = f'did you mean "{near}"?' if near else "name its file under spec.platforms"
            if environment.platform.endswith((".yaml", ".yml")):
                hint = _of_file(environment.platform, project)
            message = f'the project has no platform "{environment.platform}"'
            span = document.locate(path)
            diagnostics.append(Diagnostic("TJ205", message, path=path, span=span, hint=hint))
    return diagnostics


def _of_file(path: str, project: LoadedProject) -> str:
    """The hint for a path instead of the name of a platform."""
    file = os.path.basename(path)
    names = [one.platform.metadata.name for one in project.platforms if os.path.basename(one.document.file) == file]
    if names:
        return f"write platform: {names[0]}, the name in metadata of that file"
    return f"add platforms: [{path}] to spec, and write the name in metadata of that file here"


def _unknown_environments(project: LoadedProject) -> list[Diagnostic]:
    """Overlays for environments or clusters that the project does not have."""
    of_workspace = project.workspace.spec.environments if project.workspace is not None else {}
    environments = {**of_workspace, **project.spec.environments}
    named = [one.cluster for one in environments.values()] + [one.platform.spec.cluster.name for one in project.platforms]
    known = {"environments": list(environments), "clusters": sorted({name for name in named if name})}
    diagnostics = []
    for overlay in (*project.overlays, *(one for group in project.overlays_of.values() for one in group)):
        match = overlay.overlay.spec.match
        is_shared = overlay.document.file in project.shared_overlays
        clusters = [] if is_shared else match.clusters  # a shared overlay may be for a cluster of another project
        for field, names in (("environments", match.environments), ("clusters", clusters)):
            for position, name in enumerate(names):
                if name not in known[field]:
                    diagnostics.append(_unknown_match(overlay, (field, position), name, known[field]))
    return diagnostics


def _unknown_match(overlay: OverlayDocument, step: FieldPath, name: str, known: Sequence[str]) -> Diagnostic:
    """TJ218 for an entry of `match.environments` or `match.clusters`."""
    path: FieldPath = ("spec", "match", *step)
    near = nearest(name, known)
    is_cluster = step[0] == "clusters"
    match = overlay.overlay.spec.match
    is_only = len(match.clusters if is_cluster else match.environments) == 1  # an empty list matches all
    removal = "remove the overlay" if is_only else f'remove "{name}" from match.{step[0]}'
    other = "set cluster in an environment of the project" if is_cluster else f'add environment "{name}" to the project'
    after = "" if is_cluster else ", then build: if the project had this environment, the build reports its runs"
    hint = f'did you mean "{near}"?' if near else f"{removal}, or {other}{after}"
    owner = "no environment of the project names" if is_cluster else "the project does not have"
    message = f'overlay "{overlay.overlay.metadata.name}" is for {str(step[0])[:-1]} "{name}", which {owner}'
    return Diagnostic("TJ218", message, path=path, span=overlay.document.locate(path), hint=hint)
