"""A workspace -> its projects, for commands that work on all of them, and the same command for each project for the others."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

from tjgen.cli.command import FLAG, MANY, Arguments, Command, UsageError
from tjgen.cli.reporting import Reporter
from tjgen.gitops.output import interrupted
from tjgen.gitops.output.inventory import ProjectRuns, entries, matching, pruned
from tjgen.language.resolve.project import FILE, LoadedProject
from tjgen.language.resolve.project_file import load
from tjgen.language.runs.store import Locks
from tjgen.trees.diagnostics.model import Diagnostic, has_errors

_FILE = "FILE"
"""What the help calls the value of an option that names a file of the caller."""


def runs_of_projects(project: LoadedProject, arguments: Arguments, reporter: Reporter) -> list[ProjectRuns]:
    """The runs of a project, or with the folder of a workspace of the workspace and of each of its projects.

    A project whose file has errors is reported and left out. Raises CompileError where a lock cannot be read.
    """
    loaded = [(project, list[Diagnostic]())]
    if project.is_workspace and arguments["output"] is None:
        loaded += _members(project)
    several: list[ProjectRuns] = []
    for one, problems in loaded:
        reporter.add(problems)
        if not has_errors(problems):
            locks, environments = Locks(one.directory), arguments["env"]
            known = entries(locks, environments, project=[*one.spec.environments] or [None])
            directory = arguments["output"] or one.output
            if directory is not None:
                reporter.add(interrupted.warning(directory))
            several.append(ProjectRuns(one, directory, known, pruned(locks, environments)))
    return several


def check_names(several: Sequence[ProjectRuns], patterns: Sequence[str], others: Sequence[str] = ()) -> list[Diagnostic]:
    """TJ080 for each pattern that matches no run of any project, and none of `others`."""
    return matching([entry for one in several for entry in one.entries], patterns, others)[1]


def _members(workspace: LoadedProject) -> Iterator[tuple[LoadedProject, list[Diagnostic]]]:
    assert workspace.workspace is not None, "a workspace knows its projects"
    assert workspace.document is not None, "a workspace has a file"
    for folder in workspace.workspace.members:
        yield load(os.path.join(folder, FILE), workspace=workspace.document.file)


def refuse_workspace(command: Command, arguments: Arguments, project: LoadedProject, patterns: Sequence[str] = ()) -> None:
    """Raise UsageError for a command that works on one project, if the project is a workspace without runs of its own.

    The error lists the command for each project; with `patterns`, for those that have a run whose name matches one of them.
    """
    if not project.is_workspace or project.workspace is None or _has_runs(project.directory, ["*"]):
        return
    members = project.workspace.members
    matching = [folder for folder in members if patterns and _has_runs(folder, patterns)]
    commands = "".join(f"\n  {_command_line(command, arguments, folder)}" for folder in matching or members)
    text = f"tjgen {command.name} works on one project of the workspace"
    raise UsageError(f"{text}, so run it for each:{commands}" if commands else f"{text}, and this one has no projects")


def _has_runs(directory: str, patterns: Sequence[str]) -> bool:
    names = (name for _, lock in Locks(directory).all() for name in lock.runs)
    return any(fnmatchcase(name, pattern) for name in names for pattern in patterns)


def _command_line(command: Command, arguments: Arguments, folder: str) -> str:
    """The command of these arguments for the project in a folder. Files that the options name stay the same."""
    words = ["tjgen", command.name, "-C", folder, *arguments["paths"]]
    for option in command.options:
        value = arguments[option.name]
        if option.name == "folder" or not value:
            continue
        for one in value if option.kind == MANY else [value]:
            is_file = option.metavar == _FILE and one != "-"
            words += (
                [option.flags[0]] if option.kind == FLAG else [option.flags[0], os.path.relpath(one, folder) if is_file else one]
            )
    return shlex.join(words)
