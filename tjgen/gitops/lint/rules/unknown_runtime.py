"""A TrainJob whose runtime is nowhere."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.lint import sources
from tjgen.gitops.lint.kinds import CLUSTER_RUNTIME, RUNTIMES, TRAINJOB
from tjgen.gitops.lint.rule import ARGOCD, ERROR, FLUX, SEEN, Finding, Rule
from tjgen.gitops.lint.scene import Scene
from tjgen.trees.k8s.nearest import nearest

RULE = Rule(
    code="TJ609",
    name="unknown-runtime",
    severity=ERROR,
    evidence=SEEN,
    source=f"{sources.TRAINER}/runtime/core/trainingruntime.go",
    since="0.1.0",
    title="A TrainJob refers to a runtime that is neither in the manifests nor in the catalog.",
    why="Trainer's webhook rejects a TrainJob whose runtime is not in the cluster.",
    remedy="Correct the name, add the runtime, or pass the catalog with `--catalog`.",
    effects={
        ARGOCD: "The object is SyncFailed, and later waves are not applied.",
        FLUX: "The dry run fails, so no object of the Kustomization is applied.",
    },
    upstream="Trainer 2.3 `pkg/runtime/core/trainingruntime.go`, `clustertrainingruntime.go`.",
)

_INSTALLED = ("torch-distributed", "deepspeed-distributed", "mlx-distributed", "jax-distributed", "xgboost-distributed")
"""Runtimes that Trainer's own manifests install; there are more for fine-tuning, which begin with `torchtune-`."""


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each TrainJob written by hand, if the runtimes of the cluster are known."""
    known = scene.of(*RUNTIMES)
    for run in scene.of(TRAINJOB) if known else ():
        kind, namespace, name = scene.runtime_ref(run)
        if run.document is None or scene.runtime_of(run) is not None or scene.catalog(kind, namespace, name) is not None:
            continue
        installed = name in _INSTALLED or name.startswith("torchtune-")
        if not name or (kind == CLUSTER_RUNTIME and (installed or not any(one.kind == kind for one in known))):
            continue
        names = [one.name for one in known if one.kind == kind and one.namespace == namespace]
        near = nearest(name, names)
        hint = f'did you mean "{near}"?' if near else "add the runtime to the manifests, or pass its catalog with --catalog"
        where = f" in namespace {namespace}" if namespace else ""
        message = f'the {kind[1]} "{name}"{where} is not in the manifests or the catalog'
        yield Finding(run, ("spec", "runtimeRef", "name"), message, hint=hint)
