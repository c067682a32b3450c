"""The package `collections` -> the same package, executed when the program uses a name of it.

Most modules import only `collections.abc`, which Python has loaded at its start under another name. The package itself, and the
modules that it imports, take longer than the modules of a small package of tjgen.
"""

from __future__ import annotations

import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import SourceFileLoader

from tjgen.trees.typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import ModuleType
else:
    ModuleType = type(sys)


def defer(spec: ModuleSpec | None, abc: ModuleType) -> ModuleSpec | None:
    """The package `collections` with this spec, executed on use; `abc` becomes its module `collections.abc`."""
    if spec is not None and spec.loader.__class__ is SourceFileLoader and spec.origin is not None:
        spec.loader = _DeferringLoader(spec.name, spec.origin, abc)
    return spec


class _DeferringLoader(SourceFileLoader):
    def __init__(self, name: str, path: str, abc: ModuleType) -> None:
        super().__init__(name, path)
        self._abc = abc

    def exec_module(self, module: ModuleType) -> None:
        """Make `collections.abc` known, and nothing else."""
        vars(self._abc).update({**vars(sys.modules["_collections_abc"]), "__name__": self._abc.__name__})
        sys.modules[self._abc.__name__] = self._abc
        module.abc = self._abc  # type: ignore[attr-defined]  # as the import of a submodule does
        module.__class__ = _Deferred


class _Deferred(ModuleType):
    """A package before its first use."""

    def __getattr__(self, name: str) -> Any:
        self.__class__ = ModuleType  # type: ignore[assignment]  # from now on an ordinary module
        SourceFileLoader.exec_module(self.__loader__, self)  # type: ignore[arg-type]  # the loader above
        return getattr(self, name)
