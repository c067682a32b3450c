"""Something that is meant to come after a run, and does not wait for it."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.lint import sources
from tjgen.gitops.lint.kinds import CONFIGMAP, RUNS
from tjgen.gitops.lint.order import applications, kustomization_of, waiting
from tjgen.gitops.lint.rule import ARGOCD, FLUX, SEEN, WARNING, Finding, RelatedPlace, Rule
from tjgen.gitops.lint.scene import AppliedObject, Kind, Scene

RULE = Rule(
    code="TJ603",
    name="nothing-waits-for-run",
    severity=WARNING,
    evidence=SEEN,
    source=f"{sources.ARGOCD_HEALTH}/health.go",
    since="0.1.0",
    title="An object is ordered after a run, but no tool waits for the run.",
    why="Neither tool detects when a TrainJob, JobSet or Volcano Job is done. The object counts as healthy as soon as it is"
    " applied, so later objects run at the same time.",
    remedy="Give the tool a health check for the kind (`spec.gitops.health` in tjgen.yaml writes these), or start the "
    "next step in the run itself. With a health check, a sync takes as long as the run.",
    effects={
        ARGOCD: "A PostSync hook and every later wave run at once after the run is created.",
        FLUX: "A Kustomization that depends on the one with the run is reconciled at once, because unknown kinds are "
        "ready when they are applied.",
    },
    upstream="argo-cd `gitops-engine/pkg/health/health.go`; fluxcd/cli-utils kstatus.",
)


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each object, or Kustomization, that comes later than a run without a check of health."""
    if any(tool.wave for tool in scene.synctools):
        known = set(_checked(scene))
        for members in applications(scene).values():
            runs = [(when, item) for when, item in members if item.kind in RUNS and item.kind not in known]
            first = min(runs, key=lambda one: one[0], default=None)
            for when, item in members if first is not None else ():
                if first is not None and when > first[0]:
                    message = f"it does not wait for {first[1]}, which counts as healthy once it is applied"
                    yield _finding(item, first[1], message, f"give Argo CD a health check for {first[1].kind[1]}")
    if any(tool.waits_for_units for tool in scene.synctools):
        first_runs: dict[int, AppliedObject] = {}
        for one in scene.of(*RUNS):
            first_runs.setdefault(id(kustomization_of(scene, one)), one)
        for later, earlier in waiting(scene):
            run = first_runs.get(id(earlier))
            if run is not None and not any(
                expression.get("kind") == run.kind[1] for _, expression in earlier.maps("spec", "healthCheckExprs")
            ):
                message = f"it does not wait for {run} of {earlier}, which is ready once it is applied"
                yield _finding(later, run, message, f"give {earlier} healthCheckExprs for {run.kind[1]}")


def _finding(item: AppliedObject, run: AppliedObject, message: str, hint: str) -> Finding:
    return Finding(
        item, ("metadata", "name"), message, hint=hint, related=(RelatedPlace(run, ("metadata", "name"), "runs meanwhile"),)
    )


def _checked(scene: Scene) -> Iterator[Kind]:
    """The kinds that a configuration of Argo CD among the manifests has a check for."""
    for item in scene.of(CONFIGMAP):
        for key, value in item.map("data").items():
            if key.startswith(_KEY):
                group, _, kind = key.removeprefix(_KEY).rpartition("_")
                yield group, kind
            elif key == "resource.customizations":
                yield from [kind for kind in RUNS if f"{kind[0]}/{kind[1]}:" in str(value)]


_KEY = "resource.customizations.health."
