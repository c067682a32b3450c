"""Trees that the sync engines apply as an account of the team, on a real API server: runs sync, other objects are refused.

The kubeconfig of a sync impersonates the account as kustomize-controller and the controller of Argo CD do (`Impersonate`).
Argo CD impersonates it only for the sync itself and reads the cluster as itself. The engine of the rig has one client for
both, so here the account can also read everything.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.e2e.rig import NEEDED, STATE, eventually, kubectl, live, rig
from tests.program import tjgen

pytestmark = NEEDED
PROJECT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Project
metadata: {{name: tenancy}}
spec:
  experiments: [experiments]
  environments: {{prod: {{namespace: {namespace}}}}}
  output: {{directory: deploy}}
  gitops:
    tool: {tool}
    repository: "https://git.example.com/tenancy.git"
    project: tenancy
    serviceAccountName: sync
    {own}
"""
OF_TOOL = {"argocd": "appProject: {{}}", "flux": "namespace: {namespace}"}
EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: run}
spec:
  runtime: tjgen-torch
  image: train:1
  script: train.py
  volumes:
    out: {pvc: {create: {size: 1Gi, storageClassName: standard, accessModes: [ReadWriteMany]}}, mountPath: /out}
"""
FORBIDDEN: dict[str, Any] = {
    "role": {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "Role",
        "metadata": {"name": "more"},
        "rules": [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}],
    },
    "other namespace": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "elsewhere", "namespace": "default"}},
    "cluster": {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "tenancy-of-its-own"}},
}


class Tenant:
    """A project, its namespace, and a tool that syncs as its account."""

    def __init__(self, folder: Path, namespace: str, tool: str) -> None:
        self.folder, self.namespace, self.tool = folder, namespace, tool
        (folder / "experiments").mkdir(parents=True)
        text = PROJECT.format(namespace=namespace, tool=tool, own=OF_TOOL[tool].format(namespace=namespace))
        (folder / "tjgen.yaml").write_text(text, encoding="utf-8")
        (folder / "experiments/run.yaml").write_text(EXPERIMENT, encoding="utf-8")

    def sync(self, *, extra: Any = None) -> list[str]:
        """Sync the tree with `extra` among the runs; the errors."""
        if extra is not None:
            tree = {**extra, "metadata": {"namespace": self.namespace, **extra["metadata"]}}
            if tree["kind"] == "Namespace":
                del tree["metadata"]["namespace"]
            (self.folder / "deploy/prod/runs/extra.yaml").write_text(yaml.safe_dump(tree), encoding="utf-8")
        words = ["--kubeconfig", str(self.kubeconfig())]
        errors: list[str] = []
        if self.tool == "flux":
            for stage in ("runtimes", "data", "runs"):
                own = yaml.safe_load((self.folder / f"deploy/prod/gitops/kustomization-tenancy-prod-{stage}.yaml").read_text())
                name = f"{self.namespace}-{stage}"
                report = rig("flux-sync", *words, "--name", name, "--dir", str(self.folder / own["spec"]["path"]), "--prune")
                errors += [str(run.get("error")) for run in report["runs"] if not run["ready"]]
            return errors
        synced = self.folder / "synced"
        for stage in ("runtimes", "data", "runs"):
            for file in (self.folder / "deploy/prod" / stage).rglob("*.yaml"):
                place = synced / file.relative_to(self.folder / "deploy/prod")
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(file.read_bytes())
        report = rig(
            "argo-sync",
            *words,
            "--app",
            self.namespace,
            "--namespace",
            self.namespace,
            "--dir",
            str(synced),
            "--recurse",
            "--prune",
        )
        for sync in report["syncs"] if report["syncs"][-1]["phase"] != "Succeeded" else ():
            errors += [sync["message"], *[str(one.get("message")) for one in sync["resources"] or ()]]
        return errors

    def kubeconfig(self) -> Path:
        """A kubeconfig whose user impersonates the account that the sync object names."""
        place = self.folder / "kubeconfig"
        config = yaml.safe_load((Path(STATE) / "kubeconfig").read_text(encoding="utf-8"))
        for user in config["users"]:
            user["user"]["as"] = self.account()
        place.write_text(yaml.safe_dump(config), encoding="utf-8")
        return place

    def account(self) -> str:
        """The user that the tool impersonates, from the sync objects."""
        if self.tool == "flux":
            own = yaml.safe_load((self.folder / "deploy/prod/gitops/kustomization-tenancy-prod-runs.yaml").read_text())
            return f"system:serviceaccount:{own['metadata']['namespace']}:{own['spec']['serviceAccountName']}"
        own = yaml.safe_load((self.folder / "deploy/gitops/access/appproject-tenancy.yaml").read_text())
        (account,) = own["spec"]["destinationServiceAccounts"]
        return f"system:serviceaccount:{account['defaultServiceAccount']}"


@pytest.fixture(params=["argocd", "flux"])
def tenant(tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Tenant]:
    monkeypatch.setenv("TJGEN_CACHE", "off")
    case = request.node.callspec.params.get("forbidden", request.node.originalname.split("_")[1]).replace(" ", "-")
    namespace = f"tenancy-{case}-{request.param}"
    kubectl("create", "namespace", namespace)
    one = Tenant(tmp_path / "project", namespace, request.param)
    answer = tjgen(one.folder, "build", "-o", "deploy")
    assert answer.code == 0, answer.err
    kubectl("apply", "-f", str(one.folder / "deploy/prod/gitops/access"))
    if request.param == "argocd":
        kubectl("create", "clusterrole", namespace, "--verb=get,list,watch", "--resource=*.*")
        kubectl("create", "clusterrolebinding", namespace, f"--clusterrole={namespace}", f"--serviceaccount={namespace}:sync")
    yield one
    kubectl("delete", "clusterrole,clusterrolebinding", namespace, "--ignore-not-found")
    kubectl("delete", "namespace", namespace, "--wait=false")


def test_runs_are_synced_as_the_account(tenant: Tenant) -> None:
    assert tenant.sync() == []
    eventually(lambda: live("jobset", "-n", tenant.namespace))
    assert len(live("trainjob", "-n", tenant.namespace)) == 1
    assert tenant.sync() == []


@pytest.mark.parametrize("forbidden", FORBIDDEN)
def test_another_object_is_refused(tenant: Tenant, forbidden: str) -> None:
    errors = tenant.sync(extra=FORBIDDEN[forbidden])
    assert f'User "{tenant.account()}" cannot' in " ".join(errors)
    kind, metadata = FORBIDDEN[forbidden]["kind"], FORBIDDEN[forbidden]["metadata"]
    place = metadata.get("namespace", tenant.namespace)
    assert "NotFound" in kubectl("get", kind, metadata["name"], "-n", place, check=False)


def test_no_run_is_synced_before_the_platform_team_applies_the_roles(tenant: Tenant) -> None:
    kubectl("delete", "-f", str(tenant.folder / "deploy/prod/gitops/access"))
    assert "cannot" in " ".join(tenant.sync())
    assert live("trainjob", "-n", tenant.namespace) == []
