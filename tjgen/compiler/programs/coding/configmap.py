"""`code.configMap` -> local files in an immutable ConfigMap, and the folder that they make up in the pods."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from tjgen.compiler.programs.coding.placing import AT, VOLUME, mounted
from tjgen.compiler.programs.coding.workspace import digest_of, files_of, unreadable
from tjgen.compiler.programs.objects import metadata
from tjgen.language.codebase import files, packing, problems, secrets
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Code, Experiment
from tjgen.trees.canonical import json_text, sha256_hex
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.files.sandbox import Sandbox
from tjgen.trees.workload.contribution import Contribution
from tjgen.trees.workload.workload import Workload

Found = Iterator[Contribution | Diagnostic]
HERE: FieldPath = (*AT, "configMap")


def deliver(code: Code, workload: Workload, experiment: Experiment, setting: Setting) -> Found:
    """The ConfigMap, named by its content, and its mounts."""
    asked = code.config_map
    assert asked is not None, "asked only where it is described"
    found, wrong = read(setting, asked.directory, asked.include, asked.exclude, HERE)
    yield from wrong
    if wrong:
        return
    try:
        packed = packing.pack(found)
    except files.FolderError as error:
        yield unreadable(asked.directory, error, HERE)
        return
    fields = packed.fields()
    name = f"{setting.family}-code-{sha256_hex(json_text(fields))[:10]}"
    tree: Tree = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata(name, setting), "immutable": True, **fields}
    yield Contribution(("ahead", f"ConfigMap/{name}"), tree, HERE)
    volume: Tree = {"name": VOLUME, "configMap": {"name": name, "items": packed.items}}
    yield from mounted(code, workload, experiment, volume, HERE)


def read(
    setting: Setting, directory: str, include: Sequence[str], exclude: Sequence[str], because: FieldPath
) -> tuple[list[files.File], list[Diagnostic]]:
    """The files to pack, and what keeps them from being packed."""
    try:
        found = files.found(setting.sandbox, os.path.join(setting.directory, directory), include, exclude)
        if not found:
            message = f"no file of {directory} is taken"
            hint = "correct include and exclude" if include or exclude else "name the folder that the code is in"
            return [], [Diagnostic(problems.NONE, message, path=because, hint=hint)]
        size = packing.size(found)
        if size > packing.LIMIT:
            largest = max(found, key=lambda file: file.size)
            message = f"the {len(found)} files of {directory} take {size} bytes, and a ConfigMap holds {packing.LIMIT}"
            hint = (
                f"exclude files that are not code, such as {largest.path} ({largest.size} bytes), or use workspace, git or build"
            )
            return [], [Diagnostic(problems.LARGE, message, path=because, hint=hint)]
        secret = [_secret(directory, one, because) for one in secrets.suspects(found, include, setting.harmless)]
    except files.FolderError as error:
        return [], [unreadable(directory, error, because)]
    return ([] if secret else found), secret


def _secret(directory: str, suspect: secrets.Suspect, because: FieldPath) -> Diagnostic:
    place = os.path.normpath(os.path.join(directory, suspect.path))
    message = f"{place} {suspect.reason}, and all readers of the repository or the namespace can see a ConfigMap"
    other = (
        f"if it is no secret, add its fingerprint {suspect.fingerprint} to spec.policy.harmless of the project"
        if suspect.fingerprint
        else f"if it is no secret, name it without a pattern: include: [{suspect.path}, ...]"
    )
    hint = f"exclude it (exclude: [{suspect.path}]) and use a Secret; {other}"
    return Diagnostic(problems.HOLDS_SECRET, message, path=because, hint=hint)


def local_files(code: Code, folder: str, sandbox: Sandbox) -> dict[str, str]:
    """The digest of the files that are packed."""
    asked = code.config_map
    assert asked is not None, "asked only where it is described"
    return digest_of(asked.directory, files_of(sandbox, folder, asked.directory, tuple(asked.include), tuple(asked.exclude)))
