"""`tjgen explain`: an experiment, an object, a field -> who set it, and the line that asked for it."""

from __future__ import annotations

import os
import sys

from tjgen.builder import Builder, Run
from tjgen.cli.command import COMMON, MANY, Arguments, Command, Option
from tjgen.cli.reporting import Reporter
from tjgen.diagnostics.model import ERROR, CompileError, Diagnostic
from tjgen.emit import header
from tjgen.explain.report import as_data, as_text, explain
from tjgen.fields.path import FieldPath, parse
from tjgen.k8s.nearest import nearest
from tjgen.manifests.manifest import Manifest
from tjgen.resolve.project import find

COMMAND = Command(
    "explain",
    "Say who set a field, and which line asked for it.",
    "For every field of the objects that an experiment makes, also of those that controllers will create: who set it, all "
    "who own it, and the line that asked for it. EXPERIMENT may also be a file of an output tree.",
    "tjgen explain experiment.yaml JobSet/resnet50-1a2b3c4d spec.replicatedJobs[name=node]",
    "EXPERIMENT [KIND[/NAME]] [FIELD]",
    (
        Option(("--env",), "env", "Environment of the project.", MANY, "NAME"),
        Option(("--set",), "set", "Set a field of the experiment, as with build.", MANY, "PATH=VALUE"),
        *COMMON,
    ),
    least=1,
    most=3,
)


def run(arguments: Arguments) -> int:
    """Explain on stdout, as text or with --format json as data; diagnostics go to stderr."""
    reporter = Reporter(arguments)
    try:
        file, wanted, below = _asked(arguments["paths"])
        builder = Builder([file], environments=arguments["env"], set_values=arguments["set"])
        runs: list[Run] = []
        for built in builder.build():
            reporter.add(built.diagnostics)
            runs += built.runs
        reporter.add(builder.diagnostics)
        if not reporter.failed:
            _explain(runs, wanted, below, as_json=arguments["format"] == "json")
    except CompileError as error:
        reporter.add(error.diagnostics)
    return reporter.close()


def _asked(words: list[str]) -> tuple[str, str, FieldPath]:
    """The experiment's file, the object that is meant and the field; raises CompileError."""
    file, wanted = words[0], words[1] if len(words) > 1 else ""
    try:
        with open(file, "rb") as stream:
            known = header.read(stream.read(1 << 14))
    except OSError as error:
        raise CompileError(
            [Diagnostic("TJ020", ERROR, f"{file} cannot be read: {error.strerror}", name="unreadable-file")]
        ) from None
    if known is not None:
        from tjgen.source.reader import KUBERNETES, read

        with open(file, "rb") as stream:
            documents, _ = read(stream.read(), file, KUBERNETES)
        tree = documents[0].value
        wanted, words = f"{tree['kind']}/{tree['metadata']['name']}", [file, "", *words[1:]]
        project = find(file)
        file = os.path.normpath(os.path.join(os.path.dirname(project) if project else "", known.source))
    try:
        return file, wanted, parse(words[2]) if len(words) > 2 else ()
    except ValueError as problem:
        message = str(problem)
        hint = "write it like spec.template.spec.containers[name=node].image"
        raise CompileError([Diagnostic("TJ024", ERROR, message, hint=hint, name="bad-field-path")]) from None


def _explain(runs: list[Run], wanted: str, below: FieldPath, *, as_json: bool) -> None:
    kind, _, name = wanted.partition("/")
    chosen: list[tuple[Run, Manifest]] = []
    seen = set()
    for run_ in runs:
        for manifest in (*run_.compiled.manifests, *run_.compiled.previews):
            if (not kind or manifest.kind.lower() == kind.lower()) and name in ("", manifest.name) and manifest.ref not in seen:
                seen.add(manifest.ref)
                chosen.append((run_, manifest))
    if not chosen:
        raise CompileError([_unknown(runs, wanted)])
    explained = [(manifest, list(explain(manifest, run_.compiled.sources, below))) for run_, manifest in chosen]
    explained = [(manifest, found) for manifest, found in explained if found]
    if not explained:
        message = f"no field of {wanted or 'these objects'} is at or below that path"
        raise CompileError(
            [Diagnostic("TJ025", ERROR, message, hint="leave the field out to see all", name="unknown-field-path")]
        )
    if as_json:
        import json

        sys.stdout.write(json.dumps([as_data(manifest, found) for manifest, found in explained], indent=2) + "\n")
    else:
        sys.stdout.write("\n".join(as_text(manifest, found) for manifest, found in explained))


def _unknown(runs: list[Run], wanted: str) -> Diagnostic:
    known = sorted({str(manifest.ref) for run_ in runs for manifest in (*run_.compiled.manifests, *run_.compiled.previews)})
    near = nearest(wanted, known)
    hint = f'did you mean "{near}"?' if near else f"there are {', '.join(known)}"
    return Diagnostic("TJ026", ERROR, f'no object is called "{wanted}"', hint=hint, name="unknown-object")
