"""A folder of an output tree -> the bodies of our files in it, without their headers: what a frozen run stands on."""

from __future__ import annotations

import os

from tjgen.diagnostics.model import CompileError
from tjgen.emit import header, problems
from tjgen.emit.ground import Ground, ObstacleError


def bodies(directory: str, folder: str) -> dict[str, str]:
    """Body of every file of ours in `folder` (folders in it are not entered), by name; empty where there is none.

    Line ends are those that were written, whatever a checkout made of them. Raises CompileError where
    something cannot be read.
    """
    ground = Ground(directory)
    found = {}
    try:
        ground.enter(folder)
        for name in sorted(os.listdir(ground.full(folder))):
            if name.startswith("."):
                continue
            body = _body(ground, f"{folder}/{name}")
            if body is not None:
                found[name] = body
    except (FileNotFoundError, ObstacleError):
        return found
    except OSError as error:
        raise CompileError([problems.unread(f"{directory}/{folder}", error)]) from error
    return found


def _body(ground: Ground, path: str) -> str | None:
    try:
        standing = ground.read(path, opening=header.OPENING[:-1])
    except ObstacleError:
        return None
    known = header.read(standing.content) if standing is not None else None
    if standing is None or known is None:
        return None
    return standing.content[known.length :].replace(b"\r\n", b"\n").decode(errors="replace")
