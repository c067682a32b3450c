"""Promoted runs that a build keeps as they are -> the same runs with the state that the sources set for their environment.

The experiment of such a run has changed since its promotion, so the build does not compile it.
A state is not content, so it still applies.
"""

from __future__ import annotations

from tjgen.compiler.building.run import Built
from tjgen.gitops.emit.plan import OutputFile
from tjgen.gitops.output import problems
from tjgen.gitops.output.actions import Action, Put, ReportDiagnostic
from tjgen.gitops.output.carried import trees
from tjgen.gitops.output.disk import OnDisk
from tjgen.gitops.output.layout import folder_of
from tjgen.language.resolve.variants import KeptState
from tjgen.language.runs import freeze
from tjgen.language.runs.lock import ACTIVE, SUSPENDED, Lock, LockedRun
from tjgen.trees.source.writer import dump


def change_states(built: Built, kept: KeptState, lock: Lock, on_disk: OnDisk) -> tuple[list[Action], Lock]:
    """The changed files of the kept runs, and the lock with the state that `kept` names; TJ225 for the others.

    Archived runs and those that were edited by hand stay as they are.
    """
    actions: list[Action] = []
    runs = dict(lock.runs)
    for name in built.kept_names:
        run = runs.get(name)
        if run is None or not _changes(run, kept.state):
            continue
        if not kept.applies:
            actions.append(ReportDiagnostic(problems.not_for_promoted(built.unit, name, kept.state)))
            continue
        folder = folder_of(built.unit, run)
        bodies = on_disk.bodies(folder)
        if freeze.content_digest(bodies) != run.content:
            continue
        before = trees(bodies)
        reason = next((reason for tree in before.values() if (reason := freeze.unstoppable(tree)) is not None), None)
        if reason is not None:
            actions.append(ReportDiagnostic(problems.not_suspended(built.unit, name, kept.state, reason)))
            continue
        is_stop = kept.state == SUSPENDED
        after = {path: (freeze.stopped(tree) or tree) if is_stop else freeze.resumed(tree) for path, tree in before.items()}
        texts = {path: bodies[path] if tree == before[path] else dump(tree) for path, tree in after.items()}
        source, key = built.unit.source, built.unit.key
        actions += [
            Put(OutputFile(f"{folder}/{path}", text, source, key)) for path, text in texts.items() if text != bodies[path]
        ]
        runs[name] = run._replace(state=kept.state, content=freeze.content_digest(texts), resumed=not is_stop)
    return actions, lock._replace(runs=runs) if actions else lock


def _changes(run: LockedRun, state: str) -> bool:
    return not run.archived and state != run.state and {state, run.state} == {ACTIVE, SUSPENDED}
