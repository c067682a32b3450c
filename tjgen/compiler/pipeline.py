"""One run through the whole pipeline: the table of contents of the program.

`HOPS` lists every step in order. Each takes the job and the draft of the step before, and returns the next draft.
Before them, `compiler/building` prepares the jobs: it finds the experiments, merges overlays, rewrites the images of the
runtime, and gives names to runs. After them, `gitops/output` writes the runs.
"""

from __future__ import annotations

from collections.abc import Callable

from tjgen.compiler.hops import afterwards, objects, policies, verdict, workload
from tjgen.compiler.hops.draft import Draft, Job
from tjgen.language.resolve.places import placed
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.explain.provenance import Sources
from tjgen.trees.manifests.manifest import Manifest
from tjgen.trees.typing import Any, NamedTuple, TypeAlias
from tjgen.trees.workload.workload import Workload, over

Hop: TypeAlias = Callable[[Job, Draft], Draft]

HOPS: tuple[tuple[str, Hop], ...] = (
    ("arrange", workload.arrange),
    ("initialize", workload.initialize),
    ("lower", workload.lower),
    ("contribute", workload.contribute),
    ("check", workload.check),
    ("target", objects.target),
    ("patch", objects.patch),
    ("expand", objects.expand),
    ("finish", objects.finish),
    ("judge", verdict.judge),
    ("police", policies.police),
)
"""The steps of a run, in order. A step that refuses the run ends them."""
AFTERWARDS: tuple[tuple[str, Hop], ...] = (
    ("footprint", afterwards.footprint),
    ("relate", afterwards.relate),
    ("annotate", afterwards.annotate),
    ("archive", afterwards.archive),
)
"""The steps that every run takes after those, also one that was refused."""


class Compiled(NamedTuple):
    """Result of compiling one run."""

    manifests: list[Manifest]
    """Objects to apply, in an order in which they can be applied."""
    previews: list[Manifest]
    """Objects that controllers create from them."""
    diagnostics: list[Diagnostic]
    sources: Sources
    workload: Workload
    """The run before its target."""
    footprint: tuple[Any, ...] = ()
    """What it takes of resources that other runs share (see totals/shared.py)."""
    relations: tuple[Any, ...] = ()
    """Names and gangs of its objects (see totals/relations.py)."""

    def down_to_pods(self, *, every: bool = False) -> list[Manifest]:
        """All objects that controllers create from the run; equal ones are one document unless `every` is set."""
        from tjgen.cluster.controllers.previews import follow  # few builds show them

        return list(follow(self.manifests, self.previews, every=every))


def compile_run(job: Job) -> Compiled:
    """The run after all hops; a hop that refuses it ends the table early, except for `AFTERWARDS`."""
    setting = job.setting
    base, rewritten = job.runtime.tree["spec"], job.runtime.rewritten
    draft = Draft(over(base, name=setting.run, namespace=setting.namespace, rewritten=rewritten), job.sources)
    for _, hop in HOPS:
        draft = hop(job, draft)
        if draft.is_refused:
            break
    sources = draft.sources
    draft = draft._replace(diagnostics=placed(_once(draft.diagnostics), sources.experiment, sources.documents))
    for _, hop in AFTERWARDS:
        draft = hop(job, draft)
    return Compiled(draft.applied, draft.previews, draft.diagnostics, sources, draft.workload, draft.footprint, draft.relations)


def _once(diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    """Merge equal diagnostics of several pod sets into one."""
    return list(dict.fromkeys(diagnostics))
