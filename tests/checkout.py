"""Where this checkout is, and the files that belong to it."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def tracked() -> list[str]:
    """The files that git knows, relative to the root; those of the source tree where there is no git."""
    if (ROOT / ".git").exists():
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
        return [name for name in listed.split("\0") if name and (ROOT / name).is_file()]
    return sorted(str(path.relative_to(ROOT)) for path in ROOT.rglob("*") if path.is_file() and "." not in path.parts[0])


def modules() -> list[Path]:
    """Every module of the product."""
    return sorted((ROOT / "tjgen").rglob("*.py"))
