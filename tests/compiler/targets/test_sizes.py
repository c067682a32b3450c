"""The pods of a run and their devices do not depend on the target: it creates the same ones, or the build is refused."""

from __future__ import annotations

from collections import Counter
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest

from tests.checkout import ROOT, list_entries
from tests.program import Answer, tjgen
from tjgen.cluster.kinds.table import targets
from tjgen.compiler.building.compile import build
from tjgen.compiler.building.plan import make_plan
from tjgen.compiler.building.request import Request
from tjgen.trees.diagnostics.model import CompileError, has_errors
from tjgen.trees.session import Session

EXAMPLES = ROOT / "examples"
EXPERIMENTS = sorted(
    str(path.relative_to(EXAMPLES))
    for path in list_entries(EXAMPLES, "**/*.yaml")
    if "kind: Experiment\n" in path.read_text(encoding="utf-8") and "inside" not in path.parts
)
RUNTIMES = {
    "tfjob": "tjgen-plain",
    "rayjob": "tjgen-plain",
    "xgboostjob": "tjgen-xgboost",
    "jaxjob": "tjgen-jax",
    "paddlejob": "tjgen-paddle",
    "mpijob": "tjgen-mpi",
}
"""Target -> a runtime that it accepts: with that of the example, it is refused."""
REFUSED = ("fit/experiments/pretrain.yaml",)
"""Examples that no target builds: it shows a run that never starts."""
Sizes = list[Counter[tuple[tuple[str, str], ...]]]
"""For each run: the devices of a pod -> how many pods have them."""


def devices(pod: Any) -> tuple[tuple[str, str], ...]:
    """The devices of a pod, counted and claimed; its other resources are left out."""
    spec = pod["spec"]
    limits = [(one.get("resources") or {}).get("limits") or {} for one in (*spec["containers"], *spec.get("initContainers", ()))]
    counted = [(name, str(amount)) for each in limits for name, amount in each.items() if "/" in name]
    return tuple(sorted([*counted, *(("claim", "1") for _ in spec.get("resourceClaims", ()))]))


def sizes(example: str, *values: str) -> Sizes | None:
    """The pods of each run of an example; None if a run is refused."""
    path = EXAMPLES / example
    project = next((folder for folder in path.parents if (folder / "tjgen.yaml").exists()), EXAMPLES)
    with chdir(project):
        try:
            results = list(build(make_plan(Request((str(path.relative_to(project)),), set_values=values)), Session()))
        except CompileError:
            return None
        if has_errors([diagnostic for result in results for diagnostic in result.diagnostics]):
            return None
        runs = [run.compiled for result in results for run in result.runs]
        trees = [[one.tree for one in run.down_to_pods(every=True)] for run in runs]
    return [Counter(devices(tree) for tree in each if tree["kind"] == "Pod") for each in trees]


def compared(example: str, target: str, *values: str) -> bool:
    """Whether the target builds the example; if it does, its pods are those of the example as it is."""
    expected, actual = sizes(example, *values), sizes(example, f"spec.target={target}", *values)
    if expected is None:
        expected = sizes(example, "spec.target=trainjob", *values)
    if actual is None or expected is None:
        return False
    if target == "rayjob":  # a RayCluster has a head, which needs no device
        expected = [each + Counter({(): 1}) for each in expected]
    assert actual == expected, (example, target, values)
    return True


@pytest.mark.parametrize("example", EXPERIMENTS)
def test_a_target_creates_the_pods_of_the_example_or_refuses_it(example: str) -> None:
    answers = [compared(example, target) for target in targets()]
    answers += [compared(example, target, f"spec.runtime={runtime}") for target, runtime in RUNTIMES.items()]
    assert any(answers) == (example not in REFUSED)


TPU = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: r}
spec:
  runtime: tjgen-plain
  image: train:1
  command: [python, train.py]
  naming: fixed
