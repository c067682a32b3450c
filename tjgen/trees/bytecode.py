"""The compiled modules of tjgen -> one file, from which the next start loads them.

Python searches a folder, opens a file, and reads its status for each module that it imports. This takes most of a short run.
The file contains copies of .pyc files with the size and the modification time of their sources. A module is loaded from it
only while its source has both, so a changed source is loaded as by Python itself, and the end of that run updates the file.
The modules that the import of an everyday command loads are also stored as a group: they are read at once, share equal strings,
and are executed in the order in which that import completed them.
The file also contains compiled regular expressions (see `regex.py`), and values of JSON files that are shipped with tjgen, under
the same conditions as modules. Equal parts of a value are stored once and are one object.
The file is in the `__pycache__` folder of the package, where only an account that can replace the .pyc files can replace it.
`TJGEN_BYTECODE=off` turns it off. As for .pyc files, PYTHONDONTWRITEBYTECODE prevents writing.
"""

from __future__ import annotations

import marshal
import os
import sys
from _frozen_importlib import ModuleSpec, module_from_spec
from _frozen_importlib_external import MAGIC_NUMBER, PathFinder, SourceFileLoader
from _imp import _fix_co_filename  # type: ignore[attr-defined]  # missing in the types of Python, as in its documentation

from tjgen.trees.typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import CodeType, ModuleType

    Entry = tuple[bool, int, int, int, int]
    """Whether the module is a package, time of change and size of its source, offset and length of its code.

    JSON files have entries of the same form, with "/" in their names.
    Code of length 0 represents a module without a .pyc file that can be copied.
    """
    Group = tuple[tuple[tuple[str, ...], int, int], ...]
    """Modules that the import of another one loads, in order and in pieces: names, offset and length of the codes."""
    Program = tuple[int, bytes, int, dict[str, int]]
    """A compiled pattern: flags, code, number of groups, named groups."""
    Index = tuple[dict[str, Entry], dict[str, Group], tuple[int, int]]
    """Modules and JSON files; imported module -> its group; offset and length of the patterns."""
    from tjgen.trees.bytecode_file import Part
else:
    ModuleType = type(sys)

_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_OPTIMIZED = f".opt-{sys.flags.optimize}" if sys.flags.optimize else ""
_TAG = f"{sys.implementation.cache_tag}{_OPTIMIZED}"
_FOLDER = os.path.join(_ROOT, "tjgen", "__pycache__")
_FILE = os.path.join(_FOLDER, f"modules.{_TAG}.bin")
_HEAD = len(MAGIC_NUMBER) + 32
"""Length of: the magic number of Python's bytecode, size and time of this module, length of the index, length of the file."""
_status = os.stat  # by this name it is not part of what a build looks up: see cli/watching.py

GROUPED = frozenset([f"tjgen.cli.{command}" for command in ("build", "check", "diff", "expand", "lint", "verify")])
"""Modules whose imports are stored as groups: those of everyday commands. Each group has a copy of its modules."""
new_programs: dict[tuple[str, int], Program] = {}
"""The compiled patterns to add to the file."""
new_values: dict[str, tuple[int, int, bytes]] = {}
"""The values to add to the file: path of the JSON file -> time of change and size of it, the value in the form of marshal."""


def is_on() -> bool:
    """Whether modules are loaded from the file and added to it."""
    return os.environ.get("TJGEN_BYTECODE") != "off" and sys.pycache_prefix is None and sys.implementation.cache_tag is not None


def load() -> Modules:
    """Import modules from the file from now on. A file that is missing or of another Python has no modules."""
    modules = Modules(*_open(_FILE))
    sys.meta_path.insert(0, modules)
    return modules


def keeps() -> bool:
    """Whether this start writes what it compiles to the file."""
    return _finder() is not None


def programs() -> dict[tuple[str, int], Program]:
    """The compiled patterns of the file, by text and flags."""
    modules = _finder()
    return {} if modules is None else modules.programs()


