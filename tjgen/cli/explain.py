"""`tjgen explain`: an experiment, an object, a field -> who set it, and the line in the source."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable

from tjgen.cli.command import COMMON, MANY, SET, TRAINER, TRUSTED, Arguments, Command, Option, UsageError
from tjgen.cli.inputs import sandbox_for
from tjgen.cli.names import near_name, show_name, show_page
from tjgen.cli.reporting import Reporter
from tjgen.cluster.validate.report import subject_of
from tjgen.compiler.building.compile import build
from tjgen.compiler.building.plan import Plan, make_plan
from tjgen.compiler.building.request import Request
from tjgen.compiler.building.run import Run
from tjgen.gitops.emit import header
from tjgen.gitops.sync.access import is_synced
from tjgen.language.resolve.project import find
from tjgen.trees.diagnostics.model import CompileError, Diagnostic, ObjectRef
from tjgen.trees.diagnostics.printable import printable, printable_json
from tjgen.trees.explain.provenance import Sources
from tjgen.trees.explain.report import as_data, as_text, explain
from tjgen.trees.fields.managed import Origin, graft
from tjgen.trees.fields.path import FieldPath, parse, render
from tjgen.trees.files.problems import UNREADABLE
from tjgen.trees.k8s.nearest import nearest
from tjgen.trees.manifests.manifest import Manifest
from tjgen.trees.session import Session
from tjgen.trees.source.reader import KUBERNETES, read
from tjgen.trees.typing import NamedTuple

COMMAND = Command(
    "explain",
    "Show which line of which file set a field.",
    "Show which lines of files set the fields of the objects of an experiment, including objects that controllers will "
    "create. FIELD is a path, or the name of a variable, a volume, a limit or something else. Without it, a page shows "
    "what each line sets; --all shows every field with all its owners. EXPERIMENT may also be the name of a run, or a "
    "file of an output tree. CODE is the code or the name of a diagnostic, such as TJ504: what it means and what to do.",
    "tjgen explain experiment.yaml PET_MASTER_ADDR",
    "EXPERIMENT [KIND[/NAME]] [FIELD|NAME] | CODE",
    (
        Option(("--all",), "all", "Show every field of every object, not a page."),
        Option(("--env",), "env", "Environment of the project.", MANY, "NAME"),
        SET,
        TRAINER,
        TRUSTED,
        *COMMON,
    ),
    least=1,
    most=3,
)


def run(arguments: Arguments) -> int:
    """Explain on stdout, as text or with --format json as data; diagnostics go to stderr."""
    reporter = Reporter(arguments)
    if len(arguments["paths"]) == 1 and not os.path.lexists(arguments["paths"][0]):
        code = _explain_code(arguments["paths"][0], as_json=arguments["format"] == "json")
        if code is not None:
            return code
    with reporter:
        selection = _selection(arguments["paths"], arguments["env"])._replace(every=arguments["all"])
        plan = make_plan(
            Request(
                selection.paths,
                environments=selection.environments,
                set_values=arguments["set"],
                trainer=arguments["trainer"],
                takes_platforms=True,
            )
        )
        as_json = arguments["format"] == "json"
        syncs = _that_sync(plan, selection)
        if syncs:
            sources = Sources(graft({}, Origin("project", "project")), {}, None, None, plan.project.document)
            _show([(manifest, sources) for manifest in syncs], selection, as_json=as_json)
            return reporter.close()
        runs: list[Run] = []
        for built in build(plan, Session()):
            reporter.add(built.diagnostics)
            runs += built.runs
        of_platforms = _of_platforms(plan, selection, reporter) if not reporter.failed else []
        if of_platforms and not reporter.failed:
            _show(of_platforms, selection, as_json=as_json)
        elif not reporter.failed:
            _explain(runs, selection, as_json=as_json)
    return reporter.close()


def _explain_code(word: str, *, as_json: bool) -> int | None:
    """Print what a diagnostic means, by its code or its name; the exit code, None where the word is neither."""
    from tjgen.trees.diagnostics.codes import ACTIVE, load_codes  # a table for messages, loaded on demand

    codes = [one for one in load_codes() if word in (one.code, one.code.lower(), one.name)]
    if as_json and codes:
        import json

        sys.stdout.write(json.dumps([one._asdict() for one in codes], indent=2) + "\n")
    elif codes:
        notes = {one.code: one.severity if one.status == ACTIVE else f"{one.severity}, {one.status}" for one in codes}
        pages = [f"{one.code} {one.name} ({notes[one.code]})\n\n{one.meaning}\n\nTo fix it: {one.remedy}\n" for one in codes]
        sys.stdout.write("\n".join(pages))
    elif word[:2].upper() == "TJ" and word[2:].isdigit():
        raise UsageError(f"unknown diagnostic {word}")
    return 0 if codes else None


class _Selection(NamedTuple):
    """The target: `kind` and `name` "" and `namespace` None match any."""

    paths: list[str]
    environments: list[str]
    kind: str
    name: str
    namespace: str | None
    below: FieldPath
    word: str = ""
    """The field as it is written: it may be the name of a variable, a volume or a limit instead of a path."""
    every: bool = False
    """Whether all fields are shown, not a page."""
    output: str = ""
    """The file of an output tree that was named."""

    def means(self, manifest: Manifest) -> bool:
        return (
            self.kind.lower() in ("", manifest.kind.lower())
            and self.name in ("", manifest.name)
            and self.namespace in (None, manifest.namespace)
        )


def _selection(words: list[str], environments: list[str]) -> _Selection:
    """What the words of the command line mean; raises CompileError."""
    file = words[0]
    content = sandbox_for([file]).content(file)
    if isinstance(content, Diagnostic):
        files = _files_of_run(file) if content.code == UNREADABLE and "/" not in file else []
        if len(files) == 1:
            return _selection([*files, *words[1:]], environments)
        hint = f"name one of {', '.join(files)}" if files else "name an experiment, a run, or a file that tjgen wrote"
        raise CompileError([content._replace(hint=hint) if content.code == UNREADABLE else content])
    known = header.read(content)
    if known is None:
        kind, _, name = words[1].partition("/") if len(words) > 1 else ("", "", "")
        return _Selection([file], environments, kind, name, None, _path(words[2:]), "".join(words[2:]))
    documents, _ = read(content, file, KUBERNETES)
    subject = subject_of(documents[0].value) if documents else None
    if subject is None:
        hint = "build it again; it was edited by hand"
        raise CompileError([Diagnostic("TJ026", f"{file} contains no object", hint=hint)])
    kind, name, namespace = subject.kind, subject.name, subject.namespace
    if not known.owner:
        # A file that experiments share: any experiment of the project may use it.
        return _Selection([], environments, kind, name, namespace, _path(words[1:]), "".join(words[1:]))
    project = find(file) or find(".")
    source = os.path.normpath(os.path.join(os.path.dirname(project) if project else "", known.source))
    *environment, _, _ = known.owner.split("/")
    below, word = _path(words[1:]), "".join(words[1:])
    return _Selection([source], environments or environment, kind, name, namespace, below, word, output=file)


def _files_of_run(name: str) -> list[str]:
    """The manifests of the runs with this name in the output tree of the project."""
    from tjgen.gitops.emit import ondisk  # few explanations begin with the name of a run
    from tjgen.gitops.output.layout import folder_of
    from tjgen.language.resolve.project_file import load_current
    from tjgen.language.runs.store import Locks

    project, _ = load_current()
    directory = project.output
    if project.document is None or directory is None:
        return []
    folders = [folder_of(place, lock.runs[name]) for place, lock in Locks(project.directory).all() if name in lock.runs]
    files = [file.path for folder in folders for file in ondisk.files(directory, folder)]
    return [os.path.relpath(os.path.join(directory, file)) for file in files if file.endswith(f"-{name}.yaml")]


def _path(words: list[str]) -> FieldPath:
    try:
        return parse(words[0]) if words else ()
    except ValueError as problem:
        hint = "write it like spec.template.spec.containers[name=node].image"
        raise CompileError([Diagnostic("TJ024", str(problem), hint=hint)]) from None


def _that_sync(plan: Plan, selection: _Selection) -> list[Manifest]:
    """Explain fields of the sync objects of the output."""
    if not selection.kind or not is_synced(plan.project):
        return []
    from tjgen.gitops.output.syncing import create_objects  # most projects want none

    return [manifest for manifest in create_objects(plan) if selection.means(manifest)]


def _of_platforms(plan: Plan, selection: _Selection, reporter: Reporter) -> list[tuple[Manifest, Sources]]:
    """Explain fields of the objects that platforms produce."""
    if not plan.platform_files and not (plan.whole and selection.kind):
        return []
    from tjgen.gitops.output.bundles import build_platforms  # most projects have no platform that makes anything

    platforms, diagnostics = build_platforms(plan)
    reporter.add(diagnostics)
    known = [(manifest, one.sources) for one in platforms for manifest in one.manifests]
    matching = [(manifest, sources) for manifest, sources in known if selection.means(manifest)]
    if known and not matching and plan.platform_files:
        raise CompileError([_unknown(known, selection)])
    return matching


def _explain(runs: list[Run], selection: _Selection, *, as_json: bool) -> None:
    chosen = _chosen(runs, _own_objects, selection.means)
    if selection.kind and not (chosen and selection.name):
        # A kind selects all Jobs, pods or Services of the run, and a name selects one.
        chosen = _chosen(runs, _followed, selection.means) or _chosen(runs, _each_followed, selection.means) or chosen
    if not chosen:
        # Not an object: the name of something in one of them.
        text = f"{selection.kind}/{selection.name}" if selection.name else selection.kind
        for candidates in (_own_objects, _followed):
            known = _chosen(runs, candidates, lambda manifest: True)
            if show_name([one for group in known for one in group], text, as_json=as_json):
                return
        if selection.output:
            raise CompileError([_of_earlier_sources(selection)])
        raise CompileError([_unknown([one for group in known for one in group], selection)])
    if not selection.every and not selection.word and not as_json:
        # Runs of a sweep differ in few fields.
        show_page(chosen[0], len(chosen) - 1)
    else:
        _show([one for group in chosen for one in group], selection, as_json=as_json)


def _of_earlier_sources(selection: _Selection) -> Diagnostic:
    message = (
        f"{selection.kind}/{selection.name} comes from an earlier version of {selection.paths[0]}, which builds other runs now"
    )
    hint = f"check out its commit, which git log --diff-filter=A -- {selection.output} shows, and repeat the command there"
    return Diagnostic("TJ026", message, hint=hint)


def _own_objects(run: Run) -> Iterable[Manifest]:
    """The objects that are applied, and those that the controller of a TrainJob creates."""
    return (*run.compiled.manifests, *run.compiled.previews)


def _followed(run: Run) -> Iterable[Manifest]:
    """All objects of the run down to the pods; equal ones are one document."""
    return (*run.compiled.manifests, *run.compiled.down_to_pods())


def _each_followed(run: Run) -> Iterable[Manifest]:
    """All objects of the run, each pod by itself."""
    return (*run.compiled.manifests, *run.compiled.down_to_pods(every=True))


def _chosen(
    runs: list[Run], candidates: Callable[[Run], Iterable[Manifest]], wanted: Callable[[Manifest], bool]
) -> list[list[tuple[Manifest, Sources]]]:
    """The wanted objects of each run; what runs share is with the first."""
    seen: set[ObjectRef] = set()
    groups = []
    for compiled_run in runs:
        group = []
        for manifest in candidates(compiled_run):
            if manifest.ref not in seen and wanted(manifest):
                seen.add(manifest.ref)
                group.append((manifest, compiled_run.compiled.sources))
        if group:
            groups.append(group)
    return groups


def _show(chosen: list[tuple[Manifest, Sources]], selection: _Selection, *, as_json: bool) -> None:
    explained = [(manifest, list(explain(manifest, sources, selection.below))) for manifest, sources in chosen]
    explained = [(manifest, leaves) for manifest, leaves in explained if leaves]
    if not explained and selection.word and show_name(chosen, selection.word, as_json=as_json):
        return
    if not explained:
        message = f"no field of {', '.join(str(manifest.ref) for manifest, _ in chosen)} is at or below {render(selection.below)}"
        raise CompileError([Diagnostic("TJ025", message, hint=near_name(chosen, selection.word) or "omit the field to see all")])
    if as_json:
        import json

        data = [as_data(manifest, leaves) for manifest, leaves in explained]
        sys.stdout.write(printable_json(json.dumps(data, indent=2)) + "\n")
    else:
        sys.stdout.write(printable("\n".join(as_text(manifest, leaves) for manifest, leaves in explained)))


def _unknown(objects: list[tuple[Manifest, Sources]], selection: _Selection) -> Diagnostic:
    wanted = f"{selection.kind}/{selection.name}" if selection.name else selection.kind
    known = sorted({str(manifest.ref) for manifest, _ in objects})
    near = nearest(wanted, [*known, *sorted({manifest.kind for manifest, _ in objects})])
    if near:
        return Diagnostic("TJ026", f'no object is named "{wanted}"', hint=f'did you mean "{near}"?')
    message = f'no object is named "{wanted}", and no field, variable, volume or limit of one'
    return Diagnostic("TJ026", message, hint=near_name(objects, wanted) or f"name one of {', '.join(known)}")
