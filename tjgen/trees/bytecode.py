"""The compiled modules of tjgen -> one file, from which the next start loads them.

Python searches a folder, opens a file, and reads its status for each module that it imports. This takes most of a short run.
The file contains copies of .pyc files with the size and the modification time of their sources. A module is loaded from it
only while its source has both, so a changed source is loaded as by Python itself, and the end of that run updates the file.
It also contains compiled regular expressions (see `regex.py`), and values of JSON files that are shipped with tjgen, under the
same conditions as modules. Equal parts of a value are stored once and are one object.
The file is in the `__pycache__` folder of the package, where only an account that can replace the .pyc files can replace it.
`TJGEN_BYTECODE=off` turns it off. As for .pyc files, PYTHONDONTWRITEBYTECODE prevents writing.
"""

from __future__ import annotations

import marshal
import os
import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import MAGIC_NUMBER, SourceFileLoader
from _imp import _fix_co_filename  # type: ignore[attr-defined]  # missing in the types of Python, as in its documentation

from tjgen.trees.typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import CodeType, ModuleType

    Entry = tuple[bool, int, int, int, int]
    """Whether the module is a package, time of change and size of its source, offset and length of its code.

    JSON files have entries of the same form, with "/" in their names.
    Code of length 0 represents a module without a .pyc file that can be copied.
    """
    Program = tuple[int, bytes, int, dict[str, int]]
    """A compiled pattern: flags, code, number of groups, named groups."""
    Index = tuple[dict[str, Entry], str, dict[tuple[str, int], Program]]
    """The modules and JSON files; the engine of regular expressions that runs the programs; pattern and flags -> program."""

_PACKAGE = "tjgen"
_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_OPTIMIZED = f".opt-{sys.flags.optimize}" if sys.flags.optimize else ""
_TAG = f"{sys.implementation.cache_tag}{_OPTIMIZED}"
_FILE = os.path.join(_ROOT, _PACKAGE, "__pycache__", f"modules.{_TAG}.bin")
_HEAD = len(MAGIC_NUMBER) + 32
"""The magic number of Python's bytecode, size and time of this module, the length of the index, the length of the file."""
_PYC_HEAD = 16
_status = os.stat  # by this name it is not part of what a build looks up: see cli/watching.py
_MASK = 0xFFFFFFFF

programs: dict[tuple[str, int], Program] = {}
new_programs: dict[tuple[str, int], Program] = {}
"""The compiled patterns of the file, and those to add to it."""
new_values: dict[str, tuple[int, int, bytes]] = {}
"""The values to add to the file: path of the JSON file -> time of change and size of it, the value in the form of marshal."""


def is_on() -> bool:
    """Whether modules are loaded from the file and added to it."""
    return os.environ.get("TJGEN_BYTECODE") != "off" and sys.pycache_prefix is None and sys.implementation.cache_tag is not None


def load() -> Modules:
    """Import modules from the file from now on. A file that is missing or of another Python has no modules."""
    (index, engine, stored_programs), descriptor = _open(_FILE)
    if engine == _engine():
        programs.update(stored_programs)
    modules = Modules(index, descriptor)
    sys.meta_path.insert(0, modules)
    return modules


def keeps() -> bool:
    """Whether this start writes what it compiles to the file."""
    return _finder() is not None


def value(path: str, name: str, read: Callable[[str], Any]) -> Any:
    """The value of the shipped JSON file at `path`. `read` parses its text. `name` is its place below the folder of data.

    The value must not be changed. Raises OSError if the file cannot be read.
    """
    modules = _finder()
    status = os.stat(path)
    if modules is not None:
        packed = modules.packed(name, status)
        if packed is not None:
            return marshal.loads(packed)
    with open(path, encoding="utf-8") as file:
        content = read(file.read())
    if modules is not None:
        new_values[name] = status.st_mtime_ns, status.st_size, marshal.dumps(_with_shared_parts(content, {}))
    return content


def _finder() -> Modules | None:
    for finder in sys.meta_path:
        if finder.__class__ is Modules:
            return finder
    return None


def _with_shared_parts(tree: Any, known: dict[object, Any]) -> Any:
    """A tree equal to `tree` in which equal dicts, lists and strings are one object, which marshal writes once."""
    if isinstance(tree, dict):
        tree = {_with_shared_parts(key, known): _with_shared_parts(inner, known) for key, inner in tree.items()}
        return known.setdefault((dict, *((key, _key(inner)) for key, inner in tree.items())), tree)
    if isinstance(tree, list):
        tree = [_with_shared_parts(inner, known) for inner in tree]
        return known.setdefault((list, *map(_key, tree)), tree)
    return known.setdefault(tree, tree) if isinstance(tree, str) else tree


def _key(tree: Any) -> tuple[object, ...]:
    """A key that equal parts have in common: 1, 1.0 and True are not equal here."""
    return (tree.__class__, id(tree) if isinstance(tree, (dict, list)) else tree)


