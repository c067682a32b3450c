"""A run or a claim that Flux may delete to apply it."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.lint import sources
from tjgen.gitops.lint.kinds import CLAIM, RUNS
from tjgen.gitops.lint.order import kustomization_of
from tjgen.gitops.lint.rule import ERROR, FLUX, SEEN, FieldEdit, Finding, RelatedPlace, Rule
from tjgen.gitops.lint.scene import Scene
from tjgen.gitops.lint.sync import FORCE, is_record, mark, mark_path

RULE = Rule(
    code="TJ628",
    name="forced-by-flux",
    severity=ERROR,
    evidence=SEEN,
    source=f"{sources.FLUX_SSA}/errors/immutable.go",
    since="0.1.0",
    title="Flux may force a run or a claim.",
    why="Force deletes and creates the object on every conflict and every invalid value, not only on immutable fields. A "
    "typo stops the run, and if the server rejects the new object, it stays deleted. If the object is a claim, the data"
    " is lost.",
    remedy="Remove the force. For a run, `ssa: IfNotPresent` leaves an existing object unchanged.",
    effects={
        FLUX: "A 409 or 422 in the dry run deletes the object in the background, waits for the deletion, and applies again.",
    },
    upstream="fluxcd/pkg `ssa/manager_apply.go`, `ssa/errors/immutable.go`.",
    tools=(FLUX,),
)


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each object with the mark, and for each Kustomization that forces any."""
    reported: set[int] = set()
    for item in scene.of(*RUNS, CLAIM):
        if is_record(item, FLUX):
            continue
        if mark(item, FORCE) == "enabled":
            marked = mark_path(item, FORCE)
            message = "if the server rejects an update, Flux deletes it first"
            yield Finding(item, marked, message, hint="remove the mark", changes=(FieldEdit(item, marked),))
            continue
        own = kustomization_of(scene, item)
        if own is not None and own.get("spec", "force") is True and id(own) not in reported and mark(item, FORCE) != "disabled":
            reported.add(id(own))
            path, message = ("spec", "force"), f"it forces {item}: if the server rejects an update, Flux deletes it first"
            place = RelatedPlace(item, ("metadata", "name"), "is deleted")
            yield Finding(own, path, message, hint="remove force", changes=(FieldEdit(own, path),), related=(place,))
