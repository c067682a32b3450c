"""A TrainJob and its runtime in one Kustomization of Flux."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.lint import sources
from tjgen.gitops.lint.kinds import TRAINJOB
from tjgen.gitops.lint.order import kustomization_of
from tjgen.gitops.lint.rule import ERROR, FLUX, SEEN, WARNING, Finding, RelatedPlace, Rule
from tjgen.gitops.lint.scene import Scene
from tjgen.gitops.lint.sync import is_record

RULE = Rule(
    code="TJ607",
    name="runtime-in-kustomization-of-run",
    severity=ERROR,
    evidence=SEEN,
    source=f"{sources.FLUX_SSA}/manager_apply.go",
    since="0.1.0",
    title="A TrainJob and its runtime are in one Kustomization.",
    why="Flux dry-runs all objects of a Kustomization before it applies any. The webhook rejects the TrainJob as long "
    "as its runtime is not in the cluster, so the runtime and all other objects of the Kustomization are never applied.",
    remedy="Put runtimes into a separate Kustomization on which that of the runs depends; or start kustomize-controller "
    "with `--custom-apply-stage-kinds=trainer.kubeflow.org/TrainingRuntime`.",
    effects={
        FLUX: "The first reconciliation fails, and so does every one after it.",
    },
    upstream="fluxcd/pkg `ssa/manager_apply.go` (`ApplyAllStaged`); Trainer 2.3 `pkg/runtime/core/trainingruntime.go`.",
    tools=(FLUX,),
)


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each runtime; a warning where no Kustomization is among the manifests, and folders have to do for it."""
    seen: set[int] = set()
    for run in scene.of(TRAINJOB):
        runtime = scene.runtime_of(run)
        if runtime is None or id(runtime) in seen or is_record(run, FLUX) or run.unit(FLUX) != runtime.unit(FLUX):
            continue
        seen.add(id(runtime))
        own = kustomization_of(scene, runtime)
        yield Finding(
            runtime,
            ("metadata", "name"),
            f"{own or 'one Kustomization'} contains it and {run}, so the dry run of the run fails before the runtime is applied",
            hint="put it into a Kustomization that the runs depend on",
            related=(RelatedPlace(run, ("spec", "runtimeRef"), "runs on it"),),
            severity="" if own is not None or run.document is None else WARNING,
        )
