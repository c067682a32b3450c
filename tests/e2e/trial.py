"""A folder of hand-written manifests -> what a tool makes of it in a namespace of its own, sync by sync.

An Application or a Kustomization among them is not applied but obeyed: it says how the rest is synced.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from tests.e2e.actual import CLUSTERED, TEAM, actual
from tests.e2e.rig import BINARY, apply, environment, kubectl, live
from tests.e2e.site import ANCESTOR, TRAINER, furnish

SYNCING = ("argoproj.io", "kustomize.toolkit.fluxcd.io", "source.toolkit.fluxcd.io")
OF_TOOLS = ("-argocd", "-flux-system")
"""Namespaces of what syncs."""
TRAINED = ("trainjob", "jobset.jobset.x-k8s.io", "jobs.batch")
SUCCEEDED = "Succeeded"
RUNNING = "Running"
FAILED = "Failed"


class Outcome(NamedTuple):
    """How a sync ended, and all that the tool said."""

    phase: str
    """Succeeded, Failed, or Running where it does not end."""
    words: str


class Trial:
    """A tool, a namespace and a folder. `training` and `storage` are as in `actual`."""

    def __init__(self, tool: str, namespace: str, folder: Path, *, furnished: bool, training: str, storage: str) -> None:
        self.tool = tool
        self.namespace = namespace
        self.folder = folder / "deploy"
        self.furnished = furnished
        self.training = training
        self.storage = storage
        self.outcomes: list[Outcome] = []
        self.others: list[str] = []
        """Further namespaces."""
        self.state: Any = {}
        """What Argo CD shows after a sync."""
        self.warnings: list[str] = []
        self.done: dict[str, str] = {}
        """What Flux did at the last sync: Kind/name -> created, configured, unchanged, skipped, deleted."""

    def commit(self, case: Path, change: Callable[[Any], Any] = lambda tree: tree) -> None:
        """Make the folder what a case is, each manifest as `change` returns it; None leaves it out."""
        if self.folder.exists():
            subprocess.run(["rm", "-r", str(self.folder)], check=True)
        self.folder.mkdir()
        for path in sorted(path for path in case.rglob("*") if path.is_file()):
            place = path.relative_to(case)
            if place.parts[0] in ("before", "expected", "arguments"):
                continue
            (self.folder / place).parent.mkdir(parents=True, exist_ok=True)
            text = path.read_text(encoding="utf-8")
            (self.folder / place).write_text(
                self._actual(text, change) if path.suffix in (".yaml", ".yml") else text, encoding="utf-8"
            )
        for namespace in sorted(
            {tree["metadata"].get("namespace", self.namespace) for tree in self.manifests()} - {self.namespace}
        ):
            if namespace not in self.others and not namespace.endswith(OF_TOOLS):
                kubectl("create", "namespace", namespace)
                self.others.append(namespace)
        self._furnish()

    def _actual(self, text: str, change: Callable[[Any], Any]) -> str:
        trees = [tree for tree in yaml.safe_load_all(text) if tree is not None]
        if not all(isinstance(tree, dict) and "kind" in tree for tree in trees):
            return text
        changed = [change(self._complete(tree)) for tree in trees]
        return "---\n".join(json.dumps(tree) + "\n" for tree in changed if tree is not None)

    def _complete(self, tree: Any) -> Any:
        return actual(tree, self.namespace, training=self.training, storage=self.storage)

    def manifests(self) -> list[Any]:
        """What lies in the folder."""
        found = [tree for path in sorted(self.folder.rglob("*.y*ml")) for tree in yaml.safe_load_all(path.read_text("utf-8"))]
        return [tree for tree in found if isinstance(tree, dict) and "kind" in tree]

    def _furnish(self) -> None:
        """What manifests need, and only once: what a later commit takes away is gone."""
        if not self.furnished:
            return
        self.furnished = False
        manifests = self.manifests()
        furnish([self._placed(tree) for tree in manifests])
        for kind, name in sorted(self._wanted(manifests)):
            apply([self._runtime(kind, name)])

    def _wanted(self, manifests: list[Any]) -> Iterator[tuple[str, str]]:
        """Runtimes that runs name and the folder does not hold."""
        brought = {(tree["kind"], tree["metadata"].get("name")) for tree in manifests}
        for tree in manifests:
            if tree["kind"] == "TrainJob":
                ref = tree["spec"]["runtimeRef"]
                if (ref.get("kind", "ClusterTrainingRuntime"), ref["name"]) not in brought:
                    yield ref.get("kind", "ClusterTrainingRuntime"), ref["name"]

    def _runtime(self, kind: str, name: str) -> Any:
        jobs = [{"name": "node", "template": {"metadata": {"labels": {ANCESTOR: "trainer"}}}}]
        spec = {"mlPolicy": {"numNodes": 1, "torch": {}}, "template": {"spec": {"replicatedJobs": jobs}}}
        tree = {"apiVersion": TRAINER, "kind": kind, "metadata": {"name": name, "namespace": TEAM}, "spec": spec}
        return self._complete(tree)

    def _placed(self, tree: Any) -> Any:
        if tree["kind"] in CLUSTERED:
            return tree
        return {**tree, "metadata": {"namespace": self.namespace, **tree["metadata"]}}

    def sync(self, *words: str, seconds: int = 20) -> Outcome:
        """One sync, of at most so many seconds."""
        outcome = self._argocd(words, seconds) if self.tool == "argocd" else self._flux(words, seconds)
        self.outcomes.append(outcome)
        return outcome

    def _argocd(self, words: tuple[str, ...], seconds: int) -> Outcome:
        found = [tree for tree in self.manifests() if tree["kind"] == "Application"]
        folder = self._applied().joinpath(*(part for tree in found for part in parts(tree["spec"]["source"]["path"])))
        # A sync that fails is tried again, as Argo CD does it by itself.
        flags = ["--app", self.namespace, "--namespace", self.namespace, "--dir", str(folder), "--prune", "--retry", "1"]
        flags += [word for tree in found for word in application(tree)] or ["--recurse"]
        report, said = answer("argo-sync", *flags, "--timeout", f"{seconds}s", *words)
        if report is None:
            return Outcome(FAILED, said)
        self.state, self.warnings = report["state"], report.get("warnings") or []
        if not report["syncs"]:
            return Outcome(SUCCEEDED, "")
        last = report["syncs"][-1]
        refused = [one.get("message", "") for one in last["resources"] or () if one.get("syncResult") == "SyncFailed"]
        return Outcome(last["phase"], "\n".join([last["message"], *refused]))

    def _flux(self, words: tuple[str, ...], seconds: int) -> Outcome:
        self.done = {}
        said = []
        for name, folder, flags in self._kustomizations():
            every = ["--name", f"{self.namespace}{name}", "--dir", str(folder), "--prune", *flags, "--timeout", f"{seconds}s"]
            report, error = answer("flux-sync", *every, *words)
            if report is None:
                return Outcome(FAILED, error)
            run = report["runs"][-1]
            for what, change in {**(run.get("changes") or {}), **(run.get("pruned") or {})}.items():
                self.done["/".join((what.split("/")[0], what.split("/")[-1]))] = change
            said += [run["error"]] if not run["ready"] else []
        return Outcome(FAILED if said else SUCCEEDED, "\n".join(said))

    def _kustomizations(self) -> Iterator[tuple[str, Path, list[str]]]:
        """Those of the folder, each after what it depends on; or one for all of it."""
        found = [tree for tree in self.manifests() if tree["apiVersion"].startswith(SYNCING[1])]
        applied = self._applied()
        for tree in sorted(found, key=lambda tree: len(tree["spec"].get("dependsOn") or ())):
            flags = [f"--{flag}" for flag in ("force", "wait") if tree["spec"].get(flag)]
            flags += ["--namespace", self.namespace] if tree["spec"].get("targetNamespace") else []
            yield "-" + tree["metadata"]["name"], applied.joinpath(*parts(tree["spec"]["path"])), flags
        if not found:
            yield "", applied, []

    def _applied(self) -> Path:
        """The folder without the objects that sync it."""
        folder = self.folder.parent / "applied"
        subprocess.run(["rm", "-rf", str(folder)], check=True)
        for path in sorted(path for path in self.folder.rglob("*") if path.is_file()):
            place = folder / path.relative_to(self.folder)
            place.parent.mkdir(parents=True, exist_ok=True)
            text = path.read_text(encoding="utf-8")
            if path.suffix in (".yaml", ".yml"):
                trees = list(yaml.safe_load_all(text))
                if any(isinstance(tree, dict) and str(tree.get("apiVersion")).startswith(SYNCING) for tree in trees):
                    kept = [tree for tree in trees if not str(tree.get("apiVersion")).startswith(SYNCING)]
                    text = "---\n".join(json.dumps(tree) + "\n" for tree in kept)
            if text:
                place.write_text(text, encoding="utf-8")
        return folder

    def live(self, kind: str) -> list[Any]:
        """The objects of a kind that are in the namespace."""
        return live(kind, "-n", self.namespace)

    def uids(self) -> dict[str, str]:
        """What trains or prepares and was applied -> its identity, which a new one has not."""
        return {
            f"{one['kind']}/{one['metadata']['name']}": one["metadata"]["uid"]
            for kind in TRAINED
            for one in self.live(kind)
            if not one["metadata"].get("ownerReferences")
        }

    def events(self) -> str:
        """The warnings of the namespace."""
        return kubectl("get", "events", "-n", self.namespace, "--field-selector", "type=Warning", "-o", "wide")


def parts(path: str) -> list[str]:
    """The path of an Application or Kustomization within the folder."""
    return [part for part in path.split("/") if part not in (".", "deploy", "")]


def application(tree: Any) -> list[str]:
    """What an Application says -> words for the rig."""
    spec = tree["spec"]
    policy = spec.get("syncPolicy") or {}
    words = [word for option in policy.get("syncOptions") or () for word in ("--sync-option", option)]
    compared = (tree["metadata"].get("annotations") or {}).get("argocd.argoproj.io/compare-options", "")
    words += ["--server-side-diff"] if "ServerSideDiff=true" in compared.split(",") else []
    for one in spec.get("ignoreDifferences") or ():
        words += [word for pointer in one.get("jsonPointers") or () for word in ("--ignore", f"{one['kind']}:{pointer}")]
    source = spec.get("source") or {}
    return words + (["--recurse"] if (source.get("directory") or {}).get("recurse") else [])


def answer(*words: str) -> tuple[Any, str]:
    """What a command of the rig reports, or what it says is wrong."""
    done = subprocess.run([BINARY, *words], capture_output=True, text=True, check=False, env=environment())
    return (json.loads(done.stdout), "") if done.returncode == 0 else (None, done.stderr)
