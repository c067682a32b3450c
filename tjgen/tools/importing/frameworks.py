"""The framework that a target or a plugin sets up -> the bundled runtime that sets it up for every target."""

from __future__ import annotations

from collections.abc import Container

from tjgen.cluster.kinds.protocol import JAX, MPI, PADDLEPADDLE, PYTORCH, XGBOOST
from tjgen.tools.importing.losses import DEFAULT, framework_of
from tjgen.trees.fields.path import Tree, get

BARE = "tjgen-bare"
"""The runtime that sets nothing. A patch that removes what another runtime sets is longer, and rejects more edits."""
OF_FRAMEWORKS = {
    PYTORCH: "tjgen-torch",
    MPI: "tjgen-mpi",
    XGBOOST: "tjgen-xgboost",
    JAX: "tjgen-jax",
    PADDLEPADDLE: "tjgen-paddle",
}
"""The framework that the operator of a target sets up -> its runtime."""
OF_PLUGINS = {"pytorch": "tjgen-torch", "mpi": "tjgen-mpi"}
"""Plugin of Volcano -> the runtime of the framework that it sets up."""


def of_plugins(plugins: Container[str]) -> str:
    """The runtime for the plugins of a Volcano Job."""
    return next((runtime for plugin, runtime in OF_PLUGINS.items() if plugin in plugins), BARE)


def with_framework(spec: Tree, target: str) -> Tree:
    """The spec for another target, with the runtime of the framework that its own target sets up for a runtime without one."""
    former = spec.get("target", DEFAULT)
    if spec.get("runtime") != BARE or former == target:
        return spec
    plugins = get(spec, ("volcano", "plugins"), None)
    of_volcano = of_plugins(plugins if plugins.__class__ is dict else ())
    return {**spec, "runtime": OF_FRAMEWORKS.get(framework_of(former), of_volcano) if former.__class__ is str else BARE}
