"""The objects that the controllers of a cluster create, each as it was when it was created, also if it is deleted at once."""

from __future__ import annotations

import json
import subprocess
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

from tests.e2e.differences import Key, key_of
from tests.e2e.rig import environment

CONTROLLED = (
    *("jobs.batch", "pods", "services", "configmaps", "secrets", "networkpolicies.networking.k8s.io"),
    *("jobsets.jobset.x-k8s.io", "podgroups.scheduling.volcano.sh", "podgroups.scheduling.x-k8s.io"),
    *("horizontalpodautoscalers.autoscaling", "persistentvolumeclaims"),
)


class Watch:
    """Watches on the kinds that controllers create, from the start of the context to its end."""

    def __enter__(self) -> Self:
        self._stack = ExitStack()
        self._folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory()))
        self._processes = {kind: self._started(kind) for kind in CONTROLLED}
        self._streams = {kind: self._stack.enter_context((self._folder / kind).open(encoding="utf-8")) for kind in CONTROLLED}
        self._rest = dict.fromkeys(CONTROLLED, "")
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _started(self, kind: str) -> subprocess.Popen[bytes]:
        """A process that writes the events of a kind to a file, as JSON objects in a row."""
        words = ["kubectl", "get", kind, "-A", "-o", "json", "--watch", "--show-managed-fields=false"]
        with (self._folder / kind).open("a", encoding="utf-8") as file:
            process = subprocess.Popen(words, stdout=file, env=environment())
        self._stack.callback(process.wait)
        self._stack.callback(process.kill)
        return process

    def read(self, seen: dict[Key, Any], namespaces: set[str]) -> None:
        """Add the objects that controllers own: of each its first state, of a ConfigMap the one with the most text."""
        decoder = json.JSONDecoder()
        for kind, stream in self._streams.items():
            if self._processes[kind].poll() is not None:
                self._processes[kind] = self._started(kind)  # the server has ended the watch
            text, start = self._rest[kind] + stream.read(), 0
            while start < len(text):
                if text[start].isspace():
                    start += 1  # between two objects, and possibly not yet written when the first was read
                    continue
                try:
                    tree, start = decoder.raw_decode(text, start)
                except json.JSONDecodeError:
                    break  # kubectl has not written the end
                if tree["metadata"]["namespace"] in namespaces and tree["metadata"].get("ownerReferences"):
                    known = seen.setdefault(key_of(tree), tree)
                    # The script of hosts of an MPIJob lists running workers.
                    if tree["kind"] == "ConfigMap" and len(str(tree.get("data"))) > len(str(known.get("data"))):
                        seen[key_of(tree)] = tree
            self._rest[kind] = text[start:]
