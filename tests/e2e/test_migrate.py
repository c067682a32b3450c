"""Migrations of a live project on the rig: `tjgen migrate` keeps every TrainJob, claim and runtime; a careless change does not.

Run on demand, as `test_sync.py` describes. The commands of the plan are executed as they are printed. The controllers of Argo CD
and Flux are not in the rig: the test syncs what is in the tree, and what a plan deletes never syncs again.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from tests.e2e import owners
from tests.e2e.rig import NEEDED, STATE, environment, eventually, kubectl, live, rig
from tests.program import tjgen

pytestmark = NEEDED

PROJECT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Project
metadata: {{name: {name}}}
spec:
  experiments: [experiments]
  output: {{directory: deploy}}
  gitops: {{{options}, repository: "https://git.example.com/site.git"}}
"""
EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {{name: {name}, namespace: {namespace}}}
spec:
  runtime: tjgen-torch
  image: train:1
  script: train.py
  nodes: 2
  env: {{MINICLUSTER_SECONDS: forever}}
  volumes:
    out: {{pvc: {{create: {{size: 1Gi, storageClassName: wait-for-consumer, accessModes: [ReadWriteMany]}}}}, mountPath: /out}}
"""
# Without confirmation a sync deletes what it prunes at once.
LAYOUTS = {
    "one": "tool: argocd, removal: sync",
    "experiments": "tool: argocd, applicationSet: experiments, removal: sync",
    "environments": "tool: argocd, applicationSet: environments, removal: sync",
    "flux": "tool: flux, removal: sync",
}
CIRCUIT = (
    *("one", "experiments", "one", "environments", "one", "flux", "experiments"),
    *("environments", "experiments", "flux", "environments", "flux", "one"),
)
"""Every change of one layout into another, in both directions."""


class Owner(NamedTuple):
    """An Application or a Kustomization as its tool sees it."""

    tool: str
    name: str
    folder: Path
    left_out: tuple[str, ...]
    only: tuple[str, ...]


class Live:
    """A project with two experiments, one of them with a superseded run, that a tool syncs to the cluster."""

    def __init__(self, folder: Path, namespace: str) -> None:
        self.folder = folder
        self.namespace = namespace
        (folder / "experiments").mkdir(parents=True)
        for name in ("bert", "gpt"):
            text = EXPERIMENT.format(name=name, namespace=namespace)
            (folder / f"experiments/{name}.yaml").write_text(text, encoding="utf-8")

    def say(self, options: str) -> None:
        text = PROJECT.format(name=self.namespace, options=options)
        (self.folder / "tjgen.yaml").write_text(text, encoding="utf-8")

    def tjgen(self, *words: str, code: int = 0) -> str:
        answer = tjgen(self.folder, *words)
        assert answer.code == code, answer.err
        return answer.out

    def start(self, options: str) -> None:
        self.say(options)
        self.tjgen("build")
        file = self.folder / "experiments/bert.yaml"
        file.write_text(file.read_text(encoding="utf-8").replace("train:1", "train:2"), encoding="utf-8")
        self.tjgen("build")
        for file in sorted((self.folder / "deploy/gitops").glob("*.yaml")):
            if yaml.safe_load(file.read_text(encoding="utf-8"))["kind"] != "ConfigMap":
                kubectl("apply", "-f", str(file))
        self.generate()
        self.sync()
        eventually(lambda: len(live("jobset", "-n", self.namespace)) == 3)

    def sync(self) -> list[Any]:
        """Let every owner sync, in the order of their names, and once more; with the prune of its manifest."""
        return [self._sync(owner) for owner in [*self.owners(), *self.owners()]]

    def owners(self) -> Iterator[Owner]:
        """What Argo CD and Flux make of the sync objects in the tree."""
        folder = self.folder / "deploy/gitops"
        # Each stage has a Kustomization, and that of the runs depends on the others.
        for path in sorted(folder.glob("*.yaml"), key=lambda path: (path.stem.endswith("-runs"), path)):
            tree = yaml.safe_load(path.read_text(encoding="utf-8"))
            spec, name = tree.get("spec", {}), tree["metadata"]["name"]
            if tree["kind"] == "Kustomization":
                assert (spec["prune"], spec["deletionPolicy"]) == (True, "Orphan")
                yield Owner("flux", name, self.folder / spec["path"], (), ())
            elif tree["kind"] == "Application":
                yield self._application(name, spec)
            elif tree["kind"] == "ApplicationSet":
                (generator,) = tree["spec"]["generators"]
                template = spec["template"]["spec"]
                for one in self.folder.glob(generator["git"].get("directories", [{"path": "nothing"}])[0]["path"]):
                    yield self._application(f"{name}.{one.parent.name}.{one.name}", template, str(one.relative_to(self.folder)))
                for one in self.folder.glob(generator["git"].get("files", [{"path": "nothing"}])[0]["path"]):
                    data = yaml.safe_load(one.read_text(encoding="utf-8"))["data"]
                    yield self._application(data["name"], template, data["path"])

    def _application(self, name: str, spec: Any, path: str = "") -> Owner:
        directory = spec["source"]["directory"]
        assert spec["syncPolicy"]["automated"]["prune"] is True
        assert "FailOnSharedResource=true" in spec["syncPolicy"]["syncOptions"]
        patterns = {key: tuple(directory.get(key, "").strip("{}").split(",")) for key in ("include", "exclude")}
        return Owner("argocd", name, self.folder / (path or spec["source"]["path"]), patterns["exclude"], patterns["include"])

    def _sync(self, owner: Owner) -> Any:
        if owner.tool == "flux":
            report = self.report(owner)
            assert all(one["ready"] for one in report["runs"]), report
            return report
        report = self.report(owner)
        assert [one["phase"] for one in report["syncs"]] == ["Succeeded"], report
        # With FailOnSharedResource, Argo CD fails a sync with this warning; the rig does not imitate that.
        assert "SharedResourceWarning" not in str(report), report
        return report

    def report(self, owner: Owner) -> Any:
        """One sync, whatever comes of it."""
        if owner.tool == "flux":
            return rig("flux-sync", "--name", owner.name, "--dir", str(owner.folder), "--prune")
        synced = self.folder / "synced"
        shutil.rmtree(synced, ignore_errors=True)
        for file in owner.folder.rglob("*.yaml"):
            path = str(file.relative_to(owner.folder))
            wanted = owner.only == ("",) or any(fnmatchcase(path, pattern) for pattern in owner.only)
            if wanted and not any(fnmatchcase(path, pattern) for pattern in owner.left_out if pattern):
                (synced / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file, synced / path)
        flags = ["--app", owner.name, "--namespace", self.namespace, "--dir", str(synced), "--recurse", "--prune"]
        return rig("argo-sync", *flags, "--timeout", "20s", "--sync-option", "ApplyOutOfSyncOnly=true")

    def migrate(self, options: str) -> None:
        """Change the layout as the plan describes it."""
        self.say(options)
        assert "error[TJ280]" in tjgen(self.folder, "build").err
        before = owners.present(self.namespace)
        assert before
        uids = self.uids()
        commands = [line.strip() for line in self.tjgen("migrate").splitlines()]
        assert [line.split()[1] for line in commands if line.startswith("kubectl ")][-1] == "get"
        for command in commands:
            if command.startswith("kubectl ") and "diff before.txt" not in command:
                self.shell(command)
            elif command == "tjgen migrate --write":
                assert owners.present(self.namespace) == set(), "the present owners are gone, and hang on no finalizer"
                assert self.uids() == uids
                self.tjgen("migrate", "--write")
            if command.startswith("kubectl delete kustomization"):
                (Path(STATE) / f"flux-inventory-{command.split()[3]}.json").unlink()
        self.generate()
        assert owners.present(self.namespace)
        self.sync()
        (compare,) = [command for command in commands if "diff before.txt" in command]
        self.shell(compare)

    def generate(self) -> None:
        """Create the Applications that ApplicationSets in the cluster generate."""
        for path in (self.folder / "deploy/gitops").glob("*.yaml"):
            tree = yaml.safe_load(path.read_text(encoding="utf-8"))
            if tree["kind"] == "ApplicationSet":
                plain = self.namespace if "files" not in tree["spec"]["generators"][0]["git"] else None
                owners.generate([one.name for one in self.owners() if one.name != plain], tree["metadata"]["name"])

    def shell(self, command: str) -> None:
        answer = subprocess.run(
            ["bash", "-o", "pipefail", "-c", command],
            cwd=self.folder,
            env=environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert answer.returncode == 0, f"{command}\n{answer.stdout}{answer.stderr}"

    def uids(self) -> dict[str, str]:
        """Kind and name -> UID of everything that must outlive a migration; nothing of it may be on its way out."""
        found = [
            one for kind in ("trainjob", "pvc", "trainingruntime", "jobset", "pod") for one in live(kind, "-n", self.namespace)
        ]
        assert not [one["metadata"]["name"] for one in found if "deletionTimestamp" in one["metadata"]]
        return {f"{one['kind']}/{one['metadata']['name']}": one["metadata"]["uid"] for one in found}


@pytest.fixture
def project(tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Live]:
    monkeypatch.setenv("TJGEN_CACHE", "off")
    namespace = f"layout-{os.getpid()}-{abs(hash(request.node.name)) % 10000}"
    kubectl("create", "namespace", namespace)
    owners.define()
    yield Live(tmp_path / "project", namespace)
    kubectl("delete", "namespace", namespace, "--wait=false")
    for name in owners.present(namespace):
        kind, _, one = name.partition(" ")
        kubectl("delete", kind.lower(), one, "-n", "flux-system" if kind == "Kustomization" else "argocd", "--wait=false")


def test_every_migration_keeps_every_object(project: Live) -> None:
    first, *rest = CIRCUIT
    project.start(LAYOUTS[first])
    eventually(lambda: len(live("pod", "-n", project.namespace)) == 6)
    before = project.uids()
    assert len(before) == 3 + 2 + 1 + 3 + 6
    for layout in rest:
        project.migrate(LAYOUTS[layout])
        assert project.uids() == before, layout


@pytest.mark.parametrize("layout", ["experiments", "flux"])
def test_the_same_change_without_the_plan_deletes_runs(project: Live, layout: str) -> None:
    """The negative control: the Application that syncs the new tree first prunes what it no longer finds."""
    project.start(LAYOUTS["one"])
    before = {name for name in project.uids() if name.startswith("TrainJob/")}
    (old,) = project.owners()
    project.say(LAYOUTS[layout])
    project.tjgen("migrate", "--write")
    if layout == "experiments":
        project._sync(next(project.owners()))
        eventually(lambda: not live("trainjob", "-n", project.namespace))
    else:
        # Flux takes the objects over, and the Application prunes them when its folder is emptied.
        project.sync()
        shutil.rmtree(project.folder / "deploy/runs")
        project._sync(old)
        eventually(lambda: not live("trainjob", "-n", project.namespace))
    assert before


@pytest.mark.parametrize("tool", ["argocd", "flux"])
def test_a_run_that_left_the_tree_by_hand_is_not_deleted(project: Live, tool: str) -> None:
    """Argo CD applies nothing of the commit before the confirmation. Flux applies the rest, and leaves the run alone."""
    project.start(f"tool: {tool}")
    before = project.uids()
    shutil.rmtree(project.folder / f"deploy/runs/{project.namespace}/gpt")
    text = EXPERIMENT.format(name="late", namespace=project.namespace)
    (project.folder / "experiments/late.yaml").write_text(text, encoding="utf-8")
    project.tjgen("build", "experiments/late.yaml", "-o", "deploy")
    reports = [project.report(owner) for owner in project.owners()]
    after = project.uids()
    assert {name: after.get(name) for name in before} == before
    late = [name for name in after if name.startswith("TrainJob/late-")]
    if tool == "argocd":
        (report,) = reports
        (sync,) = report["syncs"]
        assert (sync["phase"], late) == ("Running", [])
        assert "waiting for pruning confirmation of trainer.kubeflow.org/TrainJob/gpt-" in sync["message"]
    else:
        assert all(one["ready"] for report in reports for one in report["runs"])
        assert set(reports[-1]["runs"][0]["pruned"].values()) == {"skipped"}
        assert len(late) == 1


def test_a_run_that_flux_leaves_in_the_cluster_has_its_runtime(project: Live) -> None:
    """Trainer refuses every change of a run whose runtime was deleted. The printed commands delete both."""
    project.start("tool: flux")
    (runtime,) = live("trainingruntime", "-n", project.namespace)
    (project.folder / "experiments/bert.yaml").unlink()
    text = EXPERIMENT.format(name="other", namespace=project.namespace).replace("tjgen-torch", "tjgen-plain")
    (project.folder / "experiments/gpt.yaml").write_text(text, encoding="utf-8")
    project.tjgen("build")
    answer = tjgen(project.folder, "runs", "prune", "bert-*", "gpt-*")
    assert answer.code == 0, answer.err
    project.sync()
    names = [one["metadata"]["name"] for one in live("trainjob", "-n", project.namespace)]
    left = [name for name in names if not name.startswith("other-")]
    assert len(left) == 3
    for name in left:
        suspend = json.dumps({"spec": {"suspend": True}})
        kubectl("patch", "trainjob", name, "-n", project.namespace, "--type", "merge", "-p", suspend)
    (commands,) = [line.partition(": ")[2] for line in answer.err.splitlines() if line.startswith("Flux leaves them")]
    for command in commands.split(" && "):
        kubectl(*command.split()[1:])
    assert [one["metadata"]["name"] for one in live("trainjob", "-n", project.namespace)] == sorted(set(names) - set(left))
    remaining = [one["metadata"]["name"] for one in live("trainingruntime", "-n", project.namespace)]
    assert runtime["metadata"]["name"] not in remaining


def test_flux_is_stuck_on_a_run_of_an_earlier_trainer_until_it_is_archived(project: Live) -> None:
    """Trainer 2.1 called `runtimePatches` by another name. The rig runs 2.3."""
    project.say(LAYOUTS["flux"])
    file = project.folder / "tjgen.yaml"
    now = file.read_text(encoding="utf-8")
    file.write_text(now.replace("  output:", '  trainer: "2.1"\n  output:'), encoding="utf-8")
    experiment = project.folder / "experiments/bert.yaml"
    overrides = "{podTemplateOverrides: [{targetJobs: [{name: node}], spec: {nodeSelector: {pool: a}}}]}"
    text = experiment.read_text(encoding="utf-8")
    patch = f"  patches: {{pool: {{target: {{kind: TrainJob}}, merge: {{spec: {overrides}}}}}}}\n"
    experiment.write_text(text + patch, encoding="utf-8")
    project.tjgen("build")
    *_, runs = [project.report(owner) for owner in project.owners()]
    assert "field not declared in schema" in str(runs)
    assert live("trainjob", "-n", project.namespace) == [], "nothing of the Kustomization is applied"
    experiment.write_text(text, encoding="utf-8")
    file.write_text(now, encoding="utf-8")
    assert "error[TJ282]" in tjgen(project.folder, "build").err
    (command,) = [line.split() for line in project.tjgen("migrate").splitlines() if line.strip().startswith("tjgen runs archive")]
    project.tjgen(*command[1:])
    project.tjgen("build")
    project.sync()
    # Both experiments mount a claim, which is an override in 2.1. Only one of them requests other content now.
    assert [one["metadata"]["name"].partition("-")[0] for one in live("trainjob", "-n", project.namespace)] == ["bert"]


def test_without_the_options_of_the_plan_owners_take_their_applications_with_them(project: Live) -> None:
    """The negative control of the commands: a plain deletion of an ApplicationSet deletes its Applications, which then hang."""
    project.start(LAYOUTS["experiments"])
    kubectl("delete", "applicationset", project.namespace, "-n", "argocd")

    def leaving() -> list[Any]:
        found = [one["metadata"] for one in live("application", "-n", "argocd")]
        return [one for one in found if one["name"].startswith(f"{project.namespace}.") and "deletionTimestamp" in one]

    eventually(lambda: len(leaving()) == 2)
    for one in leaving():
        assert one["finalizers"] == [owners.FINALIZER], "Argo CD would delete the objects of the run now"
        kubectl("patch", "application", one["name"], "-n", "argocd", "--type", "merge", "-p", '{"metadata":{"finalizers":null}}')


@pytest.mark.parametrize("tool", ["argocd", "flux"])
def test_status_shows_runs_after_their_namespace_was_renamed(project: Live, tool: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The runs stay in their namespace. A new run goes to the new one."""
    monkeypatch.setenv("KUBECONFIG", environment()["KUBECONFIG"])
    project.start(f"tool: {tool}")
    before = project.uids()
    new = f"{project.namespace}-new"
    kubectl("create", "namespace", new)
    for file in (project.folder / "experiments").glob("*.yaml"):
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace(f"namespace: {project.namespace}", f"namespace: {new}"), encoding="utf-8")
    project.tjgen("runs", "rename", "--namespace", project.namespace, new)
    project.tjgen("build")
    project.sync()
    assert project.uids() == before

    def states() -> list[tuple[str, str, str]]:
        found = json.loads(project.tjgen("status", "--json"))
        return sorted((one["namespace"], one["state"], one["health"]) for one in found)

    old = project.namespace
    eventually(lambda: states() == [(old, "current", "Healthy")] * 2 + [(old, "superseded", "Healthy")])
    file = project.folder / "experiments/gpt.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace("train:1", "train:3"), encoding="utf-8")
    project.tjgen("build")
    project.sync()
    expected = [(old, "current", "Healthy"), *[(old, "superseded", "Healthy")] * 2, (new, "current", "Healthy")]
    eventually(lambda: states() == expected)
    kubectl("delete", "namespace", new, "--wait=false")