class Modules:
    """A finder of Python's import system. `index` has the modules of the file that `descriptor` reads."""

    def __init__(self, index: Mapping[str, Entry], descriptor: int) -> None:
        self._index = index
        self._descriptor = descriptor
        self._before = frozenset(sys.modules)
        self._loaded: set[str] = set()

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """The module from the file; None if the file does not have it as its source is now."""
        entry = self._index.get(name)
        if entry is None:
            return None
        is_package, changed, size, offset, length = entry
        source = _source(name, is_package)
        try:
            status = _status(source)
        except OSError:
            return None
        if status.st_mtime_ns != changed or status.st_size != size:
            return None
        self._loaded.add(name)
        if not length:
            return None
        loader = _Loader(name, source)
        loader.code = marshal.loads(os.pread(self._descriptor, length, offset))
        spec = ModuleSpec(name, loader, origin=source, is_package=is_package)
        spec.has_location = True
        folder, _, base = source.rpartition("/")
        spec.cached = _compiled(folder, base)
        if is_package:
            spec.submodule_search_locations = [folder]
        return spec

    def packed(self, name: str, status: os.stat_result) -> bytes | None:
        """The stored value of a JSON file with this status; None if the file does not have it."""
        _, changed, size, offset, length = self._index.get(name, (False, -1, -1, 0, 0))
        if status.st_mtime_ns != changed or status.st_size != size:
            return None
        return os.pread(self._descriptor, length, offset)

    def keep(self) -> None:
        """Write the file again with what this start loaded without it; if it cannot be written, do nothing."""
        new = [
            name for name in sys.modules if name.startswith("tjgen.") and name not in self._loaded and name not in self._before
        ]
        if not (new or new_programs or new_values) or sys.dont_write_bytecode or not os.access(os.path.dirname(_FILE), os.W_OK):
            return
        index: dict[str, Entry] = {}
        bodies: list[bytes] = []
        offset = 0

        def add(name: str, status: tuple[bool, int, int], body: bytes) -> None:
            nonlocal offset
            index[name] = (*status, offset, len(body))
            bodies.append(body)
            offset += len(body)

        for name, (is_package, changed, size, start, length) in self._index.items():
            if name not in new and name not in new_values:
                add(name, (is_package, changed, size), os.pread(self._descriptor, length, start))
        for name in new:
            is_package = hasattr(sys.modules[name], "__path__")
            try:
                status = os.stat(_source(name, is_package))
            except OSError:  # created by a program, not loaded from a file
                continue
            add(name, (is_package, status.st_mtime_ns, status.st_size), _body(name, is_package, status))
        for name, (changed, size, packed) in new_values.items():
            add(name, (False, changed, size), packed)
        _write(_FILE, index, bodies)


class _Loader(SourceFileLoader):
    """Loads a module from code that is read already."""

    code: CodeType

    def get_code(self, fullname: str) -> CodeType:
        """The code of the module."""
        _fix_co_filename(self.code, self.path)
        return self.code


def _source(name: str, is_package: bool) -> str:
    return f"{_ROOT}/{name.replace('.', '/')}{'/__init__' if is_package else ''}.py"


def _compiled(folder: str, base: str) -> str:
    return f"{folder}/__pycache__/{base.removesuffix('.py')}.{_TAG}.pyc"


def _engine() -> str:
    import _sre  # type: ignore[import-not-found]  # missing in the types of Python, as in its documentation

    return f"{_sre.MAGIC} {_sre.CODESIZE} {_sre.MAXREPEAT}"


def _open(path: str) -> tuple[Index, int]:
    """The index with the offsets of the file, and the descriptor of the file; an empty index and -1 without a valid file."""
    empty: Index = ({}, "", {})
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return empty, -1
    head = os.pread(descriptor, _HEAD, 0)
    length, size = int.from_bytes(head[-16:-8], "little"), int.from_bytes(head[-8:], "little")
    if head[:-16] != _form() or size != os.fstat(descriptor).st_size:
        os.close(descriptor)
        return empty, -1
    return marshal.loads(os.pread(descriptor, length, _HEAD)), descriptor


def _form() -> bytes:
    """The form of the file, which changes with Python and with this module."""
    status = os.stat(__file__)
    return MAGIC_NUMBER + status.st_size.to_bytes(8, "little") + status.st_mtime_ns.to_bytes(8, "little")


def _body(name: str, is_package: bool, status: os.stat_result) -> bytes:
    """The code of a .pyc file that Python would load for the source with this status; empty if there is none."""
    folder, _, base = _source(name, is_package).rpartition("/")
    try:
        with open(_compiled(folder, base), "rb") as file:
            content = file.read()
    except OSError:
        return b""
    head = (0, int(status.st_mtime) & _MASK, status.st_size & _MASK)
    expected = MAGIC_NUMBER + b"".join(number.to_bytes(4, "little") for number in head)
    return content[_PYC_HEAD:] if content[:_PYC_HEAD] == expected else b""


def _write(path: str, index: Mapping[str, Entry], bodies: Sequence[bytes]) -> None:
    """Write the file at once, so that another start reads the old one or the new one."""

    def pack(base: int) -> bytes:
        modules = {name: (*entry[:3], entry[3] + base, entry[4]) for name, entry in index.items()}
        return marshal.dumps((modules, _engine(), programs | new_programs))

    # The offsets count from the start of the file, and the index with them has another length.
    length = len(pack(1 << 30))
    start = _HEAD + length
    packed = pack(start).ljust(length, b"\0")
    size = start + sum(map(len, bodies))
    temporary = f"{path}.{os.getpid()}"
    try:
        with open(temporary, "wb") as file:
            file.write(_form() + length.to_bytes(8, "little") + size.to_bytes(8, "little") + packed)
            file.writelines(bodies)
        os.replace(temporary, path)
    except OSError:
        return
