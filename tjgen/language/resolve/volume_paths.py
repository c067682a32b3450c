"""A path of an experiment that must be below a folder, such as the root of a volume -> the hint for one that is not."""

from __future__ import annotations


def leads_out(path: str) -> bool:
    """Whether a path is not below the folder that it begins in, such as the root of a volume."""
    return path.startswith("/") or ".." in path.split("/")


def within(path: str, mount: str | None) -> str:
    """The hint for a path that leads out of a volume, which is mounted at `mount`: it may be written as one of the container."""
    if ".." in path.split("/"):
        return "name a folder of the volume"
    below = f"{path.rstrip('/')}/".removeprefix(f"{(mount or '').rstrip('/')}/").strip("/")
    return f"write {below}, the folder from the root of the volume" if below else "remove path: it is the root of the volume"
