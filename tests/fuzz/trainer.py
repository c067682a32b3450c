"""Random pairs through the twin and through the real controller, on demand.

    python -m tests.fuzz.trainer ORACLE [--count 2000] [--seed 1] [--release 2.1] [--live] [--keep FOLDER]

ORACLE is a program that answers `ORACLE batch IN OUT` with the expansion and the admission of each
case, as the recorded cases hold them (with --live the JobSets as they are stored). Prints how many
agree and the smallest case of each difference.
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

from tests.cluster.trainer.cases import printed
from tests.cluster.trainer.test_webhooks import WITHOUT_JOBSET, said
from tests.fuzz.pairs import Pairs
from tjgen.cluster.trainer.framework import live
from tjgen.cluster.trainer.inputs import expand_documents
from tjgen.cluster.trainer.release import NEWEST, RELEASES, Release
from tjgen.cluster.validate.webhooks import jobset, trainer

BATCH = 500
EARLIER = ("schema", "cel")


class Case(NamedTuple):
    """Documents to admit, and those that were stored before where they are updates."""

    documents: list[Any]
    stored: list[Any]


class Difference(NamedTuple):
    """A case on which the two disagree, and the first place where they do."""

    case: Case
    kind: str
    where: str

    @property
    def size(self) -> int:
        return len(json.dumps(self.case))


def main() -> int:
    parser = argparse.ArgumentParser(description="Compare the twin with the real controller on random pairs.")
    parser.add_argument("oracle")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--release", choices=list(RELEASES), default=NEWEST.name, help="the release that ORACLE is of")
    parser.add_argument("--live", action="store_true", help="compare the JobSets as the API server stores them")
    parser.add_argument("--keep", type=Path, help="write the smallest case of each difference here")
    options = parser.parse_args()
    release = RELEASES[options.release]
    smallest: dict[str, Difference] = {}
    total = agreed = verdicts = asked = 0
    for start in range(0, options.count, BATCH):
        cases = [case(options.seed * 1_000_000 + number, release) for number in range(start, min(start + BATCH, options.count))]
        for one, expanded, admitted in answers(options.oracle, cases, options.live):
            found = [*differences(one, expanded, admitted, options.live, release)]
            verdicts += len(admitted)
            asked += sum(verdict.get("stage") not in EARLIER for verdict in admitted)
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
            write(difference.case, folder)
    sys.stdout.write(f"{agreed} of {total} cases agree; {asked} of {verdicts} verdicts reach a webhook\n")
    return agreed != total


def case(seed: int, release: Release = NEWEST) -> Case:
    """The case of a seed."""
    pairs = Pairs(seed, release)
    documents = pairs.pair()
    return Case(documents, pairs.stored(documents))


def answers(oracle: str, cases: list[Case], is_live: bool) -> Iterator[tuple[Case, list[Any], list[Any]]]:
    """Each case with its expansion and verdicts."""
    folder = Path(tempfile.mkdtemp())
    for number, one in enumerate(cases):
        write(one, folder / "in" / f"{number:05d}")
    flags = ["--jobset-defaults"] if is_live else []
    command = [oracle, *flags, "batch", str(folder / "in"), str(folder / "out")]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for number, one in enumerate(cases):
        out = folder / "out" / f"{number:05d}"
        expanded = [*yaml.load_all((out / "expanded.yaml").read_bytes(), yaml.CSafeLoader)]
        lines = (out / "admit.json").read_text(encoding="utf-8").splitlines()
        yield one, expanded, [json.loads(line) for line in lines]
    shutil.rmtree(folder)


def write(one: Case, folder: Path) -> None:
    """The files of a case."""
    folder.mkdir(parents=True)
    (folder / "input.yaml").write_text(stream(one.documents), encoding="utf-8")
    if one.stored:
        (folder / "old.yaml").write_text(stream(one.stored), encoding="utf-8")


def stream(documents: list[Any]) -> str:
    return "---\n".join(json.dumps(document, indent=1) + "\n" for document in documents)


def differences(one: Case, expanded: list[Any], admitted: list[Any], is_live: bool, release: Release) -> Iterator[Difference]:
    """Where the twin says something else than the recording."""
    expansions = expand_documents(one.documents, release=release)
    jobsets = [made.tree for _, expansion in expansions for made in expansion.objects if made.tree["kind"] == "JobSet"]
    mine = printed(expansions)
    if is_live:
        mine = [live(tree, release) if tree.get("kind") == "JobSet" else tree for tree in mine]
    where = first_difference([hidden(tree) for tree in mine], [hidden(tree) for tree in expanded])
    if where and not any(tree["kind"] == "JobSet" for tree in one.stored):
        # With a JobSet in place the controller makes no other: later reconciles are not the twin's.
        yield Difference(one, "expansion", where)
    if is_live:
        return
    context = [*one.stored, *one.documents]
    for verdict in admitted:
        if verdict.get("stage") in EARLIER or (verdict.get("generatedFrom") and verdict["kind"] != "JobSet"):
            continue
        if verdict.get("generatedFrom"):
            if release.name == WITHOUT_JOBSET:
                continue
            words = said(jobset.validate(live(jobsets[0], release), context=context, release=release).errors, release)
        else:
            tree = one.documents[verdict["index"]]
            old = next((other for other in one.stored if other["kind"] == tree["kind"]), None)
            answer = trainer.validate(tree, old=old, context=context, release=release)
            words = [f"{fault.field}: {fault.detail}" if fault.field else fault.detail for fault in answer.errors]
        where = first_difference(words, verdict.get("errors") or [])
        if where:
            yield Difference(one, f"verdict on {verdict['kind']}", where)


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
