"""Policies of Kyverno are evaluated like those of Kubernetes, and what has no such form is reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.admission import binding, policy
from tests.program import tjgen

POLICY = """\
apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: {name: digests}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}
  variables:
  - {name: images, expression: "object.spec.containers.map(one, one.image)"}
  validations:
  - expression: "variables.images.all(one, one.contains('@'))"
"""
EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: mnist, namespace: vision}
spec:
  runtime: tjgen-torch
  image: train:1
  script: train.py
"""


def build(folder: Path, policy: str) -> tuple[int, str]:
    (folder / "policy.yaml").write_text(policy, encoding="utf-8")
    (folder / "mnist.yaml").write_text(EXPERIMENT, encoding="utf-8")
    answer = tjgen(folder, "build", "mnist.yaml", "--policy", "policy.yaml")
    return answer.code, answer.err


def test_a_policy_denies_the_pods_that_controllers_create(tmp_path: Path) -> None:
    code, words = build(tmp_path, POLICY)
    assert code == 1
    assert "error[TJ550] mnist.yaml:6:10: the Pod that is created from JobSet" in words
    assert "policy digests of Kyverno, validation 1 denies this: CEL expression validation failed at index 0" in words
    assert "TJ570" not in words


@pytest.mark.parametrize(
    ("change", "code", "report"),
    [
        (("validations:", "validationActions: [Warn]\n  validations:"), 0, "warning[TJ551]"),
        (("validations:", "validationActions: [Audit]\n  validations:"), 0, "info[TJ552]"),
        (("contains('@')", "contains(':')"), 0, ""),
        (
            (
                "validations:",
                "matchConditions: [{name: namespace, expression: \"object.metadata.namespace == 'x'\"}]\n  validations:",
            ),
            0,
            "",
        ),
        (("validations:", "evaluation: {admission: {enabled: false}}\n  validations:"), 0, "does not evaluate it on admission"),
        (("validations:", "evaluation: {mode: JSON}\n  validations:"), 0, "it is for JSON documents"),
        (
            ("object.spec.containers.map(one, one.image)", "resource.Get('v1', 'configmaps', 'x', 'y').data.images"),
            0,
            "policy digests of Kyverno is not evaluated: it may use functions of Kyverno",
        ),
        (("\"variables.images.all(one, one.contains('@'))\"", "1"), 1, "must be of type string"),
    ],
)
def test_settings_of_a_policy(change: tuple[str, str], code: int, report: str, tmp_path: Path) -> None:
    assert change[0] in POLICY
    answer, words = build(tmp_path, POLICY.replace(*change))
    assert answer == code, words
    assert report in words
    assert bool(words) is bool(report)


def test_a_validation_with_functions_of_kyverno_does_not_hide_the_others(tmp_path: Path) -> None:
    own = "  validations:\n  - expression: \"image('a').registry() == 'b'\"\n"
    code, words = build(tmp_path, POLICY.replace("  validations:\n", own))
    assert code == 1
    assert "validation 1 of policy digests of Kyverno is not evaluated" in words
    assert "policy digests of Kyverno, validation 2 denies this" in words


def test_policies_of_both_kinds_with_one_name_are_independent(tmp_path: Path) -> None:
    other = "---\n" + policy("false", name="digests") + binding("digests", "Audit")
    code, words = build(tmp_path, POLICY + other)
    assert code == 1
    assert words.count("error[TJ550]") == 1
    assert "policy digests with binding digests, validation 1 records this" in words
