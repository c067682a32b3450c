"""Writes the modules that are generated from the models and platforms: `python -m tjgen.language.spec.generate`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from tjgen.language.spec.generate import classes, compact, exports, identity, objects
from tjgen.language.spec.models.experiment import Experiment
from tjgen.language.spec.models.overlay import Overlay
from tjgen.language.spec.models.platform import Platform
from tjgen.language.spec.models.project import Project
from tjgen.language.spec.models.settings import Settings
from tjgen.language.spec.models.shape import Shape

KINDS: list[type[Shape]] = [Experiment, Overlay, Platform, Project, Settings]


PACKAGE = Path(__file__).parent.parent
SOURCES: dict[Path, Callable[[], str]] = {
    PACKAGE / "compact.py": partial(compact.source, KINDS),
    PACKAGE / "objects.py": partial(objects.source, KINDS),
    PACKAGE / "identity.py": identity.source,
    PACKAGE.parent.parent / "models.py": exports.source,
    PACKAGE.parent / "platform/builtin.py": partial(classes.source, PACKAGE.parent.parent.parent / "platforms"),
}
"""Each generated file, and what gives its text."""


def main() -> None:
    """Write every generated file."""
    # All texts before all files: a text may come from a module that this replaces.
    for path, text in [(path, source()) for path, source in SOURCES.items()]:
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
