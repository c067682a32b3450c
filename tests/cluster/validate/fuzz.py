"""Random creates and updates, judged by us and by the real code: every difference is printed, with the case.

    python -m tests.cluster.validate.fuzz KADMIT CRDS --seed 1 --count 2000 [--updates 0.7] [--kinds Job,Pod] [--keep FILE]

KADMIT is the oracle's program, CRDS the folders of definitions that it loads, separated by commas. The objects that are
changed are those of the corpus (TJGEN_CORPUS).
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.cluster.validate.corpus import creates
from tests.fuzz.objects import Objects
from tjgen.cluster.schema import store
from tjgen.cluster.validate.judge import judge
from tjgen.cluster.validate.verdict import Verdict


def main(words: list[str]) -> int:
    """Compare and print; the exit code is 1 where anything differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.cluster.validate.fuzz")
    parser.add_argument("kadmit")
    parser.add_argument("crds")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--updates", type=float, default=0.7)
    parser.add_argument("--kinds", default="")
    parser.add_argument("--keep")
    given = parser.parse_args(words)
    kinds = set(filter(None, given.kinds.split(",")))
    cases = [*Objects(given.seed, bases(kinds)).cases(given.count, updates=given.updates)]
    answers = asked(given.kadmit, given.crds, cases)
    differing = [(case, answer) for case, answer in zip(cases, answers, strict=True) if said(case, answer)]
    for case, answer in differing:
        sys.stdout.write(said(case, answer) + "\n")
    if given.keep:
        lines = [json.dumps({**case, "server": answer}) + "\n" for case, answer in differing]
        Path(given.keep).write_text("".join(lines), encoding="utf-8")
    sys.stdout.write(f"seed {given.seed}: {len(cases)} cases, {len(differing)} differ\n")
    return 1 if differing else 0


def bases(kinds: set[str]) -> list[Any]:
    """The objects of the corpus, of some kinds or of all that there is a schema for."""
    found = [case["manifest"] for case in creates() if case["allowed"] and isinstance(case.get("manifest"), dict)]
    return [tree for tree in found if (not kinds or tree["kind"] in kinds) and store.find(tree["apiVersion"], tree["kind"])]


def asked(kadmit: str, crds: str, cases: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The oracle's answers, in order."""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as file:
        file.writelines(json.dumps(case) + "\n" for case in cases)
        file.flush()
        done = subprocess.run([kadmit, "--crds", crds, "--cases", file.name], check=True, capture_output=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def said(case: dict[str, Any], answer: dict[str, Any]) -> str:
    """How the two verdicts differ; "" where they do not."""
    if answer.get("stage") == "old":
        return ""  # the object to be changed could not have been there
    ours = judge(case["manifest"], old=case.get("old"))
    theirs = {(error["type"], error["field"], error["detail"]) for error in answer.get("errors") or ()}
    if (ours.allowed, ours.stage) == (answer["allowed"], answer.get("stage") or "") and _same(ours, theirs):
        return ""
    known = {fault[:3] for fault in ours.errors}
    lines = [f"{case['id']} {case['manifest']['kind']} | server {answer['allowed']} {answer.get('stage')}"]
    lines[0] += f" | ours {ours.allowed} {ours.stage}"
    lines += [f"  - {error}"[:300] for error in sorted(theirs - known)[:5]]
    lines += [f"  + {error}"[:300] for error in sorted(known - theirs)[:5]]
    return "\n".join(lines)


def _same(ours: Verdict, theirs: set[tuple[str, str, str]]) -> bool:
    if ours.stage in ("decode", "patch"):  # those words are Go's
        return True
    return {fault[:2] for fault in ours.errors} == {error[:2] for error in theirs}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
