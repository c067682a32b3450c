"""An error of an output file -> its diagnostic.

Codes TJ050 to TJ068 and TJ720 are those of `emit`; each has one function here, to keep the messages consistent.
"""

from __future__ import annotations

import errno
from collections.abc import Sequence

from tjgen.trees.diagnostics.model import Diagnostic

_ADVICE = {
    errno.ENOSPC: "free some space, then build again",
    errno.EDQUOT: "free some of the quota, then build again",
    errno.EFBIG: "raise the limit on file sizes, then build again",
    errno.EACCES: "grant yourself permission to write there, or choose another folder with -o",
    errno.EPERM: "grant yourself permission to write there, or choose another folder with -o",
    errno.EROFS: "choose a writable folder with -o",
    errno.ENAMETOOLONG: "shorten the names, or choose a shorter path with -o",
    errno.ENOTDIR: "remove the file at the path of the folder, or choose another folder with -o",
}

_STALE = {
    "missing": "is missing",
    "different": "does not match what the sources now produce",
    "edited": "was changed by hand",
    "foreign": "was not written by tjgen, but the build must write there",
    "conflict": "contains a merge conflict",
    "extra": "no longer comes from any source",
}


def linked(path: str, link: str) -> Diagnostic:
    """TJ039: what is to be written is reached through a link of the repository."""
    message = f"{path} cannot be written: {link} is a link" if link != path else f"{path} cannot be written: it is a link"
    return _error("TJ039", message, "use the target of the link, or remove the link")


def foreign(path: str) -> Diagnostic:
    """TJ050: a file without a tjgen header exists at an output path."""
    return _error("TJ050", f"{path} exists and was not written by tjgen", "move it away, or choose another -o")


def edited(path: str, header_source: str, command: str | None) -> Diagnostic:
    """TJ051: a file of ours was changed by hand. `command`: restores it from Git."""
    parts = path.split("/")
    # A change of its experiment makes another run.
    keep = _keeping(f"{header_source} (patches reach every field)")
    if "runs" in parts:
        keep += ", which can start a new run; if it was promoted, use tjgen promote NAME --env ENVIRONMENT for the new one"
    hint = f"to discard the edit, use {command}; {keep}"
    if command is None and "runs" in parts:
        run = parts[-2]
        again = f"tjgen runs rerun {run} && tjgen runs prune --force {run}"
        hint = (
            f"if the cluster has the run with the edit, use {again}; otherwise, use --force, which discards the edit; "
            f"to keep it, first make the same change in {header_source}"
        )
    elif command is None:
        hint = f"to discard the edit, use --force; {keep}"
    return _error("TJ051", f"{path} was changed by hand since tjgen wrote it", hint)


def clash(path: str, owner: str, other_path: str, other_owner: str) -> Diagnostic:
    """TJ052: two objects want one path, or paths that some file systems take for one."""
    own, other = owner or "a shared file", other_owner or "a shared file"
    if path == other_path:
        message = f"{path} is written twice: for {other} and for {own}"
    else:
        message = f"{path} (for {own}) and {other_path} (for {other}) cannot be in one tree on every file system"
    return _error("TJ052", message, "rename one of them")


def unsafe_path(path: str) -> Diagnostic:
    """TJ053: a path that leaves the tree, is hidden, or has control characters."""
    return _error("TJ053", f"{path!r} is not a valid path for an output file", "rename the object that gives it its name")


def in_the_way(path: str, what: str) -> Diagnostic:
    """TJ054: a link, folder or special file exists at the path of an output file or folder."""
    return _error("TJ054", f"{path} is {what}; tjgen does not write through it", "remove it, or choose another -o")


def busy(place: str) -> Diagnostic:
    """TJ055: another build is writing there."""
    return _error("TJ055", f"another build is writing {place}", "wait until it ends, then build again")


def failed(place: str, error: OSError, *, half_done: bool = False) -> Diagnostic:
    """TJ056: the operating system refused. `half_done`: the directory is changed in part, and that could not be undone."""
    reason = error.strerror or str(error)
    message = f"cannot write {place}: {reason}" + (
        "; only some files were written, and the next build undoes them" if half_done else ""
    )
    advice = _ADVICE.get(error.errno or 0, "fix this, then build again")
    return _error("TJ056", message, advice)


def not_a_directory(directory: str) -> Diagnostic:
    """TJ057: -o DIR is a file."""
    return _error("TJ057", f"{directory} is not a directory", "remove it, or name a file that ends in .yaml")


def recovered(directory: str, *, undone: bool) -> Diagnostic:
    """TJ058: what an interrupted command had left was removed. `undone`: it had changed files."""
    what = "its changes are undone" if undone else "it had not changed any files"
    message = f"an earlier command was interrupted while it wrote {directory}; {what}"
    return Diagnostic("TJ058", message, hint="run that command again if you still need it")


