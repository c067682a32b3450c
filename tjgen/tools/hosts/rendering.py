"""Experiments of files and of a stream -> the objects to apply, in one list, for a program that tjgen runs inside of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tjgen.compiler.building.compile import build
from tjgen.compiler.building.plan import make_plan
from tjgen.compiler.building.request import NAMESPACE, Request
from tjgen.gitops.output.problems import differing_file
from tjgen.trees.diagnostics.model import CompileError, Diagnostic, ObjectRef, has_errors
from tjgen.trees.fields.path import Tree
from tjgen.trees.manifests.manifest import STAGES
from tjgen.trees.session import Session
from tjgen.trees.typing import NamedTuple


class RenderRequest(NamedTuple):
    """What is to be built, and for whom."""

    paths: Sequence[str] = ()
    """Files and folders; with neither these nor `given` the whole project of the working directory."""
    given: Mapping[str, bytes] = {}
    """Experiments without a file: name -> text."""
    overlays: Sequence[str] = ()
    catalogs: Sequence[str] = ()
    environment: str | None = None
    set_values: Sequence[str] = ()
    trainer: str | None = None
    namespace: str = NAMESPACE
    choose_environment: str = "name one"
    """How an environment is chosen here, for the hint of TJ266."""


class Rendered(NamedTuple):
    """The objects in an order in which they can be applied; with errors among the diagnostics there are none."""

    objects: list[Tree]
    diagnostics: list[Diagnostic]


def rendered(options: RenderRequest) -> Rendered:
    """Build the request. Never raises because of the input."""
    try:
        return _rendered(options)
    except CompileError as error:
        return Rendered([], error.diagnostics)


def _rendered(options: RenderRequest) -> Rendered:
    request = Request(
        options.paths,
        environments=[options.environment] if options.environment else (),
        set_values=options.set_values,
        overlays=options.overlays,
        project=None if options.paths else ".",
        trainer=options.trainer,
        given=options.given,
        catalogs=options.catalogs,
        namespace=options.namespace,
        is_confined=True,
    )
    plan = make_plan(request)
    if len(plan.environments) > 1:
        raise CompileError([_several(plan.environments, options.choose_environment)])
    diagnostics: list[Diagnostic] = []
    chosen: dict[ObjectRef, Tree] = {}
    staged: dict[str, list[Tree]] = {stage: [] for stage in STAGES}
    for built in build(plan, Session()):
        diagnostics += built.diagnostics
        for run in built.runs:
            for manifest in run.compiled.manifests:
                tree = chosen.get(manifest.ref)
                if tree is None:
                    chosen[manifest.ref] = manifest.tree
                    staged[manifest.stage].append(manifest.tree)
                elif tree != manifest.tree:
                    diagnostics.append(differing_file(str(manifest.ref), run))
    objects = [] if has_errors(diagnostics) else [tree for stage in STAGES for tree in staged[stage]]
    return Rendered(objects, list(dict.fromkeys(diagnostics)))


def _several(environments: Sequence[str | None], how: str) -> Diagnostic:
    message = f"the project has several environments: {', '.join(str(name) for name in environments)}"
    return Diagnostic("TJ266", message, hint=how)
