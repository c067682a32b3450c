"""An initializer that the runtime does not have -> the job that fetches, before the jobs that train; and what they share.

The controller fills in the sources by well-known names: the job's step, its container, and the volume
mount `initializer` (Trainer v2.3.0, plugins/jobset builder.go `Initializer`).
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.compiler.lower import SPEC
from tjgen.compiler.programs.containers import image_in_run
from tjgen.compiler.volumes.table import pod_source
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Experiment
from tjgen.trees.diagnostics.model import Diagnostic, has_errors
from tjgen.trees.fields.managed import Managed, Origin
from tjgen.trees.fields.path import FieldPath, Tree, get, named
from tjgen.trees.workload.contribution import EXPERIMENT, Contribution, contribute
from tjgen.trees.workload.roles import members
from tjgen.trees.workload.workload import ANCESTOR, JOBS, Workload, podsets

AT: FieldPath = (*SPEC, "initializer")
VOLUME = "initializer"
FOLDER = "/workspace"
"""Where the images of Trainer's initializers write to: dataset and model below it."""
_PARTS = ("dataset", "model")


def prepared(workload: Workload, experiment: Experiment, setting: Setting) -> tuple[Workload, list[Diagnostic]]:
    """`workload` with the jobs that the experiment's initializers need and the runtime lacks."""
    initializer = experiment.spec.initializer
    assert initializer is not None, "asked only where something is fetched"
    ancestors = {podset.ancestor for podset in workload.podsets}
    missing = [part for part in _PARTS if getattr(initializer, part) is not None and f"{part}-initializer" not in ancestors]
    if not missing and initializer.volume is None:
        return workload, []
    problems = list(_problems(workload, experiment, missing))
    if has_errors(problems):
        return workload, problems
    workload = _first(workload, [(_job(part, setting), (*AT, part)) for part in missing])
    workload, conflicts = contribute(workload, "pass:initializers", _shared(workload, experiment, missing, setting))
    return workload, [*problems, *conflicts]


def _problems(workload: Workload, experiment: Experiment, missing: list[str]) -> Iterator[Diagnostic]:
    initializer = experiment.spec.initializer
    assert initializer is not None
    if initializer.volume is None:
        message = f"the runtime has no {missing[0]}-initializer, and no field names the volume that it would write to"
        hint = "add initializer.volume, or use a runtime that has it, such as tjgen-torch-initializers"
        yield Diagnostic("TJ475", message, path=(*AT, missing[0]), hint=hint)
    elif initializer.volume not in experiment.spec.volumes:
        known = experiment.spec.volumes
        hint = f"use one of {', '.join(known)}" if known else "add it to volumes"
        message = f'the experiment has no volume "{initializer.volume}"'
        yield Diagnostic("TJ476", message, path=(*AT, "volume"), hint=hint)
    for podset in workload.podsets:
        if podset.name in {f"{part}-initializer" for part in missing}:
            message = f"the runtime has a job {podset.name} that is not a step of a TrainJob"
            yield Diagnostic("TJ477", message, path=(*SPEC, "runtime"), hint=f"label it {ANCESTOR}: {podset.name}")


def _first(workload: Workload, jobs: list[tuple[Tree, FieldPath]]) -> Workload:
    """Return `workload` with `jobs` before its own: a job can only depend on jobs before it (JobSet's webhook)."""
    if not jobs:
        return workload
    tree, owners = workload.tree.value, workload.tree.owners
    # The server accepts a runtime without a template.
    template = tree["runtime"].get("template") or {}
    spec = template.get("spec") or {}
    changed = {**spec, "replicatedJobs": [*(job for job, _ in jobs), *(spec.get("replicatedJobs") or [])]}
    runtime = {**tree["runtime"], "template": {**template, "spec": changed}}
    added = {(*JOBS, named(job["name"])): (Origin("pass:initializers", EXPERIMENT, because),) for job, because in jobs}
    return workload._replace(tree=Managed({**tree, "runtime": runtime}, {**owners, **added}), podsets=podsets(runtime))


def _job(part: str, setting: Setting) -> Tree:
    name = f"{part}-initializer"
    container: Tree = {
        "name": name,
        "image": image_in_run(part, setting),
        # It requests no GPU, so it must not see one, even on a node that shows all GPUs to every container.
        "env": [{"name": "NVIDIA_VISIBLE_DEVICES", "value": "void"}],
        "resources": {"requests": {"cpu": "1", "memory": "4Gi"}},
    }
    # Downloads fail for reasons that pass.
    pod = {"spec": {"restartPolicy": "Never", "containers": [container]}}
    return {"name": name, "template": {"metadata": {"labels": {ANCESTOR: name}}, "spec": {"backoffLimit": 3, "template": pod}}}


def _shared(
    workload: Workload, experiment: Experiment, missing: list[str], setting: Setting
) -> Iterator[Contribution | Diagnostic]:
    """Add the volume to initializers and nodes, and the order: training waits until all initializers have completed."""
    initializer = experiment.spec.initializer
    assert initializer is not None and initializer.volume is not None
    at: FieldPath = (*AT, "volume")
    added = [f"{part}-initializer" for part in missing]
    volume = {"name": VOLUME, **pod_source(initializer.volume, experiment.spec.volumes[initializer.volume], setting)}
    for podset in workload.podsets:
        yield Contribution((*podset.pod, "volumes", named(VOLUME)), volume, at)
        mount = {"name": VOLUME, "mountPath": FOLDER}
        yield Contribution((*podset.main, "volumeMounts", (("mountPath", FOLDER),)), mount, at)
    policies: FieldPath = ("runtime", "template", "spec", "volumeClaimPolicies")
    if get(workload.tree.value, policies, None) is not None:
        yield from _without_claim(workload, policies, at)
    names = {podset.name for podset in members(workload)}
    for podset in members(workload):
        before = get(workload.tree.value, (*podset.path, "dependsOn"), None) or []
        if added and not any(one["name"] in names for one in before):
            # Who waits for another node waits for what that one waits for.
            waits = [*before, *({"name": name, "status": "Complete"} for name in added)]
            yield Contribution((*podset.path, "dependsOn"), waits, AT)


def _without_claim(workload: Workload, path: FieldPath, at: FieldPath) -> Iterator[Contribution]:
    """The claim that the runtime makes under the same name goes: a pod cannot have both."""
    policies = get(workload.tree.value, path, None) or []
    left = []
    for policy in policies:
        templates = [one for one in policy.get("templates") or [] if get(one, ("metadata", "name"), None) != VOLUME]
        if templates:
            left.append({**policy, "templates": templates})
    if left != policies:
        yield Contribution(path, left or None, at)
