"""`code.configMap` -> local files in an immutable ConfigMap, and the folder that they make up in the pods."""

from __future__ import annotations

import os
from collections.abc import Sequence

from tjgen.compiler.programs.coding.placing import AT, VOLUME, mounted
from tjgen.compiler.programs.coding.workspace import digest_of, files_of, unreadable
from tjgen.compiler.programs.objects import metadata
from tjgen.language.codebase import files, packing, problems, secrets
from tjgen.language.resolve.volume_paths import leads_out
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Code, Experiment, PackedCode
from tjgen.trees.canonical import json_text, sha256_hex
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.files.sandbox import Sandbox
from tjgen.trees.workload.contribution import Contribution, Contributions
from tjgen.trees.workload.workload import Workload

CONFIG_MAP: FieldPath = (*AT, "configMap")


def deliver(code: Code, workload: Workload, experiment: Experiment, setting: Setting) -> Contributions:
    """The ConfigMap, named by its content, and its mounts."""
    packed_code = code.config_map
    assert packed_code is not None, "asked only where it is described"
    content, wrong = _content(packed_code, setting)
    yield from wrong
    if wrong:
        return
    try:
        packed = packing.pack(content)
    except files.FolderError as error:
        yield unreadable(packed_code.directory or "", error, CONFIG_MAP)
        return
    fields = packed.fields()
    name = f"{setting.family}-code-{sha256_hex(json_text(fields))[:10]}"
    tree: Tree = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata(name, setting), "immutable": True, **fields}
    yield Contribution(("ahead", f"ConfigMap/{name}"), tree, CONFIG_MAP)
    volume: Tree = {"name": VOLUME, "configMap": {"name": name, "items": packed.items}}
    yield from mounted(code, workload, experiment, volume, CONFIG_MAP)


def _content(code: PackedCode, setting: Setting) -> tuple[list[files.CodeFile], list[Diagnostic]]:
    if code.directory is not None:
        return read(setting, code.directory, code.include, code.exclude, CONFIG_MAP)
    at = (*CONFIG_MAP, "files")
    given = files.given_files(setting.sandbox, code.files)
    wrong = [_unusable(path, given, at) for path in code.files if leads_out(path) or _holds_files(path, given)]
    size = packing.size(given)
    if size > packing.LIMIT:
        message = f"the {len(given)} files take {size} bytes, but a ConfigMap holds at most {packing.LIMIT}"
        wrong.append(Diagnostic(problems.LARGE, message, path=at, hint="use workspace, git or build"))
    wrong += [_secret_text(suspect, at) for suspect in secrets.suspects(given, (), setting.harmless)]
    return ([] if wrong else given), wrong


def _holds_files(path: str, given: Sequence[files.CodeFile]) -> bool:
    return not path.strip("/.") or path.endswith("/") or any(one.path.startswith(f"{path}/") for one in given)


def _unusable(path: str, given: Sequence[files.CodeFile], at: FieldPath) -> Diagnostic:
    if leads_out(path):
        return Diagnostic(problems.OUTSIDE, f"{path} points outside the code", path=(*at, path), hint="name a file below it")
    message = f'"{path}" is not the name of a file: {"other files are below it" if path.strip("/.") else "it names a folder"}'
    return Diagnostic(problems.UNREADABLE, message, path=(*at, path), hint="write a path such as train.py or model/net.py")


def _secret_text(suspect: secrets.Suspect, at: FieldPath) -> Diagnostic:
    message = f"{suspect.path} {suspect.reason}, and all readers of the repository or the namespace can see a ConfigMap"
    hint = "remove it and use a Secret"
    if suspect.fingerprint:
        hint += f"; if it is not a secret, add its fingerprint {suspect.fingerprint} to spec.policy.harmless of the project"
    return Diagnostic(problems.HOLDS_SECRET, message, path=(*at, suspect.path), hint=hint)


def read(
    setting: Setting, directory: str, include: Sequence[str], exclude: Sequence[str], because: FieldPath
) -> tuple[list[files.CodeFile], list[Diagnostic]]:
    """The files to pack, and what keeps them from being packed."""
    try:
        matching = files.matching_files(setting.sandbox, os.path.join(setting.directory, directory), include, exclude)
        if not matching:
            message = f"include and exclude select no file of {directory}"
            hint = "correct include and exclude" if include or exclude else "name the folder that the code is in"
            return [], [Diagnostic(problems.NONE, message, path=because, hint=hint)]
        size = packing.size(matching)
        if size > packing.LIMIT:
            largest = max(matching, key=lambda file: file.size)
            message = f"the {len(matching)} files of {directory} take {size} bytes, but a ConfigMap holds at most {packing.LIMIT}"
            hint = (
                f"exclude files that are not code, such as {largest.path} ({largest.size} bytes), or use workspace, git or build"
            )
            return [], [Diagnostic(problems.LARGE, message, path=because, hint=hint)]
        secret = [_secret(directory, one, because) for one in secrets.suspects(matching, include, setting.harmless)]
    except files.FolderError as error:
        return [], [unreadable(directory, error, because)]
    return ([] if secret else matching), secret


def _secret(directory: str, suspect: secrets.Suspect, because: FieldPath) -> Diagnostic:
    place = os.path.normpath(os.path.join(directory, suspect.path))
    message = f"{place} {suspect.reason}, and all readers of the repository or the namespace can see a ConfigMap"
    other = (
        f"if it is not a secret, add its fingerprint {suspect.fingerprint} to spec.policy.harmless of the project"
        if suspect.fingerprint
        else f"if it is not a secret, name it without a pattern: include: [{suspect.path}, ...]"
    )
    hint = f"exclude it (exclude: [{suspect.path}]) and use a Secret; {other}"
    return Diagnostic(problems.HOLDS_SECRET, message, path=because, hint=hint)


def local_files(code: Code, folder: str, sandbox: Sandbox) -> dict[str, str]:
    """The digest of the files that are packed."""
    config_map = code.config_map
    assert config_map is not None, "asked only where it is described"
    if config_map.directory is None:
        return {}  # the files are fields of the experiment
    return digest_of(
        config_map.directory,
        files_of(sandbox, folder, config_map.directory, tuple(config_map.include), tuple(config_map.exclude)),
    )
