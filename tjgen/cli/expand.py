"""`tjgen expand`: TrainJobs, made by us or by hand -> what the Trainer controller would create."""

from __future__ import annotations

import sys

from tjgen.catalog.find import Catalog
from tjgen.catalog.runtime import API_VERSION
from tjgen.cli.command import COMMON, FLAG, MANY, TRAINER, Arguments, Command, Option
from tjgen.cli.inputs import texts
from tjgen.cli.releases import release_for
from tjgen.cli.reporting import Reporter
from tjgen.diagnostics.model import ERROR, WARNING, CompileError, Diagnostic
from tjgen.fields.path import Tree
from tjgen.source.document import Document
from tjgen.source.reader import KUBERNETES, read
from tjgen.source.writer import dump_all
from tjgen.trainer.framework import live
from tjgen.trainer.inputs import expand_documents, is_kind

COMMAND = Command(
    "expand",
    "Show what the Trainer controller makes of TrainJobs.",
    "Expand TrainJobs with their runtimes, which stand in the same files or in the catalog, into what the Kubeflow "
    "Trainer controller would create: JobSet, PodGroup, ConfigMap, Secret.",
    "tjgen expand trainjob.yaml runtime.yaml",
    "PATH...",
    (
        Option(("--catalog",), "catalog", "File or folder with runtimes; may be repeated.", MANY, "PATH"),
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
    found, problems = texts(arguments["paths"])
    for file, content in found:
        read_, wrong = read(content, file, KUBERNETES)
        documents += read_
        reporter.add(wrong)
    reporter.add(problems)
    reporter.add([_not_of_trainer(document) for document in documents if _is_namesake(document.value)])
    trees = [document.value for document in documents]
    by_tree = {id(document.value): document for document in documents}
    catalog = Catalog(arguments["catalog"], versions=release.versions)

    def look_up(kind: str, namespace: str, name: str) -> Tree | None:
        runtime, _ = catalog.find(name, kind=kind, namespace=namespace)
        return runtime.tree if runtime is not None else None

    if not any(is_kind(tree, "TrainJob") for tree in trees) and not reporter.failed:
        message = "there is no TrainJob to expand"
        reporter.add([Diagnostic("TJ023", ERROR, message, hint="name a file with a TrainJob", name="no-trainjob")])
    made = []
    for trainjob, expansion in expand_documents(trees, look_up, release=release):
        document = by_tree[id(trainjob)]
        reporter.add([one._replace(span=document.locate(one.path or ())) for one in expansion.diagnostics])
        made += [one.tree for one in expansion.objects]
    if not reporter.failed:
        sys.stdout.write(
            dump_all([live(tree, release) if arguments["live"] and tree["kind"] == "JobSet" else tree for tree in made])
        )
    return reporter.close()


def _is_namesake(tree: Tree) -> bool:
    return tree.__class__ is dict and tree.get("kind") == "TrainJob" and tree.get("apiVersion") != API_VERSION


def _not_of_trainer(document: Document) -> Diagnostic:
    """TJ028 for what calls itself a TrainJob, in a group or version that no controller looks at."""
    return Diagnostic(
        "TJ028",
        WARNING,
        f"a TrainJob of {document.value.get('apiVersion')} is none of Trainer",
        span=document.locate(("apiVersion",)),
        hint=f"write apiVersion: {API_VERSION}",
        name="not-of-trainer",
    )
