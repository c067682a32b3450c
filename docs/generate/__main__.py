"""Writes the reference pages: `python -m docs.generate`."""

from __future__ import annotations

from pathlib import Path

from docs.generate import (
    codes,
    commands,
    comparisons,
    layouts,
    manual,
    models,
    outcomes,
    packages,
    pictures,
    rules,
    runtimes,
    schemas,
    site,
    states,
    targets,
    volumes,
    words,
)
from tjgen.language.spec.generate.__main__ import KINDS

REFERENCE = Path(__file__).parent.parent / "reference"
DIAGNOSTICS = rules.ROOT / "tjgen" / "trees" / "diagnostics"


def pages() -> dict[Path, str]:
    """Each generated page with its text."""
    texts = {
        **models.pages(KINDS),
        "cli.md": commands.page(),
        "comparisons.md": comparisons.page(),
        "diagnostics.md": codes.page(),
        "outcomes.md": outcomes.page(),
        "packages.md": packages.page(),
        packages.PICTURE: packages.picture(),
        "runtimes.md": runtimes.page(),
        "schemas.md": schemas.page(),
        "states.md": states.page(),
        "targets.md": targets.page(),
        "volumes.md": volumes.page(),
        "words.md": words.page(),
        **rules.pages(),
    }
    return {
        **{REFERENCE / name: text for name, text in texts.items()},
        **pictures.pictures(),
        **layouts.pages(),
        site.DOCS / "index.md": site.index(),
        rules.ROOT / "man" / "tjgen.1": manual.page(),
    }


def main() -> None:
    """Write the codes of rules, the table of codes, and every page."""
    (DIAGNOSTICS / "rulecodes.toml").write_text(rules.codes(), encoding="utf-8")
    (DIAGNOSTICS / "table.py").write_text(codes.table(), encoding="utf-8")
    for path, text in pages().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
