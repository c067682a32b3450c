"""The command of the head's program -> the entrypoint of a RayJob: one line for a shell on the head.

Ray starts the entrypoint with a shell, which sees the variables of the head's container. Kubernetes' own `$(NAME)` is therefore
written as a variable of the shell, and everything else in quotes where the shell would interpret it.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.trees import regex
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.managed import Origin
from tjgen.trees.fields.path import FieldPath, get
from tjgen.trees.fields.writer import Writer
from tjgen.trees.workload.workload import PodSet, Workload

_RULE = Origin("target:rayjob", "tjgen")
_AT: FieldPath = ("spec", "entrypoint")
_MODE: FieldPath = ("spec", "submissionMode")
_SHELL = ["sh", "-c"]
_PARTS = regex.compile(r"\$\$|\$\(([A-Za-z_][A-Za-z0-9_]*)\)")
_PLAIN = regex.compile(r"[A-Za-z0-9_@%+=:,./-]+\Z")
_SPECIAL = regex.compile(r'(["\\$`])')


def entrypoint(writer: Writer, workload: Workload, head: PodSet) -> Iterator[Diagnostic]:
    """Write the entrypoint, submitted by the operator itself: a Job of its own would parse the line a second time."""
    main = get(workload.tree.value, head.main, None) or {}
    words = [*(main.get("command") or ()), *(main.get("args") or ())]
    if not main.get("command"):
        message = "a RayJob starts its program by a command, but neither the experiment nor the runtime has one"
        yield Diagnostic(
            "TJ425",
            message,
            path=("spec",),
            hint="set script or command, because tjgen does not read the entrypoint of the image",
        )
        return
    known = [str(one.get("name")) for one in main.get("env") or ()]
    text = line(list(map(str, words)), known)
    for field in ("command", "args"):
        if main.get(field):
            for origin in workload.tree.origins((*head.main, field)):
                writer.put(_AT, text, origin._replace(mirrors=False))
    writer.put(_MODE, "HTTPMode", _RULE)


def line(words: list[str], known: list[str]) -> str:
    """The words of a command as a line for a shell. The line of `sh -c` is that line already."""
    if words[:2] == _SHELL and len(words) == 3:
        return _PARTS.sub(lambda match: f"${{{match[1]}}}" if match[1] in known else match[0] if match[1] else "$", words[2])
    return " ".join(in_shell(word, known) for word in words)


def in_shell(word: str, known: list[str]) -> str:
    """One word of the command, as a shell reads it. A name that is not in `known` is text to Kubernetes, and stays so."""
    if _PLAIN.match(word):
        return word
    literals: list[str] = []
    quoted: list[str] = []
    start = 0
    for match in _PARTS.finditer(word):
        # Kubernetes writes $$ as $, and keeps a reference that it cannot resolve.
        is_known = match[1] in known
        before, own = word[start : match.start()], match[0] if match[1] else "$"
        literals += [before, own]
        quoted += [_escaped(before), f"${{{match[1]}}}" if is_known else _escaped(own)]
        start = match.end()
    literal, whole = "".join([*literals, word[start:]]), "".join([*quoted, _escaped(word[start:])])
    return f'"{whole}"' if "'" in literal or whole != _escaped(literal) else f"'{literal}'"


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text)
