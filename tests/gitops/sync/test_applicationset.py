"""ApplicationSets: what Argo CD makes of them in the tree that lies beside them, and what syncs the objects that sync."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.program import Answer, tjgen

EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {{name: {name}, namespace: {namespace}}}
spec:
  runtime: tjgen-torch
  image: bert:1
  script: train.py
  volumes:
    out: {{pvc: {{create: {{size: 20Gi}}}}, mountPath: /out}}
"""
PROJECT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Project
metadata: {name: site}
spec:
  experiments: [experiments]
  environments: {dev: {}, prod: {cluster: prod-1}}
  output: {directory: out}
  gitops: {tool: argocd, repository: "https://git.example.com/site.git", OPTIONS}
"""
# Two pairs that give one name where the parts are joined by "-".
EXPERIMENTS = [("bert", "nlp"), ("b-c", "a"), ("c", "a-b"), ("bert", "gitops")]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TJGEN_CACHE", "off")
    (tmp_path / "experiments").mkdir()
    for number, (name, namespace) in enumerate(EXPERIMENTS):
        text = EXPERIMENT.format(name=name, namespace=namespace)
        (tmp_path / f"experiments/{number}.yaml").write_text(text, encoding="utf-8")
    return tmp_path


def build(folder: Path, options: str, *words: str, project: str = PROJECT) -> Answer:
    (folder / "tjgen.yaml").write_text(project.replace("OPTIONS", options), encoding="utf-8")
    return tjgen(folder, "build", "-o", "out", *words)


def loaded(place: Path) -> Any:
    return yaml.safe_load(place.read_text(encoding="utf-8"))


def folders(top: Path) -> Iterator[Path]:
    """All folders, as the directory generator sees them: it leaves out those that begin with a dot."""
    for path in sorted(top.rglob("*")):
        if path.is_dir() and not any(part.startswith(".") for part in path.relative_to(top).parts):
            yield path


def filled(template: Any, parameters: dict[str, Any]) -> Any:
    """A template with what stands in braces looked up, as far as ours go; missingkey=error is a KeyError."""
    if isinstance(template, dict):
        return {key: filled(value, parameters) for key, value in template.items()}
    if isinstance(template, list):
        return [filled(value, parameters) for value in template]
    if not isinstance(template, str):
        return template

    def looked_up(found: re.Match[str]) -> str:
        place, index = re.fullmatch(r"(?:index )?\.([\w.]+)(?: (\d+))?", found[1]).groups()  # type: ignore[union-attr]
        value: Any = parameters
        for key in place.split("."):
            value = value[key]
        return str(value[int(index)] if index is not None else value)

    return re.sub(r"{{(.*?)}}", looked_up, template)


def generated(folder: Path, application_set: Any) -> list[Any]:
    """The Applications of a set with one Git generator."""
    spec = application_set["spec"]
    assert (spec["goTemplate"], spec["goTemplateOptions"]) == (True, ["missingkey=error"])
    (generator,) = [one["git"] for one in spec["generators"]]
    found = []
    for pattern in [one["path"] for one in generator.get("directories", ())]:
        for place in folders(folder):
            path = str(place.relative_to(folder))
            if path.count("/") == pattern.count("/") and fnmatchcase(path, pattern):
                found.append({"path": {"path": path, "basename": place.name, "segments": path.split("/")}})
    for pattern in [one["path"] for one in generator.get("files", ())]:
        # Both of Argo CD's ways to match are allowed for: in the older one a star also stands for slashes.
        found += [loaded(place) for place in sorted(folder.rglob("*")) if fnmatchcase(str(place.relative_to(folder)), pattern)]
    return [filled(spec["template"], parameters) for parameters in found]


def synced(folder: Path, application: Any) -> set[str]:
    """The files that an Application applies."""
    source = application["spec"]["source"]
    top = folder / source["path"]
    given = source["directory"]
    assert given["recurse"] is True
    found = set()
    for place in top.rglob("*.yaml"):
        path = str(place.relative_to(top))
        patterns = {key: alternatives(given[key]) for key in ("include", "exclude") if key in given}
        if any(fnmatchcase(path, one) for one in patterns.get("include", ["*"])) and not any(
            fnmatchcase(path, one) for one in patterns.get("exclude", [])
        ):
            found.add(str(place.relative_to(folder)))
    return {path for path in found if "+argocd:skip-file-rendering" not in (folder / path).read_text(encoding="utf-8")}


def alternatives(glob: str) -> list[str]:
    return glob[1:-1].split(",") if glob.startswith("{") else [glob]


def manifests(folder: Path, environment: str) -> set[str]:
    """What has to be applied in an environment."""
    stages = ("runtimes", "data", "runs")
    return {str(path.relative_to(folder)) for one in stages for path in (folder / "out" / environment / one).rglob("*.yaml")}


def test_one_application_for_each_experiment(folder: Path) -> None:
    assert build(folder, "applicationSet: experiments").err == "runs: 8 new, 0 unchanged, 0 kept, 0 removed\n"
    assert tjgen(folder, "check", "--strict", "out").code == 0
    for environment, destination in (("dev", {"server": "https://kubernetes.default.svc"}), ("prod", {"name": "prod-1"})):
        place = folder / "out" / environment / "gitops"
        assert sorted(path.name for path in place.iterdir()) == [
            f"application-site-{environment}.yaml",
            f"applicationset-site-{environment}.yaml",
        ]
        application_set = loaded(place / f"applicationset-site-{environment}.yaml")
        assert application_set["spec"]["syncPolicy"] == {"applicationsSync": "create-update", "preserveResourcesOnDeletion": True}
        made = generated(folder, application_set)
        assert sorted(one["metadata"]["name"] for one in made) == sorted(
            f"site-{environment}.{namespace}.{name}" for name, namespace in EXPERIMENTS
        )
        applications = [*made, loaded(place / f"application-site-{environment}.yaml")]
        assert all(one["spec"]["destination"] == destination for one in applications)
        parts = [synced(folder, one) for one in applications]
        assert set().union(*parts) == manifests(folder, environment)
        assert sum(map(len, parts)) == len(manifests(folder, environment))
        assert all(application["spec"]["syncPolicy"]["retry"]["limit"] == 10 for application in made)


def test_a_runtime_that_several_applications_use_is_never_pruned(folder: Path) -> None:
    build(folder, "applicationSet: experiments")
    for path in (folder / "out").rglob("runtimes/*/*.yaml"):
        annotations = loaded(path)["metadata"]["annotations"]
        assert annotations["argocd.argoproj.io/sync-options"] == "ServerSideApply=true,Prune=false"
        assert annotations["argocd.argoproj.io/compare-options"] == "IgnoreExtraneous"
    before = {path: path.read_bytes() for path in (folder / "out").rglob("trainjob-*.yaml")}
    assert "error[TJ280]" in build(folder, "applicationSet: environments").err
    assert tjgen(folder, "migrate", "--write").code == 0
    assert {path: path.read_bytes() for path in (folder / "out").rglob("trainjob-*.yaml")} == before
    assert "Prune=false" not in next((folder / "out").rglob("runtimes/*/*.yaml")).read_text(encoding="utf-8")


@pytest.mark.parametrize("environments", ["  environments: {dev: {}, prod: {cluster: prod-1}}\n", ""])
def test_one_application_for_each_environment(folder: Path, environments: str) -> None:
    project = PROJECT.replace("  environments: {dev: {}, prod: {cluster: prod-1}}\n", environments)
    assert build(folder, "applicationSet: {of: environments, onDeletion: delete}", project=project).code == 0
    assert tjgen(folder, "check", "--strict", "out").code == 0
    application_set = loaded(folder / "out/gitops/applicationset-site.yaml")
    assert application_set["spec"]["syncPolicy"] == {"applicationsSync": "sync", "preserveResourcesOnDeletion": False}
    made = {one["metadata"]["name"]: one for one in generated(folder, application_set)}
    here = {"server": "https://kubernetes.default.svc", "name": ""}
    wanted = {"site-dev": here, "site-prod": {"server": "", "name": "prod-1"}} if environments else {"site": here}
    assert {name: one["spec"]["destination"] for name, one in made.items()} == wanted
    for name, application in made.items():
        assert synced(folder, application) == manifests(folder, name.removeprefix("site").removeprefix("-"))
    assert not list((folder / "out").rglob("application-*.yaml"))


@pytest.mark.parametrize("environments", ["  environments: {dev: {}, prod: {cluster: prod-1}}\n", ""])
@pytest.mark.parametrize("options", ["health: none", "applicationSet: experiments", "applicationSet: environments"])
def test_what_syncs_is_synced_itself(folder: Path, options: str, environments: str) -> None:
    project = PROJECT.replace("  environments: {dev: {}, prod: {cluster: prod-1}}\n", environments)
    assert build(folder, f"{options}, bootstrap: true, health: failures".replace("health: none, ", ""), project=project).code == 0
    application = loaded(folder / "out/gitops/application-site-gitops.yaml")
    assert application["spec"]["destination"] == {"server": "https://kubernetes.default.svc"}
    kinds = {path: loaded(folder / path)["kind"] for path in synced(folder, application)}
    assert set(kinds.values()) <= {"Application", "ApplicationSet"}
    assert set(kinds) == {str(path.relative_to(folder)) for path in (folder / "out").rglob("application*.yaml")}


def test_flux_syncs_its_own_objects(folder: Path) -> None:
    project = PROJECT.replace("tool: argocd", "tool: flux")
    assert build(folder, "bootstrap: true, health: completion", project=project).code == 0
    own = loaded(folder / "out/prod/gitops/kustomization-site-prod-gitops.yaml")["spec"]
    assert (own["path"], own["wait"], own["deletionPolicy"]) == ("./out/prod/gitops", False, "Orphan")
    runs = loaded(folder / "out/prod/gitops/kustomization-site-prod-runs.yaml")["spec"]
    assert runs["wait"] is True
    assert [one["kind"] for one in runs["healthCheckExprs"]] == [
        *("TrainJob", "JobSet", "PyTorchJob", "TFJob", "XGBoostJob", "JAXJob", "PaddleJob", "MPIJob", "Job", "RayJob"),
    ]
    assert "healthCheckExprs" not in loaded(folder / "out/prod/gitops/kustomization-site-prod-data.yaml")["spec"]
    assert tjgen(folder, "check", "--strict", "out").code == 0


def test_it_comes_and_goes_with_what_the_project_says(folder: Path) -> None:
    build(folder, "applicationSet: environments, bootstrap: true, health: failures")
    assert sorted(path.name for path in (folder / "out/gitops").iterdir()) == [
        "application-site-gitops.yaml",
        "applicationset-site.yaml",
        "health",
    ]
    assert build(folder, "applicationSet: environments, bootstrap: true, health: failures", "--check").code == 0
    assert build(folder, "applicationSet: environments", "--env", "dev").code == 0
    assert [path.name for path in (folder / "out/gitops").iterdir()] == ["applicationset-site.yaml"]
    assert "error[TJ280]" in build(folder, "applicationSet: experiments").err
    assert tjgen(folder, "migrate", "--write").code == 0
    assert not (folder / "out/gitops").exists()


def test_explain_says_where_every_field_comes_from(folder: Path) -> None:
    build(folder, "applicationSet: experiments, health: failures")
    place = "out/prod/gitops/applicationset-site-prod.yaml"
    answer = tjgen(folder, "explain", place)
    assert answer.code == 0, answer.err
    lines = answer.out.splitlines()[1:]
    assert len(lines) == 27
    assert all("  <- project " in line or line.endswith("  <- gitops:argocd") for line in lines)
    assert "  spec.template.spec.destination.name: prod-1  <- project spec.environments.prod.cluster (tjgen.yaml:6:43)" in lines
    said = "  spec.syncPolicy.applicationsSync: create-update  <- project spec.gitops.applicationSet.onDeletion (tjgen.yaml:8:90)"
    assert said in lines
    one = tjgen(folder, "explain", place, "spec.generators[0].git.directories")
    assert one.out.splitlines()[1:] == [
        "  spec.generators[0].git.directories[0].path: out/prod/runs/*/*  <- project spec.output.directory (tjgen.yaml:7:23)"
    ]
    checks = tjgen(folder, "explain", "out/gitops/health/argocd-cm.yaml", "data")
    lines = checks.out.splitlines()[1:]
    assert lines
    assert [line for line in lines if "<- project spec.gitops.health (tjgen.yaml:8:111)" not in line] == []


@pytest.mark.parametrize("options", ["revision: main", "applicationSet: experiments", "applicationSet: environments"])
def test_a_tree_at_the_top_of_the_repository_lies_beside_its_sources(folder: Path, options: str) -> None:
    project = PROJECT.replace("  environments: {dev: {}, prod: {cluster: prod-1}}\n", "").replace(
        "directory: out", "directory: ."
    )
    (folder / "tjgen.yaml").write_text(project.replace("OPTIONS", options), encoding="utf-8")
    assert tjgen(folder, "build", "-o", ".").code == 0
    place = folder / "gitops"
    found = [loaded(path) for path in place.glob("application-*.yaml")]
    for path in place.glob("applicationset-*.yaml"):
        found += generated(folder, loaded(path))
    stages = ("runtimes", "data", "runs")
    wanted = {str(path.relative_to(folder)) for stage in stages for path in (folder / stage).rglob("*.yaml")}
    assert set().union(*[synced(folder, one) for one in found]) == wanted
