"""Folders -> the tools of others that are installed there, and the schemas that one of them needs."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence

NAMES = ("kubectl", "kustomize", "helm", "kubeconform")

_SCHEMAS = {
    "trainjob": "trainer.kubeflow.org_v1alpha1_trainjob.json",
    "trainingruntime": "trainer.kubeflow.org_v1alpha1_trainingruntime.json",
    "jobset": "jobset.x-k8s.io_v1alpha2_jobset.json",
    "podgroup": "scheduling.volcano.sh_v1beta1_podgroup.json",
    "job": "batch_v1_job.json",
    "service": "core_v1_service.json",
    "persistentvolumeclaim": "core_v1_persistentvolumeclaim.json",
}


def find(folders: Sequence[str]) -> dict[str, str]:
    """Name -> path of each tool, looked for in `folders` and then on PATH; those that are missing are left out."""
    path = os.pathsep.join([*folders, os.environ.get("PATH", "")])
    return {name: os.path.abspath(found) for name in NAMES if (found := shutil.which(name, path=path))}


def copy_schemas(ours: str, folder: str) -> str:
    """Put our schemas of what a build makes where kubeconform finds them; the pattern to give it as -schema-location."""
    os.makedirs(folder)
    for kind, name in _SCHEMAS.items():
        newest = max(os.path.join(top, name) for top, _, names in os.walk(ours) if name in names)
        shutil.copy(newest, os.path.join(folder, f"{kind}.json"))
    return os.path.join(folder, "{{.ResourceKind}}.json")