def value(path: str, name: str, read: Callable[[str], Any]) -> Any:
    """The value of the shipped JSON file at `path`. `read` parses its text. `name` is its place below the folder of data.

    The value must not be changed. Raises OSError if the file cannot be read.
    """
    modules = _finder()
    status = os.stat(path)
    if modules is not None and (packed := modules.packed(name, status)) is not None:
        return marshal.loads(packed)
    with open(path, encoding="utf-8") as file:
        content = read(file.read())
    if modules is not None:
        from tjgen.trees.bytecode_file import pack  # only for what the file does not have

        new_values[name] = status.st_mtime_ns, status.st_size, pack(content)
    return content


def _finder() -> Modules | None:
    for finder in sys.meta_path:
        if finder.__class__ is Modules:
            return finder
    return None


class Modules:
    """A finder of Python's import system. `index` has the modules of the file that `descriptor` reads."""

    def __init__(self, index: Index, descriptor: int) -> None:
        self._entries, self._groups, self._patterns = index
        self._descriptor = descriptor
        self._programs: dict[tuple[str, int], Program] | None = None
        self._codes: dict[str, CodeType] = {}
        self._before = frozenset(sys.modules)
        self._loaded: set[str] = set()
        self.order: list[str] | None = None
        self.orders: dict[str, list[str]] = {}
        """Imported module -> the modules that its import loaded, in order of completion; `order` is the current one."""

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """A module of tjgen as its source is now, from the file or as Python finds it, or `collections`."""
        if name == "collections":
            from tjgen.trees.deferred import defer  # a stored answer needs no collections

            return defer(PathFinder.find_spec(name), _Module("collections.abc"))
        if not name.startswith("tjgen."):
            return None
        if name in self._groups:
            self._execute(self._groups[name])
        spec = self._stored(name)
        if spec is None:
            spec = PathFinder.find_spec(name, path)
            if spec is not None and isinstance(spec.loader, SourceFileLoader):
                spec.loader = _Loader(name, spec.loader.path, self)
        return spec

    def _execute(self, group: Group) -> None:
        """Execute the modules of a group, so that the import of their module does not search for each of them."""
        for names, offset, length in group:
            self._codes.update(zip(names, marshal.loads(self._read(offset, length)), strict=True))
            for name in names:
                parent, _, base = name.rpartition(".")
                spec = self._stored(name) if name not in sys.modules and parent in sys.modules else None
                if spec is None:
                    continue
                module = sys.modules[name] = module_from_spec(spec)
                try:
                    spec.loader.exec_module(module)  # type: ignore[union-attr]  # a spec of `_stored` has a loader
                except Exception:  # noqa: BLE001  # raised again by the import statement of this module, which may expect it
                    del sys.modules[name]
                    return
                setattr(sys.modules[parent], base, module)

    def _stored(self, name: str) -> ModuleSpec | None:
        """The module from the file; None if the file does not have it as its source is now."""
        entry = self._entries.get(name)
        if entry is None:
            return None
        is_package, changed, size, offset, length = entry
        try:
            status = _status(source := _source(name, is_package))
        except OSError:
            return None
        if status.st_mtime_ns != changed or status.st_size != size:
            return None
        self._loaded.add(name)
        if not length:
            return None
        code = self._codes.pop(name, None) or marshal.loads(self._read(offset, length))
        _fix_co_filename(code, source)
        spec = ModuleSpec(name, _Loader(name, source, self, code), origin=source, is_package=is_package)
        spec.has_location = True
        spec.cached = _compiled(source)
        if is_package:
            spec.submodule_search_locations = [os.path.dirname(source)]
        return spec

    def programs(self) -> dict[tuple[str, int], Program]:
        """The compiled patterns of the file; none if they are of another engine of regular expressions."""
        if self._programs is None:
            engine, programs = marshal.loads(self._read(*self._patterns)) if self._descriptor >= 0 else ("", {})
            self._programs = programs if engine == _engine() else {}
        return self._programs

    def packed(self, name: str, status: os.stat_result) -> bytes | None:
        """The stored value of a JSON file with this status; None if the file does not have it."""
        _, changed, size, offset, length = self._entries.get(name, (False, -1, -1, 0, 0))
        if status.st_mtime_ns != changed or status.st_size != size:
            return None
        return self._read(offset, length)

    def keep(self) -> None:
        """Write the file again with what this start loaded without it; if it cannot be written, do nothing."""
        new = {name for name in sys.modules if name.startswith("tjgen.")} - self._loaded - self._before
        orders = {name: order for name, order in self.orders.items() if name not in self._groups}
        if not (new or orders or new_programs or new_values) or sys.dont_write_bytecode or not os.access(_FOLDER, os.W_OK):
            return
        from tjgen.trees.bytecode_file import body, group, write  # only if there is something to write

        parts: dict[str, Part] = {}
        for name, (is_package, changed, size, offset, length) in self._entries.items():
            if name not in new and name not in new_values:
                parts[name] = (is_package, changed, size, self._read(offset, length))
        for name in new:
            source = _source(name, is_package := hasattr(sys.modules[name], "__path__"))
            try:
                status = os.stat(source)
            except OSError:  # created by a program, not loaded from a file
                continue
            parts[name] = (is_package, status.st_mtime_ns, status.st_size, body(_compiled(source), status))
        for name, (changed, size, packed) in new_values.items():
            parts[name] = (False, changed, size, packed)
        groups = {name: group(order, parts) for name, order in orders.items()}
        for name, pieces in self._groups.items():
            if all(new.isdisjoint(names) for names, *_ in pieces):
                groups[name] = [(names, self._read(*place)) for names, *place in pieces]
        write(_FILE, _form(), parts, groups, (_engine(), self.programs() | new_programs))

    def _read(self, offset: int, length: int) -> bytes:
        return os.pread(self._descriptor, length, offset)


