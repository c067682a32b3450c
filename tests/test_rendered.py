"""`tjgen check` of folders with kustomizations, charts and templates: only manifests are checked, and the rest is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.program import tjgen

PATCH = "{apiVersion: batch/v1, kind: Job, metadata: {name: a}, spec: {parallelism: 2}}\n"
JOB = """\
apiVersion: batch/v1
kind: Job
metadata: {name: a}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: "i:1"}]}}}
"""
OVERLAY = """\
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources: [../base]
patches:
- path: patches/job.yaml
- target: {kind: Job}
  patch: |-
    - {op: remove, path: /spec/parallelism}
patchesStrategicMerge: [merge.yaml]
patchesJson6902:
- {path: operations.yaml, target: {kind: Job}}
"""
BASE = """\
resources: [job.yaml, settings.json]
configMapGenerator:
- name: settings
  files: [settings.json, values=values.yaml]
  envs: [settings.env]
"""
FILES = {
    "base/kustomization.yaml": BASE,
    "base/job.yaml": JOB,
    "base/settings.json": "{}",
    "base/values.yaml": "a: 1\n",
    "overlay/kustomization.yaml": OVERLAY,
    "overlay/patches/job.yaml": PATCH,
    "overlay/merge.yaml": PATCH,
    "overlay/operations.yaml": "[{op: remove, path: /spec}]\n",
    "chart/Chart.yaml": "name: a\n",
    "chart/values.yaml": "a: 1\n",
    "chart/templates/job.yaml": "{{ if .Values.a }}\n" + PATCH + "{{ end }}\n",
    "chart/charts/inner/Chart.yaml": "name: b\n",
    "loose/job.yaml": "{{- if .Values.a }}\n" + PATCH + "{{- end }}\n",
    "loose/text.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {text: '{{ .Title }}'}}\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return tmp_path


def test_what_kustomize_and_helm_read_is_skipped_with_the_command_that_renders_it(folder: Path) -> None:
    (folder / "base/settings.json").write_text('{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "b"}}')
    answer = tjgen(folder, "check", "base", "overlay", "chart", "loose", "--no-cache")
    assert answer.code == 0
    assert [line for line in answer.err.splitlines() if (line.strip() and "TJ5" in line) or "hint" in line] == [
        "info[TJ547] chart contains a Helm chart, which is not checked as manifests",
        "  hint: check what it renders: helm template chart | tjgen check -",
        "info[TJ547] base contains input of kustomize (generator inputs: 2), which is not checked as manifests",
        "  hint: check what it renders: kustomize build base | tjgen check -",
        "info[TJ547] overlay contains input of kustomize (patches: 3), which is not checked as manifests",
        "  hint: check what it renders: kustomize build overlay | tjgen check -",
        "info[TJ547] loose/job.yaml contains a Helm template, which is not checked as manifests",
        "  hint: check what it renders: helm template CHART | tjgen check -",
    ]


def test_a_resource_of_a_kustomization_is_checked(folder: Path) -> None:
    (folder / "base/job.yaml").write_text(PATCH, encoding="utf-8")
    answer = tjgen(folder, "check", "base", "--no-cache")
    assert answer.code == 1
    assert "error[TJ503] base/job.yaml:1" in answer.err


def test_a_file_that_is_named_is_checked_whatever_it_is(folder: Path) -> None:
    answer = tjgen(folder, "check", "overlay/merge.yaml", "--no-cache")
    assert answer.code == 1
    assert "error[TJ503] overlay/merge.yaml:1" in answer.err


@pytest.mark.parametrize(
    "text", ["", "- a\n", "patches: 5\nresources: {}\n", "patches: [{path: [x]}, 7, null]\n", "{", "a: &a [*a]\n"]
)
def test_a_kustomization_of_a_wrong_shape_skips_nothing_else(folder: Path, text: str) -> None:
    (folder / "overlay/kustomization.yaml").write_text(text, encoding="utf-8")
    answer = tjgen(folder, "check", "overlay", "--no-cache")
    assert answer.code == 1
    assert "error[TJ503] overlay/merge.yaml:1" in answer.err
