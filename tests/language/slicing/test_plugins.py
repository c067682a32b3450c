"""Strategies of files: what goes wrong in the code of others is told with its line, and never a traceback."""

from __future__ import annotations

from pathlib import Path

import pytest

from tjgen.language.slicing.division import divide
from tjgen.language.slicing.items import DataItems, listed
from tjgen.language.slicing.proof import Plan
from tjgen.trees import trust

GOOD = """
NEEDS_SIZES = False
def plan(items, count, options):
    print("noise")
    return [[i for i in range(len(items)) if i % count == n] for n in range(count)]
"""


def items() -> DataItems:
    return listed([("a", 1), ("b", 2), ("c", 3)], ())[0]


def divided(text: str | None, folder: Path) -> tuple[Plan | None, list[str]]:
    file = folder / "mine.py"
    if text is not None:
        file.write_text(text)
    with trust.granted():
        plan, found = divide(items(), 2, "mine", because=(), files={"mine": str(file)})
    return plan, [f"{one.code} {one.message}".replace(str(folder), "") for one in found]


def test_a_file_divides(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert divided(GOOD, tmp_path) == ([[0, 2], [1]], [])
    assert capsys.readouterr().out == ""
    assert [path.name for path in tmp_path.iterdir()] == ["mine.py"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param(None, "TJ356 the strategy mine cannot be read from /mine.py: No such file or directory", id="no file"),
        pytest.param("def plan(:\n", "TJ356 the strategy mine fails in line 1: SyntaxError", id="no Python"),
        pytest.param(
            "import nowhere\n", "TJ356 the strategy mine fails in line 1 of mine.py: ModuleNotFoundError", id="an import"
        ),
        pytest.param("raise SystemExit(0)\n", "TJ356 the strategy mine fails in line 1 of mine.py: SystemExit: 0", id="an exit"),
        pytest.param(
            "NEEDS_SIZES = False\n",
            "TJ356 the strategy mine is not a strategy: /mine.py must define a function plan",
            id="no plan",
        ),
        pytest.param(
            "NEEDS_SIZES = False\ndef plan(items, count, options):\n    return items[99]\n",
            "TJ356 the strategy mine fails in line 3 of mine.py: IndexError",
            id="a mistake",
        ),
        pytest.param(
            "NEEDS_SIZES = False\ndef plan(items, count, options):\n    return None\n",
            "TJ356 the strategy mine does not return a list of lists",
            id="nothing returned",
        ),
        pytest.param(
            "NEEDS_SIZES = False\ndef plan(items, count, options):\n    raise ValueError('wants more items')\n",
            "TJ307 mine wants more items",
            id="a refusal",
        ),
        pytest.param(
            GOOD + "def bound(items, count, options):\n    return 1\n",
            "TJ317 slice 0 of mine has 2 items, but mine promises at most 1",
            id="a promise that is not kept",
        ),
        pytest.param(
            GOOD + "def bound(items, count, options):\n    return 'few'\n",
            "TJ356 the strategy mine has a bound that is not a number: 'few'",
            id="a bound that is none",
        ),
    ],
)
def test_what_goes_wrong_is_told(text: str | None, message: str, tmp_path: Path) -> None:
    plan, [found] = divided(text, tmp_path)
    assert plan is None
    assert found.startswith(message), found
