"""What an image is built from -> the URLs in it that hold credentials: they would be in a ConfigMap and in the image."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tjgen.compiler.programs.coding.placing import AT
from tjgen.language.codebase import files, problems
from tjgen.language.spec.objects import Build
from tjgen.trees.diagnostics.credentials import find, find_in_address
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath

_BUILD: FieldPath = (*AT, "build")
_HINT = "remove them: use a server that the cluster can read without them, or build the image elsewhere"


def in_fields(build: Build) -> Iterator[Diagnostic]:
    """Credentials in fields of `code.build` (TJ388)."""
    for field in ("image", "base", "cache"):
        for url in find_in_address(getattr(build, field) or ""):
            yield _problem(url, (*_BUILD, field))
    for position, package in enumerate(build.packages):
        for url in find(package):
            yield _problem(url, (*_BUILD, "packages", position))


def in_files(build: Build, read: Iterable[files.CodeFile]) -> Iterator[Diagnostic]:
    """Credentials in files of requirements and in the Dockerfile, each with its line. Raises FolderError or OSError."""
    for file in read:
        path = _path(build, file)
        for number, line in enumerate(file.content().decode(errors="replace").splitlines(), start=1):
            for url in find(line):
                yield _problem(url, path, f"{build.directory or '.'}/{file.path}:{number}: ")


def _path(build: Build, file: files.CodeFile) -> FieldPath:
    """The field that names the file, or the build as a whole."""
    named = next((field for field in ("requirements", "dockerfile") if getattr(build, field) == file.path), None)
    return (*_BUILD, named) if named is not None else _BUILD


def _problem(url: str, path: FieldPath, place: str = "") -> Diagnostic:
    message = f"{place}the URL {url} holds credentials, which everyone who can read the manifests or the image could use"
    return Diagnostic(problems.CREDENTIALS, message, path=path, hint=_HINT)
