"""Words for kinds, as people write them on command lines."""

from __future__ import annotations

import pytest

from tjgen.trees.k8s.kindwords import kind_of

KINDS = ("TrainJob", "TrainingRuntime", "JobSet", "Job", "Pod", "Service", "NetworkPolicy", "PersistentVolumeClaim", "ConfigMap")


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("JobSet", "JobSet"),
        ("jobset", "JobSet"),
        ("jobsets", "JobSet"),
        ("js", "JobSet"),
        ("jobsets.jobset.x-k8s.io", "JobSet"),
        ("jobs.v1.batch", "Job"),
        ("job", "Job"),
        ("tj", "TrainJob"),
        ("tr", "TrainingRuntime"),
        ("pods", "Pod"),
        ("po", "Pod"),
        ("svc", "Service"),
        ("networkpolicies", "NetworkPolicy"),
        ("pvc", "PersistentVolumeClaim"),
        ("vcjob", "Job"),
        ("p", None),
        ("pod-0", None),
        ("deployment", None),
        ("", None),
    ],
)
def test_a_word_means_a_kind(word: str, kind: str | None) -> None:
    assert kind_of(word, KINDS) == kind


def test_initials_of_two_kinds_mean_none() -> None:
    assert kind_of("pg", ("PodGroup", "PriorityGroup")) is None
