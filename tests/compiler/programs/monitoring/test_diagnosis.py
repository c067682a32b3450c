"""`tjgen diagnose` and `monitor.diagnose`: which volumes are measured, by which Jobs, and what a sync does with them."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import yaml

from tests.compiler.programs.prefetching.conftest import shell
from tests.program import tjgen

__all__ = ["shell"]

EXPERIMENT: dict[str, Any] = {
    "apiVersion": "tjgen.dev/v1alpha1",
    "kind": "Experiment",
    "metadata": {"name": "watched", "namespace": "vision"},
    "spec": {
        "runtime": "tjgen-torch",
        "image": "registry.example.com/train:1",
        "script": "train.py",
        "naming": "fixed",
        "checkpoints": {"volume": "checkpoints"},
        "volumes": {
            "data": {"pvc": "shards", "mountPath": "/data", "readOnly": True},
            "checkpoints": {"pvc": {"create": {"size": "1Ti", "storageClassName": "fast"}}, "mountPath": "/ckpt"},
            "scratch": {"emptyDir": {}, "mountPath": "/scratch"},
        },
    },
}
PLATFORM = """\
apiVersion: tjgen.dev/v1alpha1
kind: Platform
metadata: {name: lab}
spec:
  storageClasses: {fast: {create: {provisioner: csi.juicefs.com}}}
  podSecurity: {vision: restricted}
  images: {helpers: {diagnose: mirror.example.com/fio:1}}
  monitoring: {cacheStatistics: {csi.juicefs.com: "juicefs info $(pwd)"}}
