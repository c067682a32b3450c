"""`tjgen postrender`: a post-renderer of Helm."""

from __future__ import annotations

import sys

from tjgen.cli.command import COMMON, FLAG, MANY, TRAINER, VALUE, Arguments, Command, Option
from tjgen.cli.inputs import standard_input
from tjgen.cli.reporting import Reporter
from tjgen.tools.hosts.helm import rerendered
from tjgen.tools.hosts.rendering import RenderRequest
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.files.sandbox import around
from tjgen.trees.source.encoding import decode

COMMAND = Command(
    "postrender",
    "Run as a Helm post-renderer.",
    "Read the output of Helm from standard input, and write it back with the experiments of the chart expanded. tjgen "
    "uses the overlays, platforms and runtimes of the chart, and the project of the working directory. All other "
    "objects stay as they are, and are validated as by tjgen check. With errors, nothing is written, and Helm stops.",
    "helm template vision ./chart | tjgen postrender",
    "",
    (
        Option(("--env",), "env", "Environment of the project to build for.", VALUE, "NAME"),
        Option(("--set",), "set", "Set a field of every experiment: spec.nodes=2.", MANY, "PATH=VALUE"),
        Option(("--no-check",), "no_check", "Do not validate the objects of the chart.", FLAG),
        TRAINER,
        *COMMON,
    ),
    most=0,
)


def run(arguments: Arguments) -> int:
    """Give the chart back, report, and answer with the exit code."""
    reporter = Reporter(arguments)
    content = standard_input(around())
    text, unreadable = decode(content, "<stdin>") if not isinstance(content, Diagnostic) else ("", content)
    if unreadable is not None:
        reporter.add([unreadable])
        return reporter.close()
    request = RenderRequest(
        environment=arguments["env"],
        set_values=arguments["set"],
        trainer=arguments["trainer"],
        choose_environment="add --post-renderer-args --env=NAME",
    )
    chart = rerendered(text, request, checks=not arguments["no_check"])
    reporter.add(chart.diagnostics)
    if not reporter.failed:
        sys.stdout.write(chart.text)
    return reporter.close()
