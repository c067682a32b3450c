"""References to variables in the texts of a container: `$(NAME)`."""

from __future__ import annotations

from tjgen.trees import regex
from tjgen.trees.typing import Any

NUMBER = "JOB_COMPLETION_INDEX"
"""The variable in which a pod of an indexed Job finds its number, from 0."""
_REFERENCE = regex.compile(r"\$\(([^()]+)\)")


def references(value: Any) -> list[str]:
    """The names that a text refers to."""
    return _REFERENCE.findall(str(value))
