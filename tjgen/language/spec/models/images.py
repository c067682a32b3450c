"""Sources of images of a cluster."""

from __future__ import annotations

from pydantic import Field

from tjgen.language.spec.models.shape import Shape, Text


class Helpers(Shape):
    """Images of helper containers, instead of the defaults of tjgen."""

    buildkit: Text | None = None
    """What builds images without root: BuildKit's, rootless."""
    copy_: Text | None = Field(None, alias="copy")
    """What copies from stores: rclone and a shell."""
    dataset: Text | None = None
    """Trainer's initializer of data sets."""
    diagnose: Text | None = None
    """What measures volumes: fio, awk and a shell."""
    git: Text | None = None
    """What fetches code: Git, an SSH client and a shell."""
    kaniko: Text | None = None
    """What builds images as root: Kaniko's executor."""
    kubectl: Text | None = None
    """What makes snapshots: kubectl, awk and a shell."""
    model: Text | None = None
    """Trainer's initializer of models."""
    python: Text | None = None
    """What removes checkpoints and copies volumes: Python 3.9 or later."""
    shell: Text | None = None
    """What copies, waits and removes: a shell with awk, find, sort and stat, such as busybox."""


class Images(Shape):
    """Sources of images."""

    rewrite: dict[str, str] = {}
    """Prefix of an image reference -> replacement."""
    helpers: Helpers = Helpers()
    """Images of helper containers, by purpose."""
