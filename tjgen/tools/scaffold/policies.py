"""The bundled policies -> files of a new repository. `kubectl apply` creates the same policies in a cluster."""

from __future__ import annotations

import os
from collections.abc import Iterator

from tjgen.trees import data

FOLDER = "policies"


def files() -> Iterator[tuple[str, str]]:
    """Path and content of each file."""
    folder = data.path("templates", "policies")
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            yield f"{FOLDER}/{name}", file.read()
