"""The text of a lock file -> the lock, or diagnostics with places in it.

What `lock.write` wrote is read by one pattern a run; anything else, a merge conflict or an edit by
hand, by the YAML reader, whose answer is the one that counts.
"""

from __future__ import annotations

import re

from tjgen.diagnostics.model import ERROR, CompileError, Diagnostic, Span, has_errors
from tjgen.fields.path import FieldPath, Tree, render
from tjgen.runs.lock import API_VERSION, COMMENT, KIND, STATES, Lock, LockedRun
from tjgen.typing import Any

_DIGEST = r"sha256:[0-9a-f]{64}"
# Words that YAML reads as they stand: with a letter first, and none of its three constants.
_WORD = r"(?!(?:null|true|false)\b)[a-z][a-z0-9-]*"
_REFERENCE = r"(?!(?:null|true|false)\n)[a-z](?:[A-Za-z0-9._/@-]|:(?!\n))*"
_HEAD = re.compile(
    re.escape(f"{COMMENT}apiVersion: {API_VERSION}\nkind: {KIND}\n") + rf"experiment: ({_WORD}(?:/{_WORD})+)\nruns:\n"
)
_BLOCK = re.compile(
    rf"  (?P<name>{_WORD}):\n"
    r"    identity: (?P<identity>v[0-9]{1,9}:[0-9a-f]{64})\n"
    r"(?:    renewal: (?P<renewal>[1-9][0-9]{0,8})\n)?"
    r"    number: (?P<number>[1-9][0-9]{0,8})\n"
    rf"    state: (?P<state>{'|'.join(STATES)})\n"
    r"(?P<archived>    archived: true\n)?"
    rf"    runtime: (?P<runtime>{_WORD})\n"
    rf"    runtimeDigest: (?P<runtime_digest>{_DIGEST})\n"
    rf"    content: (?P<content>{_DIGEST})\n"
    rf"    settings: (?P<settings>{_DIGEST})\n"
    rf"(?:    images:\n(?P<images>(?:    - {_REFERENCE}\n)+))?"
    rf"(?:    uses:\n(?P<uses>(?:    - {_REFERENCE}\n)+))?"
)
_CONFLICT = re.compile(r"^(?:<{7} |={7}$|>{7} )", re.MULTILINE)

_TEXTS = {"identity": r"v[0-9]+:[0-9a-f]{64}\Z", "runtimeDigest": rf"{_DIGEST}\Z", "content": rf"{_DIGEST}\Z"}
_TEXTS |= {"settings": rf"{_DIGEST}\Z", "state": rf"(?:{'|'.join(STATES)})\Z", "runtime": r".+"}
_NUMBERS = ("number", "renewal")
_LISTS = ("images", "uses")
_FLAGS = ("archived",)


def read(text: str, file: str) -> Lock:
    """The lock that `text` holds; raises CompileError (TJ070, TJ071, or what the YAML reader finds)."""
    return _as_written(text) or _by_hand(text, file)


def _as_written(text: str) -> Lock | None:
    """The lock, where the text is exactly of the form that we write."""
    head = _HEAD.match(text)
    if head is None:
        return None
    runs: dict[str, LockedRun] = {}
    position = head.end()
    while position < len(text):
        block = _BLOCK.match(text, position)
        if block is None or block["name"] in runs:
            return None
        position = block.end()
        runs[block["name"]] = LockedRun(
            name=block["name"],
            identity=block["identity"],
            number=int(block["number"]),
            state=block["state"],
            runtime=block["runtime"],
            runtime_digest=block["runtime_digest"],
            content=block["content"],
            settings=block["settings"],
            images=_items(block["images"]),
            uses=_items(block["uses"]),
            renewal=int(block["renewal"] or 0),
            archived=block["archived"] is not None,
        )
    return Lock(head[1], runs) if runs else None


def _items(lines: str | None) -> tuple[str, ...]:
    return tuple([line[6:] for line in lines.splitlines()]) if lines else ()


