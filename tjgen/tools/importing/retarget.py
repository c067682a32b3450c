"""A handwritten job, and a target -> the job of that target, and the unsupported fields."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.kinds.operator_job import OPERATOR_DEFAULTS
from tjgen.cluster.kinds.pods import starts_pods
from tjgen.cluster.kinds.protocol import MPI
from tjgen.cluster.kinds.ray import TARGET as RAY
from tjgen.cluster.kinds.volcano_job import TARGET as VOLCANO
from tjgen.tools.importing import kubeflow
from tjgen.tools.importing.experiments import NAME as CONTAINER_NAME
from tjgen.tools.importing.experiments import NAME_HINT, manifests_of
from tjgen.tools.importing.folder import read_folder
from tjgen.tools.importing.frameworks import with_framework
from tjgen.tools.importing.imported import Imported, left_out
from tjgen.tools.importing.losses import DEFAULT, facts_of, framework_of
from tjgen.tools.importing.neighbors import neighbors
from tjgen.tools.importing.patch import set_by
from tjgen.tools.importing.refusals import not_convertible, of_mpi, of_pods, of_ray
from tjgen.tools.importing.shortest import without, words
from tjgen.tools.importing.translation import nodes_for, translated
from tjgen.tools.importing.trial import TrialBuilder, TrialResult
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.k8s.labels import KUEUE_PRIORITY, KUEUE_QUEUE
from tjgen.trees.manifests.manifest import Manifest
from tjgen.trees.source.reader import CORE, read
from tjgen.trees.source.writer import dump_all

_OF_KUEUE = ("system", "workloadPriority", "multiKueue")
"""Settings of `schedule` for Kueue alone."""


def jobs(file: str, content: bytes, target: str) -> tuple[str, list[Diagnostic]]:
    """Manifests of the jobs as that target makes them, by the experiments that they come to.

    TJ952 for losses: patches of the former kind, and fields that the target rejects. TJ951 if there is no result.
    """
    result = read_folder(file, [(file, content)])
    diagnostics = [one for one in result.diagnostics if one.code != "TJ950"]
    diagnostics += left_out(list(neighbors(result.subjects)))
    objects: list[Tree] = []
    with TrialBuilder(result.catalog, result.release.name) as trial:
        for one in result.imported:
            name, text = one.file, one.text
            if one.experiment["spec"].get("target") == RAY and target != RAY:
                diagnostics.append(not_convertible(name, target, *of_ray(target)))
                continue
            documents, _ = read(text.encode(), name, CORE)
            experiment = documents[0].value
            diagnostics += _left_behind(name, experiment, target)
            experiment, lost = _for_target(experiment, name, target, trial)
            experiment, refused = _sayable(experiment, name, target, trial)
            diagnostics += [*lost, *refused]
            trial_result = trial.build(experiment)
            if trial_result.errors:
                first = trial_result.errors[0]
                reason = first.message, first.hint or "convert it to an experiment with tjgen import, and change that"
                if framework_of(one.experiment["spec"].get("target")) == MPI != framework_of(target):
                    reason = of_mpi(first.message)
                diagnostics.append(not_convertible(name, target, *reason))
            elif trial_result.runs:
                diagnostics += _different(one, target, trial, trial_result)
            objects += trial_result.objects
    return dump_all(objects), diagnostics


def _different(one: Imported, target: str, trial: TrialBuilder, result: TrialResult) -> Iterator[Diagnostic]:
    """What the pods of the result do not have, or have in addition."""
    job = Manifest(one.subject.tree, {})
    before = [job] if starts_pods(job) else manifests_of(trial.build(one.experiment).runs)
    yield from of_pods(one.file, one.experiment["spec"].get("target", DEFAULT), target, before, manifests_of(result.runs))


def _left_behind(name: str, experiment: Tree, target: str) -> Iterator[Diagnostic]:
    """What belongs to the former kind alone."""
    spec = experiment["spec"]
    if spec.get("target", DEFAULT) == target:
        return
    for patch in (spec.get("patches") or {}).values():
        for what in set_by(patch):
            yield _uncovered(name, what)


def _for_target(experiment: Tree, name: str, target: str, trial: TrialBuilder) -> tuple[Tree, list[Diagnostic]]:
    """The experiment for a target, and what it loses.

    Roles that only have numbers are nodes, of which a target makes its own roles.
    """
    spec = experiment["spec"]
    if spec.get("target", DEFAULT) == target:
        return experiment, []
    runs = trial.build(experiment).runs
    experiment, lost = _without_kueue(experiment, name) if target == VOLCANO else (experiment, [])
    spec = experiment["spec"]
    spec = with_framework({key: value for key, value in spec.items() if key != "patches"}, target)
    if runs:
        facts = facts_of(runs[0].workload)
        if target == VOLCANO:
            spec = _with_policies(spec, runs[0].manifests[0].tree)
            tried = {**experiment, "spec": nodes_for(translated(spec, target, facts).spec)}
            names = [str(task["name"]) for job in trial.build(tried).of_kind("Job") for task in job["spec"]["tasks"]]
            facts = facts._replace(tasks=names)
        spec, losses = translated(spec, target, facts)
        lost += [_lost(name, ".".join(map(str, loss.path)), loss.why, loss.hint) for loss in losses]
    return {**experiment, "spec": {**nodes_for(spec), "target": target}}, lost


def _without_kueue(experiment: Tree, name: str) -> tuple[Tree, list[Diagnostic]]:
    """The experiment with a queue of Volcano of the same name: Kueue does not admit the gang of a Volcano Job."""
    labels = get(experiment, ("metadata", "labels"), None) or {}
    spec = experiment["spec"]
    schedule = spec.get("schedule") or {}
    queue = labels.get(KUEUE_QUEUE, schedule.get("queue"))
    if KUEUE_QUEUE not in labels and schedule.get("system") != "kueue":
        return experiment, []
    kept = {key: value for key, value in labels.items() if key not in (KUEUE_QUEUE, KUEUE_PRIORITY)}
    metadata = {key: value for key, value in experiment["metadata"].items() if key != "labels"}
    metadata |= {"labels": kept} if kept else {}
    rest = {key: value for key, value in schedule.items() if key not in _OF_KUEUE}
    rest |= {"queue": queue} if queue else {}
    spec = {key: value for key, value in spec.items() if key != "schedule"} | ({"schedule": rest} if rest else {})
    why = "Kueue does not admit a Volcano Job, whose pods are a gang of Volcano"
    hint = f"create a Queue {queue} of Volcano, or set schedule.queue to another one" if queue else ""
    lost = [_lost(name, "schedule.system", why, hint)]
    if KUEUE_PRIORITY in labels or "workloadPriority" in schedule:
        priority_hint = "set schedule.priorityClassName to a PriorityClass"
        lost.append(_lost(name, "schedule.workloadPriority", "Volcano does not read classes of Kueue", priority_hint))
    return {**experiment, "metadata": metadata, "spec": spec}, lost


def _with_policies(spec: Tree, job: Tree) -> Tree:
    """The spec with the restarts and the cleanup that its target writes into the job by default: Volcano has other defaults."""
    if job["kind"] not in OPERATOR_DEFAULTS:
        return spec
    full = kubeflow.experiment(job)["spec"]
    policies = {field: full[field] for field in ("restart", "cleanup") if field in full}
    return {**spec, **policies}


def _sayable(experiment: Tree, name: str, target: str, trial: TrialBuilder) -> tuple[Tree, list[Diagnostic]]:
    """The experiment without the words that the target refuses."""
    lost: list[Diagnostic] = []
    errors = trial.build(experiment).errors
    names = [word for word in words(experiment) if word[-1] == CONTAINER_NAME]
    if names and any((one.path or ())[-1:] == (CONTAINER_NAME,) for one in errors):
        # Each role can have one, and the target refuses all of them.
        reason = next(one for one in errors if (one.path or ())[-1:] == (CONTAINER_NAME,))
        for word in names:
            lost.append(_lost(name, ".".join(word), reason.message, NAME_HINT))
            experiment = without(experiment, word)
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


def _uncovered(name: str, what: str) -> Diagnostic:
    hint = "write it as a field of the new kind, or check whether the run needs it"
    return Diagnostic("TJ952", f"{name}: {what} is not converted: no field of tjgen covers it", hint=hint)


def _lost(name: str, what: str, why: str, hint: str = "") -> Diagnostic:
    hint = hint or "write it as a field of the new kind, or check whether the run needs it"
    return Diagnostic("TJ952", f"{name}: {what} is lost: {why}", hint=hint)
