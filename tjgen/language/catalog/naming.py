"""A runtime's name and spec -> the digest of the spec, and the name of the TrainingRuntime that build emits.

Both are part of what users keep in Git and clusters: once released, the same input gives the same text.
"""

from __future__ import annotations

from tjgen.cluster.trainer.job import TORCHTUNE
from tjgen.trees.canonical import json_text, sha256_hex
from tjgen.trees.fields.path import Tree, get

_TRAINER_STEP = ("template", "metadata", "labels", "trainer.kubeflow.org/trainjob-ancestor-step")
_CONTAINERS = ("template", "spec", "template", "spec", "containers")


def digest(spec: Tree) -> str:
    """SHA-256, in hex, over the spec as JSON with sorted keys and no blanks: order of keys and style do not count."""
    return sha256_hex(json_text(spec, ascii_only=False))


def emitted_name(runtime: str, spec: Tree) -> str:
    """The name of a runtime that is emitted with `spec`: it follows the content, so a name never changes its meaning.

    A torchtune runtime is called `<hash>.<name>`, since the controller splits its name at "-" into exactly three
    parts to find model and size (trainer v2.3.0, pkg/runtime/framework/plugins/torch `getModelFromRuntimeRef`).
    """
    short = digest(spec)[:8]
    return f"{short}.{runtime}" if _is_torchtune(spec) else f"{runtime}-{short}"


def _is_torchtune(spec: Tree) -> bool:
    for job in get(spec, ("template", "spec", "replicatedJobs"), None) or ():
        if get(job, _TRAINER_STEP) == "trainer":
            for container in get(job, _CONTAINERS, None) or ():
                if (get(container, ("command",), None) or [])[:2] == TORCHTUNE:
                    return True
    return False