"""


def pods_of_roles(folder: Path, spec: str, *words: str) -> Answer:
    (folder / "run.yaml").write_text(TPU + spec, encoding="utf-8")
    return tjgen(folder, "build", "run.yaml", "--no-cache", *words)


def test_a_topology_counts_the_pods_of_the_roles_that_share_it(tmp_path: Path) -> None:
    gpu = "{class: tpu-v5e, count: 4, topology: 4x4}"
    own = f"  gpu: {gpu}\n  roles:\n    check: {{gpu: {{class: tpu-v5e, count: 4, topology: 2x4}}}}\n    worker: {{}}\n"
    answer = pods_of_roles(tmp_path, own, "--set", "spec.target=volcanojob", "--summary", "--format", "json")
    assert '"pods": 6' in answer.out, answer.out + answer.err
    answer = pods_of_roles(tmp_path, own.replace("worker: {}", "worker: {replicas: 5}"), "--set", "spec.target=volcanojob")
    assert answer.code == 1
    assert "TJ376] run.yaml:9:45: topology 4x4 is 4 nodes with 4 devices each, but the run has 5" in answer.err
    assert "hint: change replicas of worker so that they are 4 pods" in answer.err
    answer = pods_of_roles(tmp_path, own.replace("    worker: {}\n", ""), "--set", "spec.target=volcanojob")
    assert "TJ412] run.yaml:9:45: the roles check have 2 pods, but gpu.topology is 4 nodes" in answer.err
    assert "hint: add a role for these nodes, such as worker" in answer.err


def test_the_topology_of_a_role_next_to_the_nodes_does_not_set_their_number(tmp_path: Path) -> None:
    role = "  nodes: 3\n  roles: {eval: {command: [python, e.py], gpu: {class: tpu-v5e, count: 4, topology: 2x4}%s}}\n"
    answer = pods_of_roles(tmp_path, role % "")
    assert "topology 2x4 is 2 nodes with 4 devices each, but the role eval has 1" in answer.err
    assert "hint: set replicas to 2" in answer.err
    assert pods_of_roles(tmp_path, role % ", replicas: 2").code == 0


def test_every_worker_of_ray_is_a_pod_of_its_own(tmp_path: Path) -> None:
    answer = pods_of_roles(tmp_path, "  nodes: 3\n  target: rayjob\n", "--expanded", "--all-pods")
    assert answer.out.count("generateName: r-xxxxx-worker-worker-\n") == 3, answer.err


@pytest.mark.parametrize(
    ("target", "runtime", "roles", "names"),
    [
        ("pytorchjob", "tjgen-torch", "{worker: {replicas: 2}}", "master, worker"),
        ("pytorchjob", "tjgen-torch", "{master: {cpu: 2}, worker: {replicas: 2}}", "master, worker"),
        ("xgboostjob", "tjgen-xgboost", "{worker: {replicas: 2}}", "master, worker"),
        ("volcanojob", "tjgen-torch", "{worker: {replicas: 2}}", "master, worker"),
        ("volcanojob", "tjgen-mpi", "{node: {replicas: 2}}", "node, launcher"),
        ("mpijob", "tjgen-mpi", "{worker: {replicas: 2}}", "node, launcher"),
        ("mpijob", "tjgen-mpi", "{launcher: {replicas: 1}, worker: {replicas: 2}}", "node, launcher"),
    ],
)
def test_nodes_next_to_other_replicas_are_an_error(tmp_path: Path, target: str, runtime: str, roles: str, names: str) -> None:
    head = "apiVersion: tjgen.dev/v1alpha1\nkind: Experiment\nmetadata: {name: bert, namespace: nlp}\n"
    text = f"{head}spec:\n  runtime: {runtime}\n  target: {target}\n  image: registry.example.com/bert:7\n  script: train.py\n"
    (tmp_path / "e.yaml").write_text(f"{text}  nodes: 4\n  roles: {roles}\n", encoding="utf-8")
    answer = tjgen(tmp_path, "build", "e.yaml")
    assert answer.code == 1
    assert f"error[TJ412] e.yaml:9:10: the roles {names} have 3 pods, but nodes is 4" in answer.err
    for fixed in (f"  roles: {roles}\n", f"  nodes: 4\n  roles: {roles.replace('replicas: 2', 'cpu: 2')}\n"):
        (tmp_path / "e.yaml").write_text(text + fixed, encoding="utf-8")
        assert tjgen(tmp_path, "build", "e.yaml").code == 0
