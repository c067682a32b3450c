"""Objects of some kinds before and after -> what the API server and its webhooks refuse of the change: a row for each rule."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from tjgen.gitops.lint import sources
from tjgen.gitops.lint.kinds import CLAIM, CONFIGMAP, JOB, JOBSET, SECRET, TRAINJOB, VOLCANO_JOB
from tjgen.gitops.lint.refusals import refused
from tjgen.gitops.lint.rule import ARGOCD, ERROR, FLUX, SEEN, SOURCE, Finding, Rule, RuleEntry
from tjgen.gitops.lint.scene import Kind, Scene
from tjgen.trees.fields.path import FieldPath
from tjgen.trees.typing import NamedTuple

_ARGOCD = "The object is SyncFailed; after five retries, Argo CD waits for the next commit. Later waves are not applied."
_FLUX = "The dry run fails, so no object of the Kustomization is applied, and Flux retries indefinitely."
NEW_CLAIM = (
    'create a new claim under another name; if the old one was never applied, add the annotation tjgen.dev/ignore: "TJ621: never '
    'applied", in an experiment in annotations of pvc.create'
)


class _Row(NamedTuple):
    """A rule, and whose changes it reports."""

    rule: Rule
    kinds: tuple[Kind, ...]
    hint: str
    apart: FieldPath = ()
    """What another rule reports."""


_ROWS = (
    _Row(
        Rule(
            code="TJ615",
            name="trainjob-changed",
            severity=ERROR,
            evidence=SEEN,
            source=f"{sources.TRAINER}/apis/trainer/v1alpha1/trainjob_types.go",
            since="0.1.0",
            title="A field of a TrainJob that is immutable has changed under the same name.",
            why="The server rejects the update as long as the TrainJob is in the cluster, and everything after it in "
            "the sync waits.",
            remedy="Give the changed run another name, and keep or remove the old one. tjgen names runs by their content.",
            effects={ARGOCD: _ARGOCD, FLUX: _FLUX},
            upstream="Trainer 2.3 `pkg/apis/trainer/v1alpha1/trainjob_types.go` (CEL `self == oldSelf`).",
            tools=(),
            against=True,
        ),
        (TRAINJOB,),
        "give the run another name",
        apart=("spec", "runtimePatches"),
    ),
    _Row(
        Rule(
            code="TJ618",
            name="jobset-changed",
            severity=ERROR,
            evidence=SEEN,
            source=f"{sources.JOBSET}/webhooks/jobset_webhook.go",
            since="0.1.0",
            title="A field of a JobSet that is immutable has changed under the same name.",
            why="A webhook rejects changes of `replicatedJobs` and `managedBy`. The schema rejects changes of "
            "network, success, failure and startup policies and of claims. While the JobSet is suspended, labels, "
            "annotations, node selectors and tolerations of pods can change.",
            remedy="Give the changed JobSet another name.",
            effects={ARGOCD: _ARGOCD, FLUX: _FLUX},
            upstream="JobSet v0.12 `pkg/webhooks/jobset_webhook.go` (`ValidateUpdate`).",
            tools=(),
            against=True,
        ),
        (JOBSET,),
        "give the JobSet another name",
    ),
    _Row(
        Rule(
            code="TJ619",
            name="volcano-job-changed",
            severity=ERROR,
            evidence=SOURCE,
            source=f"{sources.VOLCANO}/webhooks/admission/jobs/validate/admit_job.go",
            since="0.1.0",
            title="A Volcano Job has changed in more than its four mutable fields.",
            why="Only `minAvailable`, `priorityClassName`, and the replicas and `minAvailable` of tasks may change. "
            "The webhook responds with 400, which no force option overrides.",
            remedy="Give the changed Job another name.",
            effects={
                ARGOCD: f"{_ARGOCD} `Force=true` has no effect on a 400.",
                FLUX: f"{_FLUX} `force` has no effect on a 400.",
            },
            upstream="Volcano `pkg/webhooks/admission/jobs/validate/admit_job.go` (`validateJobUpdate`).",
            tools=(),
            against=True,
        ),
        (VOLCANO_JOB,),
        "give the Job another name",
    ),
    _Row(
        Rule(
            code="TJ620",
            name="job-changed",
            severity=ERROR,
            evidence=SEEN,
            source=sources.BATCH_VALIDATION,
            since="0.1.0",
            title="A batch Job has changed in its template, completions or selector.",
            why="The pods of a Job keep their template. The server refuses the change as long as the Job exists, "
            "finished or not.",
            remedy="Include a hash of the content in the name, so that a changed Job is a new Job.",
            effects={ARGOCD: _ARGOCD, FLUX: _FLUX},
            upstream="Kubernetes `pkg/apis/batch/validation` (`ValidateJobSpecUpdate`).",
            tools=(),
            against=True,
        ),
        (JOB,),
        "give the Job another name, such as one with a hash of its content",
    ),
    _Row(
        Rule(
            code="TJ621",
            name="claim-changed",
            severity=ERROR,
            evidence=SEEN,
            source=sources.CORE_VALIDATION,
            since="0.1.0",
            title="A PersistentVolumeClaim has a change other than a larger size.",
            why="Class, mode, access modes, selector and volume of a claim are fixed, and the size cannot shrink. A "
            "forced change deletes the claim with its data.",
            remedy="Create a new claim under another name, copy the data, and keep the old claim until nothing mounts it.",
            effects={
                ARGOCD: f"{_ARGOCD} `Replace=true` fails as well.",
                FLUX: f"{_FLUX} With `force` the claim is deleted and created again: the data is lost.",
            },
            upstream="Kubernetes `pkg/apis/core/validation` (`ValidatePersistentVolumeClaimUpdate`).",
            tools=(),
            against=True,
        ),
        (CLAIM,),
        NEW_CLAIM,
    ),
    _Row(
        Rule(
            code="TJ622",
            name="immutable-data-changed",
            severity=ERROR,
            evidence=SEEN,
            source=sources.CORE_VALIDATION,
            since="0.1.0",
            title="A ConfigMap or Secret with `immutable: true` has changed under the same name.",
            why="The server rejects the change of its data, and `immutable` cannot be unset.",
            remedy="Include a hash of the content in the name, and update the references to it.",
            effects={ARGOCD: _ARGOCD, FLUX: _FLUX},
            upstream="Kubernetes `pkg/apis/core/validation` (`ValidateConfigMapUpdate`, `ValidateSecretUpdate`).",
            tools=(),
            against=True,
        ),
        (CONFIGMAP, SECRET),
        "give it another name, such as one with a hash of its data",
    ),
)


def check(row: _Row, scene: Scene) -> Iterator[Finding]:
    """Yield a finding for each rejected field, except those that another rule reports."""
    for kind in row.kinds:
        for pair in scene.pairs(kind):
            for refusal in refused(scene, pair):
                if not row.apart or refusal.path[: len(row.apart)] != row.apart:
                    yield Finding(pair.new, refusal.path, refusal.words, hint=row.hint)


KINDS = frozenset(kind for row in _ROWS for kind in row.kinds)
"""Kinds whose refused updates have a rule."""
CODES = frozenset(row.rule.code for row in _ROWS)
ENTRIES = tuple([RuleEntry(row.rule, partial(check, row)) for row in _ROWS])
