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
    why="A restarted pod, or another node, may get another image. Then the run does not match its manifest, and cannot be "
    "repeated.",
    remedy="Refer to the image by its digest: `tjgen pin` reads digests from the registry and writes them to the lock.",
    effects={
        ARGOCD: "Synced, although the tag can refer to another image later.",
        FLUX: "Applied, although the tag can refer to another image later.",
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
            message = f"{image} can refer to a different image each time a pod starts"
            yield Finding(
                item, path, message, hint=f"use a version, preferably a digest: {image.removesuffix(':latest')}@sha256:..."
            )
