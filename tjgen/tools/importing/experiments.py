"""A file of experiments, and a target -> the file for that target with its comments, and the settings that are lost.

A build for the former target shows what the translation depends on. A build for the new target decides on the rest: a setting
for failures, elasticity or the end of a run that it refuses is lost, and everything else is an error.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set

from tjgen.cluster.kinds.ray import TARGET as RAY
from tjgen.cluster.kinds.volcano_job import TARGET as VOLCANO
from tjgen.compiler.building.compile import build
from tjgen.compiler.building.plan import make_plan
from tjgen.compiler.building.request import Request
from tjgen.compiler.building.run import Built, ProjectFindings
from tjgen.compiler.pipeline import Compiled
from tjgen.tools.importing.findings import at_their_places, in_words_of_conversion
from tjgen.tools.importing.frameworks import with_framework
from tjgen.tools.importing.losses import DEFAULT, FormerRun, Loss, facts_of
from tjgen.tools.importing.refusals import not_convertible, of_pods, of_ray
from tjgen.tools.importing.translation import nodes_for, translated
from tjgen.trees.diagnostics.model import ERROR, CompileError, Diagnostic, has_errors
from tjgen.trees.fields.path import MISSING, FieldPath, Tree, get, render
from tjgen.trees.manifests.manifest import Manifest
from tjgen.trees.session import Session
from tjgen.trees.source.document import Document
from tjgen.trees.source.edits import Stream, changed
from tjgen.trees.source.reader import CORE, read
from tjgen.trees.typing import NamedTuple

_TRANSLATED = ("restart", "elastic", "success", "cleanup", "volcano")
_ROLES = ("spec", "roles")
_HINT = "write it as a field of the new kind, or check whether the run needs it"
NAME = "containerName"
NAME_HINT = "the container gets the name that the runtime uses: change references to the old name, such as in kubectl logs -c"


class _Conversion(NamedTuple):
    """An experiment and its spec for the new target."""

    document: Document
    spec: Tree
    losses: tuple[Loss, ...]


def is_of_experiments(content: bytes, file: str) -> bool:
    """Whether a file holds an experiment."""
    documents, _ = read(content, file, CORE)
    return any(get(document.value, ("kind",), None) == "Experiment" for document in documents)


def experiments(file: str, content: bytes, target: str) -> tuple[str, list[Diagnostic]]:
    """Return the text for another target, and all diagnostics of a build.

    TJ952 for each setting that the target has no equivalent for. TJ951 where the text shares the place with others, by an alias.
    """
    documents, problems = read(content, file, CORE)
    text = content.decode("utf-8", "replace")
    if has_errors(problems):
        return text, problems
    chosen = [one for one in documents if get(one.value, ("kind",), None) == "Experiment"]
    before = _built_before(file, text)
    former = {each.unit.document.index: each for each in _with_runs(before)}
    wrong = {(one.code, one.path) for each in before for one in each.diagnostics if one.severity == ERROR}
    facts = {index: facts_of(each.runs[0].compiled.in_full().workload) for index, each in former.items()}
    rays = [one for one in chosen if get(one.value, ("spec", "target"), None) == RAY != target]
    if rays:
        return text, [not_convertible(str(get(one.value, ("metadata", "name"), "")), target, *of_ray(target)) for one in rays]
    conversions = [_converted(one, target, facts.get(one.index)) for one in chosen]
    if target == VOLCANO and any(_has_exit_codes(one.document.value) for one in conversions):
        tasks = _tasks(file, _written(file, text, conversions) or text)
        conversions = [
            _converted(one, target, known._replace(tasks=tasks.get(one.index, ())) if known is not None else None)
            for one, known in ((one, facts.get(one.index)) for one in chosen)
        ]
    while True:
        changed_text = _written(file, text, conversions)
        if changed_text is None:
            why = "its fields cannot be changed without changing more"
            return text, [not_convertible(file, target, why, "change it manually")]
        try:
            built = _build(file, changed_text)
        except CompileError as error:
            return changed_text, list(at_their_places(error.diagnostics, documents, read(changed_text.encode(), file, CORE)[0]))
        position, refused = next(_refused(built, conversions, wrong), (0, None))
        if refused is None and (nodes := _with_nodes(built, conversions)) != conversions:
            conversions = nodes
        elif refused is None:
            lost = [one for each in conversions for one in _losses(each, target)]
            diagnostics = [
                in_words_of_conversion(one, documents[index], facts.get(index), target) if index is not None else one
                for each in built
                for index in (each.unit.document.index if isinstance(each, Built) else None,)
                for one in each.diagnostics
            ]
            placed = at_their_places(diagnostics, documents, read(changed_text.encode(), file, CORE)[0])
            return changed_text, [*lost, *_different(former, built, target), *placed]
        else:
            conversions[position] = _without(conversions[position], refused)


def manifests_of(runs: Sequence[Compiled]) -> list[Manifest]:
    """The objects of runs, and those that controllers create from them."""
    return [manifest for run in runs for manifest in (*run.in_full().manifests, *run.in_full().previews)]


def _built_before(file: str, text: str) -> list[Built | ProjectFindings]:
    """A build of the file as it is; nothing for a file that does not build."""
    try:
        return _build(file, text)
    except CompileError:
        return []


def _different(former: Mapping[int, Built], built: list[Built | ProjectFindings], target: str) -> Iterator[Diagnostic]:
    """The differences of the runs of each experiment that both targets build."""
    for each in _with_runs(built):
        before = former.get(each.unit.document.index)
        if before is None or has_errors(each.diagnostics) or has_errors(before.diagnostics):
            continue
        spec = get(before.unit.document.value, ("spec",), None) or {}
        name = str(get(before.unit.document.value, ("metadata", "name"), ""))
        runs = zip(before.runs, each.runs, strict=False)
        lost = (
            one
            for old, new in runs
            for one in of_pods(
                name, spec.get("target", DEFAULT), target, manifests_of([old.compiled]), manifests_of([new.compiled])
            )
        )
        yield from (one._replace(span=before.unit.document.locate(("spec", "target"))) for one in dict.fromkeys(lost))


def _tasks(file: str, text: str) -> Mapping[int, list[str]]:
    """The tasks of the Volcano Job of each experiment."""
    try:
        built = _build(file, text)
    except CompileError:
        return {}
    return {
        each.unit.document.index: [
            str(task["name"])
            for manifest in each.runs[0].compiled.in_full().manifests
            for task in get(manifest.tree, ("spec", "tasks"), None) or ()
        ]
        for each in _with_runs(built)
    }


def _with_runs(built: list[Built | ProjectFindings]) -> Iterator[Built]:
    return (each for each in built if isinstance(each, Built) and each.runs)


def _build(file: str, text: str) -> list[Built | ProjectFindings]:
    return list(build(make_plan(Request([file], given={file: text.encode()})), Session()))


def _has_exit_codes(tree: Tree) -> bool:
    restart = get(tree, ("spec", "restart"), None) or {}
    return bool(restart.get("rules")) or restart.get("policy") == "ExitCode"


def _converted(document: Document, target: str, facts: FormerRun | None) -> _Conversion:
    spec = get(document.value, ("spec",), None)
    spec = with_framework(spec, target) if spec.__class__ is dict else {}
    if facts is None:
        return _Conversion(document, {**spec, "target": target}, ())
    result = translated(spec, target, facts)
    return _Conversion(document, result.spec, tuple(result.losses))


def _written(file: str, text: str, conversions: list[_Conversion]) -> str | None:
    """The text with the fields of each experiment; None if they cannot be changed alone."""
    stream = Stream(text, file, CORE)
    for one in conversions:
        own = stream.document(one.document.index)
        for path, value in _edits(one.document.value.get("spec"), one.spec, ("spec",)):
            own = stream.edited(own, path, value) if own is not None else None
        if own is None:
            return None
        stream.put(one.document.index, own)
    return stream.text


def _edits(before: Tree, after: Tree, path: FieldPath) -> Iterator[tuple[FieldPath, Tree]]:
    """The changes of single values that make the one mapping the other."""
    if before.__class__ is not dict:
        yield path, after
        return
    for key, value in after.items():
        if key not in before:
            yield (*path, key), value
        elif value.__class__ is dict and before[key].__class__ is dict and value and before[key]:
            yield from _edits(before[key], value, (*path, key))
        elif before[key] != value and isinstance(value, (dict, list)):
            yield (*path, key), MISSING
            yield (*path, key), value
        elif before[key] != value:
            yield (*path, key), value
    for key in before:
        if key not in after:
            yield (*path, key), MISSING


def _refused(
    built: list[Built | ProjectFindings], conversions: list[_Conversion], wrong: Set[tuple[str, FieldPath | None]]
) -> Iterator[tuple[int, Diagnostic]]:
    """The errors about settings that can be lost, each with the position of its experiment.

    `wrong`: the errors that the file has for its own target, by code and path. They are mistakes and not losses.
    """
    positions = {one.document.index: position for position, one in enumerate(conversions)}
    for each in built:
        position = positions.get(each.unit.document.index) if isinstance(each, Built) else None
        for one in each.diagnostics if position is not None else ():
            path = one.path or ()
            can_be_lost = len(path) > 1 and (path[1] in _TRANSLATED or path[-1] == NAME)
            known = can_be_lost and one.severity == ERROR and (one.code, one.path) not in wrong
            at = path[1:] if path[-1:] == (NAME,) else path[1:2]
            if known and position is not None and get(conversions[position].spec, at) is not MISSING:
                yield position, one


def _with_nodes(built: list[Built | ProjectFindings], conversions: list[_Conversion]) -> list[_Conversion]:
    """The conversions with a number of nodes instead of roles that the runtime does not have, and that have only numbers."""
    unknown = {
        each.unit.document.index
        for each in built
        if isinstance(each, Built) and any(one.code == "TJ302" and (one.path or ())[:2] == _ROLES for one in each.diagnostics)
    }
    return [one._replace(spec=nodes_for(one.spec)) if one.document.index in unknown else one for one in conversions]


def _without(conversion: _Conversion, refused: Diagnostic) -> _Conversion:
    """The conversion without the setting that an error is about."""
    path = (refused.path or ())[1:]
    while get(conversion.spec, path) is MISSING:
        path = path[:-1]
    loss = Loss(path, refused.message, NAME_HINT if path[-1] == NAME else refused.hint or _HINT)
    return conversion._replace(spec=changed(conversion.spec, path, MISSING), losses=(*conversion.losses, loss))


def _losses(conversion: _Conversion, target: str) -> Iterator[Diagnostic]:
    """TJ952 for each loss, at its place in the file."""
    document = conversion.document
    name = get(document.value, ("metadata", "name"), "")
    for loss in conversion.losses:
        path: FieldPath = ("spec", *loss.path)
        place = path
        while get(document.value, place) is MISSING:
            place = place[:-1]
        what = render(loss.path)
        message = f"{name}: target {target} has no equivalent of {what}: {loss.why}"
        yield Diagnostic("TJ952", message, path=place, span=document.locate(place), hint=loss.hint)
