"""The modules of `tjgen/gitops/lint/rules` -> the rules, in the order of their codes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module

from tjgen.gitops.lint import rules
from tjgen.gitops.lint.rule import Finding, Rule
from tjgen.gitops.lint.scene import Scene
from tjgen.trees.typing import NamedTuple


class Entry(NamedTuple):
    """A rule with its check."""

    rule: Rule
    check: Callable[[Scene], Iterator[Finding]]


@cache
def entries() -> tuple[Entry, ...]:
    """Every rule."""
    folder = os.path.dirname(rules.__file__ or "")
    names = sorted(name.removesuffix(".py") for name in os.listdir(folder) if name.startswith("g") and name.endswith(".py"))
    modules = [import_module(f"{rules.__name__}.{name}") for name in names]
    return tuple([Entry(module.RULE, module.check) for module in modules])


def codes() -> dict[str, Rule]:
    """Code -> rule."""
    return {entry.rule.code: entry.rule for entry in entries()}
