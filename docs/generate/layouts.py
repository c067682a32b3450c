"""The table of layouts of checkpoints -> its lines in programs, in an example and a template, and in the page on checkpoints."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docs.generate.markdown import code, table

ROOT = Path(__file__).parent.parent.parent
TABLE = ROOT / "scripts" / "layouts.toml"
SHELL = ("scripts/checkpoints.sh",)
PYTHON = ("scripts/cleaner.py", "examples/checkpoint.py")
EXAMPLE, TEMPLATE = "examples/checkpoint.py", "templates/init/checkpoints.py"
SHARED = ("numbered", "is_complete", "is_shard", "kind", "fail")
"""Functions of the example that the template has, too."""
PAGE = "docs/how-to/checkpoints.md"
_BLOCK = re.compile(r"(?<=^# Generated from layouts\.toml)([^\n]*\n).*?(?=^# End of what is generated)", re.MULTILINE | re.DOTALL)
_ROWS = re.compile(r"(?<=^<!-- generated from scripts/layouts\.toml -->\n).*?(?=^<!-- end -->)", re.MULTILINE | re.DOTALL)


def pages() -> dict[Path, str]:
    """Each file that has a part of the table, with that part as the table has it."""
    layouts = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    shards: dict[str, str] = layouts["shards"]
    shell = f"export FLAGS='{' '.join(layouts['flags'])}'\n"
    shell += f"export SHARDS='{' '.join(f'{pattern}/{proof}' for pattern, proof in shards.items())}'\n"
    pairs = "".join(f"({json.dumps(pattern)}, {json.dumps(proof)})," for pattern, proof in shards.items())
    python = f"FLAGS = ({', '.join(map(json.dumps, layouts['flags']))})\nSHARDS = ({pairs})\n"
    found = {ROOT / name: _replaced(_BLOCK, name, shell) for name in SHELL}
    found |= {ROOT / name: _replaced(_BLOCK, name, python) for name in PYTHON}
    example = found[ROOT / EXAMPLE]
    found[ROOT / TEMPLATE] = _replaced(_BLOCK, TEMPLATE, f"{python}\n\n{_functions(example)}")
    page = _replaced(
        _ROWS, PAGE, "\n" + table(("Framework", "In `checkpoints`", "How to save"), _rows(layouts["layouts"])) + "\n"
    )
    embedded = re.compile(
        r"(?<=^<!-- output of: cat examples/checkpoint\.py -->\n```python\n).*?(?=^```$)", re.MULTILINE | re.DOTALL
    )
    assert len(embedded.findall(page)) == 1, f"{PAGE} shows the example once"
    return {**found, ROOT / PAGE: embedded.sub(lambda _: example, page)}


def _functions(example: str) -> str:
    """The text of the functions that the template shares with the example."""
    made = [one for one in ast.parse(example).body if isinstance(one, ast.FunctionDef) and one.name in SHARED]
    return "".join(f"{ast.get_source_segment(example, one)}\n\n\n" for one in made)


def _replaced(form: re.Pattern[str], name: str, text: str) -> str:
    """The content of a file with `text` in its generated part, after the rest of the line that begins the part."""
    content = (ROOT / name).read_text(encoding="utf-8")
    assert len(form.findall(content)) == 1, f"{name} has one generated part"
    return form.sub(lambda found: (found[1] if form.groups else "") + text, content)


def _rows(layouts: list[dict[str, Any]]) -> Iterator[tuple[str, ...]]:
    for one in layouts:
        fields = {key: one[key] for key in ("name", "marker", "files") if one.get(key) not in (None, "_SUCCESS", "step-")}
        written = ", ".join(
            f"{key}: {'[' + ', '.join(value) + ']' if key == 'files' else value}" for key, value in fields.items()
        )
        yield one["framework"], code(written) if written else "the defaults", one["save"]
