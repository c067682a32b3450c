"""tjgen: a compiler for training jobs that live in Git.

The public API, loaded when it is used: `build`, `expand`, `admit`, `Build`, `CompileError`, `Diagnostic`.
"""

from tjgen.trees.typing import Any

__version__ = "0.1.0"

_EXPORTS = {
    "Build": "tjgen.api",
    "admit": "tjgen.api",
    "build": "tjgen.api",
    "expand": "tjgen.api",
    "CompileError": "tjgen.trees.diagnostics.model",
    "Diagnostic": "tjgen.trees.diagnostics.model",
}

__all__ = ["Build", "CompileError", "Diagnostic", "__version__", "admit", "build", "expand"]


def __getattr__(name: str) -> Any:
    """Load an exported name; `import tjgen` alone stays free of the rest."""
    if name not in _EXPORTS:
        raise AttributeError(f"module 'tjgen' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_EXPORTS[name]), name)
