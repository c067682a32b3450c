"""`tjgen krm`: a function of the Kubernetes Resource Model, which kustomize and kpt run."""

from __future__ import annotations

import sys

from tjgen.cli.command import COMMON, Arguments, Command
from tjgen.cli.inputs import text
from tjgen.cli.reporting import Reporter
from tjgen.tools.hosts.krm import answered
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.source.writer import dump

COMMAND = Command(
    "krm",
    "Run as a kustomize or kpt function.",
    "Run as a function of the Kubernetes Resource Model (KRM). Read a ResourceList from standard input, and write it "
    "back with the objects of its experiments, and with the diagnostics as results. The configuration of the function "
    "is an Experiment, a ConfigMap, or a Function of tjgen.dev/v1alpha1. The spec of a Function has experiments, "
    "environment, set, trainer, namespace, check and strict.",
    "tjgen krm < list.yaml",
    "",
    COMMON,
    most=0,
)


def run(arguments: Arguments) -> int:
    """Answer the list; the exit code is 1 where a result is an error."""
    reporter = Reporter(arguments)
    content = text("-")
    if isinstance(content, Diagnostic):
        reporter.add([content])
        return reporter.close()
    answer = answered(content)
    if isinstance(answer, list):
        reporter.add(answer)
        return reporter.close()
    sys.stdout.write(dump(answer.tree))
    reporter.add(answer.diagnostics)
    return reporter.close()
