"""The containers of the programs that tjgen runs in the cluster: their scripts, images, and resources."""

from __future__ import annotations

from tjgen.language.platform.tools import helper_image
from tjgen.language.setting import Setting
from tjgen.trees.data import path
from tjgen.trees.fields.path import Tree

SMALL: Tree = {"cpu": "1", "memory": "1Gi"}
"""What a helper takes. Requests equal limits, so that it does not lower the class of a pod that is guaranteed its own."""

TINY: Tree = {"cpu": "250m", "memory": "256Mi"}
"""What something takes that looks after things now and then."""

PYTHON = ("python3", "-I", "-B", "-c")
"""Python without the packages, variables and files that an image may have for it."""


def script(name: str) -> str:
    """The text of a script that is shipped, without the comment that it begins with."""
    with open(path("scripts", name), encoding="utf-8") as stream:
        lines = stream.read().splitlines(keepends=True)
    first = next(number for number, line in enumerate(lines) if not line.startswith("#"))
    return "".join(lines[first:])


def image_in_run(purpose: str, setting: Setting) -> str:
    """The image of a helper in a pod of the run, where the pass `images` pins and rewrites it with all others."""
    return helper_image(purpose, setting.helpers)


def image_of_program(purpose: str, setting: Setting) -> str:
    """The image of a helper in an object of its own, pinned and rewritten."""
    return setting.emitted(helper_image(purpose, setting.helpers))


def shell(name: str, image: str, text: str, environment: dict[str, str], mounts: list[Tree], **more: Tree) -> Tree:
    """Return a container that runs the script `text`; it requests no GPU and sees none, even if a node shows all GPUs.

    `more` goes over the fields that it has otherwise.
    """
    variables = [{"name": key, "value": value} for key, value in environment.items()]
    return {
        "name": name,
        "image": image,
        "command": ["/bin/sh", "-c"],
        "args": [text],
        "env": [*variables, {"name": "NVIDIA_VISIBLE_DEVICES", "value": "void"}],
        "resources": {"requests": SMALL, "limits": SMALL},
        **({"volumeMounts": mounts} if mounts else {}),
        **more,
    }
