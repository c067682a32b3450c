"""What becomes of runs as Volcano Jobs, beyond what the cases show."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.program import tjgen
from tjgen.compiler.targets.volcano_gang import pod_group
from tjgen.trees.manifests.manifest import Manifest

HEAD = "apiVersion: tjgen.dev/v1alpha1\nkind: Experiment\nmetadata: {name: run}\nspec:\n  target: volcanojob\n"
TORCH = "  runtime: tjgen-torch\n  image: train:1\n  script: train.py\n  naming: fixed\n  schedule: {queue: q}\n"


def built(folder: Path, spec: str, *words: str) -> tuple[list[Any], str]:
    """The objects of an experiment, and what is said about them."""
    (folder / "run.yaml").write_text(HEAD + spec, encoding="utf-8")
    answer = tjgen(folder, "build", "run.yaml", *words)
    assert answer.code == 0, answer.err
    return list(yaml.safe_load_all(answer.out)), answer.err


def tasks(objects: list[Any]) -> dict[str, Any]:
    return {task["name"]: task for task in objects[-1]["spec"]["tasks"]}


def environment(task: Any) -> dict[str, Any]:
    [container] = task["template"]["spec"]["containers"]
    return {one["name"]: one.get("value") for one in container["env"]}


def ranks(task: Any) -> tuple[Any, list[str]]:
    [container] = task["template"]["spec"]["containers"]
    return environment(task).get("PET_NODE_RANK"), container["command"]


@pytest.mark.parametrize(
    ("nodes", "found"),
    [
        (1, {"node": ("0", ["torchrun"])}),
        (2, {"master": ("0", ["torchrun"]), "worker": ("1", ["torchrun"])}),
        (3, {"master": ("0", ["torchrun"]), "worker": (None, ["env", "PET_NODE_RANK=$(RANK)", "torchrun"])}),
    ],
)
def test_every_pod_of_torch_knows_its_rank(tmp_path: Path, nodes: int, found: dict[str, Any]) -> None:
    objects, _ = built(tmp_path, f"{TORCH}  nodes: {nodes}\n")
    assert {name: ranks(task) for name, task in tasks(objects).items()} == found
    assert {environment(task)["PET_NNODES"] for task in tasks(objects).values()} == {str(nodes)}
    assert ("pytorch" in objects[-1]["spec"]["plugins"]) == (nodes > 1)


def test_the_master_is_the_role_of_one_pod_whatever_the_roles_are_called(tmp_path: Path) -> None:
    objects, _ = built(tmp_path, f"{TORCH}  roles: {{boss: {{replicas: 1}}, aide: {{replicas: 4}}}}\n")
    assert objects[-1]["spec"]["plugins"]["pytorch"] == ["--master=boss", "--worker=aide", "--port=23456"]
    assert environment(tasks(objects)["aide"])["PET_MASTER_ADDR"] == "run-boss-0.run"


def test_what_is_said_of_a_variable_stays(tmp_path: Path) -> None:
    objects, _ = built(tmp_path, f"{TORCH}  nodes: 2\n  env: {{PET_MASTER_PORT: 1234}}\n")
    assert {environment(task)["PET_MASTER_PORT"] for task in tasks(objects).values()} == {"1234"}


def test_the_last_role_of_which_nothing_is_said_has_the_nodes_that_are_left(tmp_path: Path) -> None:
    plain = "  runtime: tjgen-plain\n  script: train.py\n  schedule: {queue: q}\n"
    objects, _ = built(tmp_path, f"{plain}  nodes: 7\n  roles: {{a: {{replicas: 2}}, b: {{}}, c: {{}}}}\n")
    assert {name: task["replicas"] for name, task in tasks(objects).items()} == {"a": 2, "b": 1, "c": 4}
    assert objects[-1]["spec"]["minAvailable"] == 7


def test_policies_follow_the_failure_policy_of_the_runtime(tmp_path: Path) -> None:
    together, _ = built(tmp_path, TORCH)
    alone, _ = built(tmp_path, TORCH.replace("torch", "plain"))
    assert [one["action"] for one in together[-1]["spec"]["policies"]] == ["RestartJob", "RestartJob"]
    assert together[-1]["spec"]["maxRetry"] == 2
    assert [one["action"] for one in alone[-1]["spec"]["policies"]] == ["RestartPod", "RestartPod"]
    assert "maxRetry" not in alone[-1]["spec"]


def test_tasks_say_what_the_webhook_would_write_so_that_they_can_be_applied_again(tmp_path: Path) -> None:
    objects, _ = built(tmp_path, f"{TORCH}  nodes: 3\n  volcano: {{tasks: {{worker: {{maxRetry: 7}}}}}}\n")
    assert {name: task["maxRetry"] for name, task in tasks(objects).items()} == {"master": 3, "worker": 7}
    found = tjgen(tmp_path, "lint", "run.yaml", "--gitops", "argocd", "--select", "TJ646")
    assert (found.code, found.out, found.err) == (0, "", "")


def test_doubts_are_about_the_object_with_its_patches(tmp_path: Path) -> None:
    without = TORCH.replace("  schedule: {queue: q}\n", "")
    patch = "  patches: {queue: {target: {kind: Job}, merge: {spec: {queue: vision}}}}\n"
    assert "TJ418" in built(tmp_path, without)[1]
    assert built(tmp_path, without + patch)[1] == ""


def job(least: int | None, **replicas: int) -> Manifest:
    """A Job whose pods ask for one CPU in the first task, two in the second, and so on."""
    made = [
        {
            "name": name,
            "replicas": count,
            "template": {"spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": str(cpus)}}}]}},
        }
        for cpus, (name, count) in enumerate(replicas.items(), 1)
    ]
    spec = {"tasks": made} if least is None else {"tasks": made, "minAvailable": least}
    tree = {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": {"name": "j", "namespace": "n"}, "spec": spec}
    return Manifest(tree, {})


@pytest.mark.parametrize(("least", "cpus"), [(None, "7"), (5, "7"), (3, "3"), (4, "5")])
def test_a_gang_asks_for_what_its_first_pods_ask_for(least: int | None, cpus: str) -> None:
    spec = pod_group(job(least, a=3, b=2)).tree["spec"]
    assert spec["minResources"] == {"cpu": cpus}
    assert spec["minTaskMember"] == {"a": 3, "b": 2}
    assert spec["queue"] == "default"


PROJECT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Project
spec: {experiments: [run.yaml], platforms: [platform.yaml]}
"""
PLATFORM = """\
apiVersion: tjgen.dev/v1alpha1
kind: Platform
metadata: {name: lab}
spec: {queues: {q: {capability: {nvidia.com/gpu: 20}}}}
"""


@pytest.mark.parametrize(("least", "starts"), [(20, True), (21, False)])
def test_a_queue_has_to_have_room_for_what_the_gang_needs(tmp_path: Path, least: int, starts: bool) -> None:
    (tmp_path / "tjgen.yaml").write_text(PROJECT, encoding="utf-8")
    (tmp_path / "platform.yaml").write_text(PLATFORM, encoding="utf-8")
    spec = (
        f"  runtime: tjgen-plain\n  script: a.py\n  nodes: 24\n  gpu: h100:1\n  schedule: {{queue: q, minAvailable: {least}}}\n"
    )
    (tmp_path / "run.yaml").write_text(HEAD + spec, encoding="utf-8")
    answer = tjgen(tmp_path, "build")
    assert ("TJ385" in answer.err) is not starts
    assert answer.code == (0 if starts else 1)
