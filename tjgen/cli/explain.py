"""`tjgen explain`: an experiment, an object, a field -> who set it, and the line in the source."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable

from tjgen.cli.command import COMMON, MANY, SET, TRAINER, TRUSTED, Arguments, Command, Option, UsageError, prints_json
from tjgen.cli.names import near_name, show_name, show_page
from tjgen.cli.reporting import Reporter
from tjgen.cli.selection import ExplainedWords, select
from tjgen.compiler.building.compile import build
from tjgen.compiler.building.plan import Plan, make_plan
from tjgen.compiler.building.request import Request
from tjgen.compiler.building.run import Run
from tjgen.gitops.sync.access import is_synced
from tjgen.trees.diagnostics.model import ERROR, CompileError, Diagnostic, ObjectRef
from tjgen.trees.diagnostics.printable import printable, printable_json
from tjgen.trees.explain.provenance import Sources
from tjgen.trees.explain.report import as_data, as_text, explain
from tjgen.trees.explain.written import meant, meant_inside, steps_of
from tjgen.trees.fields.managed import Origin, graft
from tjgen.trees.fields.path import FieldPath, render
from tjgen.trees.k8s.kindwords import kind_of
from tjgen.trees.k8s.nearest import nearest
from tjgen.trees.manifests.manifest import Manifest
from tjgen.trees.session import Session

COMMAND = Command(
    "explain",
    "Show which line of which file set a field.",
    "Show which lines of files set the fields of the objects of an experiment, including objects that controllers will "
    "create. FIELD is a path, or the name of a variable, a volume, a limit or something else. Without it, a page shows "
    "what each line sets; --all shows every field with all its owners. EXPERIMENT may also be the name of an experiment "
    "or of a run, or a file of an output tree. KIND may be a plural or a short name, such as js or pods, and a path may "
    "have positions, as in spec.containers[0].image. CODE is the code or the name of a diagnostic, such as TJ504: its "
    "meaning and remedy are printed.",
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
        code = _explain_code(arguments["paths"][0], as_json=prints_json(arguments))
        if code is not None:
            return code
    with reporter:
        selection = select(arguments["paths"], arguments["env"])._replace(every=arguments["all"])
        plan = make_plan(
            Request(
                selection.paths,
                environments=selection.environments,
                set_values=arguments["set"],
                trainer=arguments["trainer"],
                takes_platforms=True,
            )
        )
        as_json = prints_json(arguments)
        syncs = _that_sync(plan, selection)
        if syncs:
            sources = Sources(graft({}, Origin("project", "project")), {}, None, None, plan.project.document)
            _show([(manifest, sources) for manifest in syncs], selection, as_json=as_json)
            return reporter.close()
        runs: list[Run] = []
        waiting = 0
        for built in build(plan, Session()):
            reporter.add(built.diagnostics)
            runs += built.runs
            waiting += built.waiting
        of_platforms = _of_platforms(plan, selection, reporter) if not reporter.failed else []
        if of_platforms and not reporter.failed:
            _show(of_platforms, selection, as_json=as_json)
        elif not runs and waiting:
            raise CompileError([_not_promoted(plan, waiting)])
        elif not reporter.failed:
            reporter.add(_kept_values(plan, runs, selection))
            _explain(runs, selection, as_json=as_json)
    return reporter.close()


def _not_promoted(plan: Plan, waiting: int) -> Diagnostic:
    from tjgen.cli.build import not_promoted

    return not_promoted(plan, waiting)._replace(
        severity=ERROR, hint="use tjgen promote to bring a run of another environment, or explain it there with --env"
    )


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


def _that_sync(plan: Plan, selection: ExplainedWords) -> list[Manifest]:
    """Explain fields of the sync objects of the output."""
    if not selection.kind or not is_synced(plan.project):
        return []
    from tjgen.gitops.output.syncing import create_objects  # most projects want none

    return [manifest for manifest in create_objects(plan) if selection.means(manifest)]


def _of_platforms(plan: Plan, selection: ExplainedWords, reporter: Reporter) -> list[tuple[Manifest, Sources]]:
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


def _kept_values(plan: Plan, runs: list[Run], selection: ExplainedWords) -> list[Diagnostic]:
    """Warnings about fields that the explained runs have otherwise in the output tree."""
    if plan.project.output is None:
        return []
    from tjgen.gitops.output.kept_values import warnings  # experiments outside of a project have no tree

    own = [run for run in runs if _chosen([run], _own_objects, selection.means)] if selection.output else runs
    return [*warnings(plan, own)]


def _explain(runs: list[Run], selection: ExplainedWords, *, as_json: bool) -> None:
    chosen = _chosen(runs, _own_objects, selection.means)
    if selection.output and selection.words:
        selection, runs, chosen = _of_run(runs, selection, chosen)
    if selection.kind and not (chosen and selection.name):
        # A kind selects all Jobs, pods or Services of the run, and a name selects one.
        chosen = _with_followed(runs, selection) or chosen
    if not chosen:
        # Not an object: the name of something in one of them, or a kind in short.
        text = f"{selection.kind}/{selection.name}" if selection.name else selection.kind
        for candidates in (_own_objects, _followed):
            known = _chosen(runs, candidates, lambda manifest: True)
            if show_name([one for group in known for one in group], text, as_json=as_json):
                return
        chosen = _with_followed(runs, selection._replace(is_short=True))
        objects = [one for group in known for one in group]
        if not chosen and selection.output:
            raise CompileError([_of_earlier_sources(selection)])
        if not chosen and not _show_paths(objects, text, as_json=as_json):
            raise CompileError([_unknown(objects, selection)])
        if not chosen:
            return
    if not selection.every and not selection.word and not as_json:
        # Runs of a sweep differ in few fields.
        show_page(chosen[0], len(chosen) - 1)
    else:
        _show([one for group in chosen for one in group], selection, as_json=as_json)


def _of_run(
    runs: list[Run], selection: ExplainedWords, chosen: list[list[tuple[Manifest, Sources]]]
) -> tuple[ExplainedWords, list[Run], list[list[tuple[Manifest, Sources]]]]:
    """The selection among all objects of the run, if the words after its name begin with a kind; else the same."""
    own = [run for run in runs if _chosen([run], _own_objects, selection.means)]
    kinds = {manifest.kind for group in _chosen(own, _followed, lambda manifest: True) for manifest, _ in group}
    word = selection.words[0]
    if len(selection.words) == 1 and "/" not in word and kind_of(word, kinds) is None:
        return selection._replace(kinds=tuple(sorted(kinds))), runs, chosen
    return selection.of_run()._replace(output="" if own else selection.output), own, []


def _with_followed(runs: list[Run], selection: ExplainedWords) -> list[list[tuple[Manifest, Sources]]]:
    """The selected objects down to the pods; each pod only if it is named."""
    return _chosen(runs, _followed, selection.means) or _chosen(runs, _each_followed, selection.means)


def _of_earlier_sources(selection: ExplainedWords) -> Diagnostic:
    message = f"{selection.output} comes from an earlier version of {selection.paths[0]}, which builds other runs now"
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


def _show(chosen: list[tuple[Manifest, Sources]], selection: ExplainedWords, *, as_json: bool) -> None:
    if _show_at(chosen, selection.below, as_json=as_json) or (
        selection.word and show_name(chosen, selection.word, as_json=as_json)
    ):
        return
    message = f"no field of {', '.join(str(manifest.ref) for manifest, _ in chosen)} is at or below {render(selection.below)}"
    near = nearest(selection.word, selection.kinds)
    hint = f'did you mean "{near}"?' if near else near_name(chosen, selection.word) or "omit the field to see all"
    raise CompileError([Diagnostic("TJ025", message, hint=hint)])


def _show_paths(objects: list[tuple[Manifest, Sources]], text: str, *, as_json: bool) -> bool:
    """Print the fields at a path that names no object; returns False if the text is not a path of one."""
    try:
        steps = steps_of(text)
    except ValueError:
        return False
    return len(steps) > 1 and _show_at(objects, steps, as_json=as_json)


def _show_at(chosen: list[tuple[Manifest, Sources]], steps: FieldPath, *, as_json: bool) -> bool:
    """Print the fields at or below a path, from the root of the objects or else inside of them; returns False if none is."""
    paths = [meant(manifest.tree, steps) for manifest, _ in chosen]
    if not any(paths):
        paths = [meant_inside(manifest.tree, steps) for manifest, _ in chosen]
    explained = [
        (manifest, [leaf for path in below for leaf in explain(manifest, sources, path)])
        for (manifest, sources), below in zip(chosen, paths, strict=True)
        if below
    ]
    if not explained:
        return False
    if as_json:
        import json

        data = [as_data(manifest, leaves) for manifest, leaves in explained]
        sys.stdout.write(printable_json(json.dumps(data, indent=2)) + "\n")
    else:
        sys.stdout.write(printable("\n".join(as_text(manifest, leaves) for manifest, leaves in explained)))
    return True


def _unknown(objects: list[tuple[Manifest, Sources]], selection: ExplainedWords) -> Diagnostic:
    wanted = f"{selection.kind}/{selection.name}" if selection.name else selection.kind
    known = sorted({str(manifest.ref) for manifest, _ in objects})
    near = nearest(wanted, [*known, *sorted({manifest.kind for manifest, _ in objects})])
    if near:
        return Diagnostic("TJ026", f'no object is named "{wanted}"', hint=f'did you mean "{near}"?')
    message = f'no object is named "{wanted}", and no field, variable, volume or limit of one'
    return Diagnostic("TJ026", message, hint=near_name(objects, wanted) or f"name one of {', '.join(known)}")