def kept_newer(path: str) -> Diagnostic:
    """TJ059: a file of an interrupted command has changed since then, so recovery did not touch it."""
    return Diagnostic(
        "TJ059",
        f"{path} has changed since the interrupted command, which was going to replace it; it stays unchanged",
        hint="compare it with the version in Git (git diff), and restore that version if the change is not yours",
    )


def is_an_input(path: str) -> Diagnostic:
    """TJ060: -o FILE would overwrite what is compiled."""
    return _error("TJ060", f"{path} is an input of the build; writing to it would destroy it", "choose another -o")


def unreadable_journal(path: str) -> Diagnostic:
    """TJ061: the record of an interrupted command cannot be read."""
    return _error(
        "TJ061",
        f"{path} does not list the steps of the interrupted command: another release wrote it, or it is damaged",
        f"build with the release that was interrupted, or {_start_over(path)}",
    )


def journal_of_another_checkout(path: str) -> Diagnostic:
    """TJ065: a journal was copied here, or came with a clone."""
    return _error("TJ065", f"{path} was written in another checkout, so nothing is undone from it", _start_over(path))


def removed_files_unknown(directory: str, paths: list[str], commit: str) -> Diagnostic:
    """TJ066: files are removed, and Git cannot answer whether this checkout must have them."""
    files = f"{len(paths)} files, such as {paths[0]}" if len(paths) > 1 else paths[0]
    where = f"commit {commit[:12]}" if commit else "the commit that was built"
    return _error(
        "TJ066",
        f"an interrupted command removed {files}, but another commit is now checked out and Git does not respond",
        f"to restore them, check out {where} and build there; to continue without them, remove {directory}/.tjgen",
    )


def journal_of_another_project(path: str, recorded: str, location: str) -> Diagnostic:
    """TJ067: the interrupted command wrote the locks of another project together with this directory."""
    return _error(
        "TJ067",
        f"{path} belongs to a command that wrote its locks to {recorded}, seen from the output; now they are in {location}",
        f"build the project of the interrupted command, or {_start_over(path)}",
    )


def stays_removed(paths: list[str], commit: str) -> Diagnostic:
    """TJ068: files that an interrupted command had removed are not part of what is checked out now."""
    files = f"{len(paths)} files, such as {paths[0]}," if len(paths) > 1 else paths[0]
    return Diagnostic(
        "TJ068",
        f"an interrupted command removed {files} of commit {commit[:12]}; they are not in the current one",
        hint="no action is needed: Git still has the files",
    )


def stale(path: str, kind: str, command: str | None = None) -> Diagnostic:
    """TJ062: a file differs from a build of the sources (`--check`). `command`: restores it from Git if it was edited."""
    keep = _keeping("the source that the file names")
    discard = f"to discard the edit, use {command or 'tjgen build --force'}; {keep}"
    return _error("TJ062", f"{path} {_STALE[kind]}", discard if kind == "edited" else "build again and commit the result")


def line_ends(places: Sequence[str]) -> Diagnostic:
    """TJ062: a checkout changed the line endings of files."""
    files = f"{len(places)} files, such as {places[0]}, have" if len(places) > 1 else f"{places[0]} has"
    return _error(
        "TJ062",
        f"{files} CRLF line endings, but tjgen writes LF: Git converts line endings in this checkout",
        "set git config core.autocrlf input, or eol=lf in .gitattributes; then restore the files with git checkout or build",
    )


def interrupted(directory: str) -> Diagnostic:
    """TJ063: `--check` of a directory whose last build was interrupted."""
    return _error("TJ063", f"the last build of {directory} was interrupted", "build again, which first undoes it")


def unread(place: str, error: OSError) -> Diagnostic:
    """TJ064: the operating system denies access to an existing file."""
    return _error("TJ064", f"cannot read {place}: {error.strerror or error}", "make it readable")


def in_conflict(path: str) -> Diagnostic:
    """TJ720: Git could not merge a file of ours."""
    return _error(
        "TJ720",
        f"{path} contains a merge conflict",
        "keep one side with git checkout --ours or --theirs (for a run, the side that matches its lock), then build "
        "again; if Git detected runs as renamed, merge again with -s resolve",
    )


def _start_over(journal: str) -> str:
    """The way out of a journal that cannot be used."""
    folder = journal.rpartition("/")[0]
    return f"restore the output and tjgen.lock.d from Git (git restore), remove {folder}, and build again"


def _keeping(source: str) -> str:
    return f"to keep it, discard it, make the same change in {source}, and build"


def _error(code: str, message: str, hint: str) -> Diagnostic:
    return Diagnostic(code, message, hint=hint)
