"""Records what Go's `regexp` makes of random patterns and texts.

python -m tests.cluster.schema.record_patterns PROGRAM

PROGRAM is the program of tests/oracle/patterns: go build tests/oracle/patterns/main.go. The result is
tests/cluster/schema/patterns.jsonl.xz.
"""

from __future__ import annotations

import json
import lzma
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

RECORDED = Path(__file__).parent / "patterns.jsonl.xz"
_ATOMS: tuple[str, ...] = (
    *"abcxs-.éſ",
    *("[ab]", "[^a]", "[a-c]", "[^\\W]", "[\\d-z]", "[]a]", "[[:alpha:]]", "[[:^word:]]", "[a-]", "(?i)[^k]", "[\\pL1]"),
    *("\\d", "\\w", "\\W", "\\s", "\\S", "\\pL", "\\PN", "\\p{Lu}", "\\x61", "\\141", "\\.", "\\Q.*\\E", "\\n"),
    *("^", "$", "\\b", "\\B", "\\A", "\\z", "(?m)^", "(?m)$", "(?s).", "(?i)A", "(?i:k)", "(?i:é)", "(?i:ß)", "(?U:a*)"),
)
_REPEATED: tuple[str, ...] = ("*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "{0,2}?", "{2,}", "{0}", "")
_WRONG = (
    *("(", ")", "a**", "a*+", "*", "+a", "|*", "(?i)*", "[", "[a", "[z-a]", "[[:nothing:]]", "(?P<n>a)(?P<n>b)", "(?P<a-b>c)"),
    *("\\1", "\\C", "\\", "\\x{110000}", "\\xg", "\\8", "a{1001}", "a{2,1}", "(a{100}){11}", "(?=a)", "(?<!a)", "(?#c)", "(?z)"),
    *("(?i-)a", "(?i-s:a)b", "(?-i)a", "a{,2}", "a{01}", "a{", "a{1,", "{1}", "\\pX", "\\p{Nothing}", "[\\z]", "[a-\\d]", "(?:"),
    *(
        "(?<n>a)",
        "(?P<n>a|b)c",
        "(a{10}){100}",
        "((a{10}){10}){10}",
        "x{0}{2}",
        "(?",
        "(?P<",
        "\\_",
        "\\Z",
        "\\G",
        "\\h",
        "(?:^)*",
    ),
    *(
        "(" * 1001 + ")" * 1001,
        "(" * 300 + "a" + ")" * 300,
        "(|a)*",
        "(|a)+",
        "(a*)*",
        "(a*)+",
        "(a|b)*?c",
        "[^\\x00-\\x{10FFFF}]",
    ),
)


def generated(rng: random.Random, depth: int) -> str:
    """A random pattern, which is right except by chance."""
    choice = rng.random()
    if depth == 0 or choice < 0.35:
        return rng.choice(_ATOMS)
    if choice < 0.6:
        return generated(rng, depth - 1) + generated(rng, depth - 1)
    if choice < 0.75:
        return f"({generated(rng, depth - 1)}|{generated(rng, depth - 1)})"
    if choice < 0.83:
        return f"{rng.choice(('', generated(rng, depth - 1)))}|{generated(rng, depth - 1)}"
    return "".join(("(", rng.choice(("", "?:")), generated(rng, depth - 1), ")", rng.choice(_REPEATED)))


def text(rng: random.Random) -> str:
    """A random text of characters that the patterns are about."""
    return "".join(rng.choice("aabbcAKkSs-. x1\nék\u017fßÉ") for _ in range(rng.randrange(10)))


def cases() -> Iterator[dict[str, object]]:
    """The patterns with their texts."""
    rng = random.Random(43)
    for pattern in (*_WRONG, *(generated(rng, 5) for _ in range(3_000))):
        yield {"pattern": pattern, "texts": [text(rng) for _ in range(6)]}


def main(program: str) -> None:
    """Record the answers of Go."""
    asked = list(cases())
    lines = "".join(f"{json.dumps(case)}\n" for case in asked)
    answers = subprocess.run([program], input=lines, capture_output=True, text=True, check=True).stdout.splitlines()
    recorded = [{**case, **json.loads(answer)} for case, answer in zip(asked, answers, strict=True)]
    packed = "".join(f"{json.dumps(one, ensure_ascii=False)}\n" for one in recorded)
    RECORDED.write_bytes(lzma.compress(packed.encode()))


if __name__ == "__main__":
    main(sys.argv[1])
