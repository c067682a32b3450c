"""Runs of one environment -> the same runs in another: of the same sources, code and image digests, each written with its origin.

The training itself must be the same: image, command, code. The settings of an environment, such as
nodes, devices or queues, may differ, and are reported. Digests are those that the run was built with, even if
tags are pinned to others now; the lock keeps them for the run in the other environment.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence

from tjgen.compiler.building.compile import build
from tjgen.compiler.building.plan import Plan, make_plan
from tjgen.compiler.building.request import Digests, Promotion, Request
from tjgen.compiler.building.run import Run, Unit
from tjgen.gitops.output.foresight import foresee
from tjgen.gitops.output.history import refuse, sources
from tjgen.gitops.output.inventory import RunEntry
from tjgen.gitops.output.options import BuildOptions
from tjgen.gitops.output.write import WriteResult, write
from tjgen.language.platform.images import rewrite, tagged
from tjgen.language.resolve.variants import Variant
from tjgen.trees.canonical import json_text
from tjgen.trees.diagnostics.model import ERROR, CompileError, Diagnostic, Note, Span, has_errors
from tjgen.trees.fields.path import FieldPath, Tree, render
from tjgen.trees.manifests.leaves import leaves
from tjgen.trees.session import Session
from tjgen.trees.typing import NamedTuple

_TRAINED = ("image", "command", "args", "script", "launcher", "workingDir", "code", "initializer")
_OF_ROLES = ("image", "command", "args", "script", "workingDir")
"""What a run trains, by the words of an experiment: no overlay may make it another one."""


class _PromotedRun(NamedTuple):
    """A run to promote, as its sources give it in its own environment."""

    entry: RunEntry
    run: Run
    digests: Mapping[str, str]
    """Long form of an image -> the digest that the run was built with."""


def promote(chosen: Sequence[RunEntry], environment: str, directory: str, project: str, *, force: bool = False) -> WriteResult:
    """Build the runs for `environment` into the output tree; `project` is the folder of the project.

    Raises CompileError (TJ081, TJ085, TJ730 to TJ735) where one cannot be promoted.
    """
    plan, warnings = _prepared(chosen, environment, directory, project)
    return _reported(write(plan, directory, None, options=BuildOptions(force=force), renew=[]), warnings)


def preview(
    chosen: Sequence[RunEntry], environment: str, directory: str, project: str, *, force: bool = False
) -> tuple[WriteResult, list[str]]:
    """The same without writing, and a line for each file that it would change."""
    plan, warnings = _prepared(chosen, environment, directory, project)
    written, lines = foresee(plan, directory, options=BuildOptions(force=force))
    return _reported(written, warnings), lines


def _prepared(chosen: Sequence[RunEntry], environment: str, directory: str, project: str) -> tuple[Plan, list[Diagnostic]]:
    refuse(_at_home(entry) for entry in chosen if entry.place.environment == environment)
    return planned(chosen, sources(chosen, directory, project), environment, project)


def _reported(written: WriteResult, warnings: Sequence[Diagnostic]) -> WriteResult:
    """The result with what differs in the environment. A run that stays as it is needs a command of its own to change."""
    renewing = ("use --renew ", "use tjgen runs rerun ")
    own = [one._replace(hint=one.hint.replace(*renewing)) if one.hint is not None else one for one in written.diagnostics]
    return written._replace(diagnostics=[*warnings, *own])


def planned(chosen: Sequence[RunEntry], paths: Sequence[str], environment: str, project: str) -> tuple[Plan, list[Diagnostic]]:
    """The plan that builds the runs of the sources at `paths` for `environment`, and what differs there.

    Raises CompileError (TJ730 to TJ735).
    """
    refuse(_no_source(path) for path in paths if not os.path.isfile(path))
    # Sources may be in another project: what counts is the one that has the lock.
    directory = project or "."
    origins = [_origin(entry, paths, directory) for entry in chosen]
    _agreeing(origins)
    plan = make_plan(_request(paths, environment, directory, origins))
    return plan, _judged(plan, origins, environment)


def _origin(entry: RunEntry, paths: Sequence[str], project: str) -> _PromotedRun:
    """Return the run as built now. Raise CompileError if no experiment has it (TJ733), or an image has no digest (TJ731)."""
    environments = [entry.place.environment] if entry.place.environment else []
    plan = make_plan(Request(paths, environments=environments, project=project, digests=Digests(is_listed=True)))
    runs = [run for built in build(plan, Session()) for run in built.runs if run.unit.key == entry.place.key]
    seen = {image for run in runs for image in run.images}
    run = next((run for run in runs if run.name == entry.run.name), None)
    if run is None:
        raise CompileError([_not_requested(entry)])
    rules = plan.rewrites(run.unit.environment)
    digests: dict[str, str] = {}
    loose = []
    for image in entry.run.images:
        name, _, digest = image.partition("@")
        if digest:
            digests |= {full: digest for one in seen if rewrite(one, rules) == name and (full := tagged(one))}
        elif tagged(image) is not None:
            loose.append(image)
    refuse(_loose(entry, image) for image in loose)
    return _PromotedRun(entry, run, digests)


def _agreeing(origins: Sequence[_PromotedRun]) -> None:
    """Runs that are promoted together were built with the same digests of the same images."""
    first: dict[str, _PromotedRun] = {}
    for origin in origins:
        for image, digest in origin.digests.items():
            other = first.setdefault(image, origin)
            if other.digests[image] != digest:
                raise CompileError([_disagreeing(other.entry, origin.entry, image)])


def _request(paths: Sequence[str], environment: str, project: str, origins: Sequence[_PromotedRun]) -> Request:
    """These runs alone, with their digests."""
    digests = {image: digest for origin in origins for image, digest in origin.digests.items()}
    promotions = []
    for origin in origins:
        variant, document = origin.run.variant, origin.run.unit.document
        key = f"{origin.entry.place.key}/{origin.entry.run.name}"
        promotions.append(Promotion(document.file, document.index, variant.point, variant.task, key))
    return Request(paths, environments=[environment], project=project, digests=Digests(digests), promotions=tuple(promotions))


def _match(unit: Unit, variant: Variant, origins: Sequence[_PromotedRun]) -> _PromotedRun | None:
    """The run that is the same point of the same experiment."""
    for origin in origins:
        own = origin.run.unit.document
        is_same = (own.file, own.index) == (unit.document.file, unit.document.index)
        if is_same and (origin.run.variant.point, origin.run.variant.task) == (variant.point, variant.task):
            return origin
    return None


def _judged(plan: Plan, origins: Sequence[_PromotedRun], environment: str) -> list[Diagnostic]:
    """What differs between the runs and what they become, and is not an obstacle. Raises CompileError where something is."""
    warnings: list[Diagnostic] = []
    problems: list[Diagnostic] = []
    promoted: set[str] = set()
    for built in build(plan, Session()):
        problems += [one for one in built.diagnostics if one.severity == ERROR]
        for run in built.runs:
            origin = _match(run.unit, run.variant, origins)
            assert origin is not None, "only chosen runs are built"
            promoted.add(origin.entry.run.name)
            for path, before, after in _differences(origin.run, run):
                diagnostic = _difference(origin, run, path, before, after)
                (problems if diagnostic.severity == ERROR else warnings).append(diagnostic)
            locked = plan.locks.of(run.unit).runs.get(run.name)
            stands = set(locked.images) if locked is not None else set(run.compiled.images())
            missing = sorted({_digest(image) for image in origin.entry.run.images} - {_digest(image) for image in stands})
            if not has_errors(problems):
                problems += [_other_digest(origin, run, digest, stands=locked is not None) for digest in missing]
    if not problems:
        problems = [_not_in_environment(one.entry, environment) for one in origins if one.entry.run.name not in promoted]
    refuse(problems)
    return warnings


def _digest(image: str) -> str:
    return image.partition("@")[2] or image


def _differences(before: Run, after: Run) -> Iterator[tuple[FieldPath, Tree, Tree]]:
    """Yield path and both values of the fields that differ between the two experiments, with their overlays."""
    old, new = (dict(leaves(run.variant.tree.value["spec"], ("spec",))) for run in (before, after))
    for path in sorted({*old, *new}, key=render):
        if old.get(path) != new.get(path):
            yield path, old.get(path), new.get(path)


def _is_trained(path: FieldPath) -> bool:
    return path[1] in _TRAINED or (path[1] == "roles" and len(path) > 3 and path[3] in _OF_ROLES)


def _difference(origin: _PromotedRun, run: Run, path: FieldPath, before: Tree, after: Tree) -> Diagnostic:
    new_place, old_place = _place(run, path), _place(origin.run, path)
    old, new = (origin.entry.place.environment or "its project"), run.unit.environment
    difference = f"{render(path)} is {_shown(after)} in {new}, but {_shown(before)} in {old}"
    if _is_trained(path):
        message = f'run "{origin.entry.run.name}" cannot be promoted: {difference}'
        hint = "change the overlays so that both environments run the same content, or run it there as a separate experiment"
        note = (Note(f"{old} gets it from here", old_place),) if old_place is not None else ()
        return Diagnostic("TJ732", message, span=new_place, related=note, hint=hint)
    place = new_place if after is not None or old_place is None else old_place
    return Diagnostic("TJ734", difference, span=place)


def _place(run: Run, path: FieldPath) -> Span | None:
    """Return the place of a field of a merged experiment."""
    origins = run.variant.tree.origins(path)
    document = run.compiled.sources.documents.get(origins[-1].source) if origins else None
    return document.locate(origins[-1].because) if document is not None else run.unit.document.locate(("spec",))


def _shown(value: Tree) -> str:
    """The value as YAML has it: text in quotes, so that it cannot be mistaken for words of the message."""
    return "not set" if value is None else json_text(value, ascii_only=False)


def _at_home(entry: RunEntry) -> Diagnostic:
    message = f'run "{entry.run.name}" is already a run of environment {entry.place.environment}'
    hint = "name a run of another environment"
    if entry.run.promoted_from:
        message = f"{message}, promoted from {entry.run.promoted_from}"
        origin = entry.run.promoted_from.rpartition("/")[2]
        hint = f"to run it again there, use tjgen runs rerun {entry.run.name}; to promote, {hint}"
        if not entry.run.is_requested:
            back = f"tjgen promote {origin} --env {entry.place.environment}"
            hint = f"to go back to it, restore its experiment from Git, use tjgen build, and then {back}"
    return Diagnostic("TJ730", message, hint=hint)


def _loose(entry: RunEntry, image: str) -> Diagnostic:
    message = (
        f'run "{entry.run.name}" cannot be promoted: its image {image} was built without a digest, so it can be a '
        f"different image now"
    )
    hint = f"run tjgen pin, then tjgen build --renew {entry.run.name}, and promote the new run"
    return Diagnostic("TJ731", message, hint=hint)


def _no_source(path: str) -> Diagnostic:
    message = f"the experiment {path} no longer exists"
    return Diagnostic("TJ733", message, hint="restore it from Git")


def _not_requested(entry: RunEntry) -> Diagnostic:
    message = f'run "{entry.run.name}" cannot be promoted: experiment {entry.place.key} no longer requests it'
    hint = "restore the experiment from Git, or promote a run that it now requests"
    return Diagnostic("TJ733", message, hint=hint)


def _not_in_environment(entry: RunEntry, environment: str) -> Diagnostic:
    message = f'run "{entry.run.name}" cannot be promoted: its experiment has no such run in {environment}'
    hint = "change the overlays so that both environments have the same sweep"
    return Diagnostic("TJ733", message, hint=hint)


def _disagreeing(first: RunEntry, second: RunEntry, image: str) -> Diagnostic:
    message = f'runs "{first.run.name}" and "{second.run.name}" were built with different digests of {image}'
    return Diagnostic("TJ735", message, hint="promote one after the other")


def _other_digest(origin: _PromotedRun, run: Run, digest: str, *, stands: bool) -> Diagnostic:
    image = next(one for one in origin.entry.run.images if _digest(one) == digest)
    name, where = origin.entry.run.name, run.unit.environment
    if stands:
        message = f'run "{name}" cannot be promoted: {where} has it as "{run.name}", which was built without {image}'
        hint = f"use tjgen runs rerun {run.name} to run it there with the images that are pinned now"
    else:
        message = f'run "{name}" cannot be promoted: in {where}, no pod uses {image}'
        hint = (
            f"if the sources have changed since, use tjgen build --renew {name}, and promote the new run; "
            f"otherwise, let overlays and patches use the same images in both environments"
        )
    span = run.unit.document.locate(("metadata", "name"))
    return Diagnostic("TJ735", message, span=span, hint=hint)
