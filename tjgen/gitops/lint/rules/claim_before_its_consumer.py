"""A claim that waits for its first consumer, in front of a consumer that waits for it."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.lint import sources
from tjgen.gitops.lint.kinds import CLAIM, KUSTOMIZATION, STORAGE_CLASS
from tjgen.gitops.lint.order import kustomization_of, step
from tjgen.gitops.lint.references import Users
from tjgen.gitops.lint.rule import ARGOCD, ERROR, FLUX, MISSING, SEEN, WARNING, FieldEdit, Finding, RelatedPlace, Rule
from tjgen.gitops.lint.scene import AppliedObject, Scene
from tjgen.gitops.lint.sync import HOOK, WAVE, annotation, phases

RULE = Rule(
    code="TJ604",
    name="claim-before-its-consumer",
    severity=ERROR,
    evidence=SEEN,
    source=f"{sources.ARGOCD_ISSUES}/12840",
    since="0.1.0",
    title="A PersistentVolumeClaim is in an earlier wave, phase or Kustomization than the object that mounts it.",
    why="A claim of a class with WaitForFirstConsumer stays Pending until a pod mounts it. The sync waits "
    "indefinitely for the claim to be Bound before it applies the pod.",
    remedy="Put the claim into the wave of the object that mounts it.",
    effects={
        ARGOCD: "The sync stays in progress without limit: a Pending claim is Progressing.",
        FLUX: "With `wait: true` the Kustomization of the claims times out, and those that depend on it never start.",
    },
    upstream="argo-cd `gitops-engine/pkg/health/health_pvc.go`, issues 12840 and 29201; fluxcd/cli-utils kstatus.",
)


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each claim of a class that may wait: a warning where the class is not among the manifests."""
    users = Users(scene, CLAIM)
    for claim in scene.of(CLAIM):
        mode = binding_mode(scene, claim)
        consumers = [item for item, _ in users.of(claim)]
        if mode == "Immediate" or not consumers:
            continue
        severity = "" if mode else WARNING
        if any(tool.wave for tool in scene.synctools):
            yield from _in_waves(claim, consumers, severity)
        if any(tool.waits_for_units for tool in scene.synctools):
            yield from _in_kustomizations(scene, claim, consumers, severity)


def binding_mode(scene: Scene, claim: AppliedObject) -> str:
    """How the class of a claim binds; empty where the class is not among the manifests."""
    name = claim.get("spec", "storageClassName", default="")
    storage_class = scene.find(STORAGE_CLASS, "", str(name)) if name else None
    return str(storage_class.tree.get("volumeBindingMode") or "Immediate") if storage_class is not None else ""


def _in_waves(claim: AppliedObject, consumers: list[AppliedObject], severity: str) -> Iterator[Finding]:
    own = step(claim)
    steps = [(when, item) for item in consumers if item.unit(ARGOCD) == claim.unit(ARGOCD) and (when := step(item)) is not None]
    if own is None or not steps or min(when for when, _ in steps) <= own:
        return
    (_, wave), consumer = min(steps, key=lambda one: one[0])
    path = annotation(HOOK) if phases(claim) else annotation(WAVE) if WAVE in claim.annotations else ("metadata", "name")
    changes = [FieldEdit(claim, annotation(WAVE), str(wave) if wave else MISSING)] if wave or WAVE in claim.annotations else []
    changes += [FieldEdit(claim, annotation(HOOK))] if phases(claim) else []
    yield Finding(
        claim,
        path,
        f"the sync waits until it is bound before it applies {consumer}, but it is bound only when {consumer} mounts it",
        hint=f'put it into wave "{wave}", that of {consumer}',
        changes=tuple(changes) if not phases(consumer) else (),
        related=(RelatedPlace(consumer, ("metadata", "name"), "mounts it"),),
        severity=severity,
    )


def _in_kustomizations(scene: Scene, claim: AppliedObject, consumers: list[AppliedObject], severity: str) -> Iterator[Finding]:
    own = kustomization_of(scene, claim)
    if own is None or own.kind != KUSTOMIZATION or own.get("spec", "wait") is not True:
        return
    if all(item.unit(FLUX) != claim.unit(FLUX) for item in consumers):
        message = f"{own} waits until it is bound, but it is bound only when {consumers[0]} of another Kustomization mounts it"
        hint = f"put it into the folder of {consumers[0]}, or remove wait from {own}"
        place = RelatedPlace(own, ("spec", "wait"), "waits")
        yield Finding(claim, ("metadata", "name"), message, hint=hint, related=(place,), severity=severity)
