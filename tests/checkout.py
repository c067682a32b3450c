"""Where this checkout is, and the files that belong to it."""

from __future__ import annotations

import ast
import shutil
import subprocess
import tomllib
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# What Python, pytest, editors and operating systems create in folders that belong to others.
LITTER = (
    *("__pycache__", "*.pyc", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", ".ipynb_checkpoints"),
    *("*~", "*.swp", ".#*", "#*#", ".idea", ".vscode", "*.bak", "*.orig", "*.rej", "*.tmp"),
    *(".DS_Store", "._*", ".directory", "Thumbs.db", "desktop.ini"),
)


def tracked() -> list[str]:
    """The files that git knows, relative to the root; those of the source tree where there is no git."""
    if (ROOT / ".git").exists():
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
        return [name for name in listed.split("\0") if name and (ROOT / name).is_file()]
    return sorted(str(path.relative_to(ROOT)) for path in ROOT.rglob("*") if path.is_file() and "." not in path.parts[0])


def list_entries(folder: Path, pattern: str = "*") -> list[Path]:
    """What this repository keeps in a folder, in order; not what programs leave there, such as `__pycache__` and `.DS_Store`.

    Tests list folders of the repository with this function only, so that they do not take such a file for a case.
    """
    return sorted(path for path in folder.glob(pattern) if not any(map(is_litter, path.relative_to(folder).parts)))


def is_litter(name: str) -> bool:
    """Whether a name in a folder is one that Python, pytest, an editor or an operating system gives."""
    return any(fnmatchcase(name, pattern) for pattern in LITTER)


def copy_tree(folder: Path, target: Path) -> None:
    """Copy a folder of the repository without what programs leave there."""
    shutil.copytree(folder, target, ignore=lambda _, names: {name for name in names if is_litter(name)})


def modules() -> list[Path]:
    """Every module of the product."""
    return list_entries(ROOT / "tjgen", "**/*.py")


def parsed(module: Path) -> ast.Module:
    """The syntax tree of a module, which many tests walk and none changes."""
    return _tree(module.read_text(encoding="utf-8"))


@cache
def _tree(text: str) -> ast.Module:
    return ast.parse(text)


def copy_shipped(folder: Path) -> None:
    """Copy what a package of this checkout is built from, also what is not committed yet."""
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]["targets"]["wheel"]
    shipped = {*wheel["packages"], *wheel["force-include"]}
    files = set(wheel["shared-data"])
    for name in tracked():
        if "/" not in name or name in files or any(name.startswith(f"{part}/") for part in shipped):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
