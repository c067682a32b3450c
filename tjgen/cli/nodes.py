"""`tjgen nodes import`: the nodes of a cluster, without private data, for `tjgen fit`."""

from __future__ import annotations

import os
import sys

from tjgen.cli.command import COMMON, MANY, Arguments, Command, Option, UsageError
from tjgen.cli.inputs import text
from tjgen.cli.reporting import Reporter
from tjgen.compiler.fit.hyper_nodes import is_hyper_node
from tjgen.compiler.fit.labels import labels_of
from tjgen.compiler.fit.nodes import read_nodes
from tjgen.compiler.fit.private import public_nodes
from tjgen.language.resolve.project_file import load_current
from tjgen.trees.diagnostics.model import CompileError, Diagnostic
from tjgen.trees.source.writer import dump

COMMAND = Command(
    "nodes",
    "Import the nodes of a cluster without private data.",
    "Read the output of kubectl get nodes -o json from FILE (- is standard input), and print its nodes with aliases "
    "for their names. The output contains allocatable resources, taints, labels about hardware and topology, and the "
    "labels that the project's runs and Platforms select. It does not contain addresses, provider IDs, images, "
    "annotations, or any other labels. HyperNodes of Volcano (kubectl get nodes,hypernodes) are printed with aliases, "
    "tiers, and members.",
    "kubectl get nodes -o json | tjgen nodes import - > nodes.yaml",
    "import FILE",
    (Option(("--label",), "label", "Another label to keep; may be repeated.", MANY, "KEY"), *COMMON),
    least=2,
    most=2,
)


def run(arguments: Arguments) -> int:
    """Print the nodes, report, and answer with the exit code; an unknown subcommand is a usage error."""
    verb, file = arguments["paths"]
    if verb != "import":
        raise UsageError("write tjgen nodes import FILE")
    reporter = Reporter(arguments)
    with reporter:
        content = text(file)
        if isinstance(content, Diagnostic):
            raise CompileError([content])
        nodes, problems = read_nodes(content, "<stdin>" if file == "-" else os.path.normpath(file))
        reporter.add(problems)
        project, problems = load_current()
        reporter.add(problems)
        if not nodes and not reporter.failed:
            hint = "save the output of kubectl get nodes -o json"
            raise CompileError([Diagnostic("TJ583", "the input has no Node", hint=hint)])
        if not reporter.failed:
            labels = labels_of(project).union(arguments["label"])
            items = public_nodes(nodes, labels)
            kind = "List" if any(map(is_hyper_node, items)) else "NodeList"
            sys.stdout.write(dump({"apiVersion": "v1", "kind": kind, "items": items}))
    return reporter.close()
