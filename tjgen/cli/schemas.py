"""`tjgen schemas list|import`: the kinds that can be checked, and how a cluster's own come among them."""

from __future__ import annotations

import sys

from tjgen.cli.command import COMMON, VALUE, Arguments, Command, Option, UsageError, prints_json
from tjgen.cli.inputs import text
from tjgen.cli.reporting import Reporter
from tjgen.cluster.validate import own
from tjgen.cluster.validate.definitions import Definition, definitions
from tjgen.language.resolve.project_file import load_current
from tjgen.trees.diagnostics.model import CompileError, Diagnostic

COMMAND = Command(
    "schemas",
    "List or import the kinds that check validates.",
    "The verb list prints every kind that build and check validate, with its source and the extent of the checks. The "
    "verb import reads the output of `kubectl get crd -o yaml` from FILE (- is standard input), and writes its "
    "schemas, including CEL rules, to a folder. The project file (`schemas`) or --to names the folder. Imported "
    "schemas take precedence over the bundled ones. With --missing, only kinds without a bundled schema are imported.",
    "kubectl get crd -o yaml | tjgen schemas import -",
    "list|import FILE",
    (
        Option(("--to",), "to", "Folder that import writes to, or that list reads.", VALUE, "DIR"),
        Option(("--missing",), "missing", "Import only kinds without a bundled schema."),
        *COMMON,
    ),
    least=1,
    most=2,
)


def run(arguments: Arguments) -> int:
    """Run the subcommand; an unknown one is a usage error."""
    verb, *rest = arguments["paths"]
    if (verb, len(rest)) not in (("list", 0), ("import", 1)):
        raise UsageError("write tjgen schemas list or tjgen schemas import FILE")
    reporter = Reporter(arguments)
    project, problems = load_current()
    reporter.add(problems)
    folder = arguments["to"] or project.schemas
    with reporter:
        if verb == "import":
            _import(rest[0], folder, reporter, only_missing=arguments["missing"])
        else:
            _list(folder, as_json=prints_json(arguments))
    return reporter.close()


def _list(folder: str | None, *, as_json: bool) -> None:
    kinds = own.known(folder)
    if as_json:
        import json

        sys.stdout.write(json.dumps([one._asdict() for one in kinds], indent=2) + "\n")
        return
    rows = [("API VERSION", "KIND", "FROM", "CHECKED"), *[(one.api_version, one.kind, one.source, one.checked) for one in kinds]]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    for row in rows:
        sys.stdout.write("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() + "\n")


def _import(file: str, folder: str | None, reporter: Reporter, *, only_missing: bool) -> None:
    if folder is None:
        hint = "name it with --to, or as spec.schemas in the project file"
        raise CompileError([Diagnostic("TJ527", "no folder for schemas is set", hint=hint)])
    content = text(file)
    if isinstance(content, Diagnostic):
        raise CompileError([content])
    missing, problems = definitions(content, "<stdin>" if file == "-" else file)
    reporter.add(problems)
    if only_missing:
        missing = own.missing(missing)
    if not reporter.failed:
        _write(missing, folder, reporter)


def _write(definitions: list[Definition], folder: str, reporter: Reporter) -> None:
    try:
        written, removed = own.write(folder, definitions)
    except OSError as error:
        message = f"{error.filename} cannot be written: {error.strerror}"
        reporter.add([Diagnostic("TJ027", message)])
        return
    for path in written:
        sys.stdout.write(f"{path}\n")
    for path in removed:
        reporter.print_line(f"removed {path}: its version is not served any more")
    if not definitions:
        reporter.print_line("nothing to import: tjgen already has schemas for all of them")
