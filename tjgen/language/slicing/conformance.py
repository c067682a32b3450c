"""A slicing strategy -> what it does that no strategy may: a test that authors of plugins run on theirs.

python -m tjgen.language.slicing.conformance NAME          a strategy that is installed, FILE.py, MODULE or MODULE:OBJECT
python -m tjgen.language.slicing.conformance NAME '{"weights": [1, 2]}'
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from importlib import import_module

from tjgen.language.slicing import plugins, proof, strategies
from tjgen.language.slicing.items import UNKNOWN, DataItems
from tjgen.language.slicing.strategy import PluginError, Strategy
from tjgen.trees import trust
from tjgen.trees.session import Session
from tjgen.trees.typing import Any, cast

COUNTS = (1, 2, 3, 7, 64)
_SKEWED = [(f"shard-{number:04d}.tar", (number * 7919 % 1009) ** 3) for number in range(500)]
_SAMPLES: Mapping[str, Sequence[tuple[str, int]]] = {
    "no items": [],
    "one item": [("a", 1)],
    "items of the same size": [(f"train/{number}", 10) for number in range(100)],
    "items of skewed sizes": _SKEWED,
    "items in no order": [_SKEWED[number * 211 % 500] for number in range(500)],
    "items of size 0": [(f"empty/{number}", 0) for number in range(10)],
    "paths in other scripts": [("ä", 3), ("数据/一", 2), ("данные", 1), ("a b", 0)],
    "items without sizes": [(f"part-{number}", UNKNOWN) for number in range(20)],
}


def faults(strategy: Strategy, options: Mapping[str, Any] | None = None, counts: Sequence[int] = COUNTS) -> list[str]:
    """What is wrong with a strategy, one sentence each; nothing for one that can be used.

    Every sample is divided into each of `counts` slices, under `options`; a strategy that takes only some numbers
    of slices (see its options) is tested with those.
    """
    if not isinstance(getattr(strategy, "NEEDS_SIZES", None), bool):
        return ["NEEDS_SIZES is not True or False"]
    if not callable(getattr(strategy, "plan", None)):
        return ["it has no function plan"]
    return [
        f"{name} in {count} slices: {fault}"
        for name, items, count in _samples(strategy, counts)
        for fault in _tried(strategy, items, count, options or {})
    ]


def _samples(strategy: Strategy, counts: Sequence[int]) -> Iterator[tuple[str, DataItems, int]]:
    for name, sample in _SAMPLES.items():
        items = DataItems()
        for path, size in sample:
            items.paths.append(path)
            items.sizes.append(size)
        if items.unsized is None or not strategy.NEEDS_SIZES:
            for count in counts:
                yield name, items, count


def _tried(strategy: Strategy, items: DataItems, count: int, options: Mapping[str, Any]) -> Iterator[str]:
    before = list(items), json.dumps(options, sort_keys=True)
    try:
        plan = strategy.plan(items, count, options)
        again = strategy.plan(items, count, options)
    except ValueError as problem:
        yield f"it rejects them: it {problem}"
        return
    yield from proof.faults(plan, len(items), count, covering=options.get("covering", True))
    bound = getattr(strategy, "bound", None)
    if bound is not None:
        number, most = proof.heaviest(plan, items if strategy.NEEDS_SIZES else None)
        promised = bound(items, count, options)
        if most > promised:
            yield f"slice {number} has {most}, and it promises at most {promised}"
    if plan != again:
        yield "it returns another plan when it is called again"
    if before != (list(items), json.dumps(options, sort_keys=True)):
        yield "it changes its arguments"


def digest(strategy: Strategy, options: Mapping[str, Any], counts: Sequence[int]) -> str:
    """One hash over the plans for all samples: equal if the strategy does the same."""
    plans = [[list(part) for part in strategy.plan(items, count, options)] for _, items, count in _samples(strategy, counts)]
    return sha256(json.dumps(plans).encode()).hexdigest()


def strategy_of(name: str) -> Strategy | None:
    """The strategy that is installed under a name, in a file, or the module or object (MODULE:OBJECT) of that name.

    Raises PluginError where it cannot be loaded.
    """
    if name.endswith(".py"):
        return plugins.from_file("tried", name, Session())
    installed = strategies.load(name)
    if installed is not None:
        return installed
    module, _, attribute = name.partition(":")
    if not module.replace(".", "").isidentifier() or module.startswith("."):
        return None
    try:
        loaded: Any = import_module(module)
    except ModuleNotFoundError:
        return None
    return cast("Strategy", getattr(loaded, attribute, None) if attribute else loaded)


def main(words: Sequence[str]) -> int:
    """Print the faults of the strategy that the first word names; 1 if there are any, 2 for a wrong call."""
    alone = words[:1] == ["--digest"]
    name, *rest = [*(words[1:] if alone else words), ""]
    try:
        with trust.granted():  # the caller names the file itself
            strategy = strategy_of(name) if name else None
    except PluginError as problem:
        sys.stderr.write(f"{name} {problem}\n")
        return 1
    if strategy is None or len(rest) > 2:
        sys.stderr.write("usage: python -m tjgen.language.slicing.conformance NAME [OPTIONS as JSON]: strategy not found\n")
        return 2
    try:
        options: Mapping[str, Any] = json.loads(rest[0]) if rest[0] else {}
    except ValueError as problem:
        sys.stderr.write(f"the options are not valid JSON: {problem}\n")
        return 2
    fixed = [len(value) for key, value in options.items() if key in ("weights", "lists")]
    counts = fixed[:1] or COUNTS
    if alone:
        sys.stdout.write(digest(strategy, options, counts) + "\n")
        return 0
    wrong = faults(strategy, options, counts)
    if not wrong and len({_elsewhere(words, seed) for seed in ("1", "2")}) > 1:
        wrong = ["it returns another plan in another process: avoid hash(), sets and clocks"]
    sys.stdout.write("".join(f"{one}\n" for one in wrong) or f"{name} meets the contract\n")
    return 1 if wrong else 0


def _elsewhere(words: Sequence[str], seed: str) -> str:
    """The digest that a process of its own comes to, with another seed of hash()."""
    command = [sys.executable, "-m", "tjgen.language.slicing.conformance", "--digest", *words]
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
