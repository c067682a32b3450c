"""`tjgen build`: experiments -> manifests on stdout, in a file, or in a directory that tjgen owns."""

from __future__ import annotations

import os
import sys

from tjgen.cli.collected import collect
from tjgen.cli.command import (
    BY,
    COMMON,
    FLAG,
    FOLDER,
    MANY,
    NO_OUTPUT,
    POLICY,
    TRAINER,
    TRUSTED,
    VALUE,
    Arguments,
    Command,
    Option,
    UsageError,
    enter,
    refuse_use,
)
from tjgen.cli.reporting import Reporter
from tjgen.cli.writing import into_directory, summary_of
from tjgen.compiler.building.compile import build
from tjgen.compiler.building.inputs import unusable
from tjgen.compiler.building.plan import Plan, make_plan
from tjgen.compiler.building.processes import MOST
from tjgen.compiler.building.projects import is_of_all
from tjgen.compiler.building.request import Request
from tjgen.compiler.building.run import Built
from tjgen.trees.diagnostics.model import CompileError, Diagnostic, ObjectRef
from tjgen.trees.fields.path import Tree
from tjgen.trees.manifests.manifest import STAGES
from tjgen.trees.session import Session

COMMAND = Command(
    "build",
    "Compile experiments into manifests.",
    "Compile experiments into the objects to apply: a TrainJob, JobSet, Volcano Job or job of the Training or MPI "
    "Operator, with its runtime, claims, ConfigMaps and alerts. A Platform compiles to its own objects. Without -o, "
    "they are written to stdout as one stream. With -o FILE.yaml they are written to a file, and with -o DIR to a tree "
    "with a file for each object and the lock of the runs. If there are errors, nothing is written. Without PATH, the "
    "whole project is built, and written to its output folder. --env, --set, --summary and --expanded print instead. A "
    "printed result is cached (in $XDG_CACHE_HOME or ~/.cache), and printed again for the same input. A tree is not "
    "built again while its input and each of its files are the same.",
    "tjgen build experiment.yaml --env prod -o deploy",
    "[PATH]...",
    (
        Option(("-o", "--output"), "output", "File (.yaml) or directory to write to.", VALUE, "PATH"),
        Option(("--env",), "env", "Environment of the project to build for; may be repeated.", MANY, "NAME"),
        Option(("--set",), "set", "Set a field of every experiment: spec.nodes=2; not with -o DIR.", MANY, "PATH=VALUE"),
        Option(("--expanded",), "expanded", "Show only what controllers will create, or write it to DIR.", VALUE, "[DIR]"),
        Option(("--all-pods",), "all_pods", "With --expanded: show each pod separately instead of equal pods as one document."),
        Option(("--check",), "check", "Write nothing; exit 1 if the output differs from a build of the sources.", FLAG),
        Option(("--staged",), "staged", "Exit 1 if Git's index does not contain the output of its own sources.", FLAG),
        Option(
            ("--summary",),
            "summary",
            "Show what runs request, including superseded and orphaned runs; --format json is for programs.",
            FLAG,
        ),
        BY,
        Option(("--renew",), "renew", "Run these locked runs again under new names, if they would change.", MANY, "NAME"),
        Option(("--prune-runs",), "prune_runs", "Remove runs that no experiment requests.", FLAG),
        Option(("--prune-data",), "prune_data", "Remove claims that no experiment requests.", FLAG),
        Option(("--force",), "force", "Overwrite files that were edited manually.", FLAG),
        Option(
            ("--jobs",),
            "jobs",
            "Maximum number of processes that compile a large tree; the default is one for each core.",
            VALUE,
            "N",
        ),
        Option(
            ("--shard",),
            "shard",
            "Compile one of N parts of the experiments, and write it to a file in DIR for --from-shards.",
            VALUE,
            "I/N",
        ),
        Option(
            ("--from-shards",),
            "from_shards",
            "Take compiled runs from the files of all shards, or from folders with them; may be repeated.",
            MANY,
            "PATH",
        ),
        Option(("--no-cache",), "no_cache", "Compile what is printed again, and store no result.", FLAG),
        FOLDER,
        TRAINER,
        POLICY,
        TRUSTED,
        *COMMON,
    ),
)


