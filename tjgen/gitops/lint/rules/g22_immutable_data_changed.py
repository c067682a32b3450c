"""G22: data that is marked immutable has changed."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.lint.kinds import CONFIGMAP, SECRET
from tjgen.gitops.lint.refusals import refused_changes
from tjgen.gitops.lint.rule import ERROR, SEEN, Finding, Rule
from tjgen.gitops.lint.scene import Scene

RULE = Rule(
    code="TJ622",
    name="immutable-data-changed",
    severity=ERROR,
    evidence=SEEN,
    title="A ConfigMap or Secret with `immutable: true` has changed under the same name.",
    why="The server refuses the change of its data, and the mark cannot be taken back.",
    remedy="Let the name follow the content, such as by a hash, and change those who refer to it.",
    argocd="The object is SyncFailed; after five retries nothing happens until the next commit. Later waves are not applied.",
    flux="The dry run fails, so nothing of the whole Kustomization is applied, and it is tried again for ever.",
    upstream="Kubernetes `pkg/apis/core/validation` (`ValidateConfigMapUpdate`, `ValidateSecretUpdate`).",
    tools=(),
    against=True,
)


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each field that is refused."""
    for kind in (CONFIGMAP, SECRET):
        yield from refused_changes(scene, kind, "give it another name, such as one with a hash of its data")
