"""A number -> the files of an input in which one list has so many elements."""

from __future__ import annotations

from typing import Any

import yaml

Files = dict[str, str]
Tree = dict[str, Any]

_DUMPER: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
"""The writer in C, where PyYAML has it: large inputs take less time to write than to read."""

MINIMAL: Tree = {"runtime": "tjgen-torch", "image": "registry.example/train:1", "script": "train.py"}


def dumped(*trees: Any, flow: bool = False) -> str:
    """Documents as YAML, in block style or each in one line."""
    texts = [yaml.dump(one, Dumper=_DUMPER, sort_keys=False, default_flow_style=flow, width=10**9) for one in trees]
    return "---\n".join(texts)


def experiment(name: str = "many", /, **spec: Any) -> Tree:
    """An experiment with `spec` over the smallest one."""
    return {
        "apiVersion": "tjgen.dev/v1alpha1",
        "kind": "Experiment",
        "metadata": {"name": name, "namespace": "team"},
        "spec": {**MINIMAL, **spec},
    }


def document(kind: str, name: str, spec: Any) -> Tree:
    """An Overlay, a Platform or a Project."""
    return {"apiVersion": "tjgen.dev/v1alpha1", "kind": kind, "metadata": {"name": name}, "spec": spec}


def project(spec: Tree, *experiments: Tree, **files: str) -> Files:
    """A project whose experiments have a file each; `files` by their names without `.yaml`."""
    named = {f"experiments/{one['metadata']['name']}.yaml": dumped(one) for one in experiments}
    spec = {"experiments": ["experiments"], **spec}
    others = {f"{name}.yaml": text for name, text in files.items()}
    return {"tjgen.yaml": dumped(document("Project", "many", spec)), **named, **others}


def one(**spec: Any) -> Files:
    """One experiment in one file."""
    return {"experiment.yaml": dumped(experiment(**spec))}


def trainjob(name: str = "job", /, **spec: Any) -> Tree:
    """A TrainJob as people write it."""
    return {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainJob",
        "metadata": {"name": name, "namespace": "team"},
        "spec": {"runtimeRef": {"name": "tjgen-torch"}, "trainer": {"image": "registry.example/train:1", "numNodes": 2}, **spec},
    }


def configmap(name: str) -> Tree:
    """A ConfigMap with one key."""
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "team"}, "data": {"key": name}}


def pod(**spec: Any) -> Tree:
    """A Pod of one container."""
    container = {"name": "main", "image": "registry.example/train:1"}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "pod", "namespace": "team"},
        "spec": {"containers": [container], **spec},
    }


def jobset(name: str, jobs: int = 1, **more: Any) -> Tree:
    """A JobSet with so many replicated jobs."""
    template = {
        "spec": {
            "backoffLimit": 0,
            "template": {
                "spec": {
                    "restartPolicy": "Never",
                    "containers": [{"name": "main", "image": "registry.example/train:1"}],
                    **more,
                }
            },
        }
    }
    replicated = [{"name": f"job-{number}", "replicas": 1, "template": template} for number in range(jobs)]
    return {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {"name": name, "namespace": "team"},
        "spec": {"replicatedJobs": replicated},
    }


def runtime(name: str, jobs: int = 1) -> Tree:
    """A runtime of the catalog with so many replicated jobs, the first of which trains."""
    replicated = jobset("x", jobs)["spec"]["replicatedJobs"]
    first = {**replicated[0], "name": "node"}
    first["template"] = {**first["template"], "metadata": {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}}}
    containers = [{"name": "node", "image": "registry.example/train:1"}]
    first["template"] = {
        **first["template"],
        "spec": {"template": {"spec": {"restartPolicy": "Never", "containers": containers}}},
    }
    return {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "ClusterTrainingRuntime",
        "metadata": {"name": name, "labels": {"trainer.kubeflow.org/framework": "torch"}},
        "spec": {
            "mlPolicy": {"numNodes": 1, "torch": {}},
            "template": {"spec": {"replicatedJobs": [first, *replicated[1:]]}},
        },
    }
