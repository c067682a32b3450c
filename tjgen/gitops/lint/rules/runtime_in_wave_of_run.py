"""A TrainJob and its runtime in one wave of Argo CD."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.lint import sources
from tjgen.gitops.lint.kinds import TRAINJOB
from tjgen.gitops.lint.rule import ARGOCD, ERROR, SEEN, FieldEdit, Finding, RelatedPlace, Rule
from tjgen.gitops.lint.scene import AppliedObject, Scene
from tjgen.gitops.lint.sync import WAVE, annotation, is_record, phase, wave

RULE = Rule(
    code="TJ606",
    name="runtime-in-wave-of-run",
    severity=ERROR,
    evidence=SEEN,
    source=f"{sources.ARGOCD_SYNC}/sync_tasks.go",
    since="0.1.0",
    title="A runtime is not in an earlier wave than the TrainJobs that run on it.",
    why="Within a wave, objects of custom kinds are applied in the order of their names. Trainer's webhook rejects a "
    "TrainJob without its runtime. It also requires the runtime at every update of a TrainJob. If one commit removes "
    "both from one wave, the TrainJob stays `Terminating`.",
    remedy="Give the runtime an earlier wave, such as `-10`: Argo CD then applies it first, and prunes it last.",
    effects={
        ARGOCD: "Whether the first sync succeeds depends on the names of the two; the retry succeeds. The removal of "
        "both leaves TrainJobs that are never deleted, although the sync is Succeeded. A runtime in a later wave is "
        "never applied, because its runs fail the sync first.",
    },
    upstream="argo-cd `gitops-engine/pkg/sync/sync_tasks.go` (order by kind and name); Trainer 2.3 "
    "`pkg/runtime/core/trainingruntime.go`.",
    tools=(ARGOCD,),
)
_DISTANCE = 10


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each runtime, at its wave."""
    runs: dict[int, list[AppliedObject]] = {}
    runtimes: dict[int, AppliedObject] = {}
    for run in scene.of(TRAINJOB):
        runtime = scene.runtime_of(run)
        if runtime is None or is_record(run, ARGOCD) or run.unit(ARGOCD) != runtime.unit(ARGOCD):
            continue
        if phase(runtime) == phase(run) and wave(runtime) >= wave(run):
            runs.setdefault(id(runtime), []).append(run)
            runtimes[id(runtime)] = runtime
    for key, runtime in runtimes.items():
        first = min(runs[key], key=wave)
        where = "the wave" if wave(runtime) == wave(first) else f"wave {wave(runtime)}, after that"
        path = annotation(WAVE) if WAVE in runtime.annotations else ("metadata", "name")
        earlier = str(wave(first) - _DISTANCE)
        yield Finding(
            runtime,
            path,
            f"it is in {where} of {first}, wave {wave(first)}",
            hint=f'set the annotation {WAVE}: "{earlier}"',
            changes=(FieldEdit(runtime, annotation(WAVE), earlier),),
            related=(RelatedPlace(first, ("metadata", "name"), "runs on it"),),
        )