def _by_hand(text: str, file: str) -> Lock:
    """The lock in any form of YAML."""
    from tjgen.source import reader

    conflict = _CONFLICT.search(text)
    if conflict is not None:
        raise CompileError([_in_conflict(text, file, conflict.start())])
    documents, diagnostics = reader.read(text, file, reader.CORE)
    if has_errors(diagnostics):
        raise CompileError(diagnostics)
    if len(documents) != 1:
        raise CompileError([_malformed(f"{file} holds {len(documents)} documents", None, file)])
    document = documents[0]
    problems = list(_shape(document.value))
    if problems:
        raise CompileError([_malformed(message, document.locate(path), file) for path, message in problems])
    runs = {name: _run(name, block) for name, block in document.value["runs"].items()}
    return Lock(document.value["experiment"], runs)


def _run(name: str, block: Tree) -> LockedRun:
    return LockedRun(
        name=name,
        identity=block["identity"],
        number=block["number"],
        state=block["state"],
        runtime=block["runtime"],
        runtime_digest=block["runtimeDigest"],
        content=block["content"],
        settings=block["settings"],
        images=tuple(block.get("images", ())),
        uses=tuple(block.get("uses", ())),
        renewal=block.get("renewal", 0),
        archived=block.get("archived", False),
    )


def _shape(tree: Tree) -> list[tuple[FieldPath, str]]:
    """What is wrong with the form of a lock, and where."""
    if tree.__class__ is not dict:
        return [((), "a run lock is a mapping")]
    wrong: list[tuple[FieldPath, str]] = []
    for key, expected in (("apiVersion", API_VERSION), ("kind", KIND)):
        if tree.get(key) != expected:
            wrong.append(((key,), f"{key} is {tree.get(key)!r}, not {expected!r}"))
    if tree.get("experiment").__class__ is not str:
        wrong.append((("experiment",), "experiment is missing or no text"))
    runs = tree.get("runs")
    if runs.__class__ is not dict:
        return [*wrong, (("runs",), "runs is missing or no mapping")]
    for name, block in runs.items():
        wrong += _block_shape(("runs", name), block)
    return wrong


def _block_shape(path: FieldPath, block: Any) -> list[tuple[FieldPath, str]]:
    if block.__class__ is not dict:
        return [(path, f"{render(path)} is no mapping")]
    wrong: list[tuple[FieldPath, str]] = []
    for key in block:
        if key not in (*_TEXTS, *_NUMBERS, *_LISTS, *_FLAGS):
            wrong.append(((*path, key), f"{render((*path, key))} is no field of a run lock"))
    for key, pattern in _TEXTS.items():
        value = block.get(key)
        if value.__class__ is not str or not re.match(pattern, value):
            wrong.append(((*path, key), f"{render((*path, key))} is {value!r}, which no build writes"))
    for key in _NUMBERS:
        value = block.get(key, 0 if key == "renewal" else None)
        if value.__class__ is not int or value < 0:
            wrong.append(((*path, key), f"{render((*path, key))} is {value!r}, which no build writes"))
    for key in _FLAGS:
        value = block.get(key, False)
        if value.__class__ is not bool:
            wrong.append(((*path, key), f"{render((*path, key))} is {value!r}, not true or false"))
    for key in _LISTS:
        value = block.get(key, [])
        if value.__class__ is not list or any(item.__class__ is not str for item in value):
            wrong.append(((*path, key), f"{render((*path, key))} is no list of texts"))
    return wrong


def _in_conflict(text: str, file: str, position: int) -> Diagnostic:
    line = text.count("\n", 0, position) + 1
    end = text.find("\n", position)
    width = (end if end >= 0 else len(text)) - position
    return Diagnostic(
        "TJ070",
        ERROR,
        "the run lock holds a merge conflict",
        span=Span(file, line, 1, line, width + 1),
        hint="keep the runs of both sides: remove the lines that Git put between them, then build again",
        name="lock-in-conflict",
    )


def _malformed(message: str, span: Span | None, file: str) -> Diagnostic:
    return Diagnostic(
        "TJ071",
        ERROR,
        message,
        span=span or Span(file, 1, 1, 1, 1),
        hint="restore the file from Git, or use the release of tjgen that wrote it",
        name="lock-malformed",
    )
