"""`code` -> which of the ways that it describes hold."""

from __future__ import annotations

from tjgen.language.spec.objects import Code

MOUNTED = ("workspace", "configMap", "git")
"""The ways that mount the code, of which one at most holds."""


def chosen(code: Code) -> list[str]:
    """Return the valid ways: those that `use` names, else all that are described, except a clone that only the build reads."""
    if code.use is not None:
        return list(code.use)
    ways = [way for way, is_described in described(code).items() if is_described]
    if code.build is not None and code.build.context == "git" and "git" in ways:
        ways.remove("git")
    return ways


def is_baked(code: Code) -> bool:
    """Whether the image that is built holds the code itself, and not the packages alone."""
    return not any(way in chosen(code) for way in MOUNTED)


def described(code: Code) -> dict[str, bool]:
    """Each way, and whether the experiment describes it."""
    return {
        "build": code.build is not None,
        "workspace": code.workspace is not None,
        "configMap": code.config_map is not None,
        "git": code.git is not None,
    }
