"""`tjgen expand`: TrainJobs, generated or handwritten -> the objects that the Trainer controller would create."""

from __future__ import annotations

import sys

from tjgen.cli.command import CATALOG, COMMON, FLAG, TRAINER, Arguments, Command, Option, refuse_use
from tjgen.cli.inputs import absent, good, sandbox_for, texts
from tjgen.cli.releases import release_for
from tjgen.cli.reporting import Reporter
from tjgen.cli.runtime_files import InstalledRuntimes, RuntimeFiles
from tjgen.cluster.trainer.framework import live
from tjgen.cluster.trainer.inputs import expanded
from tjgen.cluster.trainer.placed import placed, surprising
from tjgen.language.catalog.runtime import API_VERSION
from tjgen.trees.diagnostics.model import CompileError, Diagnostic
from tjgen.trees.fields.path import Tree
from tjgen.trees.source.document import Document
from tjgen.trees.source.reader import KUBERNETES, read
from tjgen.trees.source.writer import dump

COMMAND = Command(
    "expand",
    "Show what controllers create for TrainJobs and other jobs.",
    "Expand TrainJobs with their runtimes, which are in the same files or in the catalog, into the objects that the "
    "Kubeflow Trainer controller would create: JobSet, PodGroup, ConfigMap, Secret. With --expanded, continue to the pods, "
    "and also expand other jobs: JobSet, Volcano Job, PyTorchJob, TFJob, MPIJob, XGBoostJob, JAXJob, PaddleJob, RayJob, Job.",
    "tjgen expand trainjob.yaml runtime.yaml",
    "PATH...",
    (
        CATALOG,
        Option(("--expanded",), "expanded", "Show what all controllers create, down to the pods, also for other jobs.", FLAG),
        Option(
            ("--all-pods",), "all_pods", "With --expanded: show each pod separately instead of equal pods as one document.", FLAG
        ),
        Option(("--live",), "live", "Show JobSets as the API server stores them, with the webhook's defaults.", FLAG),
        TRAINER,
        *COMMON,
    ),
    least=1,
)


def run(arguments: Arguments) -> int:
    """Expand every TrainJob, or with --expanded every job, report, and return the exit code."""
    refuse_use("--all-pods needs --expanded" if arguments["all_pods"] and not arguments["expanded"] else None)
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
        sandbox.clock.count(len(parsed))
        reporter.add(wrong)
    reporter.add(absent(arguments["catalog"]))
    reporter.add([_not_of_trainer(document) for document in documents if _is_namesake(document.value)])
    objects = placed(documents)
    runtimes = RuntimeFiles(arguments["catalog"], release.versions)
    installed = InstalledRuntimes(runtimes, release)
    expansions = expanded([one.tree for one in objects], installed.look_up, release=release)
    reporter.add(installed.notes(objects))
    reporter.add(list(surprising(objects, expansions, runtimes.document_of)))
    created = [("", expanded_object.tree) for one in expansions for expanded_object in one.expansion.objects]
    if arguments["expanded"] and not reporter.failed:
        from tjgen.cluster.controllers.previews import note_of
        from tjgen.cluster.validate.followed import follow_all  # the Trainer controller alone needs no schemas

        trees = [one.tree for one in objects]
        followed = list(follow_all(trees, expansions, versions=release.versions, every=arguments["all_pods"]))
        for source, result in zip(objects, followed, strict=True):
            name = source.document.locate((*source.path, "metadata", "name"))
            reporter.add([source.at(one) for one in result.own] + [one._replace(span=name) for one in result.below])
        created = [(note_of(one), one.tree) for result in followed for one in result.objects]
    if not expansions and not created and not reporter.failed:
        reporter.add([_nothing(is_expanded=arguments["expanded"])])
    if not reporter.failed:
        is_live = arguments["live"]
        shown = [note + dump(live(tree, release) if is_live and tree["kind"] == "JobSet" else tree) for note, tree in created]
        sys.stdout.write("---\n".join(shown))
    return reporter.close()


def _nothing(*, is_expanded: bool) -> Diagnostic:
    """TJ023: the files have nothing to expand."""
    if is_expanded:
        return Diagnostic("TJ023", "there is no job to expand", hint="name a file with a TrainJob or another job")
    return Diagnostic(
        "TJ023", "there is no TrainJob to expand", hint="name a file with a TrainJob, or add --expanded for other jobs"
    )


def _is_namesake(tree: Tree) -> bool:
    return tree.__class__ is dict and tree.get("kind") == "TrainJob" and tree.get("apiVersion") != API_VERSION


def _not_of_trainer(document: Document) -> Diagnostic:
    """TJ028 for what calls itself a TrainJob, in a group or version that no controller looks at."""
    return Diagnostic(
        "TJ028",
        f"Kubeflow Trainer does not serve a TrainJob of {document.value.get('apiVersion')}",
        span=document.locate(("apiVersion",)),
        hint=f"write apiVersion: {API_VERSION}",
    )
