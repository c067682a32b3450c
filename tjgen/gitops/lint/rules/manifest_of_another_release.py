"""A run that was written for another release of Trainer."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.trainer.release import RELEASES
from tjgen.gitops.lint import sources
from tjgen.gitops.lint.kinds import TRAINJOB
from tjgen.gitops.lint.rule import ARGOCD, ERROR, FLUX, SOURCE, Finding, Rule
from tjgen.gitops.lint.scene import Scene
from tjgen.gitops.lint.sync import is_record

RULE = Rule(
    code="TJ671",
    name="manifest-of-another-release",
    severity=ERROR,
    evidence=SOURCE,
    source=f"{sources.TRAINER}/apis/trainer/v1alpha1/trainjob_types.go",
    since="0.1.0",
    release="Trainer 2.1",
    title="A TrainJob has overrides of a release of Trainer other than the one in the cluster.",
    why="Trainer 2.0 has `podSpecOverrides`, 2.1 `podTemplateOverrides` with `spec.labels` and `spec.annotations`, 2.2 and "
    "later `runtimePatches`. After an upgrade, the server rejects a finished run that is applied again, or drops its overrides.",
    remedy="Archive earlier runs before an upgrade. `tjgen convert` rewrites runs that must run again.",
    effects={
        ARGOCD: "The object stays SyncFailed or OutOfSync.",
        FLUX: "The dry run fails (field not declared in schema), so no object of the Kustomization is applied.",
    },
    upstream="Trainer 2.0 to 2.3 `pkg/apis/trainer/v1alpha1/trainjob_types.go`.",
)


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each field that the release does not have."""
    known = dict.fromkeys(release.overrides for release in RELEASES.values())
    foreign = [field for field in known if field != scene.release.overrides]
    if not scene.release.propagates_metadata:
        foreign += ["labels", "annotations"]
    for run in scene.of(TRAINJOB):
        if scene.leaves(run, is_record):
            continue
        for field in foreign:
            if run.get("spec", field) is not None:
                message = f"Trainer {scene.release.name} has no {field}"
                yield Finding(run, ("spec", field), message, hint="convert the manifest, or archive the run", key=True)
