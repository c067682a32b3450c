"""An experiment that has errors -> everything that is wrong with it, its runtime included."""

from __future__ import annotations

from tjgen.compiler.building.plan import Plan
from tjgen.compiler.building.request import NAMESPACE
from tjgen.language.resolve.places import in_experiment, placed
from tjgen.language.resolve.variants import Variants
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, get
from tjgen.trees.source.document import Document

_RUNTIME: FieldPath = ("spec", "runtime")
_DECIDING = ("tasks", "sweep")
"""Fields of spec that can set the runtime."""


def all_problems(expansion: Variants, document: Document, environment: str | None, plan: Plan) -> list[Diagnostic]:
    """The diagnostics of an experiment that has no runs, each with a place in it or a note that names it."""
    problems = [*expansion.diagnostics, *_unknown_runtime(expansion, plan)]
    return [in_experiment(one, document, environment) for one in problems]


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
