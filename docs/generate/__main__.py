"""Writes the reference pages: `python -m docs.generate`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from docs.generate import codes, commands, models, packages, pictures, rules, runtimes, schemas, site, targets
from tjgen.language.spec.generate.__main__ import KINDS

REFERENCE = Path(__file__).parent.parent / "reference"
RULE_CODES = rules.ROOT / "tjgen" / "trees" / "diagnostics" / "rulecodes.py"


def pages() -> dict[Path, str]:
    """Each generated page with its text."""
    texts = {
        **models.pages(KINDS),
        "cli.md": commands.page(),
        "diagnostics.md": codes.page(),
        "packages.md": packages.page(),
        packages.PICTURE: packages.picture(),
        "runtimes.md": runtimes.page(),
        "schemas.md": schemas.page(),
        "targets.md": targets.page(),
        **rules.pages(),
    }
    return {
        **{REFERENCE / name: text for name, text in texts.items()},
        **pictures.pictures(),
        site.DOCS / "index.md": site.index(),
    }


def main() -> None:
    """Write every page, and the codes of rules, which the page of codes holds."""
    if RULE_CODES.read_text(encoding="utf-8") != rules.codes():
        RULE_CODES.write_text(rules.codes(), encoding="utf-8")
        subprocess.run([sys.executable, "-m", "docs.generate"], check=True)
        return
    for path, text in pages().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
