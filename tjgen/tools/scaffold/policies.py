"""The bundled policies -> files of a new repository. `kubectl apply` creates the same policies in a cluster."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence

from tjgen.trees import data

FOLDER = "policies"
_PARAMETERS = "parameters.yaml"
NEXT = f"""The folder {FOLDER} contains policies. Next:
  edit {FOLDER}/{_PARAMETERS}, and delete the policies that you do not need
  tjgen check --policy {FOLDER} deploy
  name the folder in spec.policies of your Platform, or pass --policy {FOLDER} in the pipeline"""
"""What to do after the files are written."""


def files(namespaces: Sequence[str] = (), teams: Sequence[str] = ()) -> Iterator[tuple[str, str]]:
    """Path and content of each file. The policies allow runs in `namespaces`, and in queues with the names of teams."""
    folder = data.path("templates", "policies")
    for name in sorted(name for name in os.listdir(folder) if name.endswith(".yaml") and name[0] != "."):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            text = file.read()
        if namespaces and name == _PARAMETERS:
            text = re.sub("(?m)^  namespaces: .*$", f"  namespaces: {', '.join(namespaces)}", text)
            text = re.sub("(?m)^  queues: .*$", f"  queues: {', '.join(['default', *teams])}", text)
        yield f"{FOLDER}/{name}", text