def run(arguments: Arguments) -> int:
    """Build, report, and answer with the exit code."""
    enter(arguments)
    refuse_use(_wrong_use(arguments))
    with Reporter(arguments) as reporter:
        reporter.note_refused_cache()
        plan = make_plan(
            Request(
                arguments["paths"],
                environments=arguments["env"],
                set_values=arguments["set"],
                trainer=arguments["trainer"],
                takes_platforms=True,
            )
        )
        if is_of_all(plan):
            from tjgen.cli.projects import build_all  # most projects are not a workspace

            build_all(plan, arguments, reporter)
        elif (code := _build(plan, arguments, reporter)) is not None:
            return code
    return reporter.close()


def _build(plan: Plan, arguments: Arguments, reporter: Reporter) -> int | None:
    """Build one project; the exit code if everything is reported already."""
    if arguments["shard"] is not None:
        from tjgen.cli.sharding import write_shard  # few builds are that large

        write_shard(plan, arguments, reporter)
        return None
    compares = next((f"--{name}" for name in ("check", "staged") if arguments[name]), None)
    directory = arguments["output"] or (plan.output if compares or is_for_folder(plan, arguments) else None)
    if directory is None and compares:
        raise UsageError(f"{compares} compares with an output: {NO_OUTPUT}")
    into_tree = directory is not None and not _is_file(directory)
    idle = next((one for one in ("renew", "prune_runs", "prune_data", "from_shards") if arguments[one] and not into_tree), None)
    if idle is not None:
        raise UsageError(f"--{idle.replace('_', '-')} needs -o DIR")
    if directory is not None and arguments["staged"]:
        return _staged(plan, directory, arguments, reporter)
    if directory is not None and into_tree:
        if arguments["output"] is None and not compares:
            reporter.print_line(f"writing to {directory}, the folder of the project; to print instead, pass a path or --env")
        into_directory(plan, directory, arguments, reporter)
    else:
        if directory is None and is_for_folder(plan, arguments) and plan.project.document is not None:
            reporter.print_line("printing: the project has no spec.output.directory, and -o is not given")
        _as_stream(plan, directory, arguments, reporter)
    return None


def is_for_folder(plan: Plan, arguments: Arguments) -> bool:
    """Whether the folder that the project names is written: for the whole project, without an option that shows a part."""
    return plan.whole and not any(arguments[option] for option in ("set", "trainer", "expanded", "summary", "env"))


def _wrong_use(arguments: Arguments) -> str | None:
    output = arguments["output"]
    into_tree = output is not None and not _is_file(output)
    if arguments["set"] and into_tree:
        return "--set cannot be used with -o DIR: the tree could not be built again; write an overlay"
    if arguments["trainer"] and into_tree:
        return "--trainer cannot be used with -o DIR: the tree could not be built again; set spec.trainer in tjgen.yaml"
    if arguments["expanded"] not in (None, "-") and not into_tree:
        return "--expanded DIR needs -o DIR; alone it shows what controllers will create"
    if arguments["jobs"] is not None and arguments["jobs"] not in map(str, range(1, MOST + 1)):
        return f"--jobs needs a number from 1 to {MOST}"
    if arguments["shard"] is not None or arguments["from_shards"]:
        from tjgen.cli.sharding import wrong_use  # few builds are that large

        if (wrong := wrong_use(arguments, into_tree=into_tree)) is not None:
            return wrong
    if arguments["by"]:
        from tjgen.compiler.totals.groups import wrong_group  # few builds print a summary

        return wrong_group(arguments["by"]) if arguments["summary"] else "--by needs --summary"
    if arguments["all_pods"] and arguments["expanded"] is None:
        return "--all-pods needs --expanded"
    for option in ("check", "staged"):
        if arguments[option] and output is not None and _is_file(output):
            return f"--{option} needs -o DIR"
    return None


def _is_file(output: str) -> bool:
    if os.path.isdir(output):
        return False
    return output == "-" or output.endswith((".yaml", ".yml")) or os.path.exists(output)


