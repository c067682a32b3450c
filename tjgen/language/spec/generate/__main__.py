"""Writes the modules that are generated from the models and platforms: `python -m tjgen.language.spec.generate`."""

from __future__ import annotations

from pathlib import Path

from tjgen.language.spec.generate import classes, compact, exports, identity, objects
from tjgen.language.spec.models.experiment import Experiment
from tjgen.language.spec.models.overlay import Overlay
from tjgen.language.spec.models.platform import Platform
from tjgen.language.spec.models.project import Project
from tjgen.language.spec.models.settings import Settings
from tjgen.language.spec.models.shape import Shape

KINDS: list[type[Shape]] = [Experiment, Overlay, Platform, Project, Settings]


def sources() -> dict[Path, str]:
    """Each generated file with its text."""
    package = Path(__file__).parent.parent
    return {
        package / "compact.py": compact.source(KINDS),
        package / "objects.py": objects.source(KINDS),
        package / "identity.py": identity.source(),
        package.parent.parent / "models.py": exports.source(),
        package.parent / "platform" / "builtin.py": classes.source(package.parent.parent.parent / "platforms"),
    }


def main() -> None:
    """Write every generated file."""
    for path, text in sources().items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
