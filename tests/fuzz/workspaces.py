"""Scenes of workspaces: commands in the folder of a workspace whose files are mutated, and new workspaces."""

from __future__ import annotations

import json

from tests.fuzz import trees
from tests.fuzz.draw import Draw, Files
from tests.fuzz.inputs import Input

_HEAD = {"apiVersion": "tjgen.dev/v1alpha1", "kind": "Project"}
_WORKSPACE = {
    **_HEAD,
    "metadata": {"name": "lab"},
    "spec": {
        "projects": ["teams/*"],
        "platforms": ["platform.yaml"],
        "environments": {"dev": {"platform": "lab", "cluster": "west"}, "prod": {"platform": "lab"}},
        "output": {"directory": "deploy"},
        "gitops": {"tool": "argocd", "repository": "https://git.example.com/lab.git", "appProject": {}},
        "codeowners": {"owners": {".": ["@lab/platform"], "teams/a": ["@lab/a"]}},
    },
}
_PLATFORM = {
    "apiVersion": "tjgen.dev/v1alpha1",
    "kind": "Platform",
    "metadata": {"name": "lab"},
    "spec": {
        "namespaces": {"a": {}, "b": {}},
        "quotas": {"a": {"pods": 3}},
        "nodePools": {"cpu": {"count": 2, "resources": {"cpu": 4, "memory": "16Gi"}, "topology": {"rack": 1}}},
        "topologies": {"t": {"levels": ["rack"]}},
        "flavors": {"f": {"topology": "t"}},
        "queues": {"q": {"create": {"kueue": {"namespaces": ["a"], "flavors": [{"name": "f", "quota": {"cpu": 8}}]}}}},
        "prices": {"currency": "EUR", "devices": {"a100": 2}},
    },
}
_CLUSTER = {
    "kind": "List",
    "items": [
        {
            "apiVersion": "trainer.kubeflow.org/v1alpha1",
            "kind": "TrainJob",
            "metadata": {"name": "x-1", "namespace": "a", "labels": {"app.kubernetes.io/managed-by": "tjgen"}},
        }
    ],
}
_COMMANDS = (
    ("build",),
    ("build", "--check"),
    ("build", "--summary", "--by", "label:team", "--by", "namespace"),
    ("build", "--summary", "--by", "project", "--format", "json"),
    ("report", "--by", "team"),
    ("status", "--from", "cluster.json"),
    ("status", "x-*", "--from", "cluster.json", "--json"),
    ("runs", "list", "a*"),
    ("runs", "--json"),
    ("runs", "prune", "--keep", "2"),
    ("promote", "a-*", "--env", "prod"),
    ("pin", "--check"),
    ("fit",),
    ("lint",),
)


def _project(team: str) -> trees.Tree:
    environments = {"dev": {"namespace": team}, "prod": {"namespace": team}}
    return {**_HEAD, "spec": {"experiments": ["experiments"], "environments": environments, "labels": {"team": team}}}


def workspace(draw: Draw) -> Input:
    """A command in a workspace of two projects. One of its files is mutated, so that most inputs get past the first error."""
    documents: dict[str, trees.Tree] = {"tjgen.yaml": _WORKSPACE, "platform.yaml": _PLATFORM, "cluster.json": _CLUSTER}
    documents |= {f"teams/{team}/tjgen.yaml": _project(team) for team in "ab"}
    chosen = draw.random.choice([*documents, None])
    files: Files = {
        name: draw.text(draw.changed([tree])) if name == chosen else json.dumps(tree).encode() for name, tree in documents.items()
    }
    for team in "ab":
        content = draw.files(draw.experiment())
        files |= {f"teams/{team}/experiments/{name}": text for name, text in content.items() if name.endswith(".yaml")}
    name, *words = draw.random.choice(_COMMANDS)
    return draw.command(name, *words, files=files)


def init(draw: Draw) -> Input:
    """A new workspace in a folder that may have files already."""
    words = draw.random.choice(((), ("--team", "a"), ("--team", "A b"), ("--team", "x", "--team", "x"), ("--policies",)))
    files = draw.files(draw.experiment()) if draw.random.random() < 0.5 else {}
    return draw.command("init", draw.random.choice((".", "lab")), "--workspace", "--name", "lab", *words, files=files)