def _staged(plan: Plan, directory: str, arguments: Arguments, reporter: Reporter) -> int:
    """Build, unless only a check is wanted; then compare what Git's index holds with itself."""
    from tjgen.gitops.output import staged

    index = staged.Index.around(plan, [directory, *(one for one in (arguments["expanded"],) if one not in (None, "-"))])
    if not arguments["check"]:
        into_directory(plan, directory, arguments, reporter)
        if reporter.failed:
            return reporter.close()
    others = index.others()
    if not others:
        if arguments["check"]:
            into_directory(plan, directory, arguments, reporter)
        return reporter.close()
    # Absolute paths would lead back to the folder.
    paths = [index.named(path) for path in arguments["paths"]]
    previews = index.named(arguments["expanded"]) if arguments["expanded"] not in (None, "-") else arguments["expanded"]
    directory = index.named(directory)
    inside = Reporter(arguments)
    with index.instead(others):
        with inside:
            request = Request(paths, environments=arguments["env"], trainer=arguments["trainer"], takes_platforms=True)
            again = make_plan(request)
            into_directory(again, directory, {**arguments, "check": True, "expanded": previews}, inside)
        missed = index.unstaged(others, check=arguments["check"]) if inside.failed else []
        if arguments["check"]:
            # With --staged, the content of the folder does not matter.
            reporter = inside
        else:
            # What was just built is not stale: it is not added yet.
            reporter.add([one for one in inside.diagnostics if one.code not in _NOT_ADDED])
        reporter.add(missed)
        return reporter.close()


_NOT_ADDED = ("TJ062", "TJ261")
"""What is wrong with an index that lacks output, or the whole project."""


def _as_stream(plan: Plan, file: str | None, arguments: Arguments, reporter: Reporter) -> None:
    if len(plan.environments) > 1 and not arguments["summary"]:
        raise CompileError(unusable(plan.request.paths, plan.project.sandbox) or [_several_environments(plan)])
    summary = summary_of(plan, arguments, plan.output)
    chosen: dict[ObjectRef, Tree] = {}
    expanded = arguments["expanded"] is not None
    staged: dict[str, list[str]] = {stage: [] for stage in STAGES}
    waiting = 0
    for built in build(plan, Session(), watch=reporter.watch()):
        reporter.add(built.diagnostics)
        waiting += built.waiting
        if summary is None:
            reporter.add(collect(built.runs, arguments, chosen, staged))
        elif isinstance(built, Built):
            summary.add(built)
    if waiting:
        reporter.add([not_promoted(plan, waiting)])
    if reporter.failed:
        return
    if summary:
        summary.show(arguments)
        return
    texts = [text for stage in STAGES for text in staged[stage]]
    if plan.platform_files:
        diagnostics, texts = _of_platforms(plan, texts, expanded=expanded)
        reporter.add(diagnostics)
        if reporter.failed:
            return
    if file is None or file == "-":
        sys.stdout.write("---\n".join(texts))
    else:
        from tjgen.gitops.emit.file import write as write_file

        write_file(file, ["---\n".join(texts)], inputs=plan.files)


def _of_platforms(plan: Plan, runs: list[str], *, expanded: bool) -> tuple[list[Diagnostic], list[str]]:
    """Return the texts of the objects of the named platforms; TJ910 if the result also has runs."""
    from tjgen.gitops.output.bundles import build_platforms
    from tjgen.trees.source.writer import dump

    platforms, diagnostics = build_platforms(plan)
    # Controllers make nothing of them.
    texts = [dump(manifest.tree) for one in platforms for manifest in one.manifests if not expanded]
    if runs:
        message = "one stream cannot contain the objects of a Platform and runs: its objects are applied to a cluster once"
        hint = "build them one after the other, or into a directory with -o DIR"
        diagnostics.append(Diagnostic("TJ910", message, hint=hint))
    return diagnostics, texts


def _several_environments(plan: Plan) -> Diagnostic:
    names = ", ".join(str(name) for name in plan.environments)
    hint = "choose one with --env, or write a tree of all with -o DIR"
    message = f"the project has several environments: {names}"
    return Diagnostic("TJ266", message, hint=hint)


def not_promoted(plan: Plan, waiting: int) -> Diagnostic:
    """TJ736: `waiting` runs of a plan are left out."""
    runs = "1 run is" if waiting == 1 else f"{waiting} runs are"
    known = [(name, plan.project.environment(name)) for name in plan.environments]
    places = [str(name) for name, own in known if own is not None and own.runs == "promoted"]
    rule = f"{' and '.join(places)} {'contains' if len(places) == 1 else 'contain'} promoted runs only"
    return Diagnostic("TJ736", f"{runs} not shown: {rule}", hint="use tjgen promote to bring a run of another environment")