"""


WITH_IMAGE = """\
apiVersion: tjgen.dev/v1alpha1
kind: Platform
metadata: {name: lab}
spec: {images: {helpers: {diagnose: "fio:1"}}}
"""
PROJECT = "apiVersion: tjgen.dev/v1alpha1\nkind: Project\nspec: {platforms: [platform.yaml]}\n"


def written(folder: Path, *, platform: str = WITH_IMAGE, project: str = PROJECT, **spec: Any) -> Path:
    """The folder with an experiment, and a Platform that names the image."""
    (folder / "platform.yaml").write_text(platform)
    (folder / "tjgen.yaml").write_text(project)
    (folder / "experiment.yaml").write_text(json.dumps({**EXPERIMENT, "spec": {**EXPERIMENT["spec"], **spec}}))
    return folder


def jobs(text: str) -> dict[str, Any]:
    return {one["metadata"]["name"]: one for one in yaml.safe_load_all(text) if one["kind"] == "Job"}


def told(job: Any) -> dict[str, str]:
    [container] = job["spec"]["template"]["spec"]["containers"]
    return {one["name"]: one["value"] for one in container["env"] if "value" in one}


def test_a_job_for_each_volume_that_others_reach(tmp_path: Path) -> None:
    answer = tjgen(written(tmp_path), "diagnose", "experiment.yaml")
    assert (answer.code, answer.err) == (0, "")
    made = jobs(answer.out)
    assert list(made) == ["watched-diagnose-checkpoints", "watched-diagnose-data"]
    data, checkpoints = made["watched-diagnose-data"], made["watched-diagnose-checkpoints"]
    assert "suspend" not in data["spec"]
    assert data["spec"]["ttlSecondsAfterFinished"] == 86400
    assert told(data).items() >= {"READ_ONLY": "true", "CHECKPOINTS": "false", "CLAIM": "shards", "TIME": "60"}.items()
    assert told(checkpoints).items() >= {"READ_ONLY": "false", "CHECKPOINTS": "true", "CLAIM": "watched-checkpoints"}.items()
    pod = data["spec"]["template"]["spec"]
    assert pod["volumes"][0]["persistentVolumeClaim"] == {"claimName": "shards", "readOnly": True}
    assert pod["containers"][0]["volumeMounts"][0] == {"name": "volume", "mountPath": "/volume", "readOnly": True}


def test_what_the_platform_says(tmp_path: Path) -> None:
    secured = {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
        "runAsNonRoot": True,
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    answer = tjgen(
        written(tmp_path, platform=PLATFORM, pod={"containerSecurityContext": {**secured, "runAsUser": 1000}}),
        "diagnose",
        "experiment.yaml",
    )
    assert answer.code == 0, answer.err
    job = jobs(answer.out)["watched-diagnose-checkpoints"]
    [container] = job["spec"]["template"]["spec"]["containers"]
    assert container["image"] == "mirror.example.com/fio:1"
    context = job["spec"]["template"]["spec"]["securityContext"] | container["securityContext"]
    assert context == {**secured, "runAsUser": 1000, "readOnlyRootFilesystem": True}
    # Kubernetes makes one dollar of two.
    assert told(job).items() >= {"DRIVER": "csi.juicefs.com", "CACHE": "juicefs info $$(pwd)"}.items()


def test_the_jobs_run_where_training_does(tmp_path: Path) -> None:
    answer = tjgen(written(tmp_path, gpu="a100:1"), "diagnose", "experiment.yaml")
    pod = jobs(answer.out)["watched-diagnose-data"]["spec"]["template"]["spec"]
    assert pod["nodeSelector"] == {"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-80GB"}
    assert pod["tolerations"] == [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}]


def test_a_sync_brings_jobs_that_wait(tmp_path: Path) -> None:
    project = PROJECT.replace("{", "{experiments: [experiment.yaml], gitops: argocd, ")
    answer = tjgen(written(tmp_path, project=project, monitor={"diagnose": True}), "build", "-o", "deploy")
    assert answer.code == 0, answer.err
    job = yaml.safe_load((tmp_path / "deploy/runs/vision/watched/watched/job-watched-diagnose-data.yaml").read_text())
    assert job["spec"]["suspend"] is True
    assert "ttlSecondsAfterFinished" not in job["spec"]
    annotations = job["metadata"]["annotations"]
    # A suspended Job in an earlier wave would hold the runs up for ever.
    assert "argocd.argoproj.io/sync-wave" not in annotations
    assert annotations["kustomize.toolkit.fluxcd.io/ssa"] == "IfNotPresent"
    assert tjgen(tmp_path, "check", "deploy").code == 0


def test_nothing_to_measure(tmp_path: Path) -> None:
    volumes = {"scratch": {"emptyDir": {}, "mountPath": "/scratch"}}
    written(tmp_path, volumes=volumes, checkpoints=None)
    answer = tjgen(tmp_path, "diagnose", "experiment.yaml")
    assert (answer.code, answer.out) == (1, "")
    assert "error[TJ940]" in answer.err
    written(tmp_path, volumes=volumes, checkpoints=None, monitor={"diagnose": True})
    answer = tjgen(tmp_path, "build", "experiment.yaml")
    assert answer.code == 0
    assert "warning[TJ940]" in answer.err


def test_volumes_that_cannot_be_measured_so(tmp_path: Path) -> None:
    volumes = {
        "raw": {"pvc": {"create": {"size": "1Ti", "volumeMode": "Block"}}, "mountPath": "/raw"},
        "single": {"pvc": {"create": {"size": "1Ti", "accessModes": ["ReadWriteOncePod"]}}, "mountPath": "/single"},
    }
    answer = tjgen(written(tmp_path, volumes=volumes, checkpoints=None), "diagnose", "experiment.yaml")
    assert (answer.code, list(jobs(answer.out))) == (0, ["watched-diagnose-single"])
    assert "info[TJ941]" in answer.err
    assert "warning[TJ942]" in answer.err


def test_long_names_are_cut(tmp_path: Path) -> None:
    written(
        tmp_path,
        volumes={"v" * 60: {"pvc": "a", "mountPath": "/a"}, "v" * 59 + "w": {"pvc": "b", "mountPath": "/b"}},
        checkpoints=None,
    )
    answer = tjgen(tmp_path, "diagnose", "experiment.yaml")
    assert answer.code == 0, answer.err
    assert {len(name) for name in jobs(answer.out)} == {63}
    assert len(jobs(answer.out)) == 2


def test_a_wrong_experiment_gets_no_jobs(tmp_path: Path) -> None:
    answer = tjgen(written(tmp_path, runtime="tjgen-torhc"), "diagnose", "experiment.yaml")
    assert (answer.code, answer.out) == (1, "")
    assert "did you mean" in answer.err


def test_a_folder_of_each_node_is_measured_on_one_unless_pod_security_refuses_it(tmp_path: Path) -> None:
    volumes = {**EXPERIMENT["spec"]["volumes"], "disk": {"hostPath": {"path": "/mnt/disk"}, "mountPath": "/disk"}}
    monitor = {"diagnose": True}
    answer = tjgen(written(tmp_path, volumes=volumes, monitor=monitor), "build", "experiment.yaml")
    assert answer.code == 0
    assert 'volume "disk" is a folder of each node: the Job measures that of the' in answer.err
    disk = jobs(answer.out)["watched-diagnose-disk"]
    assert {"name": "volume", "hostPath": {"path": "/mnt/disk"}} in disk["spec"]["template"]["spec"]["volumes"]
    for level in ("baseline", "restricted"):
        platform = WITH_IMAGE.replace("spec: {", f"spec: {{podSecurity: {{vision: {level}}}, ")
        answer = tjgen(written(tmp_path, platform=platform, volumes=volumes, monitor=monitor), "build", "experiment.yaml")
        message = f'volume "disk" is a hostPath, which Pod Security {level} refuses in namespace vision'
        assert message in answer.err
        assert "TJ334" not in answer.err


def test_a_folder_of_listed_nodes_is_measured_on_each(tmp_path: Path) -> None:
    host_path = {"path": "/mnt/disk", "type": "Directory", "nodeSelector": {"example.com/data": "yes"}}
    volumes = {"disk": {"hostPath": host_path, "mountPath": "/disk", "readOnly": True}}
    prefetch = {"volume": "disk", "source": "s3://data/set", "nodes": ["gpu-2", "gpu-1"]}
    answer = tjgen(written(tmp_path, volumes=volumes, checkpoints=None, prefetch=prefetch), "diagnose", "experiment.yaml")
    assert (answer.code, answer.err) == (0, "")
    pods = {name: job["spec"]["template"]["spec"] for name, job in jobs(answer.out).items()}
    assert {name: pod["nodeSelector"]["kubernetes.io/hostname"] for name, pod in pods.items()} == {
        "watched-diagnose-disk-gpu-1": "gpu-1",
        "watched-diagnose-disk-gpu-2": "gpu-2",
    }


def test_each_disk_of_a_slice_is_measured_once(tmp_path: Path) -> None:
    volumes = {"disk": {"hostPath": {"path": "/mnt/a"}, "mountPath": "/disk", "readOnly": True}}
    slices = {"deliver": "volume", "sources": ["/mnt/a", "/mnt/b", "/mnt/a"], "nodes": ["gpu-1", "gpu-1", "gpu-2"]}
    data = {"volume": "disk", "slices": slices}
    written(tmp_path, volumes=volumes, checkpoints=None, data=data, target="jobset", nodes=3)
    answer = tjgen(tmp_path, "diagnose", "experiment.yaml")
    assert (answer.code, "TJ334" in answer.err) == (0, False), answer.err
    paths = {name: job["spec"]["template"]["spec"]["volumes"][0]["hostPath"]["path"] for name, job in jobs(answer.out).items()}
    assert paths == {
        "watched-diagnose-disk-gpu-1": "/mnt/a",
        "watched-diagnose-disk-gpu-1-2": "/mnt/b",
        "watched-diagnose-disk-gpu-2": "/mnt/a",
    }


def test_a_job_has_the_name_of_its_node(tmp_path: Path) -> None:
    answer = tjgen(written(tmp_path), "diagnose", "experiment.yaml")
    for job in jobs(answer.out).values():
        [container] = job["spec"]["template"]["spec"]["containers"]
        assert {"name": "NODE", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}} in container["env"]


def test_a_data_set_of_fluid_has_no_command_for_its_cache(tmp_path: Path) -> None:
    answer = tjgen(
        written(tmp_path, volumes={"data": {"dataset": "words", "mountPath": "/words"}}, checkpoints=None),
        "diagnose",
        "experiment.yaml",
    )
    assert answer.code == 0, answer.err
    [job] = jobs(answer.out).values()
    assert (told(job)["DRIVER"], told(job)["CACHE"]) == ("fuse.csi.fluid.io", "")


def test_without_an_image_there_are_no_jobs(tmp_path: Path) -> None:
    written(tmp_path, project=PROJECT.replace("platforms: [platform.yaml]", ""), monitor={"diagnose": True})
    for words in (["diagnose", "experiment.yaml"], ["build", "experiment.yaml"]):
        answer = tjgen(tmp_path, *words)
        assert (answer.code, answer.out) == (1, "")
        assert "error[TJ178] experiment.yaml:1:" in answer.err
        assert "hint: set images.helpers.diagnose of the Platform" in answer.err


CACHED: dict[str, Any] = {"memory": {"size": "2Gi"}, "ssd": {"hostPath": "/mnt/nvme/cache"}}


def test_a_cache_that_is_a_folder_of_nodes_is_measured(tmp_path: Path) -> None:
    answer = tjgen(written(tmp_path, prefetch={"cache": CACHED}), "diagnose", "experiment.yaml")
    assert answer.code == 0, answer.err
    job = jobs(answer.out)["watched-diagnose-tjgen-cache-ssd"]
    source = {"path": "/mnt/nvme/cache", "type": "DirectoryOrCreate"}
    assert job["spec"]["template"]["spec"]["volumes"][0] == {"name": "volume", "hostPath": source}
    assert told(job).items() >= {"READ_ONLY": "true", "VOLUME": "tjgen-cache-ssd"}.items()
    assert "info[TJ179]" in answer.err
    assert 'run in a pod of the run: df -h "$TJGEN_CACHE_MEMORY"' in answer.err


def test_the_report_has_what_is_in_the_cache(tmp_path: Path, shell: list[str]) -> None:
    answer = tjgen(written(tmp_path, prefetch={"cache": CACHED}), "diagnose", "experiment.yaml")
    cache = tmp_path / "cache"
    (cache / "below").mkdir(parents=True)
    (cache / "below/a").write_bytes(b"x" * 5000)
    (cache / "b").write_bytes(b"x" * 70000)
    job = jobs(answer.out)["watched-diagnose-tjgen-cache-ssd"]
    environment = {**told(job), "CACHE": told(job)["CACHE"].replace("$$(", "$("), "ROOT": str(cache), "NODE": "a", "TIME": "1"}
    [container] = job["spec"]["template"]["spec"]["containers"]
    words = [*shell, "-c", *container["args"]]
    ended = subprocess.run(words, env={**environment, "PATH": os.environ["PATH"]}, capture_output=True, text=True, check=False)
    status = json.loads(ended.stdout)["cache"]
    assert status["status"] == "measured", ended.stderr
    lines = dict(line.split(": ") for line in status["output"].splitlines())
    assert lines["files"] == "2"
    assert 75_000 <= int(lines["used"].removesuffix(" bytes")) <= 200_000
    assert 0 < int(lines["free"].removesuffix(" bytes")) <= int(lines["disk"].removesuffix(" bytes"))
