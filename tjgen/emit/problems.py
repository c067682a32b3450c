"""What went wrong with an output file -> the diagnostic that says so.

Codes TJ050 to TJ064 and TJ720 are those of `emit`; each has one function here, so that the words stand side by side.
"""

from __future__ import annotations

import errno

from tjgen.diagnostics.model import ERROR, INFO, WARNING, Diagnostic

_ADVICE = {
    errno.ENOSPC: "free some space, then build again",
    errno.EDQUOT: "free some of the quota, then build again",
    errno.EFBIG: "raise the limit on file sizes, then build again",
    errno.EACCES: "give yourself the permission to write there, or choose another place with -o",
    errno.EPERM: "give yourself the permission to write there, or choose another place with -o",
    errno.EROFS: "choose a place with -o that can be written",
    errno.ENAMETOOLONG: "shorten the names, or choose a shorter path with -o",
    errno.ENOTDIR: "remove the file that stands where a folder must be, or choose another place with -o",
}

_STALE = {
    "missing": "is missing",
    "different": "is not what the sources make now",
    "edited": "was changed by hand",
    "foreign": "was not written by tjgen, which has to write there",
    "conflict": "holds a merge conflict",
    "extra": "comes from no source any more",
}


def foreign(path: str) -> Diagnostic:
    """TJ050: a file without our header stands where we would write."""
    return _error(
        "TJ050", "output-foreign-file", f"{path} exists and was not written by tjgen", "move it away, or choose another -o"
    )


def edited(path: str, header_source: str) -> Diagnostic:
    """TJ051: a file of ours was changed by hand."""
    return _error(
        "TJ051",
        "output-edited-by-hand",
        f"{path} was changed by hand since tjgen wrote it",
        f"make the change in {header_source} (patches reach every field), or use --force to lose it",
    )


def clash(path: str, owner: str, other_path: str, other_owner: str) -> Diagnostic:
    """TJ052: two objects want one path, or paths that some file systems take for one."""
    here, there = owner or "a shared file", other_owner or "a shared file"
    if path == other_path:
        message = f"{path} is written twice: for {there} and for {here}"
    else:
        message = f"{path} (for {here}) and {other_path} (for {there}) cannot stand in one tree on every file system"
    return _error("TJ052", "output-path-clash", message, "rename one of them")


def unsafe_path(path: str) -> Diagnostic:
    """TJ053: a path that leaves the tree, is hidden, or has control characters."""
    return _error("TJ053", "output-path-unsafe", f"{path!r} is no path for an output file", "rename what it is named after")


def in_the_way(path: str, what: str) -> Diagnostic:
    """TJ054: a link, folder or special file stands where a file or folder of ours must be."""
    return _error(
        "TJ054", "output-in-the-way", f"{path} is {what}; tjgen does not write through it", "remove it, or choose another -o"
    )


def busy(place: str) -> Diagnostic:
    """TJ055: another build is writing there."""
    return _error("TJ055", "output-busy", f"another build is writing {place}", "wait until it has ended, then build again")


def failed(place: str, error: OSError, *, half_done: bool = False) -> Diagnostic:
    """TJ056: the operating system refused. `half_done`: after the point from which only finishing is possible."""
    reason = error.strerror or str(error)
    said = f"cannot write {place}: {reason}" + (
        "; the build is half written and the next one will finish it" if half_done else ""
    )
    advice = _ADVICE.get(error.errno or 0, "put that right, then build again")
    return _error("TJ056", "output-not-writable", said, advice)


def not_a_directory(directory: str) -> Diagnostic:
    """TJ057: -o DIR is a file."""
    return _error(
        "TJ057", "output-not-a-directory", f"{directory} is not a directory", "remove it, or name a file that ends in .yaml"
    )


def recovered(directory: str, *, finished: bool) -> Diagnostic:
    """TJ058: what an interrupted build had left was put in order."""
    done = "finished" if finished else "rolled back"
    return Diagnostic(
        "TJ058", INFO, f"an earlier build of {directory} was interrupted and has been {done}", name="output-recovered"
    )


def kept_newer(path: str) -> Diagnostic:
    """TJ059: recovery left a file alone, since it has changed after the interruption."""
    return Diagnostic(
        "TJ059",
        WARNING,
        f"{path} has changed since the interrupted build, which would have replaced it; it stays as it is",
        hint="compare it with what is built now",
        name="output-changed-after-interruption",
    )


def is_an_input(path: str) -> Diagnostic:
    """TJ060: -o FILE would overwrite what is compiled."""
    return _error("TJ060", "output-is-input", f"{path} is an input of the build; writing it would lose it", "choose another -o")


def unreadable_journal(path: str) -> Diagnostic:
    """TJ061: the record of an interrupted build cannot be understood."""
    return _error(
        "TJ061",
        "output-journal-unreadable",
        f"{path} does not say what the interrupted build had to do",
        f"finish with the release of tjgen that wrote it, or remove {path} and build again",
    )


def stale(path: str, kind: str) -> Diagnostic:
    """TJ062: a file is not what the sources make (`--check`)."""
    return _error("TJ062", "output-stale", f"{path} {_STALE[kind]}", "build again and commit the result")


def interrupted(directory: str) -> Diagnostic:
    """TJ063: `--check` of a directory whose last build was interrupted."""
    return _error(
        "TJ063", "output-interrupted", f"the last build of {directory} was interrupted", "build again, which finishes it"
    )


def unread(place: str, error: OSError) -> Diagnostic:
    """TJ064: the operating system does not let us read what is there."""
    return _error("TJ064", "output-not-readable", f"cannot read {place}: {error.strerror or error}", "make it readable")


def in_conflict(path: str) -> Diagnostic:
    """TJ720: Git could not merge a file of ours."""
    return _error(
        "TJ720",
        "output-in-conflict",
        f"{path} holds a merge conflict",
        "take one side of it with git checkout --ours or --theirs, of a run the side that its lock has, then build again; "
        "where Git took runs for renamed ones, merge again with -s resolve",
    )


def _error(code: str, name: str, message: str, hint: str) -> Diagnostic:
    return Diagnostic(code, ERROR, message, hint=hint, name=name)
