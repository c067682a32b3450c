"""A ConfigMap or Secret that goes while a run reads it."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.lint import sources
from tjgen.gitops.lint.applied import stays
from tjgen.gitops.lint.kinds import CONFIGMAP, RUNS, SECRET
from tjgen.gitops.lint.references import Users
from tjgen.gitops.lint.rule import ARGOCD, DOCUMENTED, FLUX, WARNING, Finding, RelatedPlace, Rule
from tjgen.gitops.lint.scene import Scene
from tjgen.gitops.lint.sync import is_record

RULE = Rule(
    code="TJ642",
    name="config-in-use-removed",
    severity=WARNING,
    evidence=DOCUMENTED,
    source=f"{sources.KUBERNETES_DOCS}/configuration/configmap/",
    since="0.1.0",
    title="A ConfigMap or Secret was removed, but a remaining run reads it.",
    why="Running pods keep the volumes that they have mounted. A pod that is restarted, or created later, waits for the "
    "object indefinitely (FailedMount).",
    remedy="Keep it as long as a run in Git refers to it.",
    effects={
        ARGOCD: "It is pruned.",
        FLUX: "It is deleted.",
    },
    upstream="Kubernetes documentation, ConfigMaps and Secrets as files of a pod.",
    against=True,
)


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each of them, where it stood."""
    removed = [item for item in scene.removed(CONFIGMAP, SECRET) if not all(stays(item, tool) for tool in scene.tools)]
    if not removed:
        return
    users = Users(scene, CONFIGMAP, SECRET)
    for item in removed:
        readers = [(run, path) for run, path in users.of(item) if run.kind in RUNS]
        readers = [(run, path) for run, path in readers if not scene.leaves(run, is_record)]
        if readers:
            run, path = readers[0]
            message = f"it was removed, but {run} reads it: a pod that restarts cannot start"
            yield Finding(
                item,
                ("metadata", "name"),
                message,
                hint=f"keep it while {run} exists",
                related=(RelatedPlace(run, path, "reads it"),),
            )
