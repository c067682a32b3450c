"""A project whose old runs are pruned, and `tjgen runs clean` for them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from tests.compiler.programs.keeping.cleaning import CLAIM, EXPERIMENT
from tests.program import Answer, tjgen

PROJECT = "apiVersion: tjgen.dev/v1alpha1\nkind: Project\nspec: {experiments: [llm.yaml], output: {directory: out}}\n"


class Project:
    """A project with one experiment, in `folder`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "tjgen.yaml").write_text(PROJECT)

    def build(self, image: str = "train:1", volume: Mapping[str, Any] = CLAIM, **checkpoints: Any) -> None:
        """Build it with this image, which makes another run."""
        spec = {
            "runtime": "tjgen-torch",
            "image": image,
            "script": "train.py",
            "volumes": {"states": dict(volume)},
            "checkpoints": {"volume": "states", "mark": "init", **checkpoints},
        }
        (self.folder / "llm.yaml").write_text(yaml.safe_dump({**EXPERIMENT, "spec": spec}))
        answer = tjgen(self.folder, "build", "-o", "out")
        assert answer.code == 0, answer.err

    def named(self, state: str) -> str:
        """The name of the only run in this state."""
        [name] = [one["name"] for one in json.loads(tjgen(self.folder, "runs", "--json").out) if one["state"] == state]
        return str(name)

    def prune(self) -> str:
        """Remove the superseded run from the tree; returns its name."""
        name = self.named("superseded")
        answer = tjgen(self.folder, "runs", "prune", name)
        assert answer.code == 0, answer.err
        return name

    def clean(self, *names: str, objects: tuple[tuple[str, str], ...] = ()) -> Answer:
        """The answer of `runs clean`; the cluster has `objects`, each a kind and a name."""
        items = [{"apiVersion": "v1", "kind": kind, "metadata": {"name": name, "namespace": "nlp"}} for kind, name in objects]
        (self.folder / "cluster.json").write_text(json.dumps({"kind": "List", "items": items}))
        return tjgen(self.folder, "runs", "clean", *names, "--from", "cluster.json")
