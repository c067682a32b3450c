"""`tjgen lint --fix`: manifests with findings -> the same without those that can be cured, written or shown."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from difflib import unified_diff

from tjgen.cli.counts import counted
from tjgen.cli.inputs import STANDARD_INPUT
from tjgen.cli.reporting import Reporter
from tjgen.gitops.emit import header
from tjgen.gitops.emit.file import UnwrittenError, replace_all
from tjgen.gitops.lint.engine import Result
from tjgen.gitops.lint.fix import fixed
from tjgen.trees.diagnostics.model import Diagnostic

_ROUNDS = 10
"""A cure may bring another finding to light; more often than that they would chase each other."""


def cured(
    files: Mapping[str, bytes], lint: Callable[[dict[str, bytes]], Result], *, show: bool, reporter: Reporter
) -> dict[str, bytes]:
    """The contents to look at afterwards. `lint` lints contents; with `show` the changes are shown, and nothing is written."""
    now = {file: content for file, content in files.items() if file != STANDARD_INPUT}
    count = 0
    for _ in range(_ROUNDS):
        edits = fixed(
            lint({**files, **now}).reports, {file: text for file, content in now.items() if (text := _text(content)) is not None}
        )
        if not edits.texts:
            break
        count += len(edits.cured)
        now.update({file: text.encode() for file, text in edits.texts.items()})
    differing = {file: content for file, content in now.items() if content != files[file]}
    if show:
        for file, content in differing.items():
            sys.stdout.write(_difference(file, files[file], content))
        sys.stdout.flush()
        return dict(files)
    if not _write(differing, reporter):
        return dict(files)
    if count:
        what = "1 finding" if count == 1 else f"{count} findings"
        reporter.print_line(f"cured {what} in {counted(len(differing), 'file')}")
    return {**files, **now}


def _text(content: bytes) -> str | None:
    """What may be changed: text, and none that a build would write again."""
    if header.read(content) is not None:
        return None
    try:
        return content.decode()
    except UnicodeDecodeError:
        return None


def _difference(file: str, before: bytes, after: bytes) -> str:
    old, new = (content.decode().splitlines(keepends=True) for content in (before, after))
    lines = unified_diff(old, new, file, file)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _write(files: Mapping[str, bytes], reporter: Reporter) -> bool:
    """Write all files, or where one cannot be written none."""
    try:
        replace_all(files)
    except UnwrittenError as error:
        reporter.add([unwritten(error)])
        return False
    return True


def unwritten(error: UnwrittenError) -> Diagnostic:
    """TJ408: files stay as they are, since one of them cannot be replaced."""
    message = f"{error.path} cannot be written: {error.reason}"
    return Diagnostic("TJ408", message, hint="check the folder's permissions")
