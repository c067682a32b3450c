"""Applications, ApplicationSets and Kustomizations as objects of the rig, so that the commands of a plan run as they are printed.

Their definitions accept any field. The controllers of Argo CD and Flux are not in the rig: a test creates the Applications of an
ApplicationSet. The garbage collector, finalizers and kubectl are real.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from tests.e2e.rig import apply, kubectl

KINDS = (
    ("argoproj.io", "v1alpha1", "Application"),
    ("argoproj.io", "v1alpha1", "ApplicationSet"),
    ("kustomize.toolkit.fluxcd.io", "v1", "Kustomization"),
    ("source.toolkit.fluxcd.io", "v1", "GitRepository"),
)
SYNCING = ",".join(f"{kind.lower()}s.{group}" for group, _, kind in KINDS[:3])
FINALIZER = "resources-finalizer.argocd.argoproj.io"


def define() -> None:
    """Let the API server accept the objects."""
    apply([_definition(*kind) for kind in KINDS])
    names = [
        f"crd/{kind.lower()}s.{group}" if kind != "GitRepository" else f"crd/gitrepositories.{group}" for group, _, kind in KINDS
    ]
    kubectl("wait", "--for=condition=Established", "--timeout=30s", *names)
    apply([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in ("argocd", "flux-system")])


def _definition(group: str, version: str, kind: str) -> Any:
    plural = "gitrepositories" if kind == "GitRepository" else f"{kind.lower()}s"
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"kind": kind, "plural": plural, "singular": kind.lower()},
            "versions": [{"name": version, "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}],
        },
    }


def generate(applications: Iterable[str], set_name: str) -> None:
    """Create the Applications of an ApplicationSet, which owns them, with the finalizer that deletes their objects."""
    application_set = json.loads(kubectl("get", "applicationset", set_name, "-n", "argocd", "-o", "json"))
    owner = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "ApplicationSet",
        "name": set_name,
        "uid": application_set["metadata"]["uid"],
    }
    metadata = {"namespace": "argocd", "ownerReferences": [owner], "finalizers": [FINALIZER]}
    made = (
        {"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": {**metadata, "name": name}}
        for name in applications
    )
    apply([{**one, "spec": {}} for one in made])


def present(project: str) -> set[str]:
    """Kind and name of each object that syncs the project."""
    objects = json.loads(kubectl("get", SYNCING, "-A", "-o", "json"))["items"]
    named = {(one["kind"], one["metadata"]["name"]) for one in objects}
    return {f"{kind} {name}" for kind, name in named if name.split(".")[0].split("-gitops")[0].startswith(project)}
