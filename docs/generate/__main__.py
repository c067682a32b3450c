"""Writes the reference pages: `python -m docs.generate`."""

from __future__ import annotations

from pathlib import Path

from docs.generate import codes, commands, models, runtimes
from tjgen.spec.generate.__main__ import KINDS

REFERENCE = Path(__file__).parent.parent / "reference"


def pages() -> dict[Path, str]:
    """Each generated page with its text."""
    texts = {
        **models.pages(KINDS),
        "cli.md": commands.page(),
        "diagnostics.md": codes.page(),
        "runtimes.md": runtimes.page(),
    }
    return {REFERENCE / name: text for name, text in texts.items()}


def main() -> None:
    """Write every page."""
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
