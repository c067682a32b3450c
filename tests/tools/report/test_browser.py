"""The page in headless Chromium: as people see it, with and without JavaScript, a pointer, light, or a wide screen.

Skipped where `npm install` was not run in tests/tools/report/browser; TJGEN_BROWSER names another folder that has the modules.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.checkout import ROOT
from tests.program import tjgen

HERE = Path(__file__).parent / "browser"
MODULES = Path(os.environ.get("TJGEN_BROWSER", HERE)) / "node_modules"

pytestmark = pytest.mark.skipif(
    shutil.which("node") is None or not MODULES.is_dir(), reason="no browser: run npm install in tests/tools/report/browser"
)


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the browser found on a page with runs of every kind, in the words of look.mjs."""
    folder = tmp_path_factory.mktemp("browser")
    shutil.copytree(ROOT / "examples/gitops", folder / "gitops")
    shutil.copy(HERE / "look.mjs", folder)
    (folder / "node_modules").symlink_to(MODULES)
    answer = tjgen(folder / "gitops", "report", "--previews", "--against", "flux/deploy", "-o", str(folder / "page.html"))
    assert answer.code == 0, answer.err
    command = ["node", "look.mjs", "page.html"]
    looked = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True, timeout=120)
    found: dict[str, Any] = json.loads(looked.stdout)
    return found


def test_the_console_stays_empty(seen: dict[str, Any]) -> None:
    assert seen["console"] == []


def test_nothing_is_fetched(seen: dict[str, Any]) -> None:
    assert set(seen["requests"]) == {"file:"}
    assert len(seen["requests"]) == 7, "one for each time that the page is opened"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_accessible(scheme: str, seen: dict[str, Any]) -> None:
    assert seen["violations"][scheme] == []


@pytest.mark.parametrize("width", ["360", "768", "1280"])
def test_it_is_as_wide_as_the_screen(width: str, seen: dict[str, Any]) -> None:
    assert seen["overflow"][width] == 0


def test_it_is_used_by_the_keyboard(seen: dict[str, Any]) -> None:
    keyboard = seen["keyboard"]
    assert 'class="skip"' in keyboard["first"]
    assert keyboard["slash"] == "search"
    assert (keyboard["none"], keyboard["all"]) == (0, 6)
    assert keyboard["opened"] is True
    assert keyboard["told"].startswith("trainer:jobset trainjob spec.trainer.image <- ")


def test_it_is_complete_without_a_script(seen: dict[str, Any]) -> None:
    assert seen["withoutScript"] == {"runs": 6, "search": 0, "pictures": 1, "filtered": 2}
