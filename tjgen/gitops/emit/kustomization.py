"""Paths of the files of a tree -> a kustomization.yaml for every folder, so that each can be synced by itself.

A folder lists its own manifests and the folders below it that hold some. It lists what is there, so
it changes when a neighbour comes or goes: that is why these files are made only on request.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tjgen.trees.source.writer import dump

NAME = "kustomization.yaml"
_MANIFESTS = (".yaml", ".yml", ".json")


def kustomizations(paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Path and body of each kustomization.yaml for the manifests at `paths`, in order of path."""
    resources: dict[str, set[str]] = {}
    for path in paths:
        folder, _, name = path.rpartition("/")
        if name == NAME or not name.endswith(_MANIFESTS):
            continue
        resources.setdefault(folder, set()).add(name)
        while folder:
            parent, _, name = folder.rpartition("/")
            known = resources.setdefault(parent, set())
            if name in known:
                break
            known.add(name)
            folder = parent
    for folder in sorted(resources):
        yield (f"{folder}/{NAME}" if folder else NAME), _body(sorted(resources[folder]))


def _body(names: list[str]) -> str:
    return dump({"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization", "resources": names})
