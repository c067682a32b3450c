"""What can be wrong with code, by code: TJ440 to TJ459."""

from __future__ import annotations

from tjgen.trees.diagnostics.model import error, warning

__all__ = [
    "BASE",
    "CLONE",
    "COMMIT",
    "CONTROL",
    "CREDENTIALS",
    "DIRTY",
    "HOLDS_SECRET",
    "IMPORTS",
    "LARGE",
    "MOUNT",
    "NONE",
    "OUTSIDE",
    "REPOSITORY",
    "SECRET",
    "SYNTAX",
    "TAGGED",
    "UNKNOWN_CONTENT",
    "UNPINNED",
    "UNREADABLE",
    "VOLUME",
    "WAYS",
    "error",
    "warning",
]

WAYS = ("TJ440", "code-ways")
COMMIT = ("TJ441", "code-not-pinned")
CLONE = ("TJ442", "commit-not-found")
DIRTY = ("TJ443", "code-not-committed")
REPOSITORY = ("TJ444", "bad-repository")
SECRET = ("TJ445", "code-secret")
UNREADABLE = ("TJ446", "code-unreadable")
OUTSIDE = ("TJ447", "code-outside")
NONE = ("TJ448", "no-code")
LARGE = ("TJ449", "code-too-large")
VOLUME = ("TJ450", "code-volume")
UNKNOWN_CONTENT = ("TJ451", "code-unknown")
MOUNT = ("TJ452", "code-mount-taken")
IMPORTS = ("TJ453", "missing-package")
UNPINNED = ("TJ454", "packages-guessed")
SYNTAX = ("TJ455", "code-syntax")
CONTROL = ("TJ110", "control-character")
BASE = ("TJ111", "bad-base-image")
HOLDS_SECRET = ("TJ108", "secret-in-code")
TAGGED = ("TJ456", "build-image-tagged")
CREDENTIALS = ("TJ388", "credentials-in-build")
