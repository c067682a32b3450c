"""The page on comparisons with the real code, from the results files of the tests."""

from __future__ import annotations

import json
from typing import Any

from docs.generate.rules import ROOT

NOTICE = "<!-- Made by `python -m docs.generate` from tests/oracle/results.json. Change it there. -->"
INTRODUCTION = """\
tjgen mirrors code of other projects. This table lists what it mirrors, the release, how the two were compared, and which
differences are known. Recorded
comparisons run with every test run. Random comparisons run on demand, against programs that contain the real code:

```sh
python -m tests.oracle.compare --expand PROGRAM --admit KADMIT --crds FOLDERS --count 100000 --seed 1 --record
```

`--record` adds the numbers to the table. A difference that the run prints becomes a recorded case when it is fixed.
"""


def page() -> str:
    """The text of the page."""
    rows: list[dict[str, Any]] = json.loads((ROOT / "tests" / "oracle" / "results.json").read_text(encoding="utf-8"))
    lines = [
        "| what | release | compared with | cases | differing | known differences |",
        "| --- | --- | --- | ---: | ---: | --- |",
    ]
    for row in rows:
        known = " ".join(row["known"]) or "None."
        lines.append(f"| {row['what']} | {row['release']} | {row['how']} | {row['cases']:,} | {row['differing']:,} | {known} |")
    return "\n".join(["# Comparisons with the real code\n", NOTICE, "", INTRODUCTION, *lines, ""])
