"""The text of a run's lock file -> the run, or diagnostics with places in it.

What `lock.write` wrote is read by one pattern; anything else, a merge conflict or an edit by hand, by
the YAML reader, whose answer is the one that counts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from tjgen.language.runs.lock import (
    API_VERSION,
    COMMENT,
    DIRECTORY,
    EARLIER_COMMENT,
    KIND,
    PRUNED_KIND,
    STATES,
    LockedRun,
    PrunedRun,
    write_pruned,
)
from tjgen.trees.diagnostics.model import CompileError, Diagnostic, Span, has_errors
from tjgen.trees.fields.path import FieldPath, Tree, render
from tjgen.trees.source.document import Document
from tjgen.trees.typing import Any, NamedTuple

_DIGEST = r"sha256:[0-9a-f]{64}"
# Words that YAML reads as plain text: with a letter first, and none of its three constants.
_WORD = r"(?!(?:null|true|false)\b)[a-z][a-z0-9-]*"
_REFERENCE = r"(?!(?:null|true|false)\n)[a-z](?:[A-Za-z0-9._/@-]|:(?!\n))*"
_TEXT = re.compile(
    rf"(?:{re.escape(COMMENT)}|{re.escape(EARLIER_COMMENT)})"
    + re.escape(f"apiVersion: {API_VERSION}\nkind: {KIND}\n")
    + rf"experiment: (?P<experiment>{_WORD}(?:/{_WORD})+)\n"
    rf"run: (?P<name>{_WORD})\n"
    r"identity: (?P<identity>v[0-9]{1,9}:[0-9a-f]{64})\n"
    r"(?:renewal: (?P<renewal>[1-9][0-9]{0,8})\n)?"
    rf"(?:promotedFrom: (?P<promoted_from>{_WORD}(?:/{_WORD})+)\n)?"
    r"number: (?P<number>[1-9][0-9]{0,8})\n"
    rf"state: (?P<state>{'|'.join(STATES)})\n"
    rf"runtime: (?P<runtime>{_WORD})\n"
    rf"runtimeDigest: (?P<runtime_digest>{_DIGEST})\n"
    rf"settings: (?P<settings>{_DIGEST})\n"
    rf"(?:images:\n(?P<images>(?:- {_REFERENCE}\n)+))?"
    rf"(?:uses:\n(?P<uses>(?:- {_REFERENCE}\n)+))?"
    rf"content: (?P<content>{_DIGEST})\n"
    rf"(?:folder: (?P<folder>{_WORD}(?:/{_WORD})+)\n)?"
    r"(?P<archived>archived: true\n)?(?P<stopped>stopped: true\n)?(?P<kept>kept: true\n)?"
    r"(?P<resumed>resumed: true\n)?\Z"
)
_CONFLICT = re.compile(r"^(?:<{7,} (?:.*(?P<renamed>:.*))?|={7,}$|>{7,} )", re.MULTILINE)
"""What Git writes where it cannot merge; it names the file where it took that for another one that was renamed."""

_TEXTS = {"identity": r"v[0-9]+:[0-9a-f]{64}\Z", "runtimeDigest": rf"{_DIGEST}\Z", "content": rf"{_DIGEST}\Z"}
_TEXTS |= {"settings": rf"{_DIGEST}\Z", "state": rf"(?:{'|'.join(STATES)})\Z", "runtime": r".+"}
_OPTIONAL_TEXTS = ("promotedFrom", "folder")
_NUMBERS = ("number", "renewal")
_LISTS = ("images", "uses")
_FLAGS = ("archived", "stopped", "kept", "resumed")
_FIELDS = (*_TEXTS, *_OPTIONAL_TEXTS, *_NUMBERS, *_LISTS, *_FLAGS)

Wrong = list[tuple[FieldPath, str]]
"""What is wrong with the form of a lock, and where."""


_GROUP = API_VERSION.partition("/")[0]


class LockFile(NamedTuple):
    """The content of a lock file."""

    experiment: str
    """Key of the experiment."""
    run: LockedRun | PrunedRun
    as_written: bool
    """Whether the text is exactly what `lock.write` gives, so that nothing is to be put in order."""


def read(text: str, file: str) -> LockFile:
    """The run that `text` holds; raises CompileError (TJ070, TJ071, or what the YAML reader finds)."""
    return _as_written(text) or _by_hand(text, file)


def _as_written(text: str) -> LockFile | None:
    """The run, where the text is exactly of the form that we write."""
    match = _TEXT.match(text)
    if match is None:
        return None
    run = LockedRun(
        name=match["name"],
        identity=match["identity"],
        number=int(match["number"]),
        state=match["state"],
        runtime=match["runtime"],
        runtime_digest=match["runtime_digest"],
        content=match["content"],
        settings=match["settings"],
        images=_items(match["images"]),
        uses=_items(match["uses"]),
        renewal=int(match["renewal"] or 0),
        promoted_from=match["promoted_from"] or "",
        archived=match["archived"] is not None,
        folder=match["folder"] or "",
        stopped=match["stopped"] is not None,
        kept=match["kept"] is not None,
        resumed=match["resumed"] is not None,
    )
    return LockFile(match["experiment"], run, True)


def _items(lines: str | None) -> tuple[str, ...]:
    return tuple([line[2:] for line in lines.splitlines()]) if lines else ()


def _by_hand(text: str, file: str) -> LockFile:
    """The run in any form of YAML."""
    document = by_hand(text, file, _shape)
    tree = document.value
    if tree["kind"] != PRUNED_KIND:
        return LockFile(tree["experiment"], run_of(tree["run"], tree), False)
    run = PrunedRun(
        name=tree["run"],
        identity=tree["identity"],
        number=tree["number"],
        was=tree["was"],
        reason=tree["reason"],
        renewal=tree.get("renewal", 0),
        claims=tuple(tree.get("claims", ())),
        folder=tree.get("folder", ""),
    )
    return LockFile(tree["experiment"], run, text == write_pruned(tree["experiment"], run))


def by_hand(text: str, file: str, shape: Any) -> Document:
    """The only document of `text`; raises CompileError if there is another number, or `shape(tree)` finds something wrong."""
    from tjgen.trees.source import reader

    conflict = _CONFLICT.search(text)
    if conflict is not None:
        raise CompileError([_in_conflict(text, file, conflict)])
    documents, diagnostics = reader.read(text, file, reader.CORE)
    if has_errors(diagnostics):
        raise CompileError(diagnostics)
    if len(documents) != 1:
        raise CompileError([malformed(f"{file} holds {len(documents)} documents", None, file)])
    document = documents[0]
    version = document.value.get("apiVersion") if document.value.__class__ is dict else None
    if version.__class__ is str and version.partition("/")[0] == _GROUP and version != API_VERSION:
        raise CompileError([_newer(version, document.locate(("apiVersion",)), file)])
    problems: Wrong = list(shape(document.value))
    if problems:
        raise CompileError([malformed(message, document.locate(path), file) for path, message in problems])
    return document


def run_of(name: str, fields: Mapping[str, Any]) -> LockedRun:
    """The run that well-formed fields describe."""
    return LockedRun(
        name=name,
        identity=fields["identity"],
        number=fields["number"],
        state=fields["state"],
        runtime=fields["runtime"],
        runtime_digest=fields["runtimeDigest"],
        content=fields["content"],
        settings=fields["settings"],
        images=tuple(fields.get("images", ())),
        uses=tuple(fields.get("uses", ())),
        renewal=fields.get("renewal", 0),
        promoted_from=fields.get("promotedFrom", ""),
        archived=fields.get("archived", False),
        folder=fields.get("folder", ""),
        stopped=fields.get("stopped", False),
        kept=fields.get("kept", False),
        resumed=fields.get("resumed", False),
    )


_HEAD = ("apiVersion", "kind", "experiment", "run")
_OF_PRUNED = {"identity": str, "renewal": int, "number": int, "was": str, "reason": str, "claims": list, "folder": str}


def _shape(tree: Tree) -> Wrong:
    is_pruned = tree.__class__ is dict and tree.get("kind") == PRUNED_KIND
    wrong = head_shape(tree, PRUNED_KIND if is_pruned else KIND, ("experiment", "run"))
    if wrong:
        return wrong
    fields = {key: tree[key] for key in tree if key not in _HEAD}
    return _pruned_shape(fields) if is_pruned else fields_shape((), fields)


def _pruned_shape(fields: Mapping[str, Any]) -> Wrong:
    unknown: Wrong = [((key,), f"{key} is not a field of a tombstone") for key in fields if key not in _OF_PRUNED]
    required = {key: kind for key, kind in _OF_PRUNED.items() if key in fields or key not in ("renewal", "claims", "folder")}
    mistyped: Wrong = [
        ((key,), f"{key} is missing or has a wrong type")
        for key, kind in required.items()
        if fields.get(key).__class__ is not kind
    ]
    return [*unknown, *mistyped]


def head_shape(tree: Tree, kind: str, texts: tuple[str, ...]) -> Wrong:
    """Yield errors in the metadata of a lock, and in the `texts` that it must have."""
    if tree.__class__ is not dict:
        return [((), "a run lock is a mapping")]
    wrong: Wrong = []
    for key, expected in (("apiVersion", API_VERSION), ("kind", kind)):
        if tree.get(key) != expected:
            wrong.append(((key,), f"{key} is {tree.get(key)!r}, not {expected!r}"))
    for key in texts:
        if tree.get(key).__class__ is not str:
            wrong.append(((key,), f"{key} is missing or is not a string"))
    return wrong


def fields_shape(path: FieldPath, block: Any) -> Wrong:
    """Yield errors in the fields of one run, at `path`."""
    if block.__class__ is not dict:
        return [(path, f"{render(path)} is not a mapping")]
    wrong: Wrong = []
    for key in block:
        if key not in _FIELDS:
            wrong.append(((*path, key), f"{render((*path, key))} is not a field of a run lock"))
    for key, pattern in _TEXTS.items():
        value = block.get(key)
        if value.__class__ is not str or not re.match(pattern, value):
            wrong.append(((*path, key), f"{render((*path, key))} is {value!r}, which is not a value that builds write"))
    for key in _OPTIONAL_TEXTS:
        if block.get(key, "").__class__ is not str:
            wrong.append(((*path, key), f"{render((*path, key))} is {block[key]!r}, not a string"))
    for key in _NUMBERS:
        value = block.get(key, 0 if key == "renewal" else None)
        if value.__class__ is not int or value < 0:
            wrong.append(((*path, key), f"{render((*path, key))} is {value!r}, which is not a value that builds write"))
    for key in _FLAGS:
        value = block.get(key, False)
        if value.__class__ is not bool:
            wrong.append(((*path, key), f"{render((*path, key))} is {value!r}, not true or false"))
    for key in _LISTS:
        value = block.get(key, [])
        if value.__class__ is not list or any(item.__class__ is not str for item in value):
            wrong.append(((*path, key), f"{render((*path, key))} is not a list of strings"))
    return wrong


def _folder(file: str) -> str:
    """The folder of locks that a lock file is in, which may be named with a revision."""
    return f"{file.partition(DIRECTORY)[0].rpartition(':')[2]}{DIRECTORY}"


def _in_conflict(text: str, file: str, conflict: re.Match[str]) -> Diagnostic:
    position = conflict.start()
    line = text.count("\n", 0, position) + 1
    end = text.find("\n", position)
    width = (end if end >= 0 else len(text)) - position
    return Diagnostic(
        "TJ070",
        "the run lock contains a merge conflict"
        + (", because Git detected another run as a rename of this one" if conflict["renamed"] else ""),
        span=Span(file, line, 1, line, width + 1),
        hint="end the merge with git merge --abort, then merge again with -s resolve"
        if conflict["renamed"]
        else f"use git checkout --ours -- {_folder(file)} '*/runs/*', or --theirs if that side archives the run; then build",
    )


def _newer(version: str, span: Span | None, file: str) -> Diagnostic:
    return Diagnostic(
        "TJ017",
        f"this release of tjgen cannot read locks of version {version}, so it does not change runs of this project",
        span=span or Span(file, 1, 1, 1, 1),
        hint="use the release of tjgen that wrote the lock, or a newer one",
    )


def malformed(message: str, span: Span | None, file: str) -> Diagnostic:
    """TJ071: a lock that no release of tjgen wrote."""
    return Diagnostic(
        "TJ071",
        message,
        span=span or Span(file, 1, 1, 1, 1),
        hint="restore the file from Git, or use the release of tjgen that wrote it",
    )
