"""Files of Python -> the modules that they need from elsewhere, each with the place where it is imported first.

Imports under `TYPE_CHECKING`, or in a `try` that handles their absence, are not needed.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Sequence

from tjgen.language.codebase.files import CodeFile
from tjgen.trees.typing import NamedTuple

_ELSEWHEN = frozenset(
    (
        "aifc",
        "annotationlib",
        "asynchat",
        "asyncore",
        "audioop",
        "cgi",
        "cgitb",
        "chunk",
        "compression",
        "crypt",
        "distutils",
        "imghdr",
        "imp",
        "lib2to3",
        "mailcap",
        "msilib",
        "nis",
        "nntplib",
        "ossaudiodev",
        "pipes",
        "smtpd",
        "sndhdr",
        "spwd",
        "sunau",
        "telnetlib",
        "uu",
        "xdrlib",
    )
)
"""Modules that only some releases of Python from 3.11 on have: the result must not depend on the running one."""
STANDARD = sys.stdlib_module_names | _ELSEWHEN
_OPTIONAL = ("ImportError", "ModuleNotFoundError", "Exception")


class ImportSite(NamedTuple):
    """Where a module is imported."""

    path: str
    line: int


class BrokenError(Exception):
    """A file is not Python of this release."""

    def __init__(self, place: ImportSite, reason: str) -> None:
        super().__init__(reason)
        self.place = place


def needed(files: Sequence[CodeFile]) -> tuple[dict[str, ImportSite], list[BrokenError]]:
    """Top-level modules that are neither Python's own nor among `files`, sorted; and the files that cannot be understood."""
    sources = [file for file in files if file.path.endswith(".py")]
    own = _own([file.path for file in sources])
    sites: dict[str, ImportSite] = {}
    broken = []
    for file in sources:
        try:
            tree = ast.parse(file.content(), filename=file.path)
        except SyntaxError as error:
            broken.append(BrokenError(ImportSite(file.path, error.lineno or 1), error.msg))
            continue
        except (ValueError, RecursionError) as error:
            broken.append(BrokenError(ImportSite(file.path, 1), str(error)))
            continue
        for name, line in _imports(tree.body):
            if name not in STANDARD and name not in own:
                sites.setdefault(name, ImportSite(file.path, line))
    return dict(sorted(sites.items())), broken


def _own(paths: Sequence[str]) -> set[str]:
    """Names that the code's own modules may be imported by: every file and every folder that holds one."""
    names = set()
    for path in paths:
        *folders, last = path.split("/")
        names.update(folders)
        names.add(last.removesuffix(".py"))
    return names


def _imports(body: Sequence[ast.stmt]) -> Iterator[tuple[str, int]]:
    waiting: list[ast.AST] = list(reversed(body))
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            yield from ((alias.name.partition(".")[0], node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            if node.level == 0 and node.module:
                yield node.module.partition(".")[0], node.lineno
        elif isinstance(node, ast.If) and _is_type_checking(node.test):
            waiting += reversed(node.orelse)
        elif isinstance(node, ast.Try) and any(_is_optional(handler) for handler in node.handlers):
            waiting += reversed([*node.orelse, *node.finalbody])
        else:
            waiting += reversed(list(ast.iter_child_nodes(node)))


def _is_type_checking(test: ast.expr) -> bool:
    return (isinstance(test, ast.Name) and test.id == "TYPE_CHECKING") or (
        isinstance(test, ast.Attribute) and test.attr == "TYPE_CHECKING"
    )


def _is_optional(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    caught = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(isinstance(one, ast.Name) and one.id in _OPTIONAL for one in caught)