class _Module(ModuleType):
    """A module of tjgen.

    `from module import name` looks for `__path__` first. Python 3.11 formats the message of an error if an instance of its own
    class of modules has none, which takes longer than the rest of the import. The look-up of `object` has no message.
    """

    __getattribute__ = object.__getattribute__


class _Loader(SourceFileLoader):
    """Loads a module from `code` that is read already, or else as Python does, and notes when the module is complete."""

    def __init__(self, name: str, path: str, modules: Modules, code: CodeType | None = None) -> None:
        super().__init__(name, path)
        self._modules, self._code = modules, code

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """A module without content."""
        return _Module(spec.name)

    def get_code(self, fullname: str) -> CodeType | None:
        """The code of the module."""
        return self._code or super().get_code(fullname)

    def exec_module(self, module: ModuleType) -> None:
        """Execute the module, and note the order of all modules that its import loads."""
        modules, is_outermost = self._modules, self._modules.order is None
        order = modules.order = [] if modules.order is None else modules.order
        try:
            super().exec_module(module)
        finally:
            if is_outermost:
                modules.order = None
        order.append(self.name)
        if is_outermost and self.name in GROUPED and len(order) > 1:
            modules.orders[self.name] = order


def _source(name: str, is_package: bool) -> str:
    return f"{_ROOT}/{name.replace('.', '/')}{'/__init__' if is_package else ''}.py"


def _compiled(source: str) -> str:
    folder, _, base = source.rpartition("/")
    return f"{folder}/__pycache__/{base.removesuffix('.py')}.{_TAG}.pyc"


def _engine() -> str:
    import _sre  # type: ignore[import-not-found]  # missing in the types of Python, as in its documentation

    return f"{_sre.MAGIC} {_sre.CODESIZE} {_sre.MAXREPEAT}"


def _open(path: str) -> tuple[Index, int]:
    """The index with the offsets of the file, and the descriptor of the file; an empty index and -1 without a valid file."""
    empty: Index = ({}, {}, (0, 0))
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return empty, -1
    head = os.pread(descriptor, _HEAD, 0)
    length, size = int.from_bytes(head[-16:-8], "little"), int.from_bytes(head[-8:], "little")
    if head[:-16] != _form() or size != os.fstat(descriptor).st_size:
        os.close(descriptor)
        return empty, -1
    return marshal.loads(os.pread(descriptor, length, size - length)), descriptor


def _form() -> bytes:
    """The form of the file, which changes with Python and with this module."""
    status = os.stat(__file__)
    return MAGIC_NUMBER + status.st_size.to_bytes(8, "little") + status.st_mtime_ns.to_bytes(8, "little")
