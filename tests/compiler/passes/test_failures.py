"""What is said of failures, in the words of the JobSet that Trainer starts: beyond what the cases show."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.program import Answer, tjgen

HEAD = (
    "apiVersion: tjgen.dev/v1alpha1\nkind: Experiment\nmetadata: {name: run, namespace: ml}\n"
    "spec:\n  naming: fixed\n  image: train:1\n  script: t.py\n"
)
OF_CLUSTER = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: ours}
spec:
  mlPolicy: {numNodes: 2, torch: {}}
  template:
    spec:
      replicatedJobs:
        - name: node
          template:
            metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
            spec: {template: {spec: {containers: [{name: node, image: train:1}]}}}
"""


def build(folder: Path, spec: str) -> Answer:
    (folder / "run.yaml").write_text(HEAD + "  target: jobset\n" + spec, encoding="utf-8")
    return tjgen(folder, "build", "run.yaml")


def jobset(folder: Path, spec: str) -> tuple[Any, Any, str]:
    """The JobSet's spec, that of its Job, and what is said about them."""
    answer = build(folder, spec)
    assert answer.code == 0, answer.err
    [tree] = [one for one in yaml.safe_load_all(answer.out) if one["kind"] == "JobSet"]
    [job] = tree["spec"]["replicatedJobs"]
    return tree["spec"], job["template"]["spec"], answer.err


def test_containers_that_start_again_count_in_their_job(tmp_path: Path) -> None:
    whole, job, said = jobset(tmp_path, "  runtime: tjgen-torch\n  nodes: 3\n  restart: {policy: OnFailure, limit: 4}\n")
    # The Job fails at the 13th restart of all its pods; a restart of the JobSet would grant twelve more.
    assert (job["template"]["spec"]["restartPolicy"], job["backoffLimit"]) == ("OnFailure", 13)
    assert whole["failurePolicy"].get("maxRestarts", 0) == 0
    assert "podFailurePolicy" not in job
    assert said == ""


def test_containers_that_may_start_again_and_never_do(tmp_path: Path) -> None:
    _, _, said = jobset(tmp_path, "  runtime: tjgen-torch\n  restart: {policy: OnFailure}\n")
    assert "warning[TJ429]" in said


def test_a_job_of_a_group_does_not_start_a_lost_pod_alone(tmp_path: Path) -> None:
    (tmp_path / "tjgen.yaml").write_text(
        "apiVersion: tjgen.dev/v1alpha1\nkind: Project\nmetadata: {name: p}\nspec: {catalogs: [ours.yaml]}\n", encoding="utf-8"
    )
    (tmp_path / "ours.yaml").write_text(OF_CLUSTER, encoding="utf-8")
    whole, job, _ = jobset(tmp_path, "  runtime: ours\n  restart: {limit: 3}\n")
    assert (whole["failurePolicy"]["maxRestarts"], job["backoffLimit"]) == (3, 0)
    rule = "{drained: {disruption: true, action: count}}"
    whole, job, said = jobset(tmp_path, f"  runtime: ours\n  restart: {{rules: {rule}}}\n")
    assert job["template"]["spec"]["restartPolicy"] == "Never"
    assert "warning[TJ429]" in said


def test_rules_of_one_name_to_a_jobset_stay_two(tmp_path: Path) -> None:
    rules = "{a-b: {exitCodes: [3], action: fail}, a_b: {exitCodes: [4], action: ignore}, 1st: {exitCodes: [5], action: count}}"
    whole, job, _ = jobset(tmp_path, f"  runtime: tjgen-torch\n  restart: {{rules: {rules}}}\n")
    found = {rule["name"]: rule for rule in whole["failurePolicy"]["rules"]}
    assert len(found) == len(whole["failurePolicy"]["rules"])
    # Which rule of the Job it is stands in the message by its position.
    for position, rule in enumerate(job["podFailurePolicy"]["rules"][:3]):
        [named] = [
            one for one in found.values() if one.get("onJobFailureMessagePatterns", [""])[0].endswith(f"index {position}$")
        ]
        action = {3: "FailJobSet", 4: "RestartJobSetAndIgnoreMaxRestarts", 5: "RestartJobSet"}
        assert named["action"] == action[rule["onExitCodes"]["values"][0]]


def test_a_failure_has_one_rule(tmp_path: Path) -> None:
    rules = "{a: {exitCodes: [3, 4], action: fail}, b: {exitCodes: [4], action: count}}"
    answer = build(tmp_path, f"  runtime: tjgen-torch\n  restart: {{rules: {rules}}}\n")
    assert answer.code == 1
    assert "error[TJ438]" in answer.err
    assert "exit code 4" in answer.err


@pytest.mark.parametrize("runtime", ["tjgen-torch", "tjgen-mpi"])
def test_success_is_that_of_the_roles_that_are_named(tmp_path: Path, runtime: str) -> None:
    answer = build(tmp_path, f"  runtime: {runtime}\n  nodes: 2\n  success: {{roles: [node], operator: Any}}\n")
    if runtime == "tjgen-torch":
        [tree] = list(yaml.safe_load_all(answer.out))
        assert tree["spec"]["successPolicy"] == {"operator": "Any", "targetReplicatedJobs": ["node"]}
    else:
        assert "error[TJ402]" in answer.err  # an MPI run has a Secret that only Trainer makes


def test_a_volcano_job_says_it_in_its_own_words(tmp_path: Path) -> None:
    (tmp_path / "run.yaml").write_text(
        HEAD + "  target: volcanojob\n  runtime: tjgen-torch\n  restart: {limit: 3}\n", encoding="utf-8"
    )
    answer = tjgen(tmp_path, "build", "run.yaml")
    assert answer.code == 1
    assert "error[TJ425]" in answer.err
    assert "volcano.maxRetry" in answer.err
