"""A file that is not as the base, the sources and the decisions make it -> the diagnostic that names it."""

from __future__ import annotations

from collections.abc import Sequence
from shlex import quote

from tjgen.gitops.output.unlisted import leaving
from tjgen.trees.diagnostics.model import INFO, Diagnostic, Note, Span

_SHOWN = 5


def outdated(new: Sequence[str], changed: Sequence[str], removed: Sequence[str], command: str) -> Diagnostic:
    """TJ699: files that are as at the base, though the sources now produce others. `command`: the build that writes them."""
    verbs = [("adds", new), ("changes", changed), ("removes", removed)]
    counts = [f"{verb} {len(paths)} file{'s' * (len(paths) != 1)}" for verb, paths in verbs if paths]
    message = f"the output is out of date: a build from the current sources {' and '.join(counts)}"
    details = [f"{verb} {path}" for verb, paths in verbs for path in paths]
    more = [f"and {len(details) - _SHOWN} more"] if len(details) > _SHOWN else []
    notes = tuple([Note(f"a build {text}") for text in details[:_SHOWN]] + [Note(text) for text in more])
    hint = f"use {command}, and commit the result; or restore the sources"
    return Diagnostic("TJ699", message, related=notes, hint=hint)


def unproduced(path: str, line: int, actual: str, wanted: str, base: str, *, is_edited: bool) -> Diagnostic:
    """TJ291: a file that the base lacks is not what the sources produce. `is_edited`: since tjgen wrote it."""
    message = f"the file is not what the sources produce: the line is {_shown(actual)}, but should be {_shown(wanted)}"
    hint = f"commit the sources of the build, and use the same release of tjgen; or {starting_over(base)}"
    if is_edited:
        hint = f"to discard the edit, {starting_over(base, force=True)}; make the change in the sources instead"
    if _number(actual) and _number(wanted):
        hint = f"if you rebased the branch, {starting_over(base)}"
    return _error("TJ291", message, path, line, hint, actual)


def edited(
    path: str, line: int, actual: str, wanted: str, command: str, source: str, *, is_built: bool, promoted: str | None
) -> Diagnostic:
    """TJ292: a file of the base has changed as no build or command changes it. `command`: restores it.

    `source`: the source in its header, if it has one. `is_built`: tjgen wrote it, from sources that have changed since.
    `promoted`: the environment of a promoted run.
    """
    problem = f"the line is {_shown(actual)}" + (f", but should be {_shown(wanted)}" if wanted.strip() else "")
    if is_built:
        hint = f"use {command}, and build again"
        return _error("TJ292", f"the file was built, but not from these sources: {problem}", path, line, hint, actual)
    message = f"the file was changed, but not by a build or a command of tjgen: {problem}"
    keep = f"to keep it, discard it, make the same change in {source}, and build" if source else "then build"
    keep += f"; then use tjgen promote NAME --env {promoted} for the new run" if source and promoted else ""
    return _error("TJ292", message, path, line, f"to discard the edit, use {command}; {keep}", actual)


def line_ends(path: str, code: str) -> Diagnostic:
    """TJ291 or TJ292: a file that differs only by its line endings."""
    message = "the file has CRLF line endings, and tjgen writes LF: nothing else differs"
    return _error(code, message, path, 1, f"use perl -pi -e 's/\\r$//' {quote(path)}, and commit the result")


def removed(path: str, base: str) -> Diagnostic:
    """TJ293: a file of the base was removed, and no command recorded that."""
    message = f"{path} of {base} was removed without a command that records it"
    hint = f"restore it with git checkout {base} -- {path}; to remove a run, use tjgen runs prune"
    return _error("TJ293", message, path, 0, hint)


def removed_runs(names: Sequence[str], paths: Sequence[str], base: str) -> Diagnostic:
    """TJ293: runs of the base without their files and their locks. `paths` has all of them, and no other run."""
    some = f"{len(names)} runs of {base} ({listed(names)}) were" if len(names) > 1 else f"run {names[0]} of {base} was"
    message = f"{some} removed without a command that records it, for example by git revert"
    restore = " ".join(quote(path) for path in paths)
    hint = f"use git checkout {base} -- {restore}, and then tjgen build; to remove a run, use tjgen runs prune"
    return _error("TJ293", message, paths[0], 0, hint)


def without_project(folder: str, names: Sequence[str], base: str, restore: str) -> Diagnostic:
    """TJ293: runs of a project of the base that the workspace does not have. `restore`: what brings the project back."""
    some = f"{len(names)} runs of {base} ({listed(names)}) have" if len(names) > 1 else f"run {names[0]} of {base} has"
    message = f"{some} no project any more: the workspace does not have {folder}, so nothing builds or verifies its runs"
    hint = f"{restore}; {leaving(folder)}"
    return Diagnostic("TJ293", message, hint=hint)


