"""Image automation that points at a run."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.lint import sources
from tjgen.gitops.lint.kinds import KUSTOMIZATION, RUNS, TRAINJOB
from tjgen.gitops.lint.pods import images
from tjgen.gitops.lint.rule import ARGOCD, DOCUMENTED, FLUX, WARNING, Finding, RelatedPlace, Rule
from tjgen.gitops.lint.scene import AppliedObject, Scene

RULE = Rule(
    code="TJ665",
    name="automation-of-run",
    severity=WARNING,
    evidence=DOCUMENTED,
    source=f"{sources.FLUX_GUIDES}/image-update/",
    since="0.1.0",
    title="Automation is set up to change the image of a run.",
    why="The image of a run is immutable, so the server rejects the change. In addition, kustomize (and therefore "
    "`images` of Flux and Argo CD Image Updater) changes containers of pods, not `spec.trainer.image`.",
    remedy="Put the marker on the experiment or the catalog, and build again: a new image is a new run.",
    effects={
        ARGOCD: "The commit of the bot is SyncFailed; `images` of kustomize have no effect on `spec.trainer.image`.",
        FLUX: "The commit of the bot blocks the Kustomization; `spec.images` has no effect on `spec.trainer.image`.",
    },
    upstream="fluxcd documentation, image update markers; kustomize issues 758 and 5889.",
)
_MARKER = '"$imagepolicy"'


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each marker on the image of a run, and for each Kustomization whose images meet a TrainJob's."""
    for run in scene.of(*RUNS):
        for path, _ in images(run) if run.document is not None and _MARKER in run.document.text else ():
            if _is_marked(run, path):
                message = "automation is set up to change this image, which is immutable"
                yield Finding(run, path, message, hint="put the marker on the experiment or the catalog")
    for owner in scene.of(KUSTOMIZATION) if FLUX in scene.tools else ():
        for path, image_rule in owner.maps("spec", "images"):
            for run in scene.of(TRAINJOB):
                image = str(run.get("spec", "trainer", "image", default=""))
                if run.unit(FLUX) == owner.name and _bare(image) == str(image_rule.get("name")):
                    place = RelatedPlace(run, ("spec", "trainer", "image"), "stays as it is")
                    yield Finding(
                        owner,
                        path,
                        f"it has no effect on the image of {run}",
                        hint="change the image of the run itself",
                        related=(place,),
                    )


def _is_marked(run: AppliedObject, path: tuple[object, ...]) -> bool:
    span = run.locate(path)
    if span is None or run.document is None:
        return False
    return _MARKER in run.document.text.split("\n")[span.line - 1]


def _bare(image: str) -> str:
    folder, slash, name = image.partition("@")[0].rpartition("/")
    return folder + slash + name.partition(":")[0]
