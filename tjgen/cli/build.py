"""`tjgen build`: experiments -> manifests on stdout, in a file, or in a directory that tjgen owns."""

from __future__ import annotations

import sys

from tjgen.builder import Builder, Run
from tjgen.cli.command import COMMON, FLAG, MANY, VALUE, Arguments, Command, Option
from tjgen.cli.reporting import Reporter
from tjgen.diagnostics.model import CompileError
from tjgen.manifests.manifest import STAGES, Manifest

COMMAND = Command(
    "build",
    "Compile experiments into manifests.",
    "Compile experiments into the objects to apply: TrainJob or JobSet, TrainingRuntime, PersistentVolumeClaim, ConfigMap. "
    "Without -o they are written to stdout as one stream; with errors nothing is written.",
    "tjgen build experiment.yaml --env prod -o deploy",
    "[PATH]...",
    (
        Option(("-o", "--output"), "output", "File (.yaml) or directory to write to.", VALUE, "PATH"),
        Option(("--env",), "env", "Environment of the project to build for; may be repeated.", MANY, "NAME"),
        Option(("--set",), "set", "Set a field of every experiment: spec.nodes=2; not with -o.", MANY, "PATH=VALUE"),
        Option(("--expanded",), "expanded", "Show what controllers will create, alone, or write it to DIR.", VALUE, "[DIR]"),
        Option(("--check",), "check", "Write nothing; exit 1 when the output is not what the sources give.", FLAG),
        Option(("--summary",), "summary", "Show totals of each run instead of manifests.", FLAG),
        Option(("--force",), "force", "Overwrite files that were edited by hand.", FLAG),
        *COMMON,
    ),
)


def run(arguments: Arguments) -> int:
    """Build, report, and answer with the exit code."""
    reporter = Reporter(arguments)
    try:
        builder = Builder(arguments["paths"], environments=arguments["env"], set_values=arguments["set"])
        runs = []
        for built in builder.build():
            reporter.add(built.diagnostics)
            runs += built.runs
        reporter.add(builder.diagnostics)
    except CompileError as error:
        reporter.add(error.diagnostics)
        return reporter.close()
    if not reporter.failed:
        from tjgen.source.writer import dump_all

        sys.stdout.write(dump_all([manifest.tree for manifest in _stream(runs, arguments["expanded"] is not None)]))
    return reporter.close()


def _stream(runs: list[Run], expanded: bool) -> list[Manifest]:
    """The objects of all runs in an order in which they can be applied, each once."""
    if expanded:
        return [manifest for run in runs for manifest in run.compiled.previews]
    chosen: dict[tuple[str, str, str, str], Manifest] = {}
    for run in runs:
        for manifest in run.compiled.manifests:
            chosen.setdefault(manifest.ref, manifest)
    return sorted(chosen.values(), key=lambda manifest: STAGES.index(manifest.stage))
