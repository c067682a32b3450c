"""A run whose edit blocks all objects of its Kustomization."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tjgen.gitops.lint import sources
from tjgen.gitops.lint.kinds import OPERATOR_JOBS, RUNS
from tjgen.gitops.lint.rule import FLUX, SEEN, WARNING, FieldEdit, Finding, Rule
from tjgen.gitops.lint.scene import Scene
from tjgen.gitops.lint.sync import SSA, annotation, is_record, mark

RULE = Rule(
    code="TJ629",
    name="edited-run-blocks-flux",
    severity=WARNING,
    evidence=SEEN,
    source=f"{sources.FLUX_SSA}/manager_apply.go",
    since="0.1.0",
    title="A run with a fixed name is synced by Flux without `ssa: IfNotPresent`.",
    why="The server rejects an edit of such a run, and a rejected object blocks the whole Kustomization. A run whose name "
    "ends in a hash of its content is never edited under its name. Other runs must not be changed after they are "
    "created.",
    remedy="Name runs by their content, as tjgen does, or mark them `ssa: IfNotPresent` from the first commit on; add "
    "`prune: disabled` if the record must stay.",
    effects={
        FLUX: "Every edit of an immutable field makes the dry run of the stage fail.",
    },
    upstream="fluxcd/pkg `ssa/manager_apply.go`, `ssa/utils/meta.go`.",
    tools=(FLUX,),
)

_HASH = re.compile(r"-((?=[a-z]*[0-9])[0-9a-z]{7,10}|[b-df-hj-np-tv-z]{8})(-r[0-9]+)?\Z")
"""The end of a name that follows its content: letters that make no word, and how often it was run again."""


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each run that the server refuses to change; a suspended one has to be changed once, to start.

    Jobs of the Training Operator and the MPI Operator can be edited: no webhook or schema of theirs refuses it.
    """
    for run in scene.of(*RUNS) if not scene.is_guess else ():
        if (
            run.kind in OPERATOR_JOBS
            or is_record(run, FLUX)
            or mark(run, SSA) == "ifnotpresent"
            or run.get("spec", "suspend") is True
        ):
            continue
        if _HASH.search(run.name) is None:
            message = "an edit of it is rejected, which blocks its whole Kustomization"
            change = FieldEdit(run, annotation(SSA), "IfNotPresent")
            by_content = "remove spec.naming, so that its name follows its content"
            hint = f"annotate it: {SSA}: IfNotPresent" if run.document is not None else by_content
            yield Finding(run, ("metadata", "name"), message, hint=hint, changes=(change,))
