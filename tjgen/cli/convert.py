"""`tjgen convert`: TrainJobs and runtimes written for one release of Trainer -> the same for another."""

from __future__ import annotations

import sys

from tjgen.cli.command import CATALOG, COMMON, FLAG, VALUE, Arguments, Command, Option, UsageError
from tjgen.cli.inputs import STANDARD_INPUT, absent, good, texts
from tjgen.cli.reporting import Reporter
from tjgen.cli.runtime_files import InstalledRuntimes, RuntimeFiles
from tjgen.cluster.kinds.table import targets
from tjgen.cluster.releases import DEFAULT_TRAINER
from tjgen.cluster.trainer.placed import placed
from tjgen.cluster.trainer.release import chosen
from tjgen.tools.convert.file import ConvertedFile, converted
from tjgen.trees.diagnostics.model import CompileError
from tjgen.trees.source.encoding import decode
from tjgen.trees.source.reader import KUBERNETES, read

_REWRITES = f"Release to rewrite for; the default is {DEFAULT_TRAINER.name}."
COMMAND = Command(
    "convert",
    "Rewrite jobs for another Trainer release or target.",
    "Rewrite hand-written TrainJobs and runtimes for another release of Kubeflow Trainer. Comments and order stay if "
    "nothing changes. tjgen compares the expansions before and after, and reports every difference. The result is "
    "written to stdout, or with --in-place to the files. With --target, the target of experiments changes, with their fields for "
    "restarts, elasticity and cleanup. A build reports unsupported fields. Jobs are converted to that target with tjgen import.",
    f"tjgen convert --trainer {DEFAULT_TRAINER.name} trainjob.yaml",
    "PATH...",
    (
        Option(("--trainer",), "trainer", _REWRITES, VALUE, "RELEASE"),
        Option(
            ("--from",),
            "source",
            "Release that the files are for. By default, it is detected from their fields.",
            VALUE,
            "RELEASE",
        ),
        Option(("--target",), "target", "Target to rewrite for, instead of a release.", VALUE, "TARGET", targets()),
        Option(("--in-place",), "in_place", "Overwrite the files that change.", FLAG),
        CATALOG,
        *COMMON,
    ),
    least=1,
)


def run(arguments: Arguments) -> int:
    """Convert every file, report, and answer with the exit code. With errors nothing is written."""
    reporter = Reporter(arguments)
    contents = [(file, _as_utf8(content, file)) for file, content in good(texts(arguments["paths"]), reporter)]
    reporter.add(absent(arguments["catalog"]))
    if arguments["target"] is not None:
        return _retarget(arguments, reporter, contents)
    try:
        target = chosen(arguments["trainer"] or DEFAULT_TRAINER.name)
        source = chosen(arguments["source"]) if arguments["source"] is not None else None
        runtimes = InstalledRuntimes(RuntimeFiles(arguments["catalog"], None), target)
        given = [ConvertedFile(file, content) for file, content in contents]
        files, diagnostics = converted(given, source, target, runtimes.look_up)
    except CompileError as error:
        reporter.add(error.diagnostics)
        return reporter.close()
    reporter.add(diagnostics)
    reporter.add(runtimes.notes(placed([one for file, content in contents for one in read(content, file, KUBERNETES)[0]])))
    if not reporter.failed:
        _write(files, reporter, in_place=arguments["in_place"])
    return reporter.close()


def _as_utf8(content: bytes, file: str) -> bytes:
    """The same text in UTF-8, without a byte order mark; what cannot be decoded stays as it is."""
    text, unreadable = decode(content, file)
    return text.encode() if unreadable is None else content


def _retarget(arguments: Arguments, reporter: Reporter, contents: list[tuple[str, bytes]]) -> int:
    from tjgen.tools.importing import experiments, retarget

    for option in ("trainer", "source"):
        if arguments[option] is not None:
            raise UsageError("--target cannot be combined with --trainer or --from")
    files = []
    for name, content in contents:
        of_experiments = experiments.is_of_experiments(content, name)
        if not of_experiments and arguments["in_place"]:
            raise UsageError(f"--in-place rewrites experiments, but {name} contains none")
        way = experiments.experiments if of_experiments else retarget.jobs
        text, diagnostics = way(name, content, arguments["target"])
        reporter.add(diagnostics)
        files.append(ConvertedFile(name, text.encode(), text.encode() != content))
    if not reporter.failed:
        _write(files, reporter, in_place=arguments["in_place"])
    return reporter.close()


def _write(files: list[ConvertedFile], reporter: Reporter, *, in_place: bool) -> None:
    if not in_place:
        sys.stdout.write("---\n".join(decode(file.text, file.name)[0] for file in files))
        return
    from tjgen.cli.fixing import unwritten
    from tjgen.gitops.emit.file import UnwrittenError, replace_all

    try:
        replace_all({file.name: file.text for file in files if file.is_changed and file.name != STANDARD_INPUT})
    except UnwrittenError as error:
        reporter.add([unwritten(error)])
