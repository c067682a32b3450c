"""`tjgen runtimes list|show|import`: the catalog of runtimes, and how a cluster's come into it."""

from __future__ import annotations

import os
import sys

from tjgen.cli.command import COMMON, VALUE, Arguments, Command, Option, UsageError
from tjgen.cli.inputs import text
from tjgen.cli.reporting import Reporter
from tjgen.compiler.building.environment import release
from tjgen.language.catalog.find import Catalog
from tjgen.language.catalog.importer import ImportedFile, clashes, imported
from tjgen.language.resolve.project import LoadedProject
from tjgen.language.resolve.project_file import load_current
from tjgen.trees.diagnostics.model import CompileError, Diagnostic
from tjgen.trees.source.writer import dump

COMMAND = Command(
    "runtimes",
    "List, show or import runtimes of the catalog.",
    "The verb list prints all runtimes that experiments here can name. The verb show prints one as YAML. The verb "
    "import reads the output of `kubectl get clustertrainingruntimes -o yaml` from FILE (- is standard input), and "
    "writes each runtime to a clean file in the folder --to. It marks them as runtimes of the cluster, so builds only "
    "refer to them.",
    "kubectl get clustertrainingruntimes -o yaml | tjgen runtimes import - --to catalog",
    "list|show NAME|import FILE",
    (Option(("--to",), "to", "Folder that import writes to.", VALUE, "DIR"), *COMMON),
    least=1,
    most=2,
)


def run(arguments: Arguments) -> int:
    """Run the subcommand; an unknown one is a usage error."""
    verb, *rest = arguments["paths"]
    if (verb, len(rest)) not in (("list", 0), ("show", 1), ("import", 1)):
        raise UsageError("write tjgen runtimes list, show NAME or import FILE")
    reporter = Reporter(arguments)
    if verb == "import":
        _import(rest[0], arguments["to"] or ".", reporter)
        return reporter.close()
    project, problems = load_current()
    reporter.add(problems)
    if reporter.failed:
        return reporter.close()
    try:
        catalog = _catalog(project)
    except CompileError as error:
        reporter.add(error.diagnostics)
        return reporter.close()
    if verb == "list":
        _list(catalog, reporter)
    else:
        runtime, problems = catalog.find(rest[0])
        reporter.add([one._replace(path=None) for one in problems])
        if runtime is not None:
            sys.stdout.write(dump(runtime.tree))
    return reporter.close()


def _catalog(project: LoadedProject) -> Catalog:
    """The catalog, by the releases of Trainer of the project and its environments. Raises CompileError for unknown ones."""
    own, *others = [release(project, name, None).versions for name in (None, *project.spec.environments)]
    return Catalog(project.spec.catalogs, project.directory, versions=own, others=others)


def _list(catalog: Catalog, reporter: Reporter) -> None:
    runtimes, problems = catalog.all()
    reporter.add(problems)
    rows = [("NAME", "FROM", "DESCRIPTION"), *[(one.name, one.origin, one.description) for one in runtimes]]
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    for name, origin, description in rows:
        sys.stdout.write(f"{name:<{widths[0]}}  {origin:<{widths[1]}}  {description}".rstrip() + "\n")


def _import(file: str, folder: str, reporter: Reporter) -> None:
    content = text(file)
    if isinstance(content, Diagnostic):
        reporter.add([content])
        return
    files, problems = imported(content, "<stdin>" if file == "-" else file)
    reporter.add(problems)
    reporter.add(list(clashes(folder, files)))
    if not reporter.failed:
        _write(folder, files, reporter)


def _write(folder: str, files: list[ImportedFile], reporter: Reporter) -> None:
    from tjgen.gitops.emit.file import write

    for one in files:
        path = os.path.join(folder, one.path)
        try:
            os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        except OSError as error:
            message = f"{os.path.dirname(path)} cannot be made: {error.strerror}"
            reporter.add([Diagnostic("TJ027", message)])
            return
        write(path, [one.text])
        sys.stdout.write(f"{path}\n")
