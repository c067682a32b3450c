"""The `environments` of an experiment -> whether it is built for an environment, and what is wrong with the list."""

from __future__ import annotations

from collections.abc import Sequence

from tjgen.compiler.building.plan import Plan
from tjgen.language.resolve.places import placed
from tjgen.language.resolve.variants import Variants
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath
from tjgen.trees.source.document import Document

_FIELD: FieldPath = ("spec", "environments")


def is_for(expansion: Variants, environment: str | None) -> bool:
    """Whether an experiment that has runs is for an environment: it lists the environment, or none."""
    wanted = expansion.runs[0].experiment.spec.environments
    return not wanted or environment in wanted


def with_known_environments(expansion: Variants, plan: Plan) -> Variants:
    """The experiment, with TJ262 for each environment that it lists and the project does not have."""
    if not expansion.runs:
        return expansion
    variant = expansion.runs[0]
    known = plan.project.spec.environments
    unknown = [
        plan.project.unknown_environment(name)._replace(path=(*_FIELD, position))
        for position, name in enumerate(variant.experiment.spec.environments)
        if name not in known
    ]
    if not known:
        unknown = [one._replace(hint="remove environments, or add the environment to tjgen.yaml") for one in unknown]
    problems = placed(unknown, variant.tree, expansion.documents)
    return expansion._replace(diagnostics=[*expansion.diagnostics, *problems]) if problems else expansion


def not_built(document: Document, environments: Sequence[str | None]) -> Diagnostic:
    """TJ227 for an experiment that the command names, and that is for none of the environments of the command."""
    names = ", ".join(str(name) for name in environments)
    message = f"spec.environments does not contain {names}, so the command has nothing to build"
    hint = f"add {names} to environments, or name another environment with --env"
    return Diagnostic("TJ227", message, path=_FIELD, span=document.locate(_FIELD), hint=hint)
