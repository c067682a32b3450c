"""One run through the whole pipeline: the table of contents of the program.

`HOPS` lists every step in order. Each takes the job and the draft of the step before, and returns the next draft.
Before them, `compiler/building` prepares the jobs: it finds the experiments, merges overlays, rewrites the images of the
runtime, and gives names to runs. After them, `gitops/output` writes the runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tjgen.compiler.hops import afterwards, objects, policies, verdict, workload
from tjgen.compiler.hops.draft import Draft, Job
from tjgen.language.resolve.places import placed
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.explain.provenance import Sources
from tjgen.trees.manifests.manifest import Manifest
from tjgen.trees.typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias
from tjgen.trees.workload.workload import Workload, over

if TYPE_CHECKING:
    from tjgen.compiler.totals.usage import Usage
    from tjgen.language.platform.devices import Accelerator
    from tjgen.language.setting import ClaimSizes

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
    ("resume", afterwards.resume),
    ("annotate", afterwards.annotate),
    ("archive", afterwards.archive),
)
"""The steps that every run takes after those, also one that was refused."""


COLLAPSED = "collapsed"
"""Previews with one document for equal objects."""
EACH = "each"
"""Previews with a document for each object."""


class Recorded(NamedTuple):
    """What the record of a run has in addition to its objects."""

    job: Job
    images: tuple[str, ...]
    previews: str
    """The previews as YAML, in the form that the output has; empty if it has none."""
    usage: Usage | None
    """What a summary prints of the run, if the record has it."""


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
    recorded: Recorded | None = None
    """For a result that another process recorded (see building/records.py): its objects have a text, and no specs and origins."""

    def in_full(self) -> Compiled:
        """The result with the specs and origins of all objects."""
        return self if self.recorded is None else compile_run(self.recorded.job)

    def images(self) -> tuple[str, ...]:
        """Every image of the run's pods, as it is written, in order."""
        if self.recorded is not None:
            return self.recorded.images
        from tjgen.cluster.kinds.pods import pods_of  # only an output tree records images

        image_names = set()
        for manifest in (*self.manifests, *self.previews):
            for pods in pods_of(manifest):
                for container in (*(pods.spec.get("containers") or ()), *(pods.spec.get("initContainers") or ())):
                    if container.get("image"):
                        image_names.add(container["image"])
        return tuple(sorted(image_names))

    def preview_text(self, form: str) -> str:
        """All objects that controllers create from the run, as YAML; `form` is COLLAPSED or EACH."""
        if self.recorded is not None:
            return self.recorded.previews
        from tjgen.cluster.controllers.previews import note_of  # few builds write previews

        return "---\n".join([note_of(one) + one.text() for one in self.down_to_pods(every=form == EACH)])

    def usage(self, classes: Mapping[str, Accelerator], claims: ClaimSizes) -> Usage:
        """What the run takes of the cluster. `classes`: those of devices that have a price; empty if devices are not counted.

        `claims`: the sizes of claims that exist, as the Platform states them.
        """
        if self.recorded is not None and self.recorded.usage is not None:
            return self.recorded.usage
        from tjgen.compiler.totals.usage import Usage  # few builds print a summary

        full = self.in_full()
        return Usage.of(full.manifests, full.previews, full.workload.tree.value.get("slices"), classes, claims)

    def down_to_pods(self, *, every: bool = False) -> list[Manifest]:
        """All objects that controllers create from the run; equal ones are one document unless `every` is set."""
        from tjgen.cluster.controllers.previews import follow  # few builds show them

        return list(follow(self.manifests, self.previews, every=every))


Compiler: TypeAlias = Callable[[Job], Compiled]


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
