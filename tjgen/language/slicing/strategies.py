"""Name of a strategy -> the module that plans by it: built in, a file of the project, or an entry point tjgen.slicers."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from tjgen.language.slicing.items import DataItems
from tjgen.language.slicing.proof import Plan
from tjgen.language.slicing.strategy import Strategy
from tjgen.trees.session import Session
from tjgen.trees.typing import Any, cast

STRATEGIES: Mapping[str, str] = {
    "contiguous": "tjgen.language.slicing.contiguous",
    "contiguous-size-balanced": "tjgen.language.slicing.contiguous_size_balanced",
    "explicit": "tjgen.language.slicing.explicit",
    "hash": "tjgen.language.slicing.hash",
    "lpt": "tjgen.language.slicing.lpt",
    "rendezvous": "tjgen.language.slicing.rendezvous",
    "round-robin": "tjgen.language.slicing.round_robin",
    "weighted": "tjgen.language.slicing.weighted",
}
NO_FILES: Mapping[str, str] = {}


def load(name: str, files: Mapping[str, str] = NO_FILES, session: Session | None = None) -> Strategy | None:
    """The strategy of that name, or None if there is none; `files` are those of the project, by name.

    Raises PluginError where it is not built in and cannot be loaded.
    """
    module = STRATEGIES.get(name)
    if module is not None:
        return cast("Strategy", import_module(module))
    from tjgen.language.slicing import plugins

    return plugins.from_file(name, files[name], session or Session()) if name in files else plugins.installed(name)


def plan_of(name: str, strategy: Strategy, items: DataItems, count: int, options: Mapping[str, Any]) -> tuple[Plan, int | None]:
    """The plan of the strategy of that name, and the most that a slice may hold by its own word, its `bound`.

    None where it promises nothing. Raises ValueError as the strategy does, PluginError for any other exception of one that is
    not built in raises.
    """
    if name in STRATEGIES:
        plan = strategy.plan(items, count, options)
        stated = getattr(strategy, "bound", None)
        return plan, None if stated is None else stated(items, count, options)
    from tjgen.language.slicing import plugins

    return plugins.planned(strategy, items, count, options)


def known(files: Mapping[str, str] = NO_FILES) -> list[str]:
    """The names of all available strategies, sorted."""
    from tjgen.language.slicing import plugins

    return sorted({*STRATEGIES, *files, *plugins.names()})
