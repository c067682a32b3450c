"""tjgen: a compiler of short experiments into the Kubernetes manifests of training jobs.

The public API, loaded when it is used: the functions `build`, `expand` and `admit`, and the classes `BuildResult`, `Diff`,
`Experiment`, `CompileError` and `Diagnostic`.
`tjgen.models` contains the models that an `Experiment` consists of.
"""

from tjgen.trees.typing import Any

__version__ = "0.1.0"

_EXPORTS = {
    "BuildResult": "tjgen.api",
    "Diff": "tjgen.api",
    "Experiment": "tjgen.experiment",
    "admit": "tjgen.api",
    "build": "tjgen.api",
    "expand": "tjgen.api",
    "CompileError": "tjgen.trees.diagnostics.model",
    "Diagnostic": "tjgen.trees.diagnostics.model",
}

__all__ = ["BuildResult", "CompileError", "Diagnostic", "Diff", "Experiment", "__version__", "admit", "build", "expand"]


def __getattr__(name: str) -> Any:
    """Load an exported name; `import tjgen` alone stays free of the rest."""
    if name not in _EXPORTS:
        raise AttributeError(f"module 'tjgen' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_EXPORTS[name]), name)
