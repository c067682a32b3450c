"""TF_CONFIG as each pod of a run reads it: after the kubelet has replaced references, and as TensorFlow resolves it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.program import tjgen
from tjgen.trees.k8s.references import NUMBER

HEAD = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: ranking, namespace: ads}
spec:
  runtime: tjgen-plain
  image: ranking:7
  script: train.py
  nodes: 2
  naming: fixed
  env: {TF_CONFIG: $(TJGEN_TF_CONFIG)}
"""
SERVERS = """\
  roles:
    chief: {command: [python, train.py]}
    ps: {replicas: 2, command: [python, train.py]}
    evaluator: {command: [python, train.py]}
    loader: {command: [python, load.py]}
"""


def configs(folder: Path, experiment: str) -> dict[str, Any]:
    """TF_CONFIG of each pod, by its host name."""
    (folder / "run.yaml").write_text(experiment, encoding="utf-8")
    answer = tjgen(folder, "build", "run.yaml", "--expanded")
    assert answer.code == 0, answer.err
    [jobset] = [one for one in yaml.safe_load_all(answer.out) if one["kind"] == "JobSet"]
    found = {}
    for job in jobset["spec"]["replicatedJobs"]:
        [container] = job["template"]["spec"]["template"]["spec"]["containers"]
        for index in range(job["template"]["spec"].get("parallelism", 1)):
            known = {"TJGEN_RUN": "ranking", NUMBER: str(index)}
            for variable in container["env"]:
                value = variable.get("value", "")
                for name, text in known.items():
                    value = value.replace(f"$({name})", text)
                known.setdefault(variable["name"], value)
            found[f"ranking-{job['name']}-0-{index}.ranking"] = json.loads(known["TF_CONFIG"])
    return found


def test_every_pod_knows_the_cluster_and_its_own_task(tmp_path: Path) -> None:
    found = configs(tmp_path, HEAD + SERVERS)
    assert {json.dumps(one["cluster"]) for one in found.values()} == {
        json.dumps(one) for one in [found["ranking-node-0-0.ranking"]["cluster"]]
    }
    cluster = found["ranking-node-0-0.ranking"]["cluster"]
    assert sorted(cluster) == ["chief", "ps", "worker"]
    for host, one in found.items():
        task = one.get("task")
        if "loader" in host:
            assert task is None
        elif task["type"] != "evaluator":
            assert cluster[task["type"]][task["index"]] == f"{host}:2222"
    assert found["ranking-evaluator-0-0.ranking"]["task"] == {"type": "evaluator", "index": 0}


def test_nodes_alone_are_workers(tmp_path: Path) -> None:
    found = configs(tmp_path, HEAD)
    assert [one["task"] for one in found.values()] == [{"type": "worker", "index": 0}, {"type": "worker", "index": 1}]


def test_a_role_with_a_misspelled_task_is_refused(tmp_path: Path) -> None:
    (tmp_path / "run.yaml").write_text(HEAD + SERVERS.replace("chief:", "cheif:"), encoding="utf-8")
    answer = tjgen(tmp_path, "build", "run.yaml")
    assert answer.code == 1
    assert "error[TJ337] run.yaml:12:12: TensorFlow has no task cheif" in answer.err
    assert 'hint: did you mean "chief"?' in answer.err
    (tmp_path / "run.yaml").write_text((HEAD + SERVERS).replace("chief:", "cheif:").replace("$(TJGEN_TF_CONFIG)", "x"))
    assert tjgen(tmp_path, "build", "run.yaml").code == 0


def test_tensorflow_reads_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tensorflow = pytest.importorskip("tensorflow", reason="tensorflow is not installed")
    for host, one in configs(tmp_path, HEAD + SERVERS).items():
        monkeypatch.setenv("TF_CONFIG", json.dumps(one))
        resolver = tensorflow.distribute.cluster_resolver.TFConfigClusterResolver()
        assert resolver.cluster_spec().as_dict() == one["cluster"]
        if "task" in one:
            assert (resolver.task_type, resolver.task_id) == (one["task"]["type"], one["task"]["index"]), host
