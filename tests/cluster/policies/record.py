"""Records what a real API server answers to the scenarios, and to pods under Pod Security.

python -m tests.cluster.policies.record MINIKAPI CRDS...

MINIKAPI is the program of a kube-apiserver with its own etcd, and each of CRDS a folder of CustomResourceDefinitions.
The server is started for the recording and stopped after it. The result is tests/cluster/policies/recorded.json.xz.
"""

from __future__ import annotations

import json
import lzma
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from tests.cluster.policies import invalid, pods, scenarios
from tests.cluster.policies.scenarios import Scenario, binding, config_map, policy

RECORDED = Path(__file__).parent / "recorded.json.xz"
PLURALS = {
    "ConfigMap": "configmaps",
    "CustomResourceDefinition": "customresourcedefinitions",
    "Deployment": "deployments",
    "Job": "jobs",
    "JobSet": "jobsets",
    "Limits": "limits",
    "Namespace": "namespaces",
    "PersistentVolumeClaim": "persistentvolumeclaims",
    "Pod": "pods",
    "TrainJob": "trainjobs",
    "ValidatingAdmissionPolicy": "validatingadmissionpolicies",
    "ValidatingAdmissionPolicyBinding": "validatingadmissionpolicybindings",
}
UNSCOPED = ("CustomResourceDefinition", "Namespace", "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding")
LIMITS = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "limits.example.com"},
    "spec": {
        "group": "example.com",
        "names": {"kind": "Limits", "plural": "limits"},
        "scope": "Namespaced",
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
            }
        ],
    },
}


class Server:
    """The API of a running server."""

    def __init__(self, kubeconfig: Path) -> None:
        config = yaml.safe_load(kubeconfig.read_text(encoding="utf-8"))
        self.url = config["clusters"][0]["cluster"]["server"]
        self.token = config["users"][0]["user"]["token"]
        self.held: dict[tuple[str, str, str], str] = {}
        self.context = ssl._create_unverified_context()  # on loopback, with a certificate of its own

    def send(self, method: str, tree: dict[str, Any], namespace: str = "", *, dry: bool = False) -> dict[str, Any]:
        """The answer: code, reason, message, and the texts of the warnings."""
        kind, version = tree["kind"], tree["apiVersion"]
        root = "/api/v1" if version == "v1" else f"/apis/{version}"
        place = "" if kind in UNSCOPED else f"/namespaces/{namespace}"
        path = f"{root}{place}/{PLURALS[kind]}" + (f"/{tree['metadata']['name']}" if method == "PUT" else "")
        query = "?dryRun=All" if dry else ""
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        if method == "PUT":
            version = self.held[(namespace, kind, tree["metadata"]["name"])]
            tree = {**tree, "metadata": {**tree["metadata"], "resourceVersion": version}}
        body = json.dumps(tree).encode()
        request = urllib.request.Request(self.url + path + query, body, headers, method=method)  # https
        try:
            with urllib.request.urlopen(request, context=self.context) as answer:  # https
                if not dry:
                    self.held[(namespace, kind, tree["metadata"]["name"])] = _version(answer.read())
                return {"code": answer.status, "warnings": _warnings(answer.headers.get_all("Warning"))}
        except urllib.error.HTTPError as refused:
            status = json.loads(refused.read())
            warnings = _warnings(refused.headers.get_all("Warning"))
            return {"code": status["code"], "reason": status["reason"], "message": status["message"], "warnings": warnings}

    def delete(self, tree: dict[str, Any]) -> None:
        """Delete an object that is not in a namespace."""
        path = f"/apis/{tree['apiVersion']}/{PLURALS[tree['kind']]}/{tree['metadata']['name']}"
        request = urllib.request.Request(self.url + path, headers={"Authorization": f"Bearer {self.token}"}, method="DELETE")
        with urllib.request.urlopen(request, context=self.context):  # https
            pass

    def create(self, tree: dict[str, Any], namespace: str = "") -> None:
        """Create an object. Raises RuntimeError if the server refuses it."""
        answer = self.send("POST", tree, namespace)
        if answer["code"] >= 300:
            raise RuntimeError(f"{tree['kind']} {tree['metadata']['name']}: {answer['message']}")


def _version(body: bytes) -> str:
    return str(json.loads(body)["metadata"].get("resourceVersion", ""))


