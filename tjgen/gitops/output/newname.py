"""A new name for an experiment, a namespace or an environment -> why later runs cannot have it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.compiler.building.compile import build
from tjgen.compiler.building.plan import Plan, make_plan
from tjgen.compiler.building.request import Request
from tjgen.gitops.output.rename import Rename
from tjgen.language.runs.store import LockKey, Locks
from tjgen.trees import regex
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.session import Session
from tjgen.trees.source.document import Document
from tjgen.trees.source.reader import CORE, read

_NAMES = ("TJ072", "TJ073")
_LABEL = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?\Z"
_LETTER_FIRST = r"[a-z]([-a-z0-9]*[a-z0-9])?\Z"
_LONGEST = 63


def problems_of_name(locks: Locks, renames: Sequence[Rename], project: str) -> Iterator[Diagnostic]:
    """TJ703 for a name that is not a label, TJ704 for one that is taken, TJ072 if names of runs would be too long."""
    for old, new in renames:
        if old == new:
            yield Diagnostic("TJ703", f"{old.key} already has this name", hint="choose another name, or leave it as it is")
            return
        parts = zip(old._fields, old, new, strict=True)
        invalid = (_not_a_label(field, str(part)) for field, before, part in parts if part != before)
        wrong = next((one for one in invalid if one is not None), None)
        if wrong is not None:
            yield wrong
            return
        own = {run.identity for run in locks.of(old).runs.values() if run.is_requested}
        # A build under the new name before the rename creates runs of the same content, which the old ones replace.
        taken = [run.name for run in locks.of(new).runs.values() if run.is_requested and run.identity not in own]
        if taken and own and old.environment == new.environment:
            names = ", ".join(taken[:3])
            message = f"experiment {new.key} exists, and its lock has runs that a source requests: {names}"
            yield Diagnostic("TJ704", message, hint=f"choose another name; if {old.key} was removed, build first")
    if not renames:
        return
    plan = make_plan(Request((), project=project))
    for old, new in renames:
        if old.name != new.name:
            yield from _too_long(plan, old, new, project)


def _not_a_label(field: str, part: str) -> Diagnostic | None:
    is_name = field == "name"
    if len(part) <= _LONGEST and regex.match(_LETTER_FIRST if is_name else _LABEL, part):
        return None
    what = {"name": "an experiment", "namespace": "a namespace", "environment": "an environment"}[field]
    first = "begin with a letter" if is_name else "begin with a letter or digit"
    message = f'"{part}" cannot be the name of {what}: it is not a DNS label of at most {_LONGEST} characters'
    return Diagnostic("TJ703", message, hint=f"use lower-case letters, digits and '-', {first} and end with a letter or digit")


def _too_long(plan: Plan, old: LockKey, new: LockKey, project: str) -> Iterator[Diagnostic]:
    """What a build reports about the names of the runs, of the renamed experiment or of that which is still to be renamed."""
    documents = [(file, one) for file in plan.files for one in _documents(plan, file)]
    for name in (new.name, old.name):
        file, content = next(
            ((file, _renamed(plan, file, one, new.name)) for file, one in documents if _name(one) == name), ("", b"")
        )
        if file:
            environments = [old.environment] if old.environment in plan.environments and old.environment else []
            request = Request((), environments=environments, project=project, given={file: content})
            for built in build(make_plan(request), Session()):
                yield from (one for one in built.diagnostics if one.code in _NAMES)
            return


def _documents(plan: Plan, file: str) -> list[Document]:
    content = plan.content(file)
    return [] if isinstance(content, Diagnostic) else read(content, file, CORE)[0]


def _name(document: Document) -> str | None:
    tree = document.value
    if tree.__class__ is not dict or tree.get("kind") != "Experiment" or tree.get("metadata").__class__ is not dict:
        return None
    return str(tree["metadata"].get("name"))


def _renamed(plan: Plan, file: str, document: Document, name: str) -> bytes:
    """The text of the file with another name of the experiment."""
    content, span = plan.content(file), document.locate(("metadata", "name"))
    assert isinstance(content, bytes) and span is not None, "the document was read from it"
    lines = content.decode(errors="replace").splitlines(keepends=True)
    line, at = lines[span.line - 1], span.column - 1
    before = str(_name(document))
    lines[span.line - 1] = line[:at] + line[at:].replace(before, name, 1)
    return "".join(lines).encode()
