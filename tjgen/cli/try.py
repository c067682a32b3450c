"""`tjgen try`: experiments -> objects to apply by hand, under names and a label that no sync and no lock contains."""  # noqa: N999  # a command is called like its module

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

from tjgen.cli.command import COMMON, FOLDER, MANY, TRAINER, TRUSTED, VALUE, Arguments, Command, Option, UsageError, enter
from tjgen.cli.reporting import Reporter
from tjgen.cluster.kinds.table import kind_of
from tjgen.compiler.building.compile import build
from tjgen.compiler.building.plan import Plan, make_plan
from tjgen.compiler.building.request import Request
from tjgen.compiler.building.run import Run
from tjgen.gitops.output.problems import differing_file
from tjgen.trees.diagnostics.model import CompileError, Diagnostic, ObjectRef
from tjgen.trees.fields.path import Tree
from tjgen.trees.k8s.labels import KUEUE_QUEUE, TRY_LABEL
from tjgen.trees.k8s.valid_names import dashed
from tjgen.trees.manifests.manifest import RUNTIMES, STAGES, Manifest
from tjgen.trees.session import Session
from tjgen.trees.source.writer import dump_all

COMMAND = Command(
    "try",
    "Try an experiment in the cluster, without Git.",
    "Print the objects of an experiment under other names, to apply them with kubectl. The name of the experiment gets "
    "the suffix -try-NAME, and each object the label tjgen.dev/try. No lock and no output tree contains them, so no sync "
    "changes or deletes them, and the run that Git has is not affected. Objects that the experiment shares with others "
    "are left out. The commands that follow the logs, find out why pods are pending, stop the run, and delete all "
    "objects are printed to standard error.",
    "tjgen try experiment.yaml --env dev | kubectl apply -f -",
    "PATH...",
    (
        Option(("--as",), "as", "Your name in the names of the objects; the default is that of your account.", VALUE, "NAME"),
        Option(("--env",), "env", "Environment of the project.", MANY, "NAME"),
        Option(("--only",), "only", "Only the run of this name, or runs that match a pattern; may be repeated.", MANY, "NAME"),
        Option(("--set",), "set", "Set a field of every experiment: spec.nodes=1.", MANY, "PATH=VALUE"),
        FOLDER,
        TRAINER,
        TRUSTED,
        *COMMON,
    ),
    least=1,
)
_NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,18}[a-z0-9])?\Z")


def run(arguments: Arguments) -> int:
    """Build, print the objects and the commands for them, and return the exit code."""
    enter(arguments)
    user = _user(arguments["as"])
    reporter = Reporter(arguments)
    with reporter:
        _print(arguments, user, reporter)
    return reporter.close()


def _user(name: str | None) -> str:
    """The name of the user in the names of objects: `name`, or the account's in a form that names can have. Raises UsageError."""
    user = name if name is not None else next(filter(None, map(_short, _accounts())), None)
    if user is None:
        raise UsageError("the environment has no user name: name yourself with --as NAME, such as --as ana")
    if not _NAME.match(user):
        raise UsageError(f'--as "{user}": use at most 20 lowercase letters, digits and "-"')
    return user


def _accounts() -> Iterator[str]:
    """The names of the account: $USER, else another variable or, in a container without them, that of the user ID."""
    yield os.environ.get("USER", "")
    import getpass  # most accounts have USER

    try:
        yield getpass.getuser()
    except (ImportError, KeyError, OSError):
        return


def _short(account: str) -> str:
    return dashed(account)[:20].rstrip("-")


def _print(arguments: Arguments, user: str, reporter: Reporter) -> None:
    request = Request(
        arguments["paths"], environments=arguments["env"], set_values=arguments["set"], trainer=arguments["trainer"]
    )
    plan = make_plan(request._replace(suffix=f"-try-{user}"))
    if len(plan.environments) > 1:
        names = ", ".join(str(name) for name in plan.environments)
        message = f"the project has several environments: {names}"
        raise CompileError([Diagnostic("TJ266", message, hint="choose one with --env")])
    runs, waiting = _runs(plan, reporter)
    if waiting:
        message = f"{plan.environments[0]} runs only what is promoted to it, so you cannot try an experiment there"
        reporter.add([Diagnostic("TJ783", message, hint="choose another environment with --env")])
    if reporter.failed:
        return
    if arguments["only"]:
        every = ", ".join(run.name for run in runs)
        runs = [run for run in runs if any(fnmatchcase(run.name, pattern) for pattern in arguments["only"])]
        if not runs:
            raise UsageError(f"--only matches none of the runs {every}")
    owned = {manifest.ref for run in _runs(make_plan(request), None)[0] for manifest in run.compiled.manifests}
    objects: dict[ObjectRef, Manifest] = {}
    kept: dict[ObjectRef, None] = {}
    for one in runs:
        for manifest in _renamed(one):
            if manifest.ref in owned:
                kept[manifest.ref] = None
            elif objects.setdefault(manifest.ref, manifest).tree != manifest.tree:
                reporter.add([differing_file(str(manifest.ref), one)])
    reporter.add([_shared(ref) for ref in kept])
    if reporter.failed:
        return
    sys.stdout.write(dump_all([one.tree for stage in STAGES for one in objects.values() if one.stage == stage]))
    sys.stdout.flush()
    for line in _steps(runs, list(objects.values())):
        reporter.print_line(line)


