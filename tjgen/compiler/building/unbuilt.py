"""An experiment that has errors, or is for other environments -> everything that is wrong with it, its runtime included."""

from __future__ import annotations

from tjgen.compiler.building.plan import Plan
from tjgen.compiler.building.request import NAMESPACE
from tjgen.compiler.building.run import Built, Unit
from tjgen.language.resolve.places import in_experiment, placed
from tjgen.language.resolve.variants import Variants
from tjgen.trees.diagnostics.model import Diagnostic, has_errors
from tjgen.trees.fields.path import FieldPath, get
from tjgen.trees.source.document import Document

_RUNTIME: FieldPath = ("spec", "runtime")
_DECIDING = ("tasks", "sweep")
"""Fields of spec that can set the runtime."""


def without_runs(expansion: Variants, document: Document, environment: str | None, plan: Plan) -> Built | None:
    """A unit with what is wrong, each with a place in the experiment or a note that names it; None if it is for others.

    `expansion` has no runs, or the experiment is for other environments.
    """
    if expansion.runs and not has_errors(expansion.diagnostics):
        return None
    problems = expansion.diagnostics if expansion.runs else [*expansion.diagnostics, *_unknown_runtime(expansion, plan)]
    placed_problems = [in_experiment(one, document, environment) for one in problems]
    return Built(Unit(document, environment, "", "", document.file), [], placed_problems)


def _unknown_runtime(expansion: Variants, plan: Plan) -> list[Diagnostic]:
    """What the catalog reports of the runtime; nothing if its name or namespace is wrong, or if other fields may set it."""
    if expansion.tree is None or any((one.path or ())[:2] in (("spec",), _RUNTIME) for one in expansion.diagnostics):
        return []
    experiment = expansion.tree.value
    if any(get(experiment, ("spec", field), None) for field in _DECIDING):
        return []
    runtime = get(experiment, _RUNTIME, None)
    own = get(experiment, ("metadata", "namespace"), None)
    if runtime is None or any((one.path or ())[:2] == ("metadata", "namespace") for one in expansion.diagnostics):
        return []
    if runtime.__class__ is not dict:
        return []
    name, kind, version = (runtime.get(field) for field in ("name", "kind", "version"))
    if name.__class__ is not str or any(one is not None and one.__class__ is not str for one in (kind, version, own)):
        return []
    namespace = own or plan.request.namespace or NAMESPACE
    _, problems = plan.catalog.find(name, kind=kind, namespace=namespace, version=version)
    return placed(problems, expansion.tree, expansion.documents)
