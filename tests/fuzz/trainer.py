"""Random pairs through the twin and through the real controller, on demand.

    python -m tests.fuzz.trainer ORACLE [--count 2000] [--seed 1] [--keep FOLDER]

ORACLE is a program that answers `ORACLE batch IN OUT` with the expansion and the admission of each
case, as the recorded cases hold them. Prints how many agree and the smallest case of each difference.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from tests.fuzz.pairs import Pairs
from tests.trainer.cases import printed
from tjgen.trainer.framework import live
from tjgen.trainer.inputs import expand_documents
from tjgen.validate.webhooks import jobset, trainer

BATCH = 500
EARLIER = ("schema", "cel")


class Difference(NamedTuple):
    """A case on which the two disagree, and the first place where they do."""

    documents: list[Any]
    kind: str
    where: str

    @property
    def size(self) -> int:
        return len(json.dumps(self.documents))


def main() -> int:
    parser = argparse.ArgumentParser(description="Compare the twin with the real controller on random pairs.")
    parser.add_argument("oracle")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="write the smallest case of each difference here")
    options = parser.parse_args()
    smallest: dict[str, Difference] = {}
    total = agreed = verdicts = 0
    for start in range(0, options.count, BATCH):
        cases = [Pairs(options.seed * 1_000_000 + number).pair() for number in range(start, min(start + BATCH, options.count))]
        for documents, expanded, admitted in answers(options.oracle, cases):
            found = [*differences(documents, expanded, admitted)]
            verdicts += len(admitted)
            total += 1
            agreed += not found
            for difference in found:
                key = f"{difference.kind}: {shape(difference.where)}"
                if key not in smallest or difference.size < smallest[key].size:
                    smallest[key] = difference
    for key, difference in sorted(smallest.items()):
        sys.stdout.write(f"{key}\n    {difference.where[:600]}\n")
        if options.keep is not None:
            folder = options.keep / f"{len(list(options.keep.glob('*')))}"
            folder.mkdir(parents=True)
            (folder / "input.yaml").write_text(stream(difference.documents), encoding="utf-8")
    sys.stdout.write(f"{agreed} of {total} cases agree ({verdicts} verdicts)\n")
    return agreed != total


def answers(oracle: str, cases: list[list[Any]]) -> Iterator[tuple[list[Any], list[Any], list[Any]]]:
    """Each case with its expansion and verdicts."""
    folder = Path(tempfile.mkdtemp())
    for number, documents in enumerate(cases):
        case = folder / "in" / f"{number:05d}"
        case.mkdir(parents=True)
        (case / "input.yaml").write_text(stream(documents), encoding="utf-8")
    command = [oracle, "batch", str(folder / "in"), str(folder / "out")]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    for number, documents in enumerate(cases):
        out = folder / "out" / f"{number:05d}"
        expanded = [*yaml.load_all((out / "expanded.yaml").read_bytes(), yaml.CSafeLoader)]
        lines = (out / "admit.json").read_text(encoding="utf-8").splitlines()
        yield documents, expanded, [json.loads(line) for line in lines]
    shutil.rmtree(folder)


def stream(documents: list[Any]) -> str:
    return "---\n".join(json.dumps(document, indent=1) + "\n" for document in documents)


def differences(documents: list[Any], expanded: list[Any], admitted: list[Any]) -> Iterator[Difference]:
    """Where the twin says something else than the recording."""
    expansions = expand_documents(documents)
    mine = printed(expansions)
    where = first_difference([hidden(tree) for tree in mine], [hidden(tree) for tree in expanded])
    if where:
        yield Difference(documents, "expansion", where)
    jobsets = [made.tree for _, expansion in expansions for made in expansion.objects if made.tree["kind"] == "JobSet"]
    for verdict in admitted:
        if verdict.get("stage") in EARLIER:
            continue
        if verdict.get("generatedFrom") and verdict["kind"] == "JobSet" and jobsets:
            words = [fault.detail for fault in jobset.validate(live(jobsets[0]), context=documents).errors]
        elif not verdict.get("generatedFrom"):
            answer = trainer.validate(documents[verdict["index"]], context=documents)
            words = [f"{fault.field}: {fault.detail}" if fault.field else fault.detail for fault in answer.errors]
        else:
            continue
        where = first_difference(words, verdict.get("errors") or [])
        if where:
            yield Difference(documents, f"verdict on {verdict['kind']}", where)


def hidden(tree: Any) -> Any:
    """The two scripts are not compared: they are the controller's program text."""
    data = tree.get("data") if tree.get("kind") == "ConfigMap" else None
    if not data or "init.sh" not in data:
        return tree
    return {**tree, "data": dict.fromkeys(data, "<script>")}


def first_difference(mine: Any, theirs: Any, path: str = "") -> str:
    """Where two values differ first, or ""."""
    if mine.__class__ is not theirs.__class__:
        return f"{path}: {mine!r} instead of {theirs!r}"
    if isinstance(mine, dict):
        for key in sorted({*mine, *theirs}):
            if key not in mine or key not in theirs:
                return f"{path}.{key}: {mine.get(key, 'nothing')!r} instead of {theirs.get(key, 'nothing')!r}"
            found = first_difference(mine[key], theirs[key], f"{path}.{key}")
            if found:
                return found
        return ""
    if isinstance(mine, list):
        if len(mine) != len(theirs):
            return f"{path}: {mine!r} instead of {theirs!r}"
        pairs = enumerate(zip(mine, theirs, strict=True))
        return next((found for at, (a, b) in pairs if (found := first_difference(a, b, f"{path}[{at}]"))), "")
    return "" if mine == theirs else f"{path}: {mine!r} instead of {theirs!r}"


def shape(where: str) -> str:
    """The place without its numbers, so that like differences fall together."""
    return "".join(character for character in where.partition(": ")[0] if not character.isdigit())


if __name__ == "__main__":
    raise SystemExit(main())
