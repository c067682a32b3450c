"""A namespace of the rig -> runs in it, applied by hand or synced by a tool, and what they do."""

from __future__ import annotations

import json
import secrets
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.e2e.lifecycle.manifests import RESOURCE, Wanted, manifest, runtimes, suspension
from tests.e2e.lifecycle.recorder import Recorder, Seen
from tests.e2e.rig import apply, kubectl, rig
from tjgen.cluster.outcomes import ARGOCD, FLUX


class Stage:
    """A namespace, and a tool that syncs a folder to it."""

    def __init__(self, recorder: Recorder, tool: str = ARGOCD) -> None:
        self.recorder = recorder
        self.tool = tool
        self.namespace = f"lifecycle-{secrets.token_hex(4)}"
        kubectl("create", "namespace", self.namespace)
        self._folder = tempfile.TemporaryDirectory()

    def close(self) -> None:
        """Delete the namespace; what is in it goes later."""
        kubectl("delete", "namespace", self.namespace, "--wait=false")
        self._folder.cleanup()

    def apply(self, wanted: Sequence[Wanted]) -> None:
        """Create runs by hand."""
        apply([self._placed(tree) for one in wanted for tree in (*runtimes(one), manifest(one))])

    def sync(self, wanted: Sequence[Wanted]) -> None:
        """Make the folder what is wanted, and let the tool sync it."""
        apply([self._placed(tree) for one in wanted for tree in runtimes(one)])
        for one in wanted:
            path = Path(self._folder.name) / f"{one.name}.json"
            path.write_text(json.dumps(self._placed(manifest(one))), encoding="utf-8")
        folder = ["--dir", self._folder.name, "--prune"]
        if self.tool == FLUX:
            report = rig("flux-sync", "--name", self.namespace, *folder)
            assert report["runs"][-1]["ready"], report
        else:
            words = ["--app", self.namespace, "--namespace", self.namespace, *folder, "--settle", "1s"]
            report = rig("argo-sync", *words, *(["--server-side"] if self.tool == ARGOCD else []))
            assert report["syncs"][-1]["phase"] == "Succeeded", report

    def _placed(self, tree: Any) -> Any:
        return {**tree, "metadata": {**tree["metadata"], "namespace": self.namespace}}

    def seen(self, wanted: Wanted) -> Seen:
        return self.recorder.seen(self.namespace, wanted.kind, wanted.name)

    def each(self, wanted: Sequence[Wanted]) -> dict[str, Seen]:
        """Name of a run -> what it did up to now."""
        return {one.name: self.seen(one) for one in wanted}

    def first(self, wanted: Sequence[Wanted], what: Callable[[Seen], bool], seconds: float) -> dict[str, Seen]:
        """Name of a run -> what it had done when it was first so, or after the time."""
        found: dict[str, Seen] = {}
        end = time.monotonic() + seconds
        while len(found) < len(wanted) and time.monotonic() < end:
            for one in wanted:
                if one.name not in found and what(seen := self.seen(one)):
                    found[one.name] = seen
            time.sleep(0.5)
        return {one.name: found.get(one.name) or self.seen(one) for one in wanted}

    def suspend(self, wanted: Wanted, *, suspend: bool) -> None:
        """Suspend or resume a run by hand."""
        patch = json.dumps({"spec": suspension(wanted.kind, suspend=suspend)})
        kubectl("patch", RESOURCE[wanted.kind], wanted.name, "-n", self.namespace, "--type", "merge", "-p", patch)

    def patch(self, pod: Any, status: Any) -> None:
        """Write the status of a pod, as its kubelet does; nothing if it is gone."""
        words = ["patch", "pod", pod["metadata"]["name"], "-n", self.namespace, "--subresource", "status"]
        wrong = kubectl(*words, "--type", "merge", "-p", json.dumps({"status": status}), check=False)
        assert not wrong or "(NotFound)" in wrong, wrong

    def of(self, wanted: Wanted) -> list[Any]:
        """The pods of a run that run."""
        pods = self.recorder.pods(self.namespace, wanted.kind, wanted.name)
        return [pod for pod in pods if pod["status"].get("phase") == "Running" and "deletionTimestamp" not in pod["metadata"]]


@contextmanager
def staged(recorder: Recorder, tool: str = ARGOCD) -> Iterator[Stage]:
    stage = Stage(recorder, tool)
    try:
        yield stage
    finally:
        stage.close()
