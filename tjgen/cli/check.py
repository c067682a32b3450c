"""`tjgen check`: manifests, made by us or by hand -> what an API server would say, with the line."""

from __future__ import annotations

from tjgen.cli.command import COMMON, VALUE, Arguments, Command, Option
from tjgen.cli.inputs import texts
from tjgen.cli.reporting import Reporter
from tjgen.validate.check import check

COMMAND = Command(
    "check",
    "Judge manifests as an API server would, offline.",
    "Judge the manifests in files and folders (- is standard input) by the schemas of Kubernetes and of the custom "
    "resources that training jobs use. A kind without a schema is reported as not checked; with --strict that is an error.",
    "tjgen check deploy/ other.yaml",
    "PATH...",
    (
        Option(("--trainer",), "trainer", "Release of Kubeflow Trainer in the cluster.", VALUE, "RELEASE"),
        *COMMON,
    ),
    least=1,
)


def run(arguments: Arguments) -> int:
    """Check every file, report, and answer with the exit code."""
    reporter = Reporter(arguments)
    found, problems = texts(arguments["paths"])
    reporter.add(problems)
    for file, content in found:
        reporter.add(check(content, file, strict=arguments["strict"]))
    return reporter.close()
