"""G20: a batch Job has changed in its template, completions or selector."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.lint.kinds import JOB
from tjgen.gitops.lint.refusals import refused_changes
from tjgen.gitops.lint.rule import ERROR, SEEN, Finding, Rule
from tjgen.gitops.lint.scene import Scene

RULE = Rule(
    code="TJ620",
    name="job-changed",
    severity=ERROR,
    evidence=SEEN,
    title="A batch Job has changed in its template, completions or selector.",
    why="The pods of a Job are what they were when it was made. The server refuses the change as long as the Job is "
    "there, finished or not.",
    remedy="Let the name follow the content, such as by a hash: a changed Job is then another one.",
    argocd="The object is SyncFailed; after five retries nothing happens until the next commit. Later waves are not applied.",
    flux="The dry run fails, so nothing of the whole Kustomization is applied, and it is tried again for ever.",
    upstream="Kubernetes `pkg/apis/batch/validation` (`ValidateJobSpecUpdate`).",
    tools=(),
    against=True,
)


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each field that is refused."""
    yield from refused_changes(scene, JOB, "give the Job another name, such as one with a hash of its content")
