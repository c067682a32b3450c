"""The groups that totals of runs are for: names of `--by`, and the group of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tjgen.trees.k8s.nearest import nearest
from tjgen.trees.k8s.syntax import label_key
from tjgen.trees.typing import Protocol

FIELDS = ("project", "team", "environment", "namespace")
LABEL = "label:"
DEFAULT = ("environment", "team", "project")
"""Groups of a table if none are named, as far as there are several of a kind."""
NAMES = f"{', '.join(FIELDS)} or {LABEL}KEY"


class Grouped(Protocol):
    """What a run has that it can be grouped by."""

    @property
    def labels(self) -> Mapping[str, str]: ...


def wrong_group(names: Sequence[str]) -> str | None:
    """What is wrong with the first name that is not valid; None if all are."""
    for name in names:
        if name.startswith(LABEL):
            problems = label_key(name.removeprefix(LABEL))
            if problems:
                return f"--by {name}: {problems[0]}"
        elif name not in FIELDS:
            near = nearest(name, FIELDS)
            return f"--by takes {NAMES}, not {name}" + (f"; did you mean {near}?" if near else "")
    return None


def group_of(run: Grouped, name: str) -> str:
    """The group of a run: a field of it, or the value of a label; empty if it has none."""
    if name.startswith(LABEL):
        return run.labels.get(name.removeprefix(LABEL), "")
    return str(getattr(run, name))


def title_of(name: str, group: str) -> str:
    """A group as tables name it, such as `team vision` and `no team`."""
    words = name.replace(":", " ", 1)
    return f"{words} {group}" if group else f"no {words}"
