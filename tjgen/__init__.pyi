"""Types of the public API, which `__init__.py` loads when it is used."""

from tjgen.api import BuildResult as BuildResult
from tjgen.api import Diff as Diff
from tjgen.api import admit as admit
from tjgen.api import build as build
from tjgen.api import expand as expand
from tjgen.experiment import Experiment as Experiment
from tjgen.trees.diagnostics.model import CompileError as CompileError
from tjgen.trees.diagnostics.model import Diagnostic as Diagnostic

__all__: list[str]
__version__: str
