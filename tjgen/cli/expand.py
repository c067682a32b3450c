"""`tjgen expand`: TrainJobs, generated or handwritten -> the objects that the Trainer controller would create."""

from __future__ import annotations

import sys

from tjgen.cli.command import CATALOG, COMMON, FLAG, TRAINER, Arguments, Command, Option
from tjgen.cli.inputs import absent, good, sandbox_for, texts
from tjgen.cli.releases import release_for
from tjgen.cli.reporting import Reporter
from tjgen.cli.runtime_files import RuntimeFiles
from tjgen.cluster.trainer.framework import live
from tjgen.cluster.trainer.inputs import expanded, is_kind
from tjgen.cluster.trainer.placed import placed, surprising
from tjgen.language.catalog.runtime import API_VERSION
from tjgen.trees.diagnostics.model import CompileError, Diagnostic
from tjgen.trees.fields.path import Tree
from tjgen.trees.source.document import Document
from tjgen.trees.source.reader import KUBERNETES, read
from tjgen.trees.source.writer import dump_all

COMMAND = Command(
    "expand",
    "Show what the Trainer controller creates for TrainJobs.",
    "Expand TrainJobs with their runtimes, which are in the same files or in the catalog, into the objects that the "
    "Kubeflow Trainer controller would create: JobSet, PodGroup, ConfigMap, Secret.",
    "tjgen expand trainjob.yaml runtime.yaml",
    "PATH...",
    (
        CATALOG,
        Option(("--live",), "live", "Show JobSets as the API server stores them, with the webhook's defaults.", FLAG),
        TRAINER,
        *COMMON,
    ),
    least=1,
)


def run(arguments: Arguments) -> int:
    """Expand every TrainJob, report, and answer with the exit code."""
    reporter = Reporter(arguments)
    try:
        release = release_for(arguments["trainer"])
    except CompileError as error:
        reporter.add(error.diagnostics)
        return reporter.close()
    documents: list[Document] = []
    sandbox = sandbox_for(arguments["paths"])
    for file, content in good(texts(arguments["paths"], sandbox), reporter):
        parsed, wrong = read(content, file, KUBERNETES, sandbox.budgets)
        documents += parsed
        reporter.add(wrong)
    reporter.add(absent(arguments["catalog"]))
    reporter.add([_not_of_trainer(document) for document in documents if _is_namesake(document.value)])
    objects = placed(documents)
    runtimes = RuntimeFiles(arguments["catalog"], release.versions)
    if not any(is_kind(one.tree, "TrainJob") for one in objects) and not reporter.failed:
        message = "there is no TrainJob to expand"
        reporter.add([Diagnostic("TJ023", message, hint="name a file with a TrainJob")])
    expansions = expanded([one.tree for one in objects], runtimes.look_up, release=release)
    reporter.add(list(surprising(objects, expansions, runtimes.document_of)))
    created = [expanded_object.tree for one in expansions for expanded_object in one.expansion.objects]
    if not reporter.failed:
        sys.stdout.write(
            dump_all([live(tree, release) if arguments["live"] and tree["kind"] == "JobSet" else tree for tree in created])
        )
    return reporter.close()


def _is_namesake(tree: Tree) -> bool:
    return tree.__class__ is dict and tree.get("kind") == "TrainJob" and tree.get("apiVersion") != API_VERSION


def _not_of_trainer(document: Document) -> Diagnostic:
    """TJ028 for what calls itself a TrainJob, in a group or version that no controller looks at."""
    return Diagnostic(
        "TJ028",
        f"a TrainJob of {document.value.get('apiVersion')} is none of Trainer",
        span=document.locate(("apiVersion",)),
        hint=f"write apiVersion: {API_VERSION}",
    )
