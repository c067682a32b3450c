"""A project and its tree, or a revision of it -> the migration from the layout of the tree to that of the project."""

from __future__ import annotations

from collections.abc import Mapping

from tjgen.compiler.building.plan import Plan
from tjgen.gitops.diff.revision import Repository
from tjgen.gitops.emit.ondisk import below
from tjgen.gitops.output.clusters import relocations, warnings
from tjgen.gitops.output.layout import stage_folder
from tjgen.gitops.output.moves import is_empty, on_disk, stages, tool_of_runs, wanted
from tjgen.gitops.output.outdated import outdated
from tjgen.gitops.output.planned import body_of
from tjgen.gitops.output.relocation import present_tree
from tjgen.gitops.sync import handover
from tjgen.gitops.sync.access import GITOPS
from tjgen.gitops.sync.handover import HandoverStep
from tjgen.gitops.sync.ownership import Layout, Move, layouts, unknown
from tjgen.trees.diagnostics.model import CompileError, Diagnostic
from tjgen.trees.manifests.manifest import RUNS, STAGES, SYNC
from tjgen.trees.typing import NamedTuple


class Migration(NamedTuple):
    """The steps of a migration."""

    steps: list[HandoverStep]
    """Empty if no object gets another owner, and the release of Trainer can read every run."""
    next: int
    """Position of the first step that may not be done yet, as far as the tree shows it."""


def migration(plan: Plan, directory: str, revision: str | None) -> Migration:
    """The migration to the layout of the project.

    It begins at the layout of `revision`; without one at that of the tree, or if that is the project's, at that of the last
    commit. Raises CompileError if a file or the revision cannot be read.
    """
    late = outdated(plan, directory, {})
    first = handover.upgrade([one.run for one in late], late[0].release) if late else []
    source = present_tree(plan, directory) if is_empty(plan, directory) else None
    if source is not None:
        return Migration([*first, *_relocation(plan, source, directory)], 0)
    new, present = _wanted(plan), _present(plan, directory)
    before = present if revision is None and _moves(present, new, directory) else _of_revision(directory, revision)
    moves = _moves(before, new, directory)
    since = present if revision is None and relocations(plan, present, new, plan.locks) else _of_revision(directory, revision)
    for one in relocations(plan, since, new, plan.locks):
        first += handover.to_cluster(one.runs, one.old, one.new, builds=not moves)
    if not moves:
        return Migration(first, 0)
    if first or _moves(present, new, directory):
        position = 0
    elif _moves(_of_revision(directory, None), new, directory):
        position = handover.COMMIT
    else:
        position = handover.COMMIT + 1
    return Migration([*first, *handover.plan(moves, directory)], position)


def _relocation(plan: Plan, source: str, directory: str) -> list[HandoverStep]:
    """The steps that move the tree from `source`. The owners are released: an ApplicationSet would delete its Applications."""
    old, new = _present(plan, source), _wanted(plan)
    moves = [_move(layout, new[environment], environment, source) for environment, layout in old.items() if environment in new]
    known = [move for move in moves if move.stages]
    return handover.plan(known, directory, source) if known else handover.relocation(source, directory)


def adoption(plan: Plan, directory: str, environment: str, revision: str | None) -> Migration:
    """The steps that give the runs of the project without environments to `environment`.

    They begin at the layout of the tree; if the runs are in the environment already, at that of `revision` or of the last
    commit. Raises CompileError if the revision cannot be read.
    """
    is_present = any(below(directory, stage) for stage in STAGES)
    old = (layouts(on_disk(directory, [None])) if is_present else _of_revision(directory, revision)).get("")
    if old is None:
        tool = tool_of_runs(plan, directory, None) if is_present else None
        if tool is None:
            return Migration(handover.adoption(directory, environment) if is_present else [], 0)
        old = unknown(tool)
    wanted = _wanted(plan)
    objects = dict.fromkeys(one for layout in wanted.values() for one in layout.objects)
    new = wanted.get(environment, unknown(plan.project.spec.gitops.tool))._replace(objects=tuple(objects))
    move = _move(old, new, "" if is_present else environment, directory)
    return Migration(handover.plan([move], directory, environment=environment), 0 if is_present else handover.COMMIT)


def since(plan: Plan, directory: str, revision: str, adopting: str | None = None) -> list[Diagnostic]:
    """TJ281 and TJ259 if objects have another owner or cluster than in a revision. Raises CompileError as `migration` does.

    `adopting`: the environment that got the runs of the project without environments.
    """
    before, after = _of_revision(directory, revision), _wanted(plan)
    if adopting is not None and "" in before:
        before = {adopting: before[""], **{name: layout for name, layout in before.items() if name}}
    moves = _moves(before, after, directory)
    owners = [(move.old.owner(stage), move.new.owner(stage)) for move in moves for stage in STAGES if stage in move.stages]
    changed = [(old, new) for old, new in owners if old != new]
    elsewhere = warnings(plan, relocations(plan, before, after, plan.locks))
    if not changed:
        return elsewhere
    old, new = changed[-1]
    message = f"synced objects move from {old} to {new} since {revision}, and a sync may delete what its owner no longer applies"
    option = f" --environment {adopting}" if adopting is not None else ""
    document = plan.project.document
    span = document.locate(GITOPS) if document is not None else None
    hint = f"follow the steps of tjgen migrate{option} {revision} before you merge"
    return [Diagnostic("TJ281", message, span=span, hint=hint), *elsewhere]


def _wanted(plan: Plan) -> dict[str, Layout]:
    known = layouts(wanted(plan))
    return {name or "": known.get(name or "", unknown(plan.project.spec.gitops.tool)) for name in plan.environments}


def _present(plan: Plan, directory: str) -> dict[str, Layout]:
    present = layouts(on_disk(directory, plan.environments))
    for environment in plan.environments if not present else ():
        tool = tool_of_runs(plan, directory, environment)
        if tool is not None:
            present[environment or ""] = unknown(tool)
    return present


def _moves(before: Mapping[str, Layout], after: Mapping[str, Layout], directory: str) -> list[Move]:
    """The environments that get another layout; none if no environment has objects."""
    moves = []
    for environment, old in before.items():
        new = after.get(environment)
        if new is not None and (old.identity != new.identity or (new.name and old.path != new.path)):
            moves.append(_move(old, new, environment, directory))
    return moves if any(move.stages for move in moves) else []


def _move(old: Layout, new: Layout, environment: str, directory: str) -> Move:
    namespaces = below(directory, stage_folder(environment or None, RUNS))
    folders = [folder.split("/")[-2:] for namespace in namespaces for folder in below(directory, namespace)]
    experiments = tuple((namespace, experiment) for namespace, experiment in folders)
    return Move(old, new, stages(directory, environment), experiments)


def _of_revision(directory: str, revision: str | None) -> dict[str, Layout]:
    """The layouts of a revision, or of the last commit; none outside of a repository, or before its first commit."""
    try:
        repository = Repository.around(directory)
        commit = repository.commit(revision or "HEAD")
    except CompileError:
        if revision is not None:
            raise
        return {}
    read = repository.files(
        commit, repository.path_of(directory), wanted=lambda path: f"/{path}".rpartition("/")[0].endswith(f"/{SYNC}")
    )
    bodies = {path: body_of(content) for path, content in read.items()}
    return layouts({path: body for path, body in bodies.items() if body is not None})
