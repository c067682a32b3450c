"""`data.isolate`: the pods mount only the folder of the data, at the path that it had before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.program import Answer, tjgen

HEAD = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: one, namespace: data}
spec:
  runtime: tjgen-torch
  image: registry.example.com/train:1
  script: train.py
"""
VOLUME = "  volumes: {corpus: {pvc: corpus, mountPath: /corpus, readOnly: true%s}}\n"


def build(folder: Path, body: str, *words: str) -> Answer:
    (folder / "one.yaml").write_text(HEAD + body, encoding="utf-8")
    return tjgen(folder, "build", "one.yaml", *words)


def mounts(answer: Answer) -> list[dict[str, Any]]:
    """The mounts of the JobSet that the controller makes."""
    assert answer.code == 0, answer.err
    (jobset,) = (one for one in yaml.safe_load_all(answer.out) if one["kind"] == "JobSet")
    pod = jobset["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]
    return [one for one in pod["containers"][0]["volumeMounts"] if one["name"].startswith("corpus")]


@pytest.mark.parametrize(
    ("sub_path", "path", "mount_path", "folder"),
    [
        pytest.param("", "en", "/corpus/en", "en", id="a folder"),
        pytest.param("", "/en/news/", "/corpus/en/news", "en/news", id="slashes"),
        pytest.param(", subPath: all", "en", "/corpus/en", "all/en", id="below another folder"),
    ],
)
def test_the_pods_mount_only_the_folder(tmp_path: Path, sub_path: str, path: str, mount_path: str, folder: str) -> None:
    answer = build(tmp_path, f"{VOLUME % sub_path}  data: {{volume: corpus, path: {path}, isolate: true}}\n", "--expanded")
    assert mounts(answer) == [{"name": "corpus", "mountPath": mount_path, "readOnly": True, "subPath": folder}]
    assert f"TJGEN_DATA_PATH\n                value: {mount_path}\n" in answer.out


def test_each_data_set_and_each_point_has_its_own_folder(tmp_path: Path) -> None:
    volumes = ", ".join(f"corpus-{name}: {{pvc: {name}, mountPath: /{name}, readOnly: true}}" for name in "ab")
    sets = "a: {volume: corpus-a, path: x, isolate: true}, b: {volume: corpus-b, path: y}"
    answer = build(tmp_path, f"  volumes: {{{volumes}}}\n  data: {{sets: {{{sets}}}}}\n", "--expanded")
    assert [(one["mountPath"], one.get("subPath")) for one in mounts(answer)] == [("/a/x", "x"), ("/b", None)]
    swept = f"{VOLUME % ''}  data: {{volume: corpus, path: en, isolate: true}}\n  sweep: {{matrix: {{data.path: [en, de]}}}}\n"
    answer = build(tmp_path, swept)
    assert (answer.out.count("subPath: en\n"), answer.out.count("subPath: de\n")) == (1, 1), answer


def test_without_it_a_run_keeps_its_name(tmp_path: Path) -> None:
    def name(more: str) -> str:
        answer = build(tmp_path, f"{VOLUME % ''}  data: {{volume: corpus, path: en{more}}}\n", "--summary", "-q")
        return answer.out.splitlines()[1].split()[2]

    assert name("") == name(", isolate: false") != name(", isolate: true")


def test_both_lines_explain_the_mount(tmp_path: Path) -> None:
    build(tmp_path, f"{VOLUME % ''}  data: {{volume: corpus, path: en, isolate: true}}\n")
    answer = tjgen(tmp_path, "explain", "one.yaml", "subPath")
    assert "en  <- pass:data spec.data.isolate (one.yaml:9:45) + pass:volumes spec.volumes.corpus (one.yaml:8:21)" in answer.out


def test_writers_of_isolated_folders_do_not_meet(tmp_path: Path) -> None:
    body = (
        VOLUME.replace(", readOnly: true", "") % ""
        + "  data: {volume: corpus%s}\n"
        + "  tasks: {a: {data: {path: a}}, b: {data: {path: b}}}\n"
    )
    assert "error[TJ364]" in build(tmp_path, body % "").err
    assert build(tmp_path, body % ", isolate: true").code == 0


def test_a_runtime_that_mounts_the_volume_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "runtimes").mkdir()
    runtime = tjgen(tmp_path, "runtimes", "show", "tjgen-torch").out
    changed = runtime.replace("name: tjgen-torch", "name: own", 1)
    container = "                - name: node\n"
    assert changed.count(container) == 1, runtime
    mount = "                  volumeMounts: [{name: corpus, mountPath: /whole}]\n"
    volume = "                volumes: [{name: corpus, emptyDir: {}}]\n"
    text = changed.replace(container, container + mount).replace(
        "                containers:\n", volume + "                containers:\n"
    )
    (tmp_path / "runtimes/own.yaml").write_text(text, encoding="utf-8")
    body = f"{VOLUME % ''}  data: {{volume: corpus, path: en, isolate: true}}\n"
    (tmp_path / "one.yaml").write_text((HEAD + body).replace("tjgen-torch", "own"), encoding="utf-8")
    project = "apiVersion: tjgen.dev/v1alpha1\nkind: Project\nspec: {catalogs: [runtimes]}\n"
    (tmp_path / "tjgen.yaml").write_text(project, encoding="utf-8")
    answer = tjgen(tmp_path, "build", "one.yaml")
    assert "error[TJ128] one.yaml:9:45: data.isolate mounts only a folder of volume" in answer.err
    assert "but the runtime also mounts it at /whole of node" in answer.err
