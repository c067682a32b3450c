"""Nothing that tjgen computes once for several runs depends on what passes and policies do not read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.program import tjgen
from tjgen.compiler.passes.table import PASSES
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Experiment
from tjgen.trees.fields.path import get
from tjgen.trees.workload.contribution import Contribution
from tjgen.trees.workload.roles import members
from tjgen.trees.workload.workload import Workload

EARLY, LATE = 20, 100
"""Experiments with an image tag `0.N`, and with `1.N`."""
EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {{name: study-{number:03}, namespace: team}}
spec: {{runtime: tjgen-torch, image: "registry.example.com/train:{tag}", script: train.py, env: {{SEED: "{number}"}}}}
"""
POLICY = """\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: releases}
spec:
  matchConstraints:
    resourceRules:
      - {apiGroups: [trainer.kubeflow.org], apiVersions: [v1alpha1], operations: [CREATE], resources: [trainjobs]}
  validations:
    - {expression: "!object.spec.trainer.image.contains(':0.')", message: use a release}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: releases}
spec: {policyName: releases, validationActions: [Deny]}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "experiments").mkdir()
    (tmp_path / "tjgen.yaml").write_text(
        "apiVersion: tjgen.dev/v1alpha1\nkind: Project\nmetadata: {name: lab}\nspec: {experiments: [experiments]}\n",
        encoding="utf-8",
    )
    for number in range(EARLY + LATE):
        tag = f"0.{number}" if number % 6 == 5 else f"1.{number}"
        text = EXPERIMENT.format(number=number, tag=tag)
        (tmp_path / "experiments" / f"{number:03}.yaml").write_text(text, encoding="utf-8")
    return tmp_path


def channel(workload: Workload, experiment: Experiment, setting: Setting) -> Iterator[Contribution]:
    """A label on each training pod, by the tag of the image."""
    tag = str(experiment.spec.image).rpartition(":")[2]
    for podset in members(workload):
        value = "beta" if tag.startswith("0.") else "stable"
        yield Contribution((*podset.pod_metadata, "labels", "channel"), value, ("spec", "image"))


@pytest.mark.parametrize("cache", ["off", "on"])
def test_a_pass_that_reads_a_tag_holds_for_each_run(cache: str, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tjgen.compiler.hops.workload.PASSES", (*PASSES, ("channel", channel)))
    monkeypatch.setenv("TJGEN_CACHE", cache)
    for _ in range(2):
        answer = tjgen(project, "build", "-o", "deploy", "--expanded", "preview")
        assert answer.code == 0, answer.err
        trees = [
            tree
            for path in (project / "preview").rglob("*.yaml")
            for tree in yaml.safe_load_all(path.read_text(encoding="utf-8"))
        ]
        labels = [get(tree, ("metadata", "labels", "channel"), None) for tree in trees if tree["kind"] == "Pod"]
        assert Counter(labels) == {"beta": EARLY, "stable": LATE}


def test_a_policy_that_reads_a_tag_holds_for_each_run(project: Path) -> None:
    (project / "policy.yaml").write_text(POLICY, encoding="utf-8")
    answer = tjgen(project, "build", "-o", "deploy", "--policy", "policy.yaml")
    assert answer.code == 1
    assert answer.err.endswith(f"\n{EARLY} errors\n")
