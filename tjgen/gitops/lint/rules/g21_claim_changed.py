"""G21: a PersistentVolumeClaim has changed in more than its size upwards."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.lint.kinds import CLAIM
from tjgen.gitops.lint.refusals import refused_changes
from tjgen.gitops.lint.rule import ERROR, SEEN, Finding, Rule
from tjgen.gitops.lint.scene import Scene

RULE = Rule(
    code="TJ621",
    name="claim-changed",
    severity=ERROR,
    evidence=SEEN,
    title="A PersistentVolumeClaim has changed in more than its size upwards.",
    why="Class, mode, access modes, selector and volume of a claim are fixed, and it does not shrink. Whoever forces the "
    "change deletes the claim, and its data with it.",
    remedy="Make a new claim under another name, copy the data, and keep the old one until nothing mounts it.",
    argocd="The object is SyncFailed; after five retries nothing happens until the next commit. Later waves are not applied. "
    "`Replace=true` fails as well.",
    flux="The dry run fails, so nothing of the whole Kustomization is applied, and it is tried again for ever. With "
    "`force` the claim is deleted and made anew: the data is lost.",
    upstream="Kubernetes `pkg/apis/core/validation` (`ValidatePersistentVolumeClaimUpdate`).",
    tools=(),
    against=True,
)


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each field that is refused."""
    yield from refused_changes(scene, CLAIM, "make a new claim under another name")
