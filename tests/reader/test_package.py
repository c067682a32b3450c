"""The package `tjgen-data`: built and installed without tjgen, it is the module that a build adds to pods."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import yaml

from tests.checkout import ROOT
from tests.program import tjgen

EXPERIMENT = """
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: read, namespace: data}
spec:
  runtime: tjgen-torch
  image: registry.example.com/data/train:1
  script: train.py
  volumes:
    corpus: {pvc: corpus, mountPath: /corpus, readOnly: true}
  data: {volume: corpus, reader: v1}
"""


def test_the_package_has_the_module_of_the_pods(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT / "reader", check=True, capture_output=True)
    (wheel,) = tmp_path.glob("tjgen_data-*.whl")
    zipfile.ZipFile(wheel).extractall(tmp_path / "installed")
    (tmp_path / "experiment.yaml").write_text(EXPERIMENT)
    answer = tjgen(tmp_path, "build", "experiment.yaml")
    (config_map,) = [one for one in yaml.safe_load_all(answer.out) if one["kind"] == "ConfigMap"]
    assert config_map["data"] == {"tjgen_data.py": (tmp_path / "installed" / "tjgen_data.py").read_text(encoding="utf-8")}


def test_the_module_imports_only_the_standard_library(tmp_path: Path) -> None:
    program = "import sys; before = {*sys.modules}; import tjgen_data, json; print(json.dumps([*{*sys.modules} - before]))"
    command = [sys.executable, "-I", "-c", f"import sys; sys.path.append({str(ROOT / 'reader')!r}); {program}"]
    answer = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in json.loads(answer.stdout)}
    assert loaded - sys.stdlib_module_names == {"tjgen_data"}
