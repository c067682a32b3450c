"""An experiment that a Python program creates: the model of the language, which builds itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from tjgen.api import BuildResult, build
from tjgen.language.spec.authored import authored_by
from tjgen.language.spec.models import experiment
from tjgen.language.spec.models.identity import Excluded
from tjgen.language.spec.models.shape import ApiVersion
from tjgen.trees.diagnostics.model import CompileError
from tjgen.trees.source.writer import dump


class Experiment(experiment.Experiment):
    """An experiment. Its values are checked when it is built; `tjgen.models` has the models of its fields."""

    implied: ClassVar[tuple[str, ...]] = ("api_version", "kind")

    api_version: Excluded[ApiVersion] = "tjgen.dev/v1alpha1"
    """Version of the language."""
    kind: Excluded[Literal["Experiment"]] = "Experiment"
    """Kind of the document."""

    def build(
        self,
        *,
        environments: Sequence[str] = (),
        set_values: Sequence[str] = (),
        overlays: Sequence[str] = (),
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
        """The experiment as a file of YAML. Raises CompileError for a value that YAML cannot hold (TJ765)."""
        (authored,) = authored_by([self])
        tree, problems = authored.tree()
        if problems:
            raise CompileError(problems)
        return dump(tree)
