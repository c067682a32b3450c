"""An API server that knows VolumeSnapshots alone, refuses what a Role does not grant, and makes snapshots ready."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

GROUP = "/apis/snapshot.storage.k8s.io/v1"
VERBS = {"GET": "get", "POST": "create", "DELETE": "delete"}


class Cluster(ThreadingHTTPServer):
    """Snapshots of one namespace; `rules` are those of the Role."""

    def __init__(self, rules: list[dict[str, Any]]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.rules = rules
        self.snapshots: dict[str, dict[str, Any]] = {}
        self.created: list[dict[str, Any]] = []
        self.deleted: list[str] = []
        self.denied: list[str] = []
        self.polls_until_ready: int | None = 2
        """How often a new snapshot is read before it is ready; None is never."""
        self.error = ""
        self.creations_fail = False
        self.clock = 0

    def add(self, name: str, *, backup: str, claim: str, ready: bool | None, deleted: bool = False) -> None:
        """A snapshot that exists, made after all others."""
        self.clock += 1
        status = {} if ready is None else {"status": {"readyToUse": ready}}
        self.snapshots[name] = {
            "apiVersion": "snapshot.storage.k8s.io/v1",
            "kind": "VolumeSnapshot",
            "metadata": {
                "name": name,
                "namespace": "team",
                "labels": {"tjgen.dev/backup": backup},
                "creationTimestamp": f"2026-01-01T00:00:{self.clock:02}Z",
                **({"deletionTimestamp": "2026-01-02T00:00:00Z"} if deleted else {}),
            },
            "spec": {"source": {"persistentVolumeClaimName": claim}},
            **status,
        }

    def allows(self, verb: str, name: str) -> bool:
        return any(
            verb in rule["verbs"] and ("resourceNames" not in rule or name in rule["resourceNames"]) for rule in self.rules
        )

    def kubeconfig(self, folder: Path) -> Path:
        """A file by which kubectl finds the server."""
        cluster = {"name": "here", "cluster": {"server": f"http://127.0.0.1:{self.server_port}"}}
        context = {"name": "here", "context": {"cluster": "here", "user": "", "namespace": "team"}}
        path = folder / "kubeconfig"
        path.write_text(
            json.dumps(
                {
                    "apiVersion": "v1",
                    "kind": "Config",
                    "clusters": [cluster],
                    "contexts": [context],
                    "current-context": "here",
                }
            )
        )
        return path


@contextmanager
def served(rules: list[dict[str, Any]]) -> Iterator[Cluster]:
    """The server, while it runs."""
    with Cluster(rules) as cluster:
        thread = Thread(target=cluster.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield cluster
        finally:
            cluster.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    server: Cluster
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        known: Mapping[str, Any] = {
            "/api": {"kind": "APIVersions", "versions": ["v1"]},
            "/apis": {"kind": "APIGroupList", "apiVersion": "v1", "groups": [_GROUP_ENTRY]},
            "/api/v1": {"kind": "APIResourceList", "groupVersion": "v1", "resources": []},
            GROUP: _RESOURCES,
        }
        path = self.path.partition("?")[0]
        if path in known:
            self._answer(200, known[path])
            return
        name = path.rpartition("/")[2]
        if not path.startswith(GROUP):
            # kubectl looks for the namespace of what it does not find. The program may not read it.
            self._fail(403, "Forbidden", path)
            return
        if not self._is_allowed(name):
            return
        snapshot = self.server.snapshots.get(name)
        if snapshot is None:
            self._fail(404, "NotFound", name)
            return
        if "_polls" in snapshot and snapshot["_polls"] is not None:
            snapshot["_polls"] -= 1
            if snapshot["_polls"] <= 0:
                snapshot["status"] = {"readyToUse": True}
        self._answer(200, snapshot)

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        name = body["metadata"]["name"]
        if not self._is_allowed(name):
            return
        if self.server.creations_fail:
            self._fail(500, "InternalError", name)
            return
        if name in self.server.snapshots:
            self._fail(409, "AlreadyExists", name)
            return
        self.server.created.append(body)
        labels, source = body["metadata"]["labels"], body["spec"]["source"]
        self.server.add(name, backup=labels["tjgen.dev/backup"], claim=source["persistentVolumeClaimName"], ready=False)
        new = self.server.snapshots[name]
        new["_polls"] = self.server.polls_until_ready
        if self.server.error:
            new["status"]["error"] = {"message": self.server.error}
        self._answer(201, new)

    def do_DELETE(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        self.rfile.read(length)
        name = self.path.partition("?")[0].rpartition("/")[2]
        if self._is_allowed(name):
            self.server.deleted.append(name)
            self.server.snapshots.pop(name)
            self._answer(200, {"kind": "Status", "apiVersion": "v1", "status": "Success"})

    def log_message(self, *_: object) -> None:
        """Nothing: a test shows what it compares."""

    def _is_allowed(self, name: str) -> bool:
        verb = VERBS[self.command]
        if self.server.allows(verb, name):
            return True
        self.server.denied.append(f"{verb} {name}")
        self._fail(403, "Forbidden", name)
        return False

    def _fail(self, code: int, reason: str, name: str) -> None:
        message = f'volumesnapshots.snapshot.storage.k8s.io "{name}": {reason}'
        status = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": message, "reason": reason, "code": code}
        self._answer(code, status)

    def _answer(self, code: int, tree: Mapping[str, Any]) -> None:
        body = json.dumps({key: value for key, value in tree.items() if key != "_polls"}).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


_VERSION = {"groupVersion": "snapshot.storage.k8s.io/v1", "version": "v1"}
_GROUP_ENTRY = {"name": "snapshot.storage.k8s.io", "versions": [_VERSION], "preferredVersion": _VERSION}
_RESOURCES = {
    "kind": "APIResourceList",
    "apiVersion": "v1",
    "groupVersion": "snapshot.storage.k8s.io/v1",
    "resources": [
        {
            "name": "volumesnapshots",
            "singularName": "volumesnapshot",
            "namespaced": True,
            "kind": "VolumeSnapshot",
            "verbs": ["create", "delete", "get", "list"],
        }
    ],
}
