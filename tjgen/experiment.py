"""An experiment that a Python program creates: the model of the language, which builds itself."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Literal

from tjgen.api import BuildResult, build
from tjgen.language.spec.authored import authored_by
from tjgen.language.spec.calls import caller
from tjgen.language.spec.models import experiment
from tjgen.language.spec.models.experiment import ExperimentSpec
from tjgen.language.spec.models.identity import Excluded
from tjgen.language.spec.models.metadata import Metadata
from tjgen.language.spec.models.shape import ApiVersion
from tjgen.trees.diagnostics.model import CompileError, Diagnostic, Span
from tjgen.trees.source.writer import dump

FILE = "program.py"
"""The file of a function in the pods."""
_PROGRAM = ("script", "command", "args", "code")


class Experiment(experiment.Experiment):
    """An experiment. Its values are checked when it is built; `tjgen.models` has the models of its fields."""

    implied: ClassVar[tuple[str, ...]] = ("api_version", "kind")

    api_version: Excluded[ApiVersion] = "tjgen.dev/v1alpha1"
    """Version of the language."""
    kind: Excluded[Literal["Experiment"]] = "Experiment"
    """Kind of the document."""

    @classmethod
    def from_function(
        cls,
        function: Callable[..., object],
        arguments: Mapping[str, object] | None = None,
        *,
        metadata: Metadata | Mapping[str, Any],
        spec: ExperimentSpec | Mapping[str, Any],
    ) -> Experiment:
        """An experiment whose program is a Python function, called with `arguments`, which are plain JSON values.

        The source of the function becomes the file `program.py` of `code`, and the runtime's launcher starts it. Raises
        CompileError (TJ768) for a function that uses anything outside of itself, has no source, or does not take the arguments.
        """
        from tjgen.language.codebase.function import program_of

        call = caller(lambda module: module == "tjgen" or module.startswith("tjgen."))
        program = program_of(function, arguments or {}, call.span())
        given = spec if isinstance(spec, Mapping) else spec.__dict__
        fields = spec if isinstance(spec, Mapping) else spec.model_fields_set
        diagnostics = [*program.diagnostics, *(_taken(name, call.span()) for name in _PROGRAM if name in fields and given[name])]
        if diagnostics:
            raise CompileError(diagnostics)
        parts: dict[str, Any] = {"script": FILE, "code": {"configMap": {"files": {FILE: program.text}}}}
        whole = {**spec, **parts} if isinstance(spec, Mapping) else spec.model_copy(update=parts)
        return cls(metadata=metadata, spec=whole)  # type: ignore[arg-type]

    def build(
        self,
        *,
        environments: str | Sequence[str] = (),
        set_values: str | Sequence[str] = (),
        overlays: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
        project: str | None = None,
        trainer: str | None = None,
        trusted: bool = False,
    ) -> BuildResult:
        """Compile the experiment, as `tjgen.build(documents=[...])` does with the same arguments."""
        return build(
            documents=[self],
            environments=environments,
            set_values=set_values,
            overlays=overlays,
            project=project,
            trainer=trainer,
            trusted=trusted,
        )

    def to_yaml(self) -> str:
        """The experiment as a file of YAML. Raises CompileError for values that YAML cannot hold, and fields of other models."""
        (authored,) = authored_by([self])
        tree, problems = authored.tree()
        if problems:
            raise CompileError(problems)
        return dump(tree)


def _taken(field: str, place: Span) -> Diagnostic:
    message = f"the spec has {field}, but the function is the program"
    return Diagnostic("TJ768", message, span=place, hint=f"remove {field}")