def _warnings(headers: Sequence[str] | None) -> list[str]:
    found = []
    for header in headers or ():
        text = header.partition(" - ")[2].strip()
        found.append(json.loads(text) if text.startswith('"') else text)
    return found


@contextmanager
def server(program: str) -> Iterator[Server]:
    """Start the server of MINIKAPI, and stop it at the end."""
    with tempfile.TemporaryDirectory() as folder:
        kubeconfig = Path(folder, "kubeconfig")
        command = [program, "--dir", folder, "--kubeconfig", str(kubeconfig)]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            try:
                yield _ready(kubeconfig)
            finally:
                process.terminate()


def main(arguments: list[str]) -> int:
    """Start the server, record, and print the number of answers."""
    with server(arguments[0]) as started:
        recorded = record(started, [Path(one) for one in arguments[1:]])
    RECORDED.write_bytes(lzma.compress(json.dumps(recorded, ensure_ascii=False, sort_keys=True).encode(), preset=9))
    sys.stdout.write(f"{', '.join(f'{len(value)} {key}' for key, value in recorded.items())}\n")
    return 0


def _ready(kubeconfig: Path) -> Server:
    while not kubeconfig.exists():
        time.sleep(0.5)
    while True:
        try:
            server = Server(kubeconfig)
            server.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "ready"}})
        except (OSError, RuntimeError):
            time.sleep(0.5)
        else:
            return server


def record(server: Server, folders: Sequence[Path]) -> dict[str, dict[str, Any]]:
    """The answers to expressions and policies when they are created, to requests by scenario, and to pods by namespace."""
    for folder in folders:
        for file in sorted(folder.glob("*.yaml")):
            for tree in yaml.safe_load_all(file.read_text(encoding="utf-8")):
                server.create(tree)
    server.create(LIMITS)
    time.sleep(3)
    expressions = {}
    for text in scenarios.EXPRESSIONS:
        answer = server.send("POST", policy("check", [{"expression": text}]), dry=True)
        expressions[text] = answer.get("message", "")
    refused = {name: server.send("POST", tree, dry=True).get("message", "") for name, tree in invalid.POLICIES.items()}
    every = scenarios.scenarios([text for text, message in expressions.items() if not message])
    _prepare(server, every)
    answers = {one.name: list(_answers(server, one)) for one in every}
    return {"expressions": expressions, "policies": refused, "requests": answers, "pods": _pods(server)}


def _prepare(server: Server, every: Sequence[Scenario]) -> None:
    """Create everything that requests are judged by, and wait until the server judges by it."""
    shared = "params-shared"
    server.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": shared}})
    for tree in scenarios.SHARED:
        server.create(tree, shared)
    for one in every:
        metadata = {"name": one.name, "labels": one.labels, "annotations": scenarios.ANNOTATIONS}
        server.create({"apiVersion": "v1", "kind": "Namespace", "metadata": metadata})
        for tree in one.objects:
            if tree["kind"] not in UNSCOPED:
                server.create(tree, one.name)
        for name in {request.old["metadata"]["name"]: 1 for request in one.requests if request.old}:
            old = next(request.old for request in one.requests if request.old and request.old["metadata"]["name"] == name)
            server.create(old, one.name)
    last = Scenario("last", (policy("last", [scenarios.NEVER]), binding("last")), (), {"scenario": "last"})
    server.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "last", "labels": last.labels}})
    for one in (*every, last):
        for tree in one.objects:
            if tree["kind"] in UNSCOPED:
                server.create(tree)
    while server.send("POST", config_map(), "last", dry=True)["code"] < 300:
        time.sleep(0.5)
    time.sleep(5)


def _answers(server: Server, one: Scenario) -> Iterator[dict[str, Any]]:
    for request in one.requests:
        tree = {**request.new, "metadata": {**request.new["metadata"], "namespace": one.name}}
        yield server.send("POST" if request.old is None else "PUT", tree, one.name, dry=True)


def _pods(server: Server) -> dict[str, list[dict[str, Any]]]:
    found = {}
    for name, labels in pods.NAMESPACES.items():
        metadata = {"name": name, "labels": {f"pod-security.kubernetes.io/{key}": value for key, value in labels.items()}}
        server.create({"apiVersion": "v1", "kind": "Namespace", "metadata": metadata})
    time.sleep(1)
    for name in pods.NAMESPACES:
        found[name] = [server.send("POST", tree, name, dry=True) for tree in pods.OBJECTS]
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
