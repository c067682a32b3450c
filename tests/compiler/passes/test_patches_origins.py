"""A value that a JSON patch adds below a keyed list has the patch as its origin."""

from __future__ import annotations

from pathlib import Path

from tests.program import tjgen

EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: bert, namespace: nlp}
spec:
  runtime: tjgen-torch
  image: registry.example.com/nlp/bert:7
  script: train.py
  patches:
    host:
      target: {kind: TrainingRuntime}
      json:
      - op: add
        path: /spec/template/spec/replicatedJobs/0/template/spec/template/spec/volumes
        value: [{name: h, hostPath: {path: /etc}}]
"""


def test_a_value_of_a_json_patch_is_traced_to_the_patch(tmp_path: Path) -> None:
    (tmp_path / "bert.yaml").write_text(EXPERIMENT, encoding="utf-8")
    answer = tjgen(tmp_path, "explain", "bert.yaml", "TrainingRuntime", "--all")
    (line,) = [one for one in answer.out.splitlines() if "hostPath.path" in one]
    assert line.endswith("<- patches spec.patches.host.json[0] (bert.yaml:12:9)")
