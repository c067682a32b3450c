"""Accounts, sources and AppProjects: what a tool may read and change."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.program import Answer, tjgen
from tjgen.cluster.kinds.permissions import EDIT, managed

EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: bert}
spec:
  runtime: tjgen-torch
  image: bert:1
  script: train.py
"""
PROJECT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Project
metadata: {name: nlp}
spec:
  experiments: [experiments]
  environments: ENVIRONMENTS
  output: {directory: out}
  gitops: GITOPS
"""
PLATFORM = """\
apiVersion: tjgen.dev/v1alpha1
kind: Platform
metadata: {name: lab}
spec:
  namespaces: {nlp: {trainers: [{group: nlp}]}}
"""
URL = "https://git.example.com/nlp.git"
ENVIRONMENTS = "{dev: {namespace: nlp-dev}, prod: {namespace: nlp, cluster: prod-1}}"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TJGEN_CACHE", "off")
    (tmp_path / "experiments").mkdir()
    (tmp_path / "experiments/bert.yaml").write_text(EXPERIMENT, encoding="utf-8")
    return tmp_path


def build(folder: Path, gitops: str, environments: str = ENVIRONMENTS, *words: str) -> Answer:
    text = PROJECT.replace("GITOPS", gitops).replace("ENVIRONMENTS", environments)
    (folder / "tjgen.yaml").write_text(text, encoding="utf-8")
    return tjgen(folder, "build", "-o", "out", *words)


def object_in(folder: Path, path: str) -> Any:
    return yaml.safe_load((folder / "out" / path).read_text(encoding="utf-8"))


def test_an_app_project_permits_the_namespaces_and_kinds_of_the_runs(folder: Path) -> None:
    roles = "{readers: {groups: [nlp-team]}, operators: {groups: [ops], actions: [get, sync]}}"
    gitops = f"{{tool: argocd, repository: {URL}, project: nlp, serviceAccountName: sync, appProject: {{roles: {roles}}}}}"
    answer = build(folder, gitops)
    assert answer.code == 0, answer.err
    project = object_in(folder, "gitops/access/appproject-nlp.yaml")
    assert project["metadata"] == {"name": "nlp", "namespace": "argocd"}
    spec = project["spec"]
    assert spec["sourceRepos"] == [URL]
    assert spec["destinations"] == [
        {"server": "https://kubernetes.default.svc", "namespace": "nlp-dev"},
        {"name": "prod-1", "namespace": "nlp"},
    ]
    assert spec["clusterResourceWhitelist"] == []
    assert spec["namespaceResourceWhitelist"] == [{"group": kind.group, "kind": kind.name} for kind in managed()]
    assert spec["destinationServiceAccounts"] == [
        {"server": "https://kubernetes.default.svc", "namespace": "nlp-dev", "defaultServiceAccount": "nlp-dev:sync"},
        {"server": "*", "namespace": "nlp", "defaultServiceAccount": "nlp:sync"},
    ]
    assert [(role["name"], role["policies"]) for role in spec["roles"]] == [
        ("operators", [f"p, proj:nlp:operators, applications, {action}, nlp/*, allow" for action in ("get", "sync")]),
        ("readers", ["p, proj:nlp:readers, applications, get, nlp/*, allow"]),
    ]
    application = object_in(folder, "prod/gitops/application-nlp-prod.yaml")["spec"]
    assert (application["project"], application["destination"]) == ("nlp", {"name": "prod-1", "namespace": "nlp"})
    assert tjgen(folder, "check", "--strict", "out").code == 0
    assert build(folder, gitops, ENVIRONMENTS, "--check").code == 0


def test_a_role_permits_the_kinds_of_runs_in_their_namespaces_only(folder: Path) -> None:
    (folder / "experiments/other.yaml").write_text(EXPERIMENT.replace("bert}", "other, namespace: speech}"), encoding="utf-8")
    answer = build(folder, f"{{tool: flux, repository: {URL}, namespace: team, serviceAccountName: sync}}")
    assert answer.code == 0, answer.err
    place = "prod/gitops/access"
    assert {path.name for path in (folder / "out" / place).iterdir()} == {
        "serviceaccount-team-sync.yaml",
        *(f"{kind}-{namespace}-nlp-prod-sync.yaml" for kind in ("role", "rolebinding") for namespace in ("nlp", "speech")),
    }
    role = object_in(folder, f"{place}/role-speech-nlp-prod-sync.yaml")
    permitted = {(group, plural) for rule in role["rules"] for group in rule["apiGroups"] for plural in rule["resources"]}
    assert permitted == {(kind.group, kind.plural) for kind in managed()}
    assert {tuple(rule["verbs"]) for rule in role["rules"]} == {EDIT}
    binding = object_in(folder, f"{place}/rolebinding-speech-nlp-prod-sync.yaml")
    assert binding["subjects"] == [{"kind": "ServiceAccount", "name": "sync", "namespace": "team"}]
    assert object_in(folder, "prod/gitops/kustomization-nlp-prod-runs.yaml")["spec"]["serviceAccountName"] == "sync"


def test_flux_reads_a_source_that_exists_with_its_own_settings(folder: Path) -> None:
    source = "sourceRef: {kind: OCIRepository, name: fleet, namespace: flux-system}"
    gitops = f"{{tool: flux, {source}, dependsOn: [base, {{name: quotas, namespace: infra}}]}}"
    answer = build(folder, gitops)
    assert answer.code == 0, answer.err
    assert not list((folder / "out/prod/gitops").glob("gitrepository-*"))
    runtimes = object_in(folder, "prod/gitops/kustomization-nlp-prod-runtimes.yaml")["spec"]
    runs = object_in(folder, "prod/gitops/kustomization-nlp-prod-runs.yaml")["spec"]
    assert runs["sourceRef"] == {"kind": "OCIRepository", "name": "fleet", "namespace": "flux-system"}
    assert runtimes["dependsOn"] == [{"name": "base"}, {"name": "quotas", "namespace": "infra"}]
    assert runs["dependsOn"] == [{"name": "nlp-prod-runtimes"}, {"name": "nlp-prod-data"}]
    assert tjgen(folder, "check", "--strict", "out").code == 0


def test_flux_reads_a_private_repository_and_syncs_to_other_clusters(folder: Path) -> None:
    environments = (
        "{dev: {namespace: dev, gitops: {kubeConfig: {configMapRef: dev-cluster}}}, "
        "prod: {namespace: prod, gitops: {kubeConfig: {secretRef: {name: prod, key: config}}, namespace: prod-sync}}}"
    )
    answer = build(folder, f"{{tool: flux, repository: {URL}, secretRef: git, provider: github}}", environments)
    assert answer.code == 0, answer.err
    repository = object_in(folder, "prod/gitops/gitrepository-nlp-prod.yaml")
    assert repository["metadata"]["namespace"] == "prod-sync"
    assert (repository["spec"]["secretRef"], repository["spec"]["provider"]) == ({"name": "git"}, "github")
    runs = [object_in(folder, f"{name}/gitops/kustomization-nlp-{name}-runs.yaml")["spec"] for name in ("dev", "prod")]
    assert runs[0]["kubeConfig"] == {"configMapRef": {"name": "dev-cluster"}}
    assert runs[1]["kubeConfig"] == {"secretRef": {"name": "prod", "key": "config"}}
    assert tjgen(folder, "check", "--strict", "out").code == 0


def test_a_platform_has_an_app_project_of_its_own(folder: Path) -> None:
    (folder / "platform.yaml").write_text(PLATFORM, encoding="utf-8")
    gitops = (
        f"{{tool: argocd, repository: {URL}, project: nlp, appProject: {{}}, platformServiceAccountName: platform/admin}}\n"
        "  platforms: [platform.yaml]"
    )
    answer = build(folder, gitops, "{prod: {namespace: nlp}}")
    assert answer.code == 0, answer.err
    assert object_in(folder, "gitops/access/appproject-nlp.yaml")["spec"]["clusterResourceWhitelist"] == []
    spec = object_in(folder, "gitops/access/appproject-nlp-platform.yaml")["spec"]
    assert spec["clusterResourceWhitelist"] == [{"group": "", "kind": "Namespace"}]
    assert [one["kind"] for one in spec["namespaceResourceWhitelist"]] == ["Role", "RoleBinding"]
    assert [one["namespace"] for one in spec["destinations"]] == ["nlp", "platform"]
    assert spec["destinationServiceAccounts"][0]["defaultServiceAccount"] == "platform:admin"
    application = object_in(folder, "prod/gitops/application-nlp-prod-platform.yaml")["spec"]
    assert (application["project"], application["destination"]["namespace"]) == ("nlp-platform", "platform")


def test_an_app_project_has_the_name_of_the_project(folder: Path) -> None:
    """So teams that inherit the setting from a workspace get AppProjects of their own."""
    assert build(folder, f"{{tool: argocd, repository: {URL}, appProject: {{}}}}").code == 0
    assert object_in(folder, "gitops/access/appproject-nlp.yaml")["metadata"]["name"] == "nlp"
    assert object_in(folder, "prod/gitops/application-nlp-prod.yaml")["spec"]["project"] == "nlp"


def test_a_project_without_runs_needs_no_account(folder: Path) -> None:
    """The owner of a workspace may have no runs, and sets the account for its teams."""
    (folder / "platform.yaml").write_text(PLATFORM, encoding="utf-8")
    gitops = f"{{tool: argocd, repository: {URL}, serviceAccountName: sync, appProject: {{}}}}"
    text = PROJECT.replace("experiments: [experiments]", "platforms: [platform.yaml]").replace("GITOPS", gitops)
    (folder / "tjgen.yaml").write_text(text.replace("ENVIRONMENTS", "{prod: {}}"), encoding="utf-8")
    answer = tjgen(folder, "build", "-o", "out")
    assert answer.code == 0, answer.err
    assert not (folder / "out/prod/gitops/access").exists()
    assert "destinationServiceAccounts" not in object_in(folder, "gitops/access/appproject-nlp.yaml")["spec"]


def test_applications_in_namespaces_of_teams(folder: Path) -> None:
    environments = "{dev: {namespace: dev, gitops: {namespace: dev-apps, project: nlp-dev}}, prod: {namespace: prod}}"
    gitops = f"{{tool: argocd, repository: {URL}, project: nlp, namespace: apps, appProject: {{namespace: argocd}}}}"
    answer = build(folder, gitops, environments)
    assert answer.code == 0, answer.err
    for name, namespace in (("nlp", "apps"), ("nlp-dev", "dev-apps")):
        project = object_in(folder, f"gitops/access/appproject-{name}.yaml")
        assert (project["metadata"]["namespace"], project["spec"]["sourceNamespaces"]) == ("argocd", [namespace])


def test_a_set_of_environments_reads_their_projects_and_namespaces(folder: Path) -> None:
    environments = "{dev: {namespace: dev, gitops: {project: nlp-dev}}, prod: {namespace: prod, cluster: prod-1}}"
    sets = "applicationSet: environments, serviceAccountName: sync"
    assert build(folder, f"{{tool: argocd, repository: {URL}, project: nlp, {sets}}}", environments).code == 0
    template = object_in(folder, "gitops/applicationset-nlp.yaml")["spec"]["template"]["spec"]
    assert template["project"] == "{{.data.project}}"
    assert template["destination"]["namespace"] == "{{.data.namespace}}"
    data = {name: object_in(folder, f"{name}/gitops/_environment.yaml")["data"] for name in ("dev", "prod")}
    assert (data["dev"]["project"], data["dev"]["namespace"]) == ("nlp-dev", "dev")
    assert (data["prod"]["project"], data["prod"]["namespace"]) == ("nlp", "prod")


def test_a_build_of_one_environment_keeps_the_destinations_of_the_others(folder: Path) -> None:
    gitops = f"{{tool: argocd, repository: {URL}, project: nlp, appProject: {{}}}}"
    assert build(folder, gitops).code == 0
    before = object_in(folder, "gitops/access/appproject-nlp.yaml")
    assert build(folder, gitops, ENVIRONMENTS, "--env", "dev").code == 0
    assert object_in(folder, "gitops/access/appproject-nlp.yaml") == before


@pytest.mark.parametrize(
    ("gitops", "environments", "code", "words"),
    [
        pytest.param(
            "{tool: argocd, repository: URL, secretRef: git}", "", "TJ681", "applies to Flux", id="secretRef with Argo CD"
        ),
        pytest.param(
            "{tool: flux, repository: URL, appProject: {}}", "", "TJ681", "applies to Argo CD", id="appProject with Flux"
        ),
        pytest.param("{tool: flux, serviceAccountName: sync}", "", "TJ681", "no repository", id="account without a repository"),
        pytest.param("{serviceAccountName: sync}", "", "TJ681", "gitops.tool is not", id="account without a tool"),
        pytest.param(
            "{tool: flux, repository: URL, serviceAccountName: sync, bootstrap: true}",
            "",
            "TJ784",
            "its own access",
            id="bootstrap",
        ),
        pytest.param(
            "{tool: argocd, repository: URL, serviceAccountName: sync}",
            "{prod: {}}",
            "TJ785",
            "the runs are in",
            id="account of an unknown namespace",
        ),
        pytest.param(
            "{tool: flux, repository: URL, serviceAccountName: team/sync}",
            "",
            "TJ785",
            "flux-system, not of team",
            id="other namespace",
        ),
        pytest.param(
            "{tool: argocd, repository: URL, project: default, appProject: {}}", "", "TJ786", "default", id="AppProject default"
        ),
        pytest.param(
            "{tool: argocd, repository: URL, project: nlp, appProject: {}}",
            "{a: {namespace: n, cluster: a, gitops: {serviceAccountName: one}}, "
            "b: {namespace: n, cluster: b, gitops: {serviceAccountName: two}}}",
            "TJ787",
            "one and two",
            id="two accounts",
        ),
        pytest.param("{tool: flux, sourceRef: fleet, secretRef: git}", "", "TJ788", "sourceRef names", id="source and Secret"),
        pytest.param(
            "{tool: flux}",
            "{a: {namespace: a, gitops: {sourceRef: fleet}}, b: {namespace: b}}",
            "TJ788",
            "environment b",
            id="no source",
        ),
        pytest.param("{tool: flux, repository: URL, kubeConfig: {}}", "", "TJ", "secretRef", id="empty kubeConfig"),
    ],
)
def test_settings_that_cannot_work_are_refused(folder: Path, gitops: str, environments: str, code: str, words: str) -> None:
    if environments == "{prod: {}}":
        for name in ("one", "two"):
            text = EXPERIMENT.replace("bert}", f"{name}, namespace: {name}}}")
            (folder / f"experiments/{name}.yaml").write_text(text, encoding="utf-8")
        (folder / "experiments/bert.yaml").unlink()
    answer = build(folder, gitops.replace("URL", URL), environments or ENVIRONMENTS)
    assert answer.code == 1
    assert f"error[{code}" in answer.err
    assert words in answer.err
    assert "tjgen.yaml:" in answer.err
    assert not (folder / "out").exists()


@pytest.mark.parametrize("tool", ["argocd", "flux"])
def test_a_build_of_one_environment_leaves_the_platform_to_the_environment_that_applies_it(folder: Path, tool: str) -> None:
    (folder / "platform.yaml").write_text(PLATFORM, encoding="utf-8")
    gitops = f"{{tool: {tool}, repository: {URL}}}\n  platforms: [platform.yaml]"
    one_cluster = "{dev: {namespace: nlp-dev}, prod: {namespace: nlp}}"
    assert build(folder, gitops, one_cluster).code == 0
    before = {path: path.read_bytes() for path in (folder / "out").rglob("*.yaml")}
    assert [path.name for path in before if path.name.endswith("-platform.yaml")], "the first environment applies the platform"
    for name in ("prod", "dev"):
        assert build(folder, gitops, one_cluster, "--env", name).code == 0
        assert {path: path.read_bytes() for path in (folder / "out").rglob("*.yaml")} == before
