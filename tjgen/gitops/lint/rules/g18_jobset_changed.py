"""G18: a field of a JobSet that is immutable has changed under the same name."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.lint.kinds import JOBSET
from tjgen.gitops.lint.refusals import refused_changes
from tjgen.gitops.lint.rule import ERROR, SEEN, Finding, Rule
from tjgen.gitops.lint.scene import Scene

RULE = Rule(
    code="TJ618",
    name="jobset-changed",
    severity=ERROR,
    evidence=SEEN,
    title="A field of a JobSet that is immutable has changed under the same name.",
    why="A webhook refuses changes of `replicatedJobs` and `managedBy`, the schema those of network, success, failure and "
    "startup policies and of claims. While the JobSet is suspended, labels, annotations, node selectors and "
    "tolerations of pods may change.",
    remedy="Give the changed JobSet another name.",
    argocd="The object is SyncFailed; after five retries nothing happens until the next commit. Later waves are not applied.",
    flux="The dry run fails, so nothing of the whole Kustomization is applied, and it is tried again for ever.",
    upstream="JobSet v0.12 `pkg/webhooks/jobset_webhook.go` (`ValidateUpdate`).",
    tools=(),
    against=True,
)


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each field that is refused."""
    yield from refused_changes(scene, JOBSET, "give the JobSet another name")
