"""A folder to write to -> the symbolic link in it, which a commit may have added."""

from __future__ import annotations

import os


def link_in(path: str) -> str | None:
    """The first part of a path that is a link, of those below the repository or the working directory; None without one.

    Folders above it are the machine's own arrangement, such as a link to another disk.
    """
    place = os.path.abspath(path)
    links: list[str] = []
    below = place
    while below != os.path.dirname(below):
        if os.path.islink(below):
            links.append(below)
        below = os.path.dirname(below)
        if os.path.lexists(os.path.join(below, ".git")):
            return os.path.relpath(links[-1]) if links else None
    inside = [link for link in links if link.startswith(os.path.join(os.getcwd(), ""))]
    return os.path.relpath(inside[-1]) if inside else None
