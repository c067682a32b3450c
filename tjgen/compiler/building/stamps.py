"""Runs that differ only in opaque texts: one is compiled, and its objects are stamped with the texts of the others.

The second run of a shape is compiled twice: as it is, and with marks instead of its texts. The objects with marks are a
template if they become the objects of the run when its own texts replace the marks. From then on, runs of the shape are stamped:
scalars with marks get their texts, so the writer quotes each text by itself. A shape whose runs have diagnostics, or whose
objects have a text in another form, is never stamped. After many runs without a second one of their shape, only some of the next
ones are looked at. TJGEN_STAMPS=off compiles every run.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from tjgen.compiler.building.shapes import SWEEP, Constants, RunShape, constants_of, marks_of, shape_of, with_texts
from tjgen.compiler.hops.afterwards import is_watched
from tjgen.compiler.hops.draft import Job
from tjgen.compiler.pipeline import Compiled, compile_run
from tjgen.language.resolve.places import locate
from tjgen.language.spec.objects import Experiment
from tjgen.trees.diagnostics.model import Span
from tjgen.trees.fields.managed import Managed
from tjgen.trees.fields.path import Tree
from tjgen.trees.fields.stamp import Marks, StampedTree, stamped
from tjgen.trees.manifests.manifest import Manifest
from tjgen.trees.source.stamped import StampedText
from tjgen.trees.typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from tjgen.compiler.building.preview_template import PreviewTemplate
    from tjgen.language.catalog.runtime import CatalogRuntime
    from tjgen.trees.explain.provenance import Sources

_ShapeKey: TypeAlias = tuple[int, int, bytes]
"""The numbers of the runtime and of the sweep, and the digest of the key of the shape."""
_NAME = ("metadata", "name")
_ALIKE = 2
"""Runs of a shape that are compiled. The last of them is compiled with marks, too."""
MOST = 64
"""Templates of one build: they take most of its memory. Runs of further shapes are compiled."""
_PATIENCE = 24
"""Runs of a runtime, one after another and without a shape of an earlier one, of which each is looked at. So are files."""
_SAMPLED = 16
"""Of the next ones, one of this many is looked at, until a shape occurs again."""
_RUN = 1
"""The position of the name of the run in the texts of a shape."""
_PLACE = 2
"""The position of its place in a relation."""


class Stamps:
    """The shapes of the runs of one build."""

    def __init__(self, previews: str = "") -> None:
        """`previews`: the form of the previews that are written; empty if there are none."""
        self._previews = previews
        self._constants: dict[tuple[str | None, CatalogRuntime], tuple[int, Constants]] = {}
        """Environment and runtime -> their number and their constants."""
        self.stamped = 0
        """Runs that were not compiled."""
        self._sweeps = 0
        """Sweeps so far."""
        self._templates: dict[_ShapeKey, RunTemplate | None] = {}
        """Shape -> its template; None for a shape that is never stamped."""
        self._free = MOST
        """Templates that can be added."""
        self._runs: dict[_ShapeKey, int] = {}
        """Shape without a template -> its runs so far."""
        self._alone: dict[int, int] = {}
        """Number of a runtime -> runs since the last one with the shape of an earlier one."""
        self.latest: StampedRun | None = None
        """The last run, if there is a template of its shape."""

    def compile(self, job: Job) -> Compiled:
        """Return what `compile_run` returns, in less time for a run of a known shape."""
        self.latest = None
        number, constants = self._constants_of(job)
        alone = self._alone[number] = self._alone.get(number, 0) + 1
        shape = shape_of(job, constants) if is_looked_at(alone) else None
        if shape is None:
            return compile_run(job)
        known = (number, self._sweep_of(job), sha256(shape.key.encode(errors="surrogatepass")).digest())
        if known in self._templates:
            template = self._templates[known]
            if template is None:
                return compile_run(job)
            self._alone[number] = 0
            self.stamped += 1
            self.latest = StampedRun(job, shape, constants, template)
            return template.stamped(shape.texts, job.sources, _name_in(job.sources))
        compiled = compile_run(job)
        runs = self._runs[known] = self._runs.get(known, 0) + 1
        if runs > 1 and self._free:
            self._alone[number] = 0
        if runs == _ALIKE and self._free:
            template = self._templates[known] = _template(job, shape, constants, compiled, self._previews)
            if template is not None:
                self._free -= 1
                self.latest = StampedRun(job, shape, constants, template)
        return compiled

    def _constants_of(self, job: Job) -> tuple[int, Constants]:
        key = (job.setting.environment, job.runtime)
        known = self._constants.get(key)
        if known is None:
            known = self._constants[key] = (len(self._constants), constants_of(job))
        return known

    def _sweep_of(self, job: Job) -> int:
        """The number of the sweep of a job, 0 without one. Its points follow each other and share it: no comparison reads it."""
        sweep = job.sources.experiment.value["spec"].get(SWEEP)
        return 0 if sweep is None else job.setting.session.latest("stamped sweep", [sweep], self._next_sweep)

    def _next_sweep(self) -> int:
        self._sweeps += 1
        return self._sweeps


class StampedRun(NamedTuple):
    """A run that was stamped."""

    job: Job
    shape: RunShape
    constants: Constants
    """What passes read in addition to its experiment."""
    template: RunTemplate


def is_looked_at(alone: int) -> bool:
    """Whether to look at what is the `alone`-th in a row that is like none before it."""
    return alone <= _PATIENCE or alone % _SAMPLED == 0


def _template(job: Job, shape: RunShape, constants: Constants, compiled: Compiled, previews: str) -> RunTemplate | None:
    """The template of a shape, if it yields `compiled`, the run of the job; with the previews in this form, if it yields them."""
    marks = marks_of(shape)
    tree = job.sources.experiment
    marked = with_texts(tree.value, constants, marks)
    experiment, sources = Experiment(marked), job.sources._replace(experiment=Managed(marked, tree.owners))
    setting = job.setting._replace(family=marks[0], storage=marks[0], run=marks[1])
    if is_watched(experiment.spec, setting):
        return None
    with_marks = compile_run(job._replace(experiment=experiment, sources=sources, setting=setting))
    if with_marks.diagnostics or with_marks.footprint:
        return None  # what is reported may depend on a text, such as a number above a limit
    template = RunTemplate(with_marks, Marks(marks))
    stamped_run = template.stamped(shape.texts, job.sources, _name_in(job.sources))
    if repr(plain(stamped_run)) != repr(plain(compiled)):  # the order of keys included
        return None
    if previews:
        from tjgen.compiler.building.preview_template import preview_template  # few builds write previews

        template.previews = preview_template(with_marks, marks, previews, shape.texts, compiled)
    return template


class RunTemplate:
    """A compiled run with marks instead of its texts."""

    __slots__ = ("_compiled", "_images", "_manifests", "_relations", "_workload", "previews")

    def __init__(self, compiled: Compiled, marks: Marks) -> None:
        self.previews: PreviewTemplate | None = None
        self._compiled = compiled
        sources = compiled.sources
        manifests = dict.fromkeys([*compiled.manifests, *compiled.previews, sources.trainjob, sources.created_runtime])
        self._images = marks.stamp(compiled.images())
        self._manifests = [_ManifestStamp(one, marks) for one in manifests if one is not None]
        self._relations = [marks.stamp((*one[:_PLACE], None, *one[_PLACE + 1 :])) for one in compiled.relations]
        tree = compiled.workload.tree
        self._workload = (marks.stamp(tree.value), marks.stamp(tree.owners))

    def stamped(self, texts: Sequence[str], sources: Sources, span: Span | None) -> Compiled:
        """The run of a job of the same shape, with its texts. `span`: the place of the name of the experiment."""
        compiled = self._compiled
        manifests = {one.manifest: one.stamped(texts) for one in self._manifests}
        trainjob, runtime = compiled.sources.trainjob, compiled.sources.created_runtime
        return Compiled(
            [manifests[one] for one in compiled.manifests],
            [manifests[one] for one in compiled.previews],
            [],
            sources._replace(
                trainjob=manifests[trainjob] if trainjob is not None else None,
                created_runtime=manifests[runtime] if runtime is not None else None,
            ),
            compiled.workload._replace(name=texts[_RUN], tree=StampedTree(self._workload, texts)),
            (),
            tuple([_placed(stamped(one, texts), span) for one in self._relations]),
            known_images=tuple(sorted({*stamped(self._images, texts)})),
            known_previews=self.previews.known(texts) if self.previews is not None else None,
        )


class _ManifestStamp:
    """An object with marks."""

    __slots__ = ("labels", "manifest", "names", "owners", "text", "tree")

    def __init__(self, manifest: Manifest, marks: Marks) -> None:
        self.manifest = manifest
        self.tree = marks.stamp(manifest.tree)
        self.owners = marks.stamp(manifest.owners)
        self.names = (marks.stamp(manifest.namespace), marks.stamp(manifest.name))
        self.labels = marks.stamp(manifest.labels)
        self.text = StampedText(self.tree)

    def stamped(self, texts: Sequence[str]) -> Manifest:
        """The object with texts instead of the marks; itself if it has none."""
        marked = self.manifest
        is_shared = self.tree is marked.tree and self.owners is marked.owners
        return marked if is_shared else _StampedManifest(self, texts)


class _StampedManifest(Manifest):
    """An object whose YAML has a stamp. Its tree and origins are computed when they are read."""

    __slots__ = ("_name", "_namespace", "_stamp", "_texts")

    def __init__(self, stamp: _ManifestStamp, texts: Sequence[str]) -> None:
        self._namespace, self._name = [str(stamped(one, texts)) for one in stamp.names]
        self.stage = stamp.manifest.stage
        self.expanded = stamp.manifest.expanded
        self._stamp = stamp
        self._texts = texts

    def __getattr__(self, name: str) -> Any:
        if name == "tree":
            self.tree = stamped(self._stamp.tree, self._texts)
            return self.tree
        if name == "owners":
            self.owners = stamped(self._stamp.owners, self._texts)
            return self.owners
        raise AttributeError(name)

    @property
    def api_version(self) -> str:
        return self._stamp.manifest.api_version

    @property
    def kind(self) -> str:
        return self._stamp.manifest.kind

    @property
    def name(self) -> str:
        return self._name

    @property
    def namespace(self) -> str:
        return self._namespace

    @property
    def labels(self) -> Tree:
        return stamped(self._stamp.labels, self._texts)

    def text(self) -> str:
        """The object as YAML."""
        return self._stamp.text.of(self._texts)


def _name_in(sources: Sources) -> Span | None:
    return locate(sources.experiment, _NAME, sources.documents)


def _placed(relation: Sequence[Any], span: Span | None) -> tuple[Any, ...]:
    return (*relation[:_PLACE], tuple(span) if span is not None else None, *relation[_PLACE + 1 :])


def plain(compiled: Compiled) -> Any:
    """Everything in a result that a caller can read."""
    workload, sources = compiled.workload, compiled.sources
    manifests = [*compiled.manifests, None, *compiled.previews, None, sources.trainjob, sources.created_runtime]
    return (
        [(one.tree, one.owners, one.stage, one.expanded, one.text()) if one is not None else None for one in manifests],
        [compiled.diagnostics, compiled.footprint, compiled.relations, compiled.images()],
        [
            workload.tree.value,
            workload.tree.owners,
            workload._replace(tree=Managed(None, {}))[3:],
            workload.name,
            workload.namespace,
        ],
    )
