"""An image that is another one tomorrow."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.lint import sources
from tjgen.gitops.lint.kinds import CRONJOB, JOB, RUNS, RUNTIMES
from tjgen.gitops.lint.pods import images
from tjgen.gitops.lint.rule import ARGOCD, DOCUMENTED, FLUX, WARNING, Finding, Rule
from tjgen.gitops.lint.scene import Scene

RULE = Rule(
    code="TJ664",
    name="image-without-version",
    severity=WARNING,
    evidence=DOCUMENTED,
    source=f"{sources.KUBERNETES_DOCS}/containers/images/",
    since="0.1.0",
    title="An image has no tag, or the tag latest.",
    why="A pod that restarts, or another node, may get another image: the run is not what its manifest says, and cannot be "
    "done again.",
    remedy="Name the image by its digest: `tjgen pin` asks the registry and writes digests to the lock.",
    effects={
        ARGOCD: "Synced, whatever the tag points to.",
        FLUX: "Applied, whatever the tag points to.",
    },
    upstream="Kubernetes documentation, images.",
)


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each image of a run, and of a Job that is written by hand: those that are built have tools in them.

    Other tags may move as well, but registries can forbid that.
    """
    for item in scene.of(*RUNS, JOB, CRONJOB, *RUNTIMES):
        if item.document is None and item.kind in (JOB, CRONJOB):
            continue
        for path, image in images(item):
            tag = image.rpartition("/")[2].partition(":")[2]
            if "@" in image or "$" in image or (tag and tag != "latest"):
                continue
            message = f"{image} is whatever is newest when a pod starts"
            yield Finding(item, path, message, hint=f"name a version, best a digest: {image.removesuffix(':latest')}@sha256:...")
