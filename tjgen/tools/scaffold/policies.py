"""The bundled policies -> files of a new repository. `kubectl apply` creates the same policies in a cluster."""

from __future__ import annotations

import os
from collections.abc import Iterator

from tjgen.trees import data

FOLDER = "policies"
NEXT = f"""{FOLDER} contains policies. Next:
  edit {FOLDER}/parameters.yaml, and delete the policies that you do not need
  tjgen check --policy {FOLDER} deploy
  name the folder in spec.policies of your Platform, or give --policy {FOLDER} in the pipeline"""
"""What to do after the files are written."""


def files() -> Iterator[tuple[str, str]]:
    """Path and content of each file."""
    folder = data.path("templates", "policies")
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            yield f"{FOLDER}/{name}", file.read()
