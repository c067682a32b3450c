"""Models -> `tjgen/models.py`: every model of an experiment under one name to import from."""

from __future__ import annotations

from tjgen.language.spec.generate.shapes import models
from tjgen.language.spec.models.experiment import Experiment
from tjgen.language.spec.models.shape import Shape

_WIDTH = 130
HEADER = '''"""Every model of an experiment, for experiments in Python: `from tjgen.models import ExperimentSpec, Metadata`.

Generated from tjgen/language/spec/models by `python -m tjgen.language.spec.generate`; not edited by hand.
"""

from __future__ import annotations

'''


def source() -> str:
    """The text of the module."""
    wanted = sorted([*((one.__module__, one.__name__) for one in exported()), ("tjgen.experiment", "Experiment")])
    modules = {module: [name for home, name in wanted if home == module] for module, _ in wanted}
    imports = "".join(_import(module, names) for module, names in modules.items())
    names = "".join(f'    "{name}",\n' for name in sorted(name for _, name in wanted))
    return f"{HEADER}{imports}\n__all__ = [\n{names}]\n"


def _import(module: str, names: list[str]) -> str:
    line = f"from {module} import {', '.join(names)}\n"
    if len(line) <= _WIDTH:
        return line
    return f"from {module} import (\n" + "".join(f"    {name},\n" for name in names) + ")\n"


def exported() -> list[type[Shape]]:
    """The models that an experiment consists of, apart from `Experiment` itself."""
    return [one for one in models([Experiment]) if one is not Experiment]
