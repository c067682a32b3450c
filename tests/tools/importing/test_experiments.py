"""Experiments for another target: what they set for failures, elasticity and the end of a run has the same effect there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

import tjgen as library
from tests.checkout import ROOT, list_entries
from tests.program import tjgen
from tjgen.cluster.kinds.table import targets
from tjgen.tools.importing.experiments import experiments, is_of_experiments

HEAD = """\
# our run
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {{name: bert, namespace: nlp}}
spec:
  runtime: {runtime}   # of the house
  target: {former}
  image: registry.example.com/nlp/bert:7
  script: train.py
  nodes: 4
"""
RESTART_JOB = {"PodEvicted": "RestartJob", "PodFailed": "RestartJob"}
RESTART_POD = {"PodEvicted": "RestartPod", "PodFailed": "RestartPod"}
TERMINATE = {"PodEvicted": "TerminateJob", "PodFailed": "TerminateJob"}
RULES = "  restart: {limit: 5, rules: {wrong: {exitCodes: [2, 78], action: fail}, drained: {disruption: true, action: ignore}}}\n"
POLICIES = ("restart", "elastic", "success", "cleanup", "volcano", "schedule", "pod", "env")


def convert(folder: Path, text: str, target: str) -> tuple[dict[str, Any], list[str], Any]:
    """The policies of the converted experiment, the places that are lost, and the objects of a build of it."""
    file = folder / "e.yaml"
    file.write_text(text, encoding="utf-8")
    answer = tjgen(folder, "convert", "--target", target, "e.yaml")
    assert answer.code == 0, answer.err
    assert "# our run" in answer.out
    assert "# of the house" in answer.out
    lost = [
        line.partition(" equivalent of ")[2].partition(":")[0] for line in answer.err.splitlines() if " equivalent of " in line
    ]
    file.write_text(answer.out, encoding="utf-8")
    built = library.build([str(file)])
    assert not built.failed, built.problems
    spec = yaml.safe_load(answer.out)["spec"]
    assert spec["target"] == target
    return {key: spec[key] for key in POLICIES if key in spec}, lost, list(yaml.safe_load_all(built.to_yaml()))


@pytest.mark.parametrize(
    ("former", "runtime", "policies", "target", "expected", "lost"),
    [
        ("trainjob", "tjgen-torch", "restart: {limit: 5}", "jobset", {"restart": {"limit": 5}}, []),
        (
            "trainjob",
            "tjgen-torch",
            "restart: {limit: 5}",
            "volcanojob",
            {"volcano": {"policies": RESTART_JOB, "maxRetry": 6}, "pod": {"restartPolicy": "Never"}},
            [],
        ),
        (
            "jobset",
            "tjgen-plain",
            "restart: {limit: 5}",
            "volcanojob",
            {"volcano": {"policies": RESTART_POD, "maxRetry": 6}, "pod": {"restartPolicy": "Never"}},
            [],
        ),
        ("trainjob", "tjgen-torch", "restart: {policy: Never, limit: 5}", "pytorchjob", {"restart": {"limit": 5}}, ["restart"]),
        ("trainjob", "tjgen-torch", "restart: {limit: 0}", "pytorchjob", {"restart": {"policy": "Never"}}, []),
        (
            "trainjob",
            "tjgen-torch",
            "restart: {limit: 0}",
            "volcanojob",
            {"volcano": {"policies": TERMINATE}, "pod": {"restartPolicy": "Never"}},
            [],
        ),
        ("pytorchjob", "tjgen-torch", "restart: {policy: Never}", "jobset", {"restart": {"policy": "Never", "limit": 0}}, []),
        (
            "pytorchjob",
            "tjgen-torch",
            "restart: {policy: OnFailure}",
            "trainjob",
            {"restart": {"policy": "OnFailure", "limit": 100}},
            ["restart"],
        ),
        (
            "pytorchjob",
            "tjgen-torch",
            "restart: {policy: Always, limit: 2}",
            "trainjob",
            {"restart": {"policy": "OnFailure", "limit": 2}},
            ["restart.policy"],
        ),
        (
            "pytorchjob",
            "tjgen-torch",
            "restart: {policy: ExitCode}",
            "trainjob",
            {"restart": {"policy": "Never", "rules": {"permanent": {"exitCodes": list(range(1, 128)), "action": "fail"}}}},
            ["restart.policy"],
        ),
        ("mpijob", "tjgen-mpi", "restart: {policy: Never, limit: 3}", "trainjob", {"restart": {"limit": 3}}, []),
        (
            "pytorchjob",
            "tjgen-torch",
            "elastic: {min: 2, max: 8, restarts: 10}",
            "trainjob",
            {"env": {"PET_MAX_RESTARTS": "10"}},
            ["elastic"],
        ),
        (
            "pytorchjob",
            "tjgen-plain",
            "elastic: {min: 2, max: 8}",
            "volcanojob",
            {"schedule": {"minAvailable": 2}},
            ["elastic.max"],
        ),
        (
            "pytorchjob",
            "tjgen-torch",
            "elastic: {min: 2, max: 8, restarts: 10}",
            "volcanojob",
            {"elastic": {"min": 2, "max": 8, "restarts": 10}},
            [],
        ),
        (
            "pytorchjob",
            "tjgen-torch",
            "elastic: {min: 2, max: 8, metrics: [{type: Resource}]}\n  restart: {policy: Never}",
            "volcanojob",
            {"elastic": {"min": 2, "max": 8}},
            ["elastic.metrics", "restart.policy"],
        ),
        (
            "pytorchjob",
            "tjgen-torch",
            "elastic: {min: 2, max: 8}\n  restart: {policy: OnFailure, limit: 3}",
            "volcanojob",
            {
                "elastic": {"min": 2, "max": 8},
                "pod": {"restartPolicy": "Never"},
                "volcano": {"maxRetry": 25, "policies": {"PodEvicted": "RestartPod", "PodFailed": "RestartPod"}},
            },
            [],
        ),
        (
            "volcanojob",
            "tjgen-torch",
            "elastic: {min: 2, max: 8}\n  volcano: {maxRetry: 25, policies: {PodFailed: RestartPod}}",
            "pytorchjob",
            {"elastic": {"min": 2, "max": 8}, "restart": {"limit": 3}},
            [],
        ),
        ("pytorchjob", "tjgen-torch", "cleanup: {pods: Running, ttlSeconds: 5}", "jobset", {"cleanup": {"ttlSeconds": 5}}, []),
        (
            "pytorchjob",
            "tjgen-torch",
            "cleanup: {pods: All, ttlSeconds: 5}",
            "volcanojob",
            {"volcano": {"ttlSecondsAfterFinished": 5}},
            ["cleanup.pods"],
        ),
        (
            "trainjob",
            "tjgen-plain",
            "success: {roles: [node]}",
            "volcanojob",
            {"volcano": {"tasks": {"node": {"policies": {"TaskCompleted": "CompleteJob"}}}}},
            [],
        ),
        (
            "volcanojob",
            "tjgen-torch",
            "volcano: {maxRetry: 6, policies: {PodEvicted: RestartJob, PodFailed: RestartJob}}",
            "trainjob",
            {"restart": {"limit": 5}},
            [],
        ),
        (
            "volcanojob",
            "tjgen-torch",
            "volcano: {maxRetry: 9, policies: {PodEvicted: RestartPod, PodFailed: RestartPod}}",
            "pytorchjob",
            {"restart": {"limit": 2}},
            [],
        ),
        (
            "volcanojob",
            "tjgen-torch",
            "volcano: {maxRetry: 6, policies: {PodFailed: RestartPod}}",
            "pytorchjob",
            {"restart": {"limit": 2}},
            ["volcano.maxRetry"],
        ),
        (
            "volcanojob",
            "tjgen-plain",
            "volcano: {maxRetry: 4, policies: {PodFailed: RestartPod, PodEvicted: TerminateJob}, exitCodes: {'2': TerminateJob}}",
            "jobset",
            {
                "restart": {
                    "limit": 3,
                    "rules": {
                        "permanent": {"exitCodes": [2], "action": "fail"},
                        "evicted": {"disruption": True, "action": "fail"},
                    },
                }
            },
            [],
        ),
        (
            "volcanojob",
            "tjgen-plain",
            "volcano: {ttlSecondsAfterFinished: 5, plugins: {ssh: []}, minSuccess: 1}",
            "trainjob",
            {},
            ["volcano.plugins", "volcano.minSuccess", "cleanup.ttlSeconds"],
        ),
    ],
)
def test_policies_become_those_of_the_target(
    tmp_path: Path, former: str, runtime: str, policies: str, target: str, expected: Any, lost: list[str]
) -> None:
    text = HEAD.format(runtime=runtime, former=former) + f"  {policies}  # policies\n"
    assert convert(tmp_path, text, target)[:2] == (expected, lost)


def test_rules_become_exit_codes_of_tasks_which_precede_the_policies_of_the_job(tmp_path: Path) -> None:
    text = HEAD.format(runtime="tjgen-torch", former="trainjob") + RULES
    policies, lost, objects = convert(tmp_path, text, "volcanojob")
    (job,) = [tree for tree in objects if tree["kind"] == "Job"]
    assert lost == ["restart.rules.drained.action"]
    assert policies["volcano"]["maxRetry"] == 6
    assert [task["name"] for task in job["spec"]["tasks"]] == ["master", "worker"]
    for task in job["spec"]["tasks"]:
        assert task["policies"] == [{"exitCode": 2, "action": "TerminateJob"}, {"exitCode": 78, "action": "TerminateJob"}]
    assert job["spec"]["policies"] == [{"event": event, "action": "RestartJob"} for event in ("PodEvicted", "PodFailed")]


def test_rules_of_trainer_are_lost_for_an_operator_with_their_places(tmp_path: Path) -> None:
    (tmp_path / "e.yaml").write_text(HEAD.format(runtime="tjgen-torch", former="trainjob") + RULES, encoding="utf-8")
    answer = tjgen(tmp_path, "convert", "--target", "pytorchjob", "--in-place", "e.yaml")
    assert answer.code == 0
    assert "warning[TJ952] e.yaml:11:38: bert: target pytorchjob has no equivalent of restart.rules.wrong" in answer.err
    assert "hint: use restart.policy: ExitCode" in answer.err
    assert yaml.safe_load((tmp_path / "e.yaml").read_text(encoding="utf-8"))["spec"]["restart"] == {"limit": 5}


def test_roles_that_only_count_become_nodes(tmp_path: Path) -> None:
    roles = "  roles: {master: {replicas: 1}, worker: {replicas: 3}}\n"
    text = HEAD.format(runtime="tjgen-torch", former="pytorchjob").replace("  nodes: 4\n", "") + roles
    assert convert(tmp_path, text, "trainjob")[1] == []
    text = HEAD.format(runtime="tjgen-torch", former="pytorchjob").replace("  nodes: 4\n", "") + roles
    (tmp_path / "e.yaml").write_text(text, encoding="utf-8")
    assert "  nodes: 4\n" in tjgen(tmp_path, "convert", "--target", "trainjob", "e.yaml").out


def test_a_value_that_has_an_anchor_is_not_changed(tmp_path: Path) -> None:
    text = HEAD.format(runtime="tjgen-torch", former="pytorchjob") + "  restart: &restart {policy: Never}\n"
    (tmp_path / "e.yaml").write_text(text, encoding="utf-8")
    answer = tjgen(tmp_path, "convert", "--target", "trainjob", "--in-place", "e.yaml")
    assert (answer.code, "TJ951" in answer.err) == (1, True)
    assert (tmp_path / "e.yaml").read_text(encoding="utf-8") == text


FILES = [
    path
    for path in sorted([*list_entries(ROOT / "examples", "*.yaml"), *list_entries(ROOT / "tests/cases", "*/experiment.yaml")])
    if any(f"\n  {field}:" in path.read_text(encoding="utf-8") for field in ("restart", "elastic", "success", "volcano"))
    and is_of_experiments(path.read_bytes(), str(path))
]


@pytest.mark.parametrize("target", targets())
@pytest.mark.parametrize("file", FILES, ids=[f"{path.parent.name}-{path.stem}" for path in FILES])
def test_no_policy_of_an_experiment_stops_the_conversion(file: Path, target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(file.parent)
    text, diagnostics = experiments(file.name, file.read_bytes(), target)
    refused = [one.path for one in diagnostics if one.severity == "error"]
    assert not [path for path in refused if path and path[:2] in {("spec", field) for field in POLICIES[:5]}]
    before, after = (yaml.safe_load(content)["spec"] for content in (file.read_text(encoding="utf-8"), text))
    others = set(before) - {"target", *POLICIES, "roles", "nodes", "containerName"}
    others -= {"runtime"} if before["runtime"] == "tjgen-bare" else set()
    assert {field: after.get(field) for field in others} == {field: before[field] for field in others}