def _runs(plan: Plan, reporter: Reporter | None) -> tuple[list[Run], int]:
    """The runs of a plan, and how many are left out because they are not promoted."""
    runs: list[Run] = []
    waiting = 0
    for built in build(plan, Session()):
        runs += built.runs
        waiting += built.waiting
        if reporter is not None:
            reporter.add(built.diagnostics)
    return runs, waiting


def _renamed(run: Run) -> Iterator[Manifest]:
    """The objects of a run with the label of the try.

    The name of a runtime depends only on its content, so runs of Git and other experiments can use the same name. The
    name of the experiment makes it unique.
    """
    runtimes = {one.name: f"{one.name}-{run.unit.name}" for one in run.compiled.manifests if one.stage == RUNTIMES}
    for manifest in run.compiled.manifests:
        tree = dict(manifest.tree)
        metadata = {**tree["metadata"], "labels": {**tree["metadata"].get("labels", {}), TRY_LABEL: run.unit.name}}
        if manifest.stage == RUNTIMES:
            metadata["name"] = runtimes[manifest.name]
        tree["metadata"] = metadata
        reference = tree.get("spec", {}).get("runtimeRef", {})
        if reference.get("name") in runtimes:
            tree["spec"] = {**tree["spec"], "runtimeRef": {**reference, "name": runtimes[reference["name"]]}}
        yield Manifest(tree, manifest.owners, manifest.stage, expanded=manifest.expanded)


def _shared(ref: ObjectRef) -> Diagnostic:
    message = f"{ref} is left out: the experiment shares it with other runs, and the cluster must have it"
    return Diagnostic(
        "TJ782", message, subject=ref, hint="if the cluster does not have it, commit it first, or give the try its own"
    )


def _steps(runs: list[Run], objects: list[Manifest]) -> Iterator[str]:
    """The commands for the objects of each experiment."""
    for name in dict.fromkeys(run.unit.name for run in runs):
        own = [run for run in runs if run.unit.name == name]
        more = f" and {len(own) - 1} more" if len(own) > 1 else ""
        applied = "they are applied" if more else "it is applied"
        yield f"{own[0].name}{more} in namespace {own[0].unit.namespace}, apart from the runs of Git. When {applied}:"
        yield from (f"  {task:10} kubectl -n {own[0].unit.namespace} {words}" for task, words in _commands(own))
        labeled = [one for one in objects if one.tree["metadata"]["labels"][TRY_LABEL] == name]
        # The run ends before what it uses is deleted.
        kinds = dict.fromkeys(_resource(one.tree) for stage in reversed(STAGES) for one in labeled if one.stage == stage)
        yield f"  {'clean up':10} kubectl -n {own[0].unit.namespace} delete {','.join(kinds)} -l {TRY_LABEL}={name}"


def _commands(runs: Sequence[Run]) -> Iterator[tuple[str, str]]:
    """What to do with the runs of an experiment -> the words of kubectl that do it."""
    for manifest in runs[0].compiled.manifests:
        kind = kind_of(manifest.tree)
        if kind is None or kind.run is None:
            continue
        resource = _resource(manifest.tree)
        names = [one.name for run in runs for one in run.compiled.manifests if one.kind == manifest.kind]
        every = _each(resource, names)
        pods = f"-l {kind.run.pod_label}={names[0]}" if len(names) == 1 else f"-l '{kind.run.pod_label} in ({','.join(names)})'"
        # kubectl watches objects of several names only by a label.
        yield "watch", f"get {every if len(names) == 1 else f'{resource} -l {TRY_LABEL}={runs[0].unit.name}'} --watch"
        yield "logs", f"logs {pods} --all-containers --prefix --follow --max-log-requests=50"
        yield "pending", f"describe pods {pods}"
        yield "", f"describe {every}"
        queued = KUEUE_QUEUE in manifest.tree["metadata"].get("labels", {})
        if queued:
            yield "", "get workloads.kueue.x-k8s.io"
        groups = [one for run in runs for one in run.compiled.previews if one.kind == "PodGroup" and one.name in names]
        if groups:
            yield "", f"describe {_each(_resource(groups[0].tree), [one.name for one in groups])}"
        # Kueue resumes a run that was suspended by hand.
        if kind.suspend is not None and not queued:
            patch: Tree = True
            for step in reversed(kind.suspend):
                patch = {step: patch}
            yield "stop", f"patch {every} --type=merge --patch='{json.dumps(patch)}'"
        else:
            yield "stop", f"delete {every}"


def _each(resource: str, names: Sequence[str]) -> str:
    return " ".join(f"{resource}/{name}" for name in names)


def _resource(tree: Tree) -> str:
    """The kind of an object as kubectl takes it."""
    kind = kind_of(tree)
    group = str(tree["apiVersion"]).rpartition("/")[0]
    plural = kind.plural if kind is not None else str(tree["kind"]).lower()
    return f"{plural}.{group}" if group else plural
