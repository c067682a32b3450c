"""`code.workspace` -> a folder of a shared volume, read only, and the digest of what is in it."""

from __future__ import annotations

import os

from tjgen.compiler.programs.coding.placing import AT, VOLUME, mounted
from tjgen.compiler.volumes.mounts import mount_path
from tjgen.compiler.volumes.table import pod_source
from tjgen.language.codebase import files, problems
from tjgen.language.resolve.volume_paths import leads_out, within
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Code, Experiment
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.files.sandbox import Sandbox
from tjgen.trees.workload.contribution import Contribution, Contributions
from tjgen.trees.workload.workload import Workload

WORKSPACE: FieldPath = (*AT, "workspace")
DIGEST = "tjgen.dev/code-digest"
"""Annotation of a run: what its code was when it was built."""


def deliver(code: Code, workload: Workload, experiment: Experiment, setting: Setting) -> Contributions:
    """The mounts, and the digest as an annotation where the folder is on this machine too."""
    workspace = code.workspace
    assert workspace is not None, "asked only where it is described"
    if workspace.path is not None and leads_out(workspace.path):
        yield Diagnostic(
            problems.OUTSIDE,
            f"path {workspace.path} points outside the volume",
            path=(*WORKSPACE, "path"),
            hint=within(workspace.path, mount_path(experiment.spec.volumes.get(workspace.volume or ""))),
        )
        return
    volume: Tree
    if workspace.volume is not None:
        known = experiment.spec.volumes.get(workspace.volume)
        if known is None:
            message = f'the experiment has no volume "{workspace.volume}"'
            names = ", ".join(experiment.spec.volumes)
            hint = f"use one of {names}" if names else "add it to volumes"
            yield Diagnostic(problems.VOLUME, message, path=(*WORKSPACE, "volume"), hint=hint)
            return
        volume = {"name": workspace.volume, **pod_source(workspace.volume, known, setting)}
    else:
        volume = {"name": VOLUME, "persistentVolumeClaim": {"claimName": workspace.pvc, "readOnly": True}}
    yield from mounted(code, workload, experiment, volume, WORKSPACE, sub_path=workspace.path)
    if workspace.directory is None:
        if "digests" in setting.demands:
            message = "the project requires digests, but the content of the workspace is unknown"
            hint = "add directory, the same folder on this machine"
            yield Diagnostic(problems.UNKNOWN_CONTENT, message, path=WORKSPACE, hint=hint)
        return
    at: FieldPath = (*WORKSPACE, "directory")
    try:
        matching = files.matching_files(setting.sandbox, os.path.join(setting.directory, workspace.directory))
        digest = files.digest(matching)
    except files.FolderError as error:
        yield unreadable(workspace.directory, error, at)
        return
    if not matching:
        yield Diagnostic(
            problems.NONE, f"{workspace.directory} contains no code", path=at, hint="name the folder that the code is in"
        )
        return
    yield Contribution(("metadata", "annotations", DIGEST), f"sha256:{digest}", at)


def local_files(code: Code, folder: str, sandbox: Sandbox) -> dict[str, str]:
    """The digest of the workspace, where it is on this machine."""
    assert code.workspace is not None, "asked only where it is described"
    directory = code.workspace.directory
    return digest_of(directory, files_of(sandbox, folder, directory)) if directory is not None else {}


def files_of(
    sandbox: Sandbox, folder: str, directory: str, include: tuple[str, ...] = (), exclude: tuple[str, ...] = ()
) -> list[files.CodeFile]:
    """The files of a directory; none where they cannot be read, which is for the pass to report."""
    try:
        return files.matching_files(sandbox, os.path.join(folder, directory), include, exclude)
    except files.FolderError:
        return []


def digest_of(directory: str, matching: list[files.CodeFile]) -> dict[str, str]:
    """`code:<directory>` -> the digest of its files; nothing where they cannot be read."""
    try:
        return {f"code:{directory}": files.digest(matching)}
    except files.FolderError:
        return {}


def unreadable(directory: str, error: files.FolderError, at: FieldPath) -> Diagnostic:
    """A folder, or a file in it, that cannot be taken as code."""
    name = os.path.join(directory, error.path) if error.path else directory
    hint = "exclude it, or correct it" if error.path else "name a folder relative to the experiment"
    return Diagnostic(problems.UNREADABLE, f"{name} cannot be read as code: {error.reason}", path=at, hint=hint)