def left_output(place: str, restore: str = "") -> Diagnostic:
    """TJ295: output that a project of the base leaves. `restore`: what brings the project back, if it has no other folder now."""
    message = f"{place} has output or locks of an earlier folder: nothing builds or verifies them, and a sync can apply them"
    if restore:
        message = f"{place} has files of a project that the workspace does not have any more: a sync can apply them"
    return Diagnostic(
        "TJ295", message, hint=f"use rm -r {quote(place)}" + (f"; to keep the project, {restore}" if restore else "")
    )


def removed_pins(paths: Sequence[str], base: str) -> Diagnostic:
    """TJ293: pins of the base that are missing, for images that experiments request."""
    some = f"{len(paths)} pins of images" if len(paths) > 1 else "the pin of an image"
    message = f"{some} ({listed(paths)}) of {base} {'were' if len(paths) > 1 else 'was'} removed, and experiments request "
    message += "the images: their next runs have no digest" if len(paths) > 1 else "the image: its next run has no digest"
    restore = " ".join(quote(path) for path in paths)
    hint = f"restore the digest with git checkout {base} -- {restore}; to remove unused pins, use tjgen pin --prune"
    return _error("TJ293", message, paths[0], 0, hint)


def missing(path: str) -> Diagnostic:
    """TJ294: the sources produce a file that the tree does not have."""
    return _error("TJ294", f"{path} is missing: the sources produce it", path, 0, "build and commit the result")


def foreign(path: str) -> Diagnostic:
    """TJ295: a file in the output tree, or among the locks, that neither the sources nor the base produce."""
    message = "no source produces the file, and the base does not contain it: a sync can apply it"
    return _error("TJ295", message, path, 1, "remove it, or move your own files out of the output folder")


def odd(path: str, what: str) -> Diagnostic:
    """TJ296: something in the output tree that is not a plain file."""
    message = f"{path} is {what}; tjgen writes plain files without execute permission"
    return _error("TJ296", message, path, 0, "remove it and build again, or restore its mode with chmod 644")


def without_source(run: str, path: str, base: str) -> Diagnostic:
    """TJ298: a run or tombstone that the base lacks, and that no sources since then produce."""
    message = f'neither the sources nor a commit since the base ({base}) produce run "{run}"'
    other = "an earlier commit has it, use tjgen verify --base COMMIT"
    if _is_on_branch(base):
        other = f"the commit is pushed, use tjgen runs prune {run}, and build"
    hint = f"if you built it and changed the sources before a commit, {starting_over(base)}; if {other}"
    return _error("TJ298", message, path, 1, hint)


def listed(names: Sequence[str]) -> str:
    """The first names, and the number of the others."""
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more


def starting_over(base: str, names: Sequence[str] = (), *, force: bool = False) -> str:
    """The steps that remove the runs that the base lacks, or `names` of them, and build again."""
    command = " ".join(["tjgen runs discard", *(["--force"] if force else []), *names])
    if base != "HEAD":
        command += f" --base {quote('' if ' ' in base else base)}"
    # A new commit would remove the runs from the branch, where verify compares it with HEAD.
    return f"use {command}, build again, and use git commit --amend" if _is_on_branch(base) else f"use {command}, and build again"


def _is_on_branch(base: str) -> bool:
    """Whether the base is one that `diff.reference.chosen` names for a commit on the default branch."""
    return base == "HEAD^" or " " in base


def renamed(folder: str, base: str) -> Diagnostic:
    """TJ299: the folder of the project has another name at the base."""
    message = f"compared with {folder or 'the root'} of {base}: its runs are in this folder now"
    hint = "apply the sync objects of the project again after the merge: the path of the output is another one"
    return Diagnostic("TJ299", message, hint=hint, severity=INFO)


def _error(code: str, message: str, path: str, line: int, hint: str, text: str = "") -> Diagnostic:
    start = len(text) - len(text.lstrip()) + 1
    span = Span(path, line, start, line, max(start, len(text.rstrip()) + 1)) if line else None
    return Diagnostic(code, message, span=span, hint=hint)


def _number(line: str) -> bool:
    """Whether a line of a lock counts the runs of an experiment: a rebase adds those of the base."""
    return line.startswith("number: ")


def _shown(line: str) -> str:
    text = line.strip()
    return f'"{text[:80]}{"..." if len(text) > 80 else ""}"' if text else "empty"
