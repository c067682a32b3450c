"""PyYAML's binding of libyaml, imported alone: the rest of PyYAML is loaded when another module imports it.

`import yaml` reads PyYAML's scanner, resolver, constructor and dumper, written in Python and not used here, which takes
longer than all other imports for the check of a file. Of these modules the binding requires only the exceptions that it
raises, and the classes of tokens and nodes, which no reader of events creates. So while it is imported they are replaced by
stubs. Afterwards the stubs are removed; the package `yaml` stays known, not yet executed, and executes at the first use of a
name in it, as if it had been imported then.
"""

from __future__ import annotations

import sys
from _frozen_importlib_external import PathFinder

from tjgen.trees.typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import ModuleType
else:
    ModuleType = type(sys)

_READ = ("error", "events")
_UNUSED = ("tokens", "nodes")
_STOOD_IN_FOR = {
    "reader": ("ReaderError", "YAMLError"),
    "scanner": ("ScannerError", "MarkedYAMLError"),
    "parser": ("ParserError", "MarkedYAMLError"),
    "composer": ("ComposerError", "MarkedYAMLError"),
    "constructor": ("ConstructorError", "MarkedYAMLError"),
    "emitter": ("EmitterError", "YAMLError"),
    "serializer": ("SerializerError", "YAMLError"),
    "representer": ("RepresenterError", "YAMLError"),
}
"""Module of PyYAML -> the exception of it that the binding raises, and the base of that in yaml.error."""


def load() -> Any:
    """The module `yaml._yaml`. Raises ImportError where PyYAML was built without libyaml, or is not installed."""
    if "yaml" not in sys.modules:
        known = set(sys.modules)
        try:
            return _load_alone()
        except (ImportError, AttributeError):  # another release of PyYAML, or no binding: the ordinary import reports which
            for name in set(sys.modules) - known:
                if name.partition(".")[0] == "yaml":
                    del sys.modules[name]
    return __import__("yaml._yaml", fromlist=["CParser"])


def _load_alone() -> Any:
    spec = PathFinder.find_spec("yaml")
    if spec is None or spec.loader is None or spec.submodule_search_locations is None:
        raise ImportError("PyYAML is not a folder on the path", name="yaml")
    package = ModuleType("yaml")
    package.__spec__, package.__loader__, package.__file__ = spec, spec.loader, spec.origin
    package.__path__, package.__package__ = spec.submodule_search_locations, "yaml"
    sys.modules["yaml"] = package
    for name in _READ:
        __import__(f"yaml.{name}")
    errors = sys.modules["yaml.error"]
    stand_ins = {name: _Unused(f"yaml.{name}") for name in (*_UNUSED, *_STOOD_IN_FOR)}
    for name, stand_in in stand_ins.items():
        sys.modules[stand_in.__name__] = stand_in
        setattr(package, name, stand_in)
    for name, (exception, base) in _STOOD_IN_FOR.items():
        setattr(stand_ins[name], exception, type(exception, (getattr(errors, base),), {"__module__": f"yaml.{name}"}))
    binding = __import__("yaml._yaml", fromlist=["CParser"])
    for name in stand_ins:
        del sys.modules[f"yaml.{name}"]
        delattr(package, name)
    package.__class__ = _Package
    return binding


class _Unused(ModuleType):
    """A stub of a module of PyYAML, in which each name is None."""

    def __getattr__(self, name: str) -> None:
        if name.startswith("__"):
            raise AttributeError(name)


class _Package(ModuleType):
    """The package `yaml` before its first use."""

    def __getattr__(self, name: str) -> Any:
        self.__class__ = ModuleType  # type: ignore[assignment]  # from now on an ordinary module
        assert self.__spec__ is not None
        assert self.__spec__.loader is not None
        self.__spec__.loader.exec_module(self)
        binding = sys.modules["yaml._yaml"]
        for module, (exception, _) in _STOOD_IN_FOR.items():
            setattr(binding, exception, getattr(sys.modules[f"yaml.{module}"], exception))
        for unused in [key for key, item in vars(binding).items() if item is None and not key.startswith("_")]:
            setattr(binding, unused, getattr(self, unused))
        return getattr(self, name)
