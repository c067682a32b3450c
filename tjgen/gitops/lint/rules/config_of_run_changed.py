"""A ConfigMap that a run reads has changed."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.lint import sources
from tjgen.gitops.lint.kinds import CONFIGMAP, RUNS
from tjgen.gitops.lint.references import Users
from tjgen.gitops.lint.rule import ARGOCD, DOCUMENTED, FLUX, WARNING, Finding, RelatedPlace, Rule
from tjgen.gitops.lint.scene import Scene
from tjgen.gitops.lint.sync import is_record

RULE = Rule(
    code="TJ623",
    name="config-of-run-changed",
    severity=WARNING,
    evidence=DOCUMENTED,
    source=f"{sources.KUBERNETES_DOCS}/configuration/configmap/",
    since="0.1.0",
    title="A ConfigMap has changed, but an older run refers to it by the same name.",
    why="Mounted files change in running pods, but variables do not. A pod that restarts gets the new ones, so the "
    "run no longer matches its manifest.",
    remedy="Include a hash of the content in the name, keep the old object as long as a run refers to it, and mark "
    "both `immutable: true`.",
    effects={
        ARGOCD: "Synced; the pods see a mixture.",
        FLUX: "Applied; the pods see a mixture.",
    },
    upstream="Kubernetes documentation, ConfigMaps: mounted ConfigMaps are updated automatically.",
    against=True,
)


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each ConfigMap, at its data."""
    users: Users | None = None
    for pair in scene.pairs(CONFIGMAP):
        fields = [field for field in ("data", "binaryData") if pair.old.map(field) != pair.new.map(field)]
        if not fields or pair.old.tree.get("immutable") is True:
            continue
        users = users or Users(scene, CONFIGMAP)
        readers = [(item, path) for item, path in users.of(pair.new) if item.kind in RUNS and scene.find_before(item) is not None]
        readers = [(item, path) for item, path in readers if not scene.leaves(item, is_record)]
        if readers:
            run, path = readers[0]
            message = f"its data has changed while {run} reads it"
            hint = "store the changed data under another name, and keep the old object for the run"
            related = (RelatedPlace(run, path, "reads it"),)
            yield Finding(pair.new, (fields[0],), message, hint=hint, key=True, related=related)
