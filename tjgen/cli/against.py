"""`tjgen check --against`: files and the committed manifests -> the effect on every object that differs."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from itertools import takewhile

from tjgen.cli.command import Arguments, prints_json
from tjgen.cli.folders import ENDINGS
from tjgen.cli.inputs import STANDARD_INPUT, good, texts
from tjgen.cli.reporting import Reporter
from tjgen.cluster.kinds.protocol import SILENT
from tjgen.cluster.validate.ways import SERVER_SIDE
from tjgen.gitops.diff.data import object_data
from tjgen.gitops.diff.effect import UNCHANGED
from tjgen.gitops.diff.objects import NEEDS_NAME, OUTCOMES, LocatedObject, Outcome, compare_objects, read_objects
from tjgen.gitops.diff.revision import Repository
from tjgen.gitops.diff.text import object_lines
from tjgen.trees.diagnostics.model import CompileError, Diagnostic, ObjectRef
from tjgen.trees.diagnostics.printable import printable, printable_json
from tjgen.trees.fields.path import Tree, render
from tjgen.trees.files.problems import EMPTY


def compare_with(
    against: str, paths: Sequence[str], files: Sequence[tuple[str, bytes]], arguments: Arguments, reporter: Reporter
) -> dict[ObjectRef, Tree]:
    """Print the effect on each object, report rejections, and return the exit code with the current state."""
    try:
        old = list(applied_objects(against, paths, reporter))
    except CompileError as error:
        reporter.add(error.diagnostics)
        return {}
    new = [objects for file, content in files for objects in read_objects(content, file)]
    outcomes = compare_objects(old, new, server_side=arguments["apply"] == SERVER_SIDE)
    for outcome in outcomes:
        reporter.add(list(_problems(outcome)))
    as_json = prints_json(arguments)
    sys.stdout.write(printable_json(_as_json(outcomes, against)) if as_json else printable(_as_text(outcomes)))
    sys.stdout.flush()
    return {one.ref: one.tree for one in old}


def applied_objects(against: str, paths: Sequence[str], reporter: Reporter) -> Iterator[LocatedObject]:
    """The objects of a folder, or of the same paths at a revision. Raises CompileError (TJ091 to TJ095)."""
    if os.path.isdir(against):
        # In an empty folder there is nothing: everything is new.
        streams = (one for one in texts([against]) if not isinstance(one[1], Diagnostic) or one[1].code != EMPTY)
        for file, content in good(streams, reporter):
            yield from read_objects(content, file)
        return
    for path in paths:
        if path == "-":
            message = f"{STANDARD_INPUT} is in no repository, so it has no content at {against}"
            hint = "name files or folders, or compare with a folder"
            raise CompileError([Diagnostic("TJ543", message, hint=hint)])
        folder = path if os.path.isdir(path) else os.path.dirname(path) or "."
        while not os.path.isdir(folder):
            folder = os.path.dirname(folder) or "."
        repository = Repository.around(folder)
        place = repository.path_of(path)
        commit = repository.commit(against)
        if os.path.isdir(path):
            contents = repository.files(commit, place, wanted=lambda name: name.endswith(ENDINGS))
            names = {f"{place}/{name}" if place else name: content for name, content in contents.items()}
        else:
            parent, _, name = place.rpartition("/")
            contents = repository.files(commit, parent, wanted=name.__eq__)
            names = dict.fromkeys([place], contents[name]) if name in contents else {}
        for file, content in names.items():
            yield from read_objects(content, f"{against}:{file}")


def _problems(outcome: Outcome) -> Iterator[Diagnostic]:
    """TJ540 for each refusal, TJ542 where another name helps, TJ541 for what has no effect."""
    change, side, refused = outcome
    is_named = change.kind == NEEDS_NAME
    for refusal in refused:
        code = "TJ542" if is_named else "TJ540"
        hint = "give the object another name" if is_named else "leave the field as it is"
        message = f"{change.ref}: {refusal.words}"
        yield Diagnostic(code, message, change.ref, refusal.path, side.locate(refusal.path), hint=hint)
    for field in change.fields if not refused else ():
        if field.kind == SILENT:
            # Elements are known by their keys here, which the text of a file does not show.
            path = tuple(takewhile(lambda step: isinstance(step, str), field.change.path))
            message, hint = f"{change.ref} {render(field.change.path)}: {field.remark}", "give the object another name"
            span = side.locate(path)
            yield Diagnostic("TJ541", message, change.ref, path, span, hint=hint)


def _as_text(outcomes: Sequence[Outcome]) -> str:
    lines = []
    for change, *_ in outcomes:
        if change.kind != UNCHANGED:
            lines.append(f"{change.ref}  {change.kind}")
            lines += [line.removeprefix("  ") for line in object_lines(change)]
    counts = _counts(outcomes)
    return "".join(line + "\n" for line in [*lines, ", ".join(f"{count} {kind}" for kind, count in counts.items()) or "nothing"])


def _as_json(outcomes: Sequence[Outcome], against: str) -> str:
    import json

    data = {"against": against, "counts": _counts(outcomes), "objects": [_data(one) for one in outcomes]}
    return json.dumps(data, indent=2) + "\n"


def _data(outcome: Outcome) -> Tree:
    return {**object_data(outcome.change), "namespace": outcome.change.ref.namespace}


def _counts(outcomes: Sequence[Outcome]) -> dict[str, int]:
    kinds = [outcome.change.kind for outcome in outcomes]
    return {kind: kinds.count(kind) for kind in OUTCOMES if kind in kinds}
