"""An object that the server accepts -> diagnostics on its Jobs and Pods that no controller can create.

The server looks at a pod inside a JobSet, a runtime or a Volcano Job for its types alone. What is wrong with it comes up when the
controller makes it, in an event, and the object waits forever.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tjgen.cluster.validate.fault import DUPLICATE, NOT_FOUND, REQUIRED, Fault
from tjgen.cluster.validate.report import subject_of
from tjgen.cluster.validate.templates import templates
from tjgen.cluster.validate.verdict import DECODE
from tjgen.cluster.validate.wording import field
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.manifests.generated_names import generated

_MPI_OPERATOR = "kubeflow.org/v2beta1"
_KUBERAY = "ray.io/v1"
_VOLCANO = "batch.volcano.sh/v1alpha1"
_RUNTIMES = ("ClusterTrainingRuntime", "TrainingRuntime")


def diagnostics(tree: Tree, *, versions: Mapping[str, str] | None = None) -> Iterator[Diagnostic]:
    """TJ511 for each thing that is wrong with a template, at its place; TJ427 where an operator refuses the object as a whole."""
    subject = subject_of(tree)
    if tree.get("apiVersion") in (_MPI_OPERATOR, _KUBERAY):
        yield from _refused(tree)
    reported: set[tuple[FieldPath, str]] = set()
    for verdict in templates(_as_created(tree), versions=versions):
        for fault in verdict.faults:
            words = fault.summary or fault.detail
            if (fault.path, words) not in reported and not _comes_later(tree, fault):
                reported.add((fault.path, words))
                where = field(fault.path) or "the object"
                message = f"{where}: the {verdict.kind} from this template would be refused: {words}"
                hint = fault.hint or _hint(verdict.verdict.stage, is_added=_is_added(tree, fault))
                yield Diagnostic("TJ511", message, subject, fault.path, hint=hint)


def _refused(tree: Tree) -> Iterator[Diagnostic]:
    """TJ427 for each thing for which the MPI Operator or KubeRay leaves a job alone that the server has taken."""
    from tjgen.cluster.validate.webhooks import kuberay, mpi_operator  # few write MPIJobs and RayJobs

    is_of_mpi = tree["apiVersion"] == _MPI_OPERATOR
    reported_by = "an event" if is_of_mpi else "its status"
    for fault in mpi_operator.faults(tree) if is_of_mpi else kuberay.faults(tree) if tree.get("kind") == "RayJob" else ():
        message = f"{field(fault.path)}: the operator would leave the job alone: {fault.detail}"
        hint = fault.hint or f"change the field: nothing would run, and only {reported_by} would report it"
        yield Diagnostic("TJ427", message, subject_of(tree), fault.path, hint=hint)


def _as_created(tree: Tree) -> Tree:
    """The object with what its pods get from elsewhere.

    A runtime has a name that a TrainJob may have, because its Jobs get the name of the TrainJob. The templates of a Volcano Job
    have what its plugins add to the first pod of each task.
    """
    if tree.get("kind") in _RUNTIMES:
        return {**tree, "metadata": {**tree["metadata"], "name": "run"}}
    if tree.get("apiVersion") == _VOLCANO and get(tree, ("spec", "plugins"), None):
        return _with_plugins(tree)
    return tree


def _with_plugins(tree: Tree) -> Tree:
    from tjgen.cluster.controllers.volcano import with_job_defaults  # few write Volcano Jobs
    from tjgen.cluster.controllers.volcano_plugins import complete, flags_of

    name = generated(tree["metadata"])
    job = with_job_defaults({**tree, "metadata": {**tree["metadata"], "name": name}})
    tasks = job["spec"].get("tasks") or []
    named = {value for plugin in job["spec"]["plugins"] for value in flags_of(job, plugin).values()}
    leaders = [task for task in tasks if task["name"] in named]
    completed = []
    for task in tasks:
        template = task.get("template") or {}
        if template.get("spec"):
            metadata = {**(template.get("metadata") or {}), "name": f"{name}-{task['name']}-0"}
            # The variables with the hosts of all tasks are never wrong, and would be as many as the tasks for each of them.
            known = {**job, "spec": {**job["spec"], "tasks": leaders if task["name"] in named else [*leaders, task]}}
            template = complete(known, {**template, "metadata": metadata}, task["name"], 0)
        completed.append({**task, "template": template})
    return {**tree, "spec": {**tree["spec"], "tasks": completed}}


def _is_added(tree: Tree, fault: Fault) -> bool:
    """Whether a plugin of a Volcano Job adds the field to the pod."""
    return fault.type == DUPLICATE and "plugins" in (tree.get("spec") or {}) and get(tree, fault.path, None) is None


def _hint(stage: str, *, is_added: bool) -> str:
    if is_added:
        return "a plugin of the Job adds this field: change what it conflicts with, or remove the plugin"
    return "give the value the type that the field has" if stage == DECODE else "fix this field in the pod template"


def _comes_later(tree: Tree, fault: Fault) -> bool:
    """What is missing may come from elsewhere.

    A runtime gets images and volumes with the TrainJob, resources as a whole or not at all; a JobSet's controller adds the
    volumes of its claim templates to the pods that mount them (JobSet v0.12 `pkg/controllers/jobset_controller.go`).
    """
    if tree.get("kind") in _RUNTIMES:
        return fault.type in (NOT_FOUND, REQUIRED) and "resources" not in fault.path
    return fault.type == NOT_FOUND and "volumeMounts" in fault.path and get(tree, fault.path, None) in _claimed(tree)


def _claimed(tree: Tree) -> list[Tree]:
    policies = get(tree, ("spec", "volumeClaimPolicies"), None) or ()
    return [get(claim, ("metadata", "name"), None) for policy in policies for claim in policy.get("templates") or ()]
