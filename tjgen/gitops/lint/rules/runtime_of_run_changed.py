"""A runtime has changed that runs refer to, with a Trainer that keeps no snapshot."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.lint import sources
from tjgen.gitops.lint.kinds import RUNTIMES, TRAINJOB
from tjgen.gitops.lint.rule import ARGOCD, FLUX, SOURCE, WARNING, Finding, RelatedPlace, Rule
from tjgen.gitops.lint.scene import Scene
from tjgen.gitops.lint.sync import is_record

RULE = Rule(
    code="TJ624",
    name="runtime-of-run-changed",
    severity=WARNING,
    evidence=SOURCE,
    source=f"{sources.TRAINER}/runtime/core/trainingruntime.go",
    since="0.1.0",
    release="Trainer 2.3",
    title="With Trainer up to 2.2, a runtime has changed to which earlier TrainJobs refer.",
    why="Before 2.3, Trainer keeps no snapshot of the runtime, so a TrainJob that is suspended, or whose JobSet does "
    "not exist yet, gets the changed runtime.",
    remedy="Give the changed runtime another name, and refer to it in new runs.",
    effects={
        ARGOCD: "Synced; which runs get the change depends on timing.",
        FLUX: "Applied; which runs get the change depends on timing.",
    },
    upstream="Trainer 2.3 `<trainjob>-runtime-snapshot`, which 2.2 does not have.",
    against=True,
)


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each runtime whose `spec` differs."""
    if scene.release.keeps_snapshot:
        return
    changed = {
        id(pair.new): pair.new for pair in scene.pairs(*RUNTIMES) if pair.old.tree.get("spec") != pair.new.tree.get("spec")
    }
    for run in scene.of(TRAINJOB) if changed else ():
        runtime = scene.runtime_of(run)
        if runtime is None or id(runtime) not in changed or scene.find_before(run) is None:
            continue
        if not scene.leaves(run, is_record):
            del changed[id(runtime)]
            message = f"it has changed while {run} refers to it, and Trainer {scene.release.name} keeps no snapshot"
            related = (RelatedPlace(run, ("spec", "runtimeRef"), "refers to it"),)
            yield Finding(runtime, ("spec",), message, hint="give the changed runtime another name", key=True, related=related)
