"""A workspace: its projects inherit settings, build alone and together, and do not own what belongs to all."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.program import Answer, tjgen
from tjgen.compiler.hops.draft import Job
from tjgen.compiler.pipeline import Compiled, compile_run

WORKSPACE = """\
apiVersion: tjgen.dev/v1alpha1
kind: Project
metadata: {name: lab}
spec:
  projects: [teams/*]
  platforms: [platform.yaml]
  overlays: [overlays]
  environments:
    prod: {platform: lab, labels: {stage: prod}}
  output: {directory: deploy}
  gitops: {tool: argocd, repository: https://git.example.com/lab.git}
  policy: {strict: true}
  budgets: {points: 100}
"""
PLATFORM = """\
apiVersion: tjgen.dev/v1alpha1
kind: Platform
metadata: {name: lab}
spec:
  namespaces: {a: {}, b: {}}
"""
OVERLAY = """\
apiVersion: tjgen.dev/v1alpha1
kind: Overlay
metadata: {name: debug}
spec:
  match: {names: [b]}
  experiment: {env: {NCCL_DEBUG: WARN}}
"""
EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: NAME}
spec:
  runtime: tjgen-torch
  image: registry.example.com/train:1
  script: train.py
"""


def project(name: str, more: str = "") -> str:
    """The file of a project with one environment, whose namespace has the name of the project."""
    environments = f"{{prod: {{namespace: {name}}}}}"
    spec = f"  experiments: [experiments]\n  environments: {environments}\n  labels: {{team: {name}}}\n"
    return f"apiVersion: tjgen.dev/v1alpha1\nkind: Project\nspec:\n{spec}{more}"


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    """A workspace of two projects in a Git work tree."""
    folder = tmp_path / "lab"
    for name in "ab":
        (folder / "teams" / name / "experiments").mkdir(parents=True)
        (folder / "teams" / name / "tjgen.yaml").write_text(project(name))
        (folder / "teams" / name / "experiments" / "run.yaml").write_text(EXPERIMENT.replace("NAME", name))
    (folder / ".git").mkdir()
    (folder / "overlays").mkdir()
    (folder / "overlays" / "debug.yaml").write_text(OVERLAY)
    (folder / "tjgen.yaml").write_text(WORKSPACE)
    (folder / "platform.yaml").write_text(PLATFORM)
    return folder


def files(folder: Path) -> dict[str, str]:
    """Path -> text of each file of the output trees and the locks."""
    found = (path for path in sorted(folder.rglob("*.yaml")) if {"deploy", "tjgen.lock.d"} & {*path.parts})
    return {path.relative_to(folder).as_posix(): path.read_text() for path in found}


def codes(answer: Answer) -> list[str]:
    """Severity, code and place of each diagnostic."""
    heads = [line.split(" ")[:2] for line in answer.err.splitlines() if "[TJ" in line]
    return [" ".join(head).rstrip(":") for head in heads]


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def test_a_project_builds_alone_as_it_does_with_the_others(lab: Path, tmp_path: Path) -> None:
    other = shutil.copytree(lab, tmp_path / "other")
    together = tjgen(lab, "build")
    assert (together.code, codes(together)) == (0, [])
    for folder in (other, other / "teams/a", other / "teams/b"):
        alone = tjgen(folder, "build")
        assert (alone.code, codes(alone)) == (0, [])
    assert files(other) == files(lab)
    for folder in (lab, lab / "teams/a", lab / "teams/b"):
        assert tjgen(folder, "build", "--check").code == 0


def test_a_project_inherits_environments_platform_gitops_labels_and_overlays(lab: Path) -> None:
    assert tjgen(lab / "teams/b", "build").code == 0
    (run,) = (yaml.safe_load(text) for path, text in files(lab).items() if "/runs/" in path and "lock" not in path)
    assert run["metadata"]["labels"].items() >= {"stage": "prod", "team": "b"}.items()
    assert run["spec"]["trainer"]["env"] == [{"name": "NCCL_DEBUG", "value": "WARN"}]
    (application,) = (yaml.safe_load(text) for path, text in files(lab).items() if "/gitops/" in path)
    assert application["metadata"]["name"] == "teams-b-prod"
    assert application["spec"]["source"]["path"] == "teams/b/deploy/prod"


def test_explain_names_the_line_of_the_workspace(lab: Path) -> None:
    inherited = tjgen(lab / "teams/a", "explain", "experiments/run.yaml", "TrainJob", "metadata.labels.stage")
    assert "(../../tjgen.yaml:9:43)" in inherited.out
    own = tjgen(lab / "teams/a", "explain", "experiments/run.yaml", "TrainJob", "metadata.labels.team")
    assert "(tjgen.yaml:6:18)" in own.out
    assert "spec.labels.team" in own.out


def test_the_sync_of_a_project_waits_for_the_platform_of_the_workspace(lab: Path) -> None:
    retry = {"limit": 10, "backoff": {"duration": "5s", "factor": 2, "maxDuration": "3m0s"}}
    assert tjgen(lab, "build").code == 0
    applications = {path: yaml.safe_load(text) for path, text in files(lab).items() if "/gitops/application" in path}
    assert {path: one["spec"]["syncPolicy"].get("retry") for path, one in applications.items()} == dict.fromkeys(
        applications, retry
    )
    assert len(applications) == 3
    for folder in (lab / "deploy", lab / "teams/a/deploy", lab / "teams/b/deploy"):
        shutil.rmtree(folder)
    edit(lab / "tjgen.yaml", "tool: argocd", "tool: argocd, applicationSet: {of: environments}")
    tjgen(lab, "build", "--force")
    (made,) = (yaml.safe_load(text) for path, text in files(lab).items() if "teams/a/" in path and "/applicationset" in path)
    assert made["spec"]["template"]["spec"]["syncPolicy"]["retry"] == retry


def test_only_the_workspace_builds_the_objects_of_its_platform(lab: Path) -> None:
    assert tjgen(lab, "build").code == 0
    assert [path for path in files(lab) if "/platform/" in path] == [
        "deploy/platform/lab/namespace-a.yaml",
        "deploy/platform/lab/namespace-b.yaml",
    ]
    lint = tjgen(lab, "lint", "--gitops", "argocd", "deploy", "teams/a/deploy", "teams/b/deploy")
    assert "TJ655" not in lint.err


def test_the_project_that_lists_the_platform_builds_its_objects(lab: Path) -> None:
    (lab / "teams" / "platform").mkdir()
    (lab / "platform.yaml").rename(lab / "teams/platform/platform.yaml")
    (lab / "teams/platform/tjgen.yaml").write_text(
        "apiVersion: tjgen.dev/v1alpha1\nkind: Project\nspec: {platforms: [platform.yaml]}\n"
    )
    edit(lab / "tjgen.yaml", "platforms: [platform.yaml]", "platforms: [teams/platform]")
    assert tjgen(lab, "build").code == 0
    assert [path for path in files(lab) if "/platform/lab/" in path] == [
        "teams/platform/deploy/platform/lab/namespace-a.yaml",
        "teams/platform/deploy/platform/lab/namespace-b.yaml",
    ]


def test_an_overlay_may_be_for_an_experiment_of_another_project(lab: Path) -> None:
    assert codes(tjgen(lab / "teams/a", "build")) == []
    assert codes(tjgen(lab, "build")) == []
    edit(lab / "overlays/debug.yaml", "names: [b]", "names: [c]")
    assert codes(tjgen(lab / "teams/a", "build")) == []
    for _ in range(2):  # the second time, the runs come from the cache
        assert [one for one in codes(tjgen(lab, "build")) if "info" not in one] == ["error[TJ211] overlays/debug.yaml:5:10"]


@pytest.mark.parametrize("tool", ["argocd", "flux"])
def test_a_workspace_without_experiments_syncs_its_platform_alone(tool: str, lab: Path) -> None:
    edit(lab / "tjgen.yaml", "tool: argocd", f"tool: {tool}")
    assert tjgen(lab, "build").code == 0
    own = {path for path in files(lab) if path.startswith("deploy/prod")}
    assert own == (
        {"deploy/prod/gitops/application-lab-prod-platform.yaml"}
        if tool == "argocd"
        else {"deploy/prod/gitops/gitrepository-lab-prod.yaml", "deploy/prod/gitops/kustomization-lab-prod-platform.yaml"}
    )
    assert not (lab / "deploy/prod/runs").exists()
    assert tjgen(lab, "build", "--check").code == 0
    assert tjgen(lab, "lint", "--gitops", tool, "deploy").code == 0
    # Without a Platform, there is nothing to sync. Runs of the projects use its objects, which is an error in strict projects.
    edit(lab / "tjgen.yaml", "strict: true", "strict: false")
    edit(lab / "tjgen.yaml", "  platforms: [platform.yaml]\n", "")
    edit(lab / "tjgen.yaml", "{platform: lab, labels", "{labels")
    assert tjgen(lab, "build").code == 0
    assert not [path for path in files(lab) if path.startswith("deploy/")]


@pytest.mark.parametrize("tool", ["argocd", "flux"])
def test_a_workspace_syncs_its_own_runs_also_to_remove_the_last_one(tool: str, lab: Path) -> None:
    edit(lab / "tjgen.yaml", "tool: argocd", f"tool: {tool}")
    edit(lab / "tjgen.yaml", "prod: {platform: lab,", "prod: {namespace: lab, platform: lab,")
    edit(lab / "tjgen.yaml", "  overlays:", "  experiments: [experiments]\n  overlays:")
    (lab / "experiments").mkdir()
    (lab / "experiments/run.yaml").write_text(EXPERIMENT.replace("NAME", "own"))
    assert tjgen(lab, "build").code == 0
    objects = {path for path in files(lab) if path.startswith("deploy/prod/gitops")}
    last = "application-lab-prod.yaml" if tool == "argocd" else "kustomization-lab-prod-runs.yaml"
    assert f"deploy/prod/gitops/{last}" in objects
    shutil.rmtree(lab / "experiments")
    edit(lab / "tjgen.yaml", "  experiments: [experiments]\n", "")
    assert tjgen(lab, "build", "--prune-runs").code == 0
    assert {path for path in files(lab) if path.startswith("deploy/prod/gitops")} == objects


LOOSER = {
    "  policy: {strict: false}\n": "TJ562] tjgen.yaml:7:12: spec.policy.strict is false",
    "  policy: {severity: {TJ004: ignore}}\n": "TJ562] tjgen.yaml:7:23: spec.policy.severity.TJ004 is ignore",
    "  policy: {allow: [identity-patches]}\n": 'TJ562] tjgen.yaml:7:20: spec.policy.allow has "identity-patches"',
    "  policy: {harmless: {abc: mine}}\n": 'TJ562] tjgen.yaml:7:23: spec.policy.harmless has "abc"',
    "  budgets: {points: 101}\n": "TJ562] tjgen.yaml:7:21: spec.budgets.points is 101, which is more than the 100",
    "  gitops: flux\n": 'TJ562] tjgen.yaml:7:3: spec.gitops.tool is "flux", and not the "argocd" of the workspace',
    "  gitops: {removal: sync}\n": "",
    "  readable: [/]\n": 'TJ562] tjgen.yaml:7:14: spec.readable has "/"',
    "  platforms: [mine.yaml]\n": "TJ562] tjgen.yaml:7:15: mine.yaml is not a Platform of the workspace",
}


@pytest.mark.parametrize("more", LOOSER)
def test_a_project_does_not_loosen_what_the_workspace_sets(more: str, lab: Path) -> None:
    team = lab / "teams" / "a"
    (team / "mine.yaml").write_text(PLATFORM.replace("name: lab", "name: mine"))
    edit(lab / "tjgen.yaml", "tool: argocd,", "tool: argocd, removal: confirm,")
    (team / "tjgen.yaml").write_text(project("a", more))
    for folder, prefix in ((team, ""), (lab, "teams/a/")):
        answer = tjgen(folder, "build", "--check")
        expected = (
            LOOSER[more] or 'TJ562] tjgen.yaml:7:21: spec.gitops.removal is "sync", which is less strict than the "confirm"'
        )
        assert answer.code == 1
        assert expected.replace("tjgen.yaml", f"{prefix}tjgen.yaml", 1) in answer.err
        assert "set for all projects here" in answer.err


RIGHTS = [
    "repository: https://git.example.com/other.git",
    "revision: other",
    "namespace: other",
    "project: other",
    "appProject: {roles: {admin: {groups: [all]}}}",
    "serviceAccountName: admin",
    "platformServiceAccountName: admin",
    "kubeConfig: {secretRef: admin}",
    "sourceRef: other",
    "secretRef: other",
    "provider: github",
]
"""Fields of `gitops` that say what the sync reads, and with which rights it writes."""


@pytest.mark.parametrize("right", RIGHTS)
@pytest.mark.parametrize("tool", ["", "  gitops: {tool: argocd}\n", "same"])
def test_only_the_workspace_sets_rights_of_the_sync(right: str, tool: str, lab: Path) -> None:
    name = right.partition(":")[0]
    own = {"repository": "https://git.example.com/lab.git", "appProject": "{}", "kubeConfig": "{secretRef: team}"}.get(
        name, "team"
    )
    own = own if name != "provider" else "generic"
    line = "  gitops: {tool: argocd, repository: https://git.example.com/lab.git}\n"
    # Without the tool, without the field, and with another value of the workspace.
    edit(lab / "tjgen.yaml", line, tool if tool != "same" else f"  gitops: {{tool: flux, {name}: {own}}}\n")
    (lab / "teams/a/tjgen.yaml").write_text(project("a", f"  gitops: {{{right}}}\n"))
    answer = tjgen(lab / "teams/a", "build")
    column = len("  gitops: {: ") + len(name) + 1
    assert f"error[TJ562] tjgen.yaml:7:{column}: only the workspace can set spec.gitops.{name}" in answer.err
    assert not (lab / "teams/a/deploy").exists()
    if name in ("repository", "revision", "appProject"):
        return
    (lab / "teams/a/tjgen.yaml").write_text(project("a").replace("namespace: a}", f"namespace: a, gitops: {{{right}}}}}"))
    answer = tjgen(lab / "teams/a", "build")
    assert "error[TJ562] tjgen.yaml:5:39: only the workspace can set spec.environments.prod.gitops" in answer.err
    assert not (lab / "teams/a/deploy").exists()


def test_a_project_inherits_the_rights_of_the_sync(lab: Path) -> None:
    """A project can repeat what the workspace sets."""
    edit(lab / "tjgen.yaml", "tool: argocd,", "tool: flux, serviceAccountName: deployer, revision: release,")
    edit(lab / "tjgen.yaml", "{platform: lab,", "{platform: lab, gitops: {kubeConfig: {secretRef: prod}},")
    (lab / "teams/a/tjgen.yaml").write_text(project("a", "  gitops: {serviceAccountName: deployer}\n"))
    assert tjgen(lab / "teams/a", "build").code == 0
    objects = [yaml.safe_load(text) for path, text in files(lab).items() if "/gitops/" in path]
    kustomizations = [one for one in objects if one["kind"] == "Kustomization"]
    assert {one["spec"]["serviceAccountName"] for one in kustomizations} == {"deployer"}
    assert {one["spec"]["kubeConfig"]["secretRef"]["name"] for one in kustomizations} == {"prod"}


@pytest.mark.parametrize(
    "environments",
    ["{prod: {platform: other}}", "{prod: {labels: {stage: dev}}}", "{prod: {}, dev: {}}", '{prod: {trainer: "2.1"}, other: {}}'],
)
def test_a_project_does_not_change_the_cluster_of_an_environment(environments: str, lab: Path) -> None:
    (lab / "teams/a/tjgen.yaml").write_text(project("a").replace("{prod: {namespace: a}}", environments))
    answer = tjgen(lab / "teams/a", "build")
    assert answer.code == 1
    assert "error[TJ562] tjgen.yaml:5:" in answer.err


def test_a_project_narrows_what_the_workspace_sets(lab: Path) -> None:
    edit(lab / "tjgen.yaml", "policy: {strict: true}", "policy: {allow: [identity-patches]}\n  requires: '>= 0.1'")
    edit(lab / "tjgen.yaml", "    prod:", "    dev: {}\n    prod:")
    narrower = "  policy: {strict: true, allow: [], demand: [digests]}\n  budgets: {points: 10}\n  requires: '< 0.1'\n"
    (lab / "teams/a/tjgen.yaml").write_text(project("a", narrower))
    answer = tjgen(lab / "teams/a", "build")
    assert codes(answer) == ["error[TJ206] tjgen.yaml:9:13"]
    assert ">= 0.1, < 0.1" in answer.err
    edit(lab / "teams/a/tjgen.yaml", "  requires: '< 0.1'\n", "")
    answer = tjgen(lab / "teams/a", "build")
    assert [one.partition(" ")[0] for one in codes(answer)] == ["error[TJ490]"], answer.err
    edit(lab / "teams/a/tjgen.yaml", ", demand: [digests]", "")
    # The project lists one of two environments, and has only this one.
    assert tjgen(lab / "teams/a", "build").code == 0
    assert not [path for path in files(lab) if "/dev/" in path]


MISTAKES = {
    "projects: [team/*]": "error[TJ560] tjgen.yaml:5:14: no folder that matches team/* contains a tjgen.yaml",
    "projects: [teams/aa]": "error[TJ560] tjgen.yaml:5:14: folder teams/aa does not exist",
    "projects: [teams]": "error[TJ560] tjgen.yaml:5:14: folder teams contains no tjgen.yaml",
    "projects: [platform.yaml]": "error[TJ560] tjgen.yaml:5:14: platform.yaml is a file",
    "projects: [teams/a, teams/*]": "warning[TJ560] tjgen.yaml:5:23: project teams/a is listed twice",
    "projects: [., teams/*]": "error[TJ561] tjgen.yaml:5:14: a workspace cannot list its own folder",
    "projects: [../outside]": "error[TJ561] tjgen.yaml:5:14: project ../outside is not below the workspace",
    "projects: [link]": "error[TJ561] tjgen.yaml:5:14: project link is a link, or in a folder that is one",
    "projects: [linked/*]": "error[TJ561] tjgen.yaml:5:14: project linked/a is a link, or in a folder that is one",
    "projects: [repository]": "error[TJ561] tjgen.yaml:5:14: project repository is another Git work tree",
    "project: [teams/*]": 'error[TJ101] tjgen.yaml:5:3: unknown field "project"',
}


@pytest.mark.parametrize("entry", MISTAKES)
def test_a_wrong_entry_of_projects(entry: str, lab: Path) -> None:
    (lab.parent / ".git").mkdir()  # the work tree is larger than the workspace
    (lab / ".git").rmdir()
    shutil.copytree(lab / "teams/a", lab.parent / "outside")
    shutil.copytree(lab / "teams/a", lab / "repository")
    (lab / "repository/.git").mkdir()
    (lab / "link").symlink_to("teams/a")
    (lab / "linked").symlink_to("teams")
    edit(lab / "tjgen.yaml", "projects: [teams/*]", entry)
    edit(lab / "tjgen.yaml", "  policy: {strict: true}\n", "")
    answer = tjgen(lab, "build", "--check")
    assert answer.code == 1
    assert MISTAKES[entry] in answer.err


def test_a_project_that_the_workspace_does_not_list_is_reported(lab: Path) -> None:
    edit(lab / "tjgen.yaml", "teams/*", "teams/b")
    answer = tjgen(lab / "teams/a", "build")
    assert codes(answer)[0] == "warning[TJ560] tjgen.yaml:1:1"
    assert "hint: add teams/a to its projects" in answer.err


def test_workspaces_are_not_nested(lab: Path) -> None:
    edit(lab / "teams/a/tjgen.yaml", "spec:\n", "spec:\n  projects: [sub]\n")
    (lab / "teams/a/sub").mkdir()
    (lab / "teams/a/sub/tjgen.yaml").write_text(project("sub"))
    for folder, place in ((lab / "teams/a", "tjgen.yaml"), (lab / "teams/a/sub", "../tjgen.yaml"), (lab, "teams/a/tjgen.yaml")):
        answer = tjgen(folder, "build", "--check")
        assert answer.code == 1
        assert f"error[TJ561] {place}:4:3: {place} is a workspace inside workspace" in answer.err


def test_a_workspace_above_the_git_work_tree_has_no_effect(lab: Path) -> None:
    (lab / ".git").rmdir()
    (lab / "teams/a/.git").mkdir()
    edit(lab / "teams/a/tjgen.yaml", "{prod: {namespace: a}}", "{own: {namespace: a}}")
    answer = tjgen(lab / "teams/a", "build")
    assert answer.code == 0
    assert "stage: prod" not in answer.out


def test_without_git_a_workspace_counts_only_from_its_own_folder(lab: Path) -> None:
    (lab / ".git").rmdir()
    assert tjgen(lab, "build").code == 0
    answer = tjgen(lab / "teams/a", "build")
    assert codes(answer)[:1] == ["error[TJ561] tjgen.yaml:1:1"]
    assert "no Git work tree contains both" in answer.err


def test_an_unreadable_workspace_is_an_error_of_its_projects(lab: Path) -> None:
    (lab / "tjgen.yaml").write_text(WORKSPACE.replace("[platform.yaml]", "[platform.yaml"))
    answer = tjgen(lab / "teams/a", "build")
    assert (answer.code, "../../tjgen.yaml:" in answer.err) == (1, True)


def test_a_project_with_errors_does_not_keep_the_others_from_their_build(lab: Path) -> None:
    edit(lab / "teams/a/experiments/run.yaml", "script:", "scirpt:")
    answer = tjgen(lab, "build")
    assert answer.code == 1
    assert "teams/a/experiments/run.yaml:7:3" in answer.err
    assert [path for path in files(lab) if path.startswith("teams/a/")] == []
    assert [path for path in files(lab) if path.startswith("teams/b/deploy/prod/runs")]


def test_the_summary_of_a_workspace_has_the_runs_of_all_projects(lab: Path) -> None:
    answer = tjgen(lab, "build", "--summary")
    assert [line.split()[2] for line in answer.out.splitlines()[1:3]] == ["a", "b"]
    found = json.loads(tjgen(lab, "build", "--summary", "--format", "json").out)
    assert [one["project"] for one in found["runs"]] == ["teams/a", "teams/b"]
    (cluster,) = found["clusters"].values()
    assert {key: [*cluster[key]] for key in ("teams", "projects", "environments", "namespaces")} == {
        "teams": ["a", "b"],
        "projects": ["teams/a", "teams/b"],
        "environments": ["prod"],
        "namespaces": ["a", "b"],
    }
    assert cluster["projects"]["teams/a"]["pods"] == cluster["teams"]["a"]["pods"] == 1
    assert cluster["environments"]["prod"] == cluster["total"]
    assert [line.split("  ")[-0] for line in answer.out.splitlines() if "TOTAL of project teams/a" in line] == ["prod"]


def test_no_total_of_a_workspace_combines_two_clusters(lab: Path) -> None:
    edit(lab / "tjgen.yaml", "  environments:\n", "  environments:\n    west: {cluster: west}\n")
    edit(lab / "teams/b/tjgen.yaml", "prod:", "west:")
    found = json.loads(tjgen(lab, "build", "--summary", "--format", "json").out)
    assert (found["total"], found["totals"]) == (None, None)
    assert {name: [*one["projects"]] for name, one in found["clusters"].items()} == {"lab": ["teams/a"], "west": ["teams/b"]}


def test_options_of_one_project_are_refused_for_all(lab: Path) -> None:
    answer = tjgen(lab, "build", "-o", "out")
    assert (answer.code, answer.err) == (
        2,
        "Error: --output is for one project of the workspace: name its folder with -C\n",
    )


def test_a_workspace_without_an_output_folder_is_not_printed(lab: Path) -> None:
    edit(lab / "tjgen.yaml", "  output: {directory: deploy}\n", "")
    edit(lab / "tjgen.yaml", "  gitops: {tool: argocd, repository: https://git.example.com/lab.git}\n", "")
    answer = tjgen(lab, "build")
    assert codes(answer) == ["error[TJ569] teams/a/tjgen.yaml:3:1", "error[TJ569] teams/b/tjgen.yaml:3:1"]


CLAIM = """\
  volumes:
    data: {pvc: {create: {size: 10Gi, storageClassName: fast, accessModes: [ReadWriteMany]}}, mountPath: /data}
"""


def together_in(lab: Path, namespace: str) -> None:
    """Put the runs of both projects in one namespace."""
    edit(lab / "tjgen.yaml", "{strict: true}", "{strict: false}")
    for name in "ab":
        edit(lab / "teams" / name / "tjgen.yaml", f"namespace: {name}", f"namespace: {namespace}")


def test_runs_of_two_projects_in_one_namespace_are_reported_with_both_lines(lab: Path) -> None:
    together_in(lab, "shared")
    (lab / "teams/b/experiments/run.yaml").write_text(EXPERIMENT.replace("NAME", "b") + "  target: jobset\n")
    assert codes(tjgen(lab / "teams/a", "build")) == []  # the other project has no run yet
    answer = tjgen(lab / "teams/b", "build")
    assert (answer.code, codes(answer)) == (0, ["warning[TJ563] experiments/run.yaml:3:18"])
    assert "namespace shared also has runs of project teams/a" in answer.err
    assert "../../teams/a/experiments/run.yaml:3:18" in answer.err
    again = tjgen(lab / "teams/a", "build", "--check")
    assert (again.code, codes(again)) == (0, ["warning[TJ563] experiments/run.yaml:3:18"])


def test_an_object_belongs_to_one_project(lab: Path) -> None:
    together_in(lab, "shared")
    for name in "ab":
        file = lab / "teams" / name / "experiments" / "run.yaml"
        file.write_text(EXPERIMENT.replace("NAME", "same") + CLAIM)
    assert tjgen(lab / "teams/a", "build").code == 0
    answer = tjgen(lab / "teams/b", "build")
    assert answer.code == 1
    assert not (lab / "teams/b/deploy").exists()
    messages = [line for line in answer.err.splitlines() if "TJ564" in line]
    assert [line.split(" ")[2] for line in messages] == ["persistentvolumeclaim", "trainjob", "trainingruntime"]
    assert all(line.startswith("error[TJ564] experiments/run.yaml:3:18: ") for line in messages)
    assert answer.err.count("../../teams/a/experiments/run.yaml:3:18: the other project gets it from here") == 3


def test_a_claim_of_a_run_that_nothing_requests_still_belongs_to_its_project(lab: Path) -> None:
    together_in(lab, "shared")
    (lab / "teams/a/experiments/run.yaml").write_text(EXPERIMENT.replace("NAME", "same") + CLAIM)
    assert tjgen(lab / "teams/a", "build").code == 0
    (lab / "teams/a/experiments/run.yaml").write_text(EXPERIMENT.replace("NAME", "other"))
    assert tjgen(lab / "teams/a", "build").code == 0
    (lab / "teams/b/experiments/run.yaml").write_text(EXPERIMENT.replace("NAME", "same").replace("train:1", "train:2") + CLAIM)
    answer = tjgen(lab / "teams/b", "build")
    assert "persistentvolumeclaim same-data in namespace shared also belongs to project teams/a" in answer.err


def test_two_clusters_may_have_the_same_names(lab: Path) -> None:
    edit(lab / "tjgen.yaml", "  environments:\n", "  environments:\n    west: {cluster: west, platform: lab}\n")
    together_in(lab, "shared")
    (lab / "teams/a/experiments/run.yaml").write_text(EXPERIMENT.replace("NAME", "same"))
    (lab / "teams/b/experiments/run.yaml").write_text(EXPERIMENT.replace("NAME", "same"))
    edit(lab / "teams/b/tjgen.yaml", "prod:", "west:")
    edit(lab / "tjgen.yaml", "  overlays: [overlays]\n", "")
    assert codes(tjgen(lab, "build")) == []


def test_a_namespace_belongs_to_one_project(lab: Path) -> None:
    for name in "ab":
        file = lab / "teams" / name
        (file / "platform.yaml").write_text(PLATFORM)
        edit(file / "tjgen.yaml", "  labels:", "  platforms: [platform.yaml]\n  labels:")
    edit(lab / "tjgen.yaml", "platforms: [platform.yaml]", "platforms: []")
    edit(lab / "tjgen.yaml", "{platform: lab, ", "{")
    answer = tjgen(lab, "build")
    assert answer.code == 1
    assert "error[TJ563] teams/b/platform.yaml:3:18: namespace a also belongs to project teams/a" in answer.err
    assert "teams/a/platform.yaml:3:18" in answer.err


def test_quotas_are_summed_over_projects(lab: Path) -> None:
    together_in(lab, "a")
    (lab / "platform.yaml").write_text(PLATFORM + "  quotas: {a: {requests.nvidia.com/gpu: 12}}\n")
    for name in "ab":
        file = lab / "teams" / name / "experiments" / "run.yaml"
        file.write_text(EXPERIMENT.replace("NAME", name) + "  gpu: 8\n")
    assert "TJ384" not in tjgen(lab / "teams/a", "build").err
    answer = tjgen(lab / "teams/b", "build")
    assert "TJ384" in answer.err
    expected = "2 runs in namespace a take 16 of requests.nvidia.com/gpu together, with those of teams/a, but its quota is 12"
    assert expected in answer.err


def test_superseded_runs_of_other_projects_wait_in_the_same_queue(lab: Path) -> None:
    edit(lab / "tjgen.yaml", "{strict: true}", "{strict: false}")
    (lab / "platform.yaml").write_text(PLATFORM + "  queues: {lab: {capability: {nvidia.com/gpu: 12}}}\n")
    queued = "  gpu: 8\n  schedule: {queue: lab, system: volcano}\n"
    (lab / "teams/a/experiments/run.yaml").write_text(EXPERIMENT.replace("NAME", "a") + queued)
    assert tjgen(lab / "teams/a", "build").code == 0
    edit(lab / "teams/a/experiments/run.yaml", "train:1", "train:2")
    edit(lab / "teams/a/experiments/run.yaml", "gpu: 8", "gpu: 1")
    assert tjgen(lab / "teams/a", "build").code == 0
    (lab / "teams/b/experiments/run.yaml").write_text(EXPERIMENT.replace("NAME", "b") + queued)
    answer = tjgen(lab / "teams/b", "build")
    assert "TJ286" in answer.err, answer.err


def test_building_one_project_compiles_no_other(lab: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert tjgen(lab, "build").code == 0
    compiled: list[str] = []

    def counting(job: Job) -> Compiled:
        compiled.append(job.setting.run)
        return compile_run(job)

    monkeypatch.setattr("tjgen.compiler.building.compile.compile_run", counting)
    edit(lab / "teams/a/experiments/run.yaml", "train:1", "train:2")
    assert tjgen(lab / "teams/a", "build").code == 0
    assert len(compiled) == 1


OWNERS = """\
  codeowners:
    format: FORMAT
    owners:
      teams/a: ["@lab/team-a", someone@example.com]
      ".": ["@lab/platform"]
      teams/a/experiments/run.yaml: ["@lab/lead"]
"""


@pytest.mark.parametrize("forge", ["github", "gitlab"])
def test_a_workspace_writes_the_owners_of_its_folders(forge: str, lab: Path) -> None:
    (lab / "tjgen.yaml").write_text(WORKSPACE + OWNERS.replace("FORMAT", forge))
    missing = tjgen(lab, "build", "--check")
    assert "error[TJ062]" in missing.err  # the trees do not exist yet, which is reported first
    assert tjgen(lab, "build").code == 0
    file = lab / f".{forge}" / "CODEOWNERS"
    assert file.read_text() == (
        "# Generated by tjgen: edit codeowners in tjgen.yaml, not this file.\n"
        "* @lab/platform\n"
        "/teams/a/ @lab/team-a someone@example.com\n"
        "/teams/a/experiments/run.yaml @lab/lead\n"
    )
    assert tjgen(lab, "build", "--check").code == 0
    edit(lab / "tjgen.yaml", "@lab/lead", "@lab/other")
    stale = tjgen(lab, "build", "--check")
    assert (stale.code, codes(stale)) == (1, ["error[TJ566] tjgen.yaml:17:7"])
    file.unlink()
    assert f".{forge}/CODEOWNERS does not exist" in tjgen(lab, "build", "--check").err


def test_owners_of_a_workspace_below_the_root_of_the_repository(lab: Path) -> None:
    (lab / ".git").rename(lab.parent / ".git")
    (lab / "tjgen.yaml").write_text(WORKSPACE + OWNERS.replace("FORMAT", "github"))
    assert tjgen(lab, "build").code == 0
    lines = (lab.parent / ".github/CODEOWNERS").read_text().splitlines()
    assert lines[1:3] == ["/lab/ @lab/platform", "/lab/teams/a/ @lab/team-a someone@example.com"]


def test_a_file_of_other_authors_is_not_replaced(lab: Path) -> None:
    (lab / "tjgen.yaml").write_text(WORKSPACE + OWNERS.replace("FORMAT", "github"))
    (lab / ".github").mkdir()
    (lab / ".github/CODEOWNERS").write_text("* @me\n")
    answer = tjgen(lab, "build")
    assert "error[TJ566] tjgen.yaml:17:7: .github/CODEOWNERS is not written by tjgen" in answer.err
    assert (lab / ".github/CODEOWNERS").read_text() == "* @me\n"
    assert tjgen(lab, "build", "--force").code == 0
    assert "@lab/platform" in (lab / ".github/CODEOWNERS").read_text()


WRONG_OWNERS = {
    '{".": ["@lab/platform"], teams/aa: ["@lab/a"]}': "folder or file teams/aa does not exist",
    '{".": ["@lab/platform"], teams/a: []}': "teams/a has no owner",
    '{".": ["@lab/platform"], teams/a: [lab]}': "lab cannot own files in github",
    '{".": ["@lab/platform"], teams/a: ["@lab/sub/a"]}': "@lab/sub/a cannot own files in github",
    '{".": ["@lab/platform"], ../x: ["@lab/a"]}': "../x is not a path below the workspace",
    '{".": ["@lab/platform"], "a*": ["@lab/a"]}': "is not a path below the workspace",
    '{teams/a: ["@lab/a"]}': "files without an entry have no owner",
}


@pytest.mark.parametrize("owners", WRONG_OWNERS)
def test_wrong_owners(owners: str, lab: Path) -> None:
    (lab / "tjgen.yaml").write_text(f"{WORKSPACE}  codeowners: {{owners: {owners}}}\n")
    answer = tjgen(lab, "build")
    assert answer.code == 1
    assert "error[TJ565] tjgen.yaml:14:" in answer.err
    assert WRONG_OWNERS[owners] in answer.err
    assert not (lab / ".github").exists() or owners.startswith("{teams")


@pytest.fixture
def committed(lab: Path) -> Path:
    """A workspace whose trees are built and committed."""
    (lab / ".git").rmdir()
    assert tjgen(lab, "build").code == 0
    git(lab, "init", "-q", "-b", "main")
    git(lab, "add", "--all")
    git(lab, "commit", "-q", "-m", "Build")
    return lab


def git(folder: Path, *words: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.com")
    subprocess.run(["git", *identity, *words], cwd=folder, check=True)


def test_verify_and_diff_compare_all_projects_of_a_workspace(committed: Path) -> None:
    edit(committed / "teams/a/experiments/run.yaml", "train:1", "train:2")
    git(committed, "checkout", "-q", "-b", "change")
    stale = tjgen(committed, "verify", "--base", "main")
    assert stale.code == 1
    assert "train:2" in tjgen(committed, "diff", "--fields").out
    assert tjgen(committed, "diff", "--exit-code").code == 1
    assert tjgen(committed, "build").code == 0
    git(committed, "add", "--all")
    git(committed, "commit", "-q", "-m", "Change")
    answer = tjgen(committed, "verify", "--base", "main")
    assert answer.code == 0, answer.err
    assert [line for line in answer.err.splitlines() if line.startswith("project")] == [
        "project .:",
        "project teams/a:",
        "project teams/b:",
    ]
    alone = tjgen(committed / "teams/a", "verify", "--base", "main")
    assert alone.code == 0, alone.err
    (file,) = (committed / "teams/b/deploy/prod/runs").rglob("trainjob-*.yaml")
    edit(file, "train:1", "train:3")
    assert tjgen(committed, "verify", "--base", "main").code == 1
    assert tjgen(committed, "diff", "--exit-code").code == 1
    assert tjgen(committed, "verify", "--format", "json").code == 2


def test_lint_looks_at_all_projects_of_a_workspace(lab: Path) -> None:
    text = (lab / "teams/b/experiments/run.yaml").read_text()
    (lab / "teams/b/experiments/run.yaml").write_text(f"{text}  env: {{API_TOKEN: abc}}\n")
    alone = tjgen(lab / "teams/b", "lint")
    assert [one for one in codes(alone) if "TJ109" in one] == ["error[TJ109] experiments/run.yaml:8:20"], alone.err
    assert [one for one in codes(tjgen(lab, "lint")) if "TJ109" in one] == ["error[TJ109] teams/b/experiments/run.yaml:8:20"]


NODES = "  nodePools: {cpu: {count: 1, resources: {cpu: 4, memory: 16Gi}}}\n"


def test_fit_places_the_runs_of_all_projects_on_the_same_nodes(lab: Path) -> None:
    edit(lab / "platform.yaml", "spec:\n", f"spec:\n{NODES}")
    for name in "ab":
        edit(lab / f"teams/{name}/experiments/run.yaml", "train.py\n", "train.py\n  cpu: 3\n")
    answer = tjgen(lab, "fit")
    assert answer.out.startswith("lab: 1 node; 1 of 2 runs can start\n"), answer.out + answer.err
    assert codes(answer) == ["warning[TJ582] teams/b/experiments/run.yaml:3:18"]
    edit(lab / "teams/b/experiments/run.yaml", "cpu: 3", "cpu: 5")
    answer = tjgen(lab, "fit")
    assert (answer.code, codes(answer)) == (1, ["error[TJ580] teams/b/experiments/run.yaml:8:8"])


def test_a_workspace_with_runs_of_its_own_lists_them(lab: Path) -> None:
    (lab / "experiments").mkdir()
    (lab / "experiments" / "own.yaml").write_text(EXPERIMENT.replace("NAME", "own"))
    edit(lab / "tjgen.yaml", "spec:\n", "spec:\n  experiments: [experiments]\n")
    assert tjgen(lab, "build").code == 0
    assert "own-" in tjgen(lab, "runs").out


def test_migrate_names_the_other_projects(lab: Path) -> None:
    assert tjgen(lab, "build").code == 0
    assert "run the command in the folder of each project" in tjgen(lab, "migrate").err


def test_two_projects_do_not_write_one_appproject(lab: Path) -> None:
    (lab / "tjgen.yaml").write_text(WORKSPACE.replace("lab.git}", "lab.git, project: lab, appProject: {}}"))
    answer = tjgen(lab, "build")
    assert answer.code == 1
    assert codes(answer) == ["error[TJ564] tjgen.yaml:11:80"] * 3
    assert "AppProject lab also belongs to project teams/a" in answer.err
    edit(lab / "tjgen.yaml", "project: lab, ", "")
    answer = tjgen(lab, "build")
    assert answer.code == 0, answer.err


def test_two_projects_with_one_name_are_reported(lab: Path) -> None:
    """Their Applications, and their AppProjects if they have some, have the same names."""
    edit(lab / "teams/a/tjgen.yaml", "kind: Project\n", "kind: Project\nmetadata: {name: vision}\n")
    edit(lab / "teams/b/tjgen.yaml", "kind: Project\n", "kind: Project\nmetadata: {name: vision}\n")
    answer = tjgen(lab, "build")
    assert answer.code == 1
    assert codes(answer) == ["error[TJ564] teams/a/tjgen.yaml:3:18", "error[TJ564] teams/b/tjgen.yaml:3:18"], answer.err
    assert "project teams/b is also named vision: the objects of their syncs have the same names" in answer.err
    assert not (lab / "teams/a/deploy").exists()
    (lab / "tjgen.yaml").write_text(WORKSPACE.replace("lab.git}", "lab.git, appProject: {}}"))
    assert codes(tjgen(lab, "build")) == codes(answer), "one cause, one error"
    edit(lab / "tjgen.yaml", "  gitops: {tool: argocd, repository: https://git.example.com/lab.git, appProject: {}}\n", "")
    assert codes(tjgen(lab, "build")) == [], "without objects of a sync, names may be equal"


def test_a_project_does_not_have_the_name_of_an_app_project_of_another(lab: Path) -> None:
    (lab / "tjgen.yaml").write_text(WORKSPACE.replace("lab.git}", "lab.git, appProject: {}}"))
    edit(lab / "teams/b/tjgen.yaml", "kind: Project\n", "kind: Project\nmetadata: {name: lab}\n")
    answer = tjgen(lab, "build")
    assert codes(answer) == ["error[TJ564] tjgen.yaml:3:18", "error[TJ564] teams/b/tjgen.yaml:3:18"], answer.err
    assert "project . is also named lab" in answer.err
    edit(lab / "teams/b/tjgen.yaml", "{name: lab}", "{name: other}")
    assert codes(tjgen(lab, "build")) == []


def test_runs_list_shows_the_runs_of_all_projects(lab: Path) -> None:
    assert tjgen(lab, "build").code == 0
    answer = tjgen(lab, "runs", "list")
    assert answer.code == 0, answer.err
    assert answer.err.splitlines() == ["project .:", "project teams/a:", "project teams/b:"]
    rows = [line.split() for line in answer.out.splitlines()]
    assert [row[3] for row in rows if row[0] != "RUN"] == ["prod/a/a", "prod/b/b"]
    assert tjgen(lab, "runs").out == tjgen(lab, "runs", "list", "--env", "prod").out == answer.out
    (lab / "teams/a/tjgen.yaml").write_text(project("a", "  budgets: {points: 101}\n"))
    broken = tjgen(lab, "runs", "list")
    assert (broken.code, codes(broken)) == (1, ["error[TJ562] teams/a/tjgen.yaml:7:21"])
    assert "prod/b/b" in broken.out


def test_a_hook_for_one_project_names_where_to_run_it(committed: Path) -> None:
    answer = tjgen(committed, "build", "--staged")
    assert answer.code == 2
    assert "--staged is for one project of the workspace: name its folder with -C" in answer.err
    assert tjgen(committed, "build", "--staged", "-C", "teams/a").code == 0
    assert tjgen(committed, "verify", "--staged", "-C", "teams/a").code == 0


def test_a_hook_verifies_the_workspace_and_all_projects(committed: Path) -> None:
    assert tjgen(committed, "verify", "--staged").code == 0
    edit(committed / "platform.yaml", "{a: {}, b: {}}", "{a: {}, b: {}, c: {}}")
    draft = tjgen(committed, "verify", "--staged")
    assert draft.code == 0, draft.err
    git(committed, "add", "platform.yaml")
    stale = tjgen(committed, "verify", "--staged")
    assert (stale.code, "error[TJ699] the output is out of date" in stale.err) == (1, True), stale.err
    assert tjgen(committed, "build").code == 0
    missing = tjgen(committed, "verify", "--staged")
    assert (missing.code, "info[TJ700]" in missing.err) == (1, True), missing.err
    git(committed, "add", "--all")
    assert tjgen(committed, "verify", "--staged").code == 0
    edit(committed / "teams/b/experiments/run.yaml", "train:1", "train:2")
    git(committed, "add", "--all")
    assert tjgen(committed, "verify", "--staged").code == 1
    git(committed, "rm", "-q", "-r", "-f", "teams/b")
    removed = tjgen(committed, "verify", "--staged")
    assert (removed.code, "error[TJ293]" in removed.err) == (1, True), removed.err


def test_an_object_that_the_platform_no_longer_creates_names_runs_of_all_projects(committed: Path) -> None:
    edit(committed / "tjgen.yaml", "policy: {strict: true}", "policy: {strict: false}")
    edit(committed / "platform.yaml", "{a: {}, b: {}}", "{a: {}}")
    (run,) = (committed / "teams/b/deploy/prod/runs/b/b").iterdir()
    expected = f'warning[TJ269] platform.yaml:3:18: platform "lab" no longer creates Namespace b, and 1 run uses it: {run.name}\n'
    for words in (("build", "--check"), ("diff",), ("build",), ("verify", "--base", "main")):
        assert expected in tjgen(committed, *words).err, words
    assert "TJ269" not in tjgen(committed, "build").err
