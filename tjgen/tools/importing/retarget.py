"""An experiment, or a handwritten job, and a target -> the same for that target, and the unsupported fields."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.compiler.building.compile import build
from tjgen.compiler.building.plan import make_plan
from tjgen.compiler.building.request import Request
from tjgen.tools.importing.folder import read_folder
from tjgen.tools.importing.imported import left_out
from tjgen.tools.importing.kubeflow import RESTARTS, RUNTIMES
from tjgen.tools.importing.neighbors import neighbors
from tjgen.tools.importing.patch import NAME
from tjgen.tools.importing.shortest import BARE, without, words
from tjgen.tools.importing.translations import for_volcano
from tjgen.tools.importing.trial import TrialBuilder
from tjgen.trees.diagnostics.model import CompileError, Diagnostic
from tjgen.trees.fields.path import Tree, get, render
from tjgen.trees.manifests.leaves import leaves
from tjgen.trees.session import Session
from tjgen.trees.source.edits import Stream
from tjgen.trees.source.reader import CORE, read
from tjgen.trees.source.writer import dump_all


def is_of_experiments(content: bytes, file: str) -> bool:
    """Whether a file holds an experiment."""
    documents, _ = read(content, file, CORE)
    return any(get(document.value, ("kind",), None) == "Experiment" for document in documents)


def experiments(file: str, content: bytes, target: str) -> tuple[str, list[Diagnostic]]:
    """Return the text with another target, everything else unchanged, and all diagnostics of a build.

    TJ951 where the text shares the place with others, by an alias.
    """
    documents, problems = read(content, file, CORE)
    text = content.decode("utf-8", "replace")
    if problems:
        return text, problems
    stream = Stream(text, file, CORE)
    for document in documents:
        own = stream.document(document.index)
        if get(document.value, ("kind",), None) != "Experiment" or own is None:
            continue
        changed = stream.edited(own, ("spec", "target"), target)
        if changed is None:
            return text, [
                _not_convertible(file, target, "its target cannot be changed without changing more", "change it manually")
            ]
        stream.put(document.index, changed)
    text = stream.text
    try:
        built = list(build(make_plan(Request([file], given={file: text.encode()})), Session()))
    except CompileError as error:
        return text, error.diagnostics
    return text, [one for each in built for one in each.diagnostics]


def jobs(file: str, content: bytes, target: str) -> tuple[str, list[Diagnostic]]:
    """Manifests of the jobs as that target makes them, by the experiments that they come to.

    TJ952 for losses: patches of the former kind, and fields that the target rejects. TJ951 if there is no result.
    """
    result = read_folder(file, [(file, content)])
    diagnostics = [one for one in result.diagnostics if one.code != "TJ950"]
    diagnostics += left_out(list(neighbors(result.subjects)))
    objects: list[Tree] = []
    with TrialBuilder(result.catalog, result.release.name) as trial:
        for name, text in result.experiments.items():
            documents, _ = read(text.encode(), name, CORE)
            experiment = documents[0].value
            diagnostics += _left_behind(name, experiment, target)
            experiment, refused = _sayable(_for_target(experiment, target, trial), name, target, trial)
            diagnostics += refused
            trial_result = trial.build(experiment)
            if trial_result.errors:
                hint = trial_result.errors[0].hint or "make an experiment of it with tjgen import, and change that"
                diagnostics.append(_not_convertible(name, target, trial_result.errors[0].message, hint))
            objects += trial_result.objects
    return dump_all(objects), diagnostics


def _left_behind(name: str, experiment: Tree, target: str) -> Iterator[Diagnostic]:
    """What belongs to the former kind alone."""
    spec = experiment["spec"]
    if spec.get("target", "trainjob") == target:
        return
    patch = get(spec, ("patches", NAME), None)
    for what in _sets(patch) if patch else ():
        yield _lost(name, f"{what} of the {patch['target']['kind']}", "only a patch sets it")
    if "volcano" in spec:
        yield _lost(name, f"volcano ({', '.join(spec['volcano'])})", "only a Volcano Job has it")


def _sets(patch: Tree) -> Iterator[str]:
    """What a patch sets. A removal is of a default of the former target, which the job did not set."""
    if "merge" in patch:
        yield from (f"add {render(path)}" for path, value in leaves(patch["merge"]) if value is not None)
    for operation in patch.get("json") or ():
        if operation["op"] not in ("remove", "test"):
            yield f"{operation['op']} {operation['path']}"


def _for_target(experiment: Tree, target: str, trial: TrialBuilder) -> Tree:
    """Without what belongs to the former kind. Roles that only have numbers are nodes, of which a target makes its own roles."""
    spec = experiment["spec"]
    if spec.get("target", "trainjob") == target:
        return experiment
    spec = {key: value for key, value in spec.items() if key not in ("patches", "volcano")}
    for job in trial.build(experiment).objects if target == "volcanojob" else ():
        if job["kind"] in RESTARTS:
            spec = for_volcano(spec, job)
    if spec["runtime"] == BARE and spec["target"] in RUNTIMES:
        spec["runtime"] = RUNTIMES[spec["target"]]  # the operator of the former kind set up the framework
    roles = spec.get("roles") or {}
    if roles and all(role.keys() == {"replicas"} for role in roles.values()):
        spec = {key: value for key, value in spec.items() if key != "roles"}
        spec["nodes"] = sum(role["replicas"] for role in roles.values())
    return {**experiment, "spec": {**spec, "target": target}}


def _sayable(experiment: Tree, name: str, target: str, trial: TrialBuilder) -> tuple[Tree, list[Diagnostic]]:
    """The experiment without the words that the target refuses."""
    lost: list[Diagnostic] = []
    errors = trial.build(experiment).errors
    for word in list(words(experiment)) if errors else ():
        less = without(experiment, word)
        left = trial.build(less).errors
        if len(left) < len(errors):
            remaining = [one.message for one in left]
            reason = next((one for one in errors if one.message not in remaining), errors[0])
            lost.append(_lost(name, ".".join(word), reason.message))
            experiment, errors = less, left
        if not errors:
            break
    return experiment, lost


def _lost(name: str, what: str, why: str) -> Diagnostic:
    hint = "write it as a field of the new kind, or check whether the run needs it"
    return Diagnostic("TJ952", f"{name}: {what} is lost: {why}", hint=hint)


def _not_convertible(name: str, target: str, why: str, hint: str) -> Diagnostic:
    return Diagnostic("TJ951", f"{name} has no form with target {target}: {why}", hint=hint)
