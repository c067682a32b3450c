"""Texts -> what kubectl's reader makes of them, as tests/trees/source/recorded/kubectl.json.

Run from the root of the checkout, with Go: `python tests/oracle/goyaml/record.py`. The file is never edited by hand.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

HERE = Path(__file__).parent
RECORDED = HERE.parents[1] / "trees" / "source" / "recorded" / "kubectl.json"

WORDS = """
yes Yes YES yEs no No NO on On ON off Off OFF y Y n N true True TRUE tRUE false False FALSE null Null NULL nULL ~ ~~ nan
NaN .nan .NaN .NAN .Nan inf Infinity .inf .Inf .INF -.inf -.Inf +.INF -inf .iNF = << < ? ?x -x -- --- --a ... .. . 0 00
007 0777 -0777 +0777 08 09 -08 0_7 0o777 0O17 0o8 0o -0o17 0o-7 0o_7 0x1F 0X1f -0x1F +0x10 0x 0xG 0x_1F 0x1_F 0x1F_
0b101 0B11 -0b101 +0b11 0b 0b2 0b_1 0b-101 0b+1 -0b-1 0b1_0 0b102 0_b1 0_x5 0_0 _1 1_ 1__0 1_000 1,000 -1_0 +1 -1 --1
+-1 1e3 1E3 1e+3 1e-3 1e 1e+ e3 .e3 0e0 1.0 1. 1.5 .5 +.5 -.5 .5e3 .5_0 .5_ ._5 5._0 1_0.5 1.5_0 1._5e1_0 1.2.3 0. 00.5
-0 +0 -0.0 1e-7 1e20 1e21 1e22 1e300 1e400 -1e400 1e-400 0.1 1.10 3.14159265358979323846 123456789.0
100000000000000000000.0 9223372036854775807 9223372036854775808 -9223372036854775808 -9223372036854775809
18446744073709551615 18446744073709551616 +9223372036854775808 123456789012345678901234567890 0xFFFFFFFFFFFFFFFF
0x1FFFFFFFFFFFFFFFF -0xFFFFFFFFFFFFFFFF 0777777777777777777777 12:30 12:30:45 1:20 190:20:30.15 2001-12-14
2001-12-14t21:59:43.10-05:00 2001-1-1 2001-13-45 2001 2001- 685_230.15 10m 64Gi 1e3Gi 100k 0.5Gi 1n 5% 1/2 8080/TCP v1
1st 12ab 12e3f 0x1FG a b.c a/b a:b a#b {{x}} é 日本
"""
TAGGED = """
!!str 1|!!str|!!str ''|!!str yes|!!int '3'|!!int 3.0|!!int x|!!int 0o17
!!float 3|!!float '3'|!!float 1e3|!!float x|!!float .inf
!!float 18446744073709551615|!!bool yes|!!bool 'no'|!!bool x|!!bool 1|!!null ''|!!null ~|!!null x|!!null null|!!binary aGk=
!!binary aGk|!!binary /w==|!!binary ''|!!timestamp 2001-12-14|!!merge <<|!!foo 12|!foo 12|!foo|! 12|! '12'|! yes|!!str {a: 1}
!!map {a: 1}|!!seq [1]|!foo [1]|!!set {a: }|'yes'|"yes"|'1'|"~"|''|""
"""
# One document each, since the reader takes the first alone, and no key twice, which is refused here.
DOCUMENTS = [
    "",
    "\n",
    "# only a comment\n",
    "---\n",
    "a: 1\n",
    "a: 1",
    "- 1\n- a\n",
    "text\n",
    "'text'\n",
    "|\n  text\n",
    "a: 1\nb:\n  c: [1, {d: e}]\n  f: {g: , h}\n",
    "a:\n- b\n- - c\n  - d\n-   e: 1\n    f: 2\n",
    "{a: 1, b: [x, y], c: {}}\n",
    "a: |\n  x\n   y\n\n  z\n",
    "a: |-\n  x\n",
    "a: |+\n  x\n\n",
    "a: |2\n   x\n",
    "a: >\n  x\n  y\n\n  z\n",
    "a: >-\n  x\n   y\n  z\n",
    "a: 'it''s'\n",
    'a: "\\t\\u00e9\\x41\\n"\n',
    'a: "x\n  y\n\n  z"\n',
    "a: x\n  y\n  z\n",
    "a: b #c\nd: e#f\n",
    "{a: b:c, d: http://x}\n",
    "a:\r\n  b: 1\r\n",
    "a: 1\rb: 2\r",
    "\ufeffa: 1\n",
    "a: '\u0085'\n",
    "a: x\u2028y\n",
    "a: \U0001f600\n",
    "a: \u00a0\n",
    "x: &x {a: 1}\nb: *x\n",
    "a: &q [1, 2]\nb: *q\n",
    "a: &x 1\nb: &x 2\nc: *x\n",
    "a: &b\nc: *b\n",
    "&a a: *a\n",
    "- &a b\n- {*a : c}\n",
    "- &a 1\n- {*a : c}\n",
    "a: *missing\n",
    "a: &a [*a]\n",
    "a: &a {b: *a}\n",
    "x: &x {a: 1, b: 1}\nz:\n  <<: *x\n  c: 2\n",
    "x: &x {a: 1}\nw: &w {a: 3, b: 2}\nz: {<<: [*x, *w], c: 3}\n",
    "x: &x {a: 1}\nw: &w {<<: *x, b: 2}\nz: {<<: *w}\n",
    "z: {<<: {a: 1}, b: 2}\n",
    "z: {b: 2, <<: {a: 1}}\n",
    "z: {a: 2, <<: {a: 1}}\n",
    "z: {<<: {a: 1}, <<: {b: 2}}\n",
    "z: {<<: {a: 1}, <<: {a: 2}}\n",
    "z: {<<: [{a: 1}, {a: 2}]}\n",
    "z: {<<: 1}\n",
    "z: {<<: }\n",
    "z: {<<: [1]}\n",
    "z: {<<: [[{a: 1}]]}\n",
    "l: &l [{a: 1}]\nz: {<<: *l}\n",
    "z: {'<<': {a: 1}}\n",
    "z: {! <<: {a: 1}}\n",
    "z: {! '<<': {a: 1}}\n",
    "z: {!!merge '<<': {a: 1}}\n",
    "z: {!!str <<: {a: 1}}\n",
    "z: <<\n",
    "z: [<<]\n",
    "[a]: b\n",
    "{a: 1}: b\n",
    "? [a]\n: b\n",
    "? a\n: b\n",
    "? |\n  a\n: b\n",
    "? a\n",
    "'': b\n",
    "!!str : x\n",
    "!!null '': b\n",
    "!!int 1: a\n",
    "? !!binary aGk=\n: b\n",
    "!foo a: b\n",
    "1: a\n-1: b\n0x10: c\n1.5: d\n1e6: e\n1e-5: f\n0.0001: g\n100000.0: h\n1e39: i\n-1e39: j\n",
    "a: 1\nb\n",
    "a: b: c\n",
    "a:\n\t- 1\n",
    "a: [1\n",
    "a: {b: 1\n",
    "a: 'x\n",
    'a: "\\q"\n',
    'a: "\\ud83d\\ude00"\n',
    'a: "\\/"\n',
    "a: @x\n",
    "a: `x\n",
    "a: %x\n",
    "a: 1\n  b: 2\n",
    "a:\n  - 1\n b: 2\n",
    "- a\nb: 1\n",
    "a: - b\n",
    "%YAML 1.1\n---\na: no\n",
    "%YAML 1.2\n---\na: no\n",
    "%YAML 2.0\n---\na: no\n",
    "%TAG ! tag:x,2000:\n---\na: !b c\n",
    "%FOO\n---\na: 1\n",
    "a: !b!c d\n",
    "a: \x07\n",
    "a: \x00\n",
    "metadata: {name: a}\nspec:\n  replicas: 1.0\n  on: y\n  env:\n  - {name: N, value: 1e3}\n  - {name: Y, value: 1_0}\n",
]


def texts() -> list[str]:
    scalars = [
        *WORDS.split(),
        *(text for line in TAGGED.strip().splitlines() for text in line.split("|")),
        "",
        "- ",
        "a b",
        "1 2",
    ]
    return [*(f"v: {scalar}\n" for scalar in scalars), *(f"{scalar}: v\n" for scalar in WORDS.split()), *DOCUMENTS]


def main() -> None:
    asked = texts()
    run = subprocess.run(["go", "run", "."], cwd=HERE, input=json.dumps(asked), capture_output=True, text=True, check=True)
    cases = [{"text": text, **answer} for text, answer in zip(asked, json.loads(run.stdout), strict=True)]
    reader = next(line.split(" ", 1)[1] for line in (HERE / "go.mod").read_text().splitlines() if line.startswith("require"))
    lines = ",\n".join("    " + json.dumps(case) for case in cases)
    head = f'  "reader": {json.dumps(reader)},\n  "command": "python tests/oracle/goyaml/record.py",\n'
    RECORDED.write_text(f'{{\n{head}  "cases": [\n{lines}\n  ]\n}}\n')


if __name__ == "__main__":
    main()
