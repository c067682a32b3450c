"""The modules of `tjgen/gitops/lint/rules` -> the rules, in the order of their codes."""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module

from tjgen.gitops.lint import rules
from tjgen.gitops.lint.rule import Rule, RuleEntry


@cache
def entries() -> tuple[RuleEntry, ...]:
    """Every rule."""
    folder = os.path.dirname(rules.__file__ or "")
    names = [name.removesuffix(".py") for name in os.listdir(folder) if name.endswith(".py") and name[0] not in "_."]
    modules = [import_module(f"{rules.__name__}.{name}") for name in names]
    rule_entries = [
        one for module in modules for one in getattr(module, "ENTRIES", None) or [RuleEntry(module.RULE, module.check)]
    ]
    return tuple(sorted(rule_entries, key=lambda one: one.rule.code))


def codes() -> dict[str, Rule]:
    """Code -> rule."""
    return {entry.rule.code: entry.rule for entry in entries()}
