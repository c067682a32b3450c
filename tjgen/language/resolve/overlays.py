"""An experiment and its context -> the merged experiment, with the owner of every part.

    platform defaults, environment  <  overlays of layer default  <  experiment
        <  overlays of layer environment  <  --set

Settings of the Platform that depend on values of the experiment are below all of these (`claims.py`).

Defaults that the language itself has are not part of the tree: `spec.objects` fills them in.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from tjgen.language.resolve.layers import EMPTY, Contradiction, Layer, LayerPart, merged, part
from tjgen.language.resolve.match import applies_to, facts_of, holds, is_like
from tjgen.language.resolve.places import Documents, other_origin, source_of, span_of
from tjgen.language.resolve.project import LoadedProject, OverlayDocument
from tjgen.language.resolve.spelling import spelled
from tjgen.language.spec.compact import EXPERIMENT_FORM, OVERLAY_FORM, PLATFORM_FORM
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.managed import Managed
from tjgen.trees.fields.path import FieldPath, Tree, get, render
from tjgen.trees.k8s.nearest import nearest
from tjgen.trees.source.document import Document
from tjgen.trees.typing import NamedTuple

EXPERIMENT = "experiment"
_OVERLAID: FieldPath = ("spec", "experiment")
_DEFAULTS: FieldPath = ("spec", "defaults")
_LABELS = "match.labels selects labels that experiments set in metadata; for labels of an environment, use match.environments"


class Resolved(NamedTuple):
    """A merged experiment in long form, not yet checked."""

    tree: Managed
    documents: Documents
    """The documents that origins in the tree name."""
    diagnostics: list[Diagnostic]
    overlays: tuple[str, ...]
    """Names of the overlays that are for it."""


class Surroundings:
    """What is put under and over every experiment that is built for one environment."""

    __slots__ = (
        "_defaults",
        "_documents",
        "_everywhere",
        "_experiments",
        "_lower",
        "_matched",
        "_over",
        "_platform",
        "_settings",
        "budgets",
        "cluster",
        "environment",
    )

    def __init__(self, project: LoadedProject, environment: str | None = None, settings: list[Layer] | None = None) -> None:
        self.environment = environment
        self.budgets = project.sandbox.budgets
        own = project.environment(environment)
        platform = project.platform(environment)
        self.cluster = own.cluster if own is not None else None
        if self.cluster is None and platform is not None:
            self.cluster = platform.platform.spec.cluster.name
        self._platform = platform if platform is not None and platform.completes_claims else None
        overlays = [*project.overlays, *(project.overlays_of.get(environment, ()) if environment else ())]
        applicable = [overlay for overlay in overlays if applies_to(overlay.overlay.spec.match, environment, self.cluster)]
        self._defaults = [_Overlay(overlay) for overlay in applicable if overlay.overlay.spec.layer == "default"]
        self._over = [_Overlay(overlay) for overlay in applicable if overlay.overlay.spec.layer == "environment"]
        self._settings = settings or []
        self._everywhere = _everywhere(project, environment)
        known = [overlay.document for overlay in applicable]
        known += [document for document in (project.document, platform and platform.document) if document]
        self._documents = {source_of(document): document for document in known}
        self._lower: dict[tuple[int, ...], tuple[Managed, list[Contradiction]]] = {}
        self._matched: set[str] = set()
        self._experiments: set[str] = set()

    def resolve(self, document: Document) -> Resolved:
        """The experiment of `document` with everything under and over it that is for it."""
        lower, over = self._matching(document.value)
        names = self._names(lower, over)
        self.note(names, facts_of(document.value).name)
        source = source_of(document)
        experiment = Layer(EXPERIMENT, source, (part((), spelled(document, EXPERIMENT_FORM), ()),))
        base, below = self._under(lower)
        tree, above = merged(base, [experiment, *[overlay.layer for overlay in over], *self._settings])
        documents = {**self._documents, source: document}
        return Resolved(tree, documents, [_contradiction(contradiction, documents) for contradiction in (*below, *above)], names)

    def overlays_of(self, experiment: Tree) -> tuple[str, ...]:
        """Names of the overlays that are for an experiment as it is written."""
        return self._names(*self._matching(experiment))

    def completed(self, tree: Managed) -> Managed:
        """`tree`, which is the experiment, a task or a point, with sizes and classes of new claims from the Platform."""
        if self._platform is None:
            return tree
        from tjgen.language.resolve import claims  # few platforms have such settings

        return claims.completed(tree, self._platform)

    def with_thresholds(self, tree: Managed) -> Managed:
        """`tree`, an experiment, with alert thresholds from profiles of the Platform."""
        if self._platform is None:
            return tree
        from tjgen.language.resolve import claims

        return claims.with_thresholds(tree, self._platform)

    def note(self, overlays: Sequence[str], experiment: str) -> None:
        """Remember that these overlays are for the experiment of this name."""
        self._matched.update(overlays)
        self._experiments.add(experiment)

    def note_matched(self, overlays: Sequence[str]) -> None:
        """Remember that these overlays are for experiments of another project."""
        self._matched.update(overlays)

    @property
    def applied(self) -> tuple[str, ...]:
        """Names of the overlays that were for one of the experiments so far."""
        return tuple(sorted(self._matched))

    def unmatched(self) -> Iterator[tuple[str, Diagnostic]]:
        """A file and a warning for each overlay, and each name in one, that is for none of the experiments so far."""
        for overlay in (*self._defaults, *self._over):
            if overlay.name not in self._matched:
                yield overlay.document.file, _unmatched(overlay, self._experiments)
                continue
            names = overlay.match.names if self._experiments else ()  # those of other projects are not known
            for position, name in enumerate(names):
                if not any(is_like(experiment, [name]) for experiment in self._experiments):
                    yield overlay.document.file, _unmatched_name(overlay, position, self._experiments)

    def matched(self) -> Iterator[tuple[str, str]]:
        """The file and the name of each overlay that was for one of the experiments so far."""
        for overlay in (*self._defaults, *self._over):
            if overlay.name in self._matched:
                yield overlay.document.file, overlay.name

    def _matching(self, experiment: Tree) -> tuple[tuple[int, ...], list[_Overlay]]:
        """The overlays that are for an experiment: positions of those under it, and those over it."""
        facts = facts_of(experiment)
        lower = tuple([index for index, overlay in enumerate(self._defaults) if holds(overlay.match, facts)])
        return lower, [overlay for overlay in self._over if holds(overlay.match, facts)]

    def _names(self, lower: Sequence[int], over: Sequence[_Overlay]) -> tuple[str, ...]:
        return (*[self._defaults[index].name for index in lower], *[overlay.name for overlay in over])

    def _under(self, indexes: tuple[int, ...]) -> tuple[Managed, list[Contradiction]]:
        """The values below an experiment; experiments with the same overlays share it."""
        lower_layers = self._lower.get(indexes)
        if lower_layers is None:
            layers = [*self._everywhere, *[self._defaults[index].layer for index in indexes]]
            lower_layers = self._lower[indexes] = merged(EMPTY, layers)
        return lower_layers


def matches(surroundings: Iterable[Surroundings], shared: Collection[str]) -> tuple[list[Diagnostic], frozenset[tuple[str, str]]]:
    """A warning for each overlay that is for no experiment, and file and name of each overlay in the files `shared` that is.

    An overlay of a workspace may be for an experiment of another project, so it is not among the warnings.
    """
    several = list(surroundings)
    unmatched = [diagnostic for one in several for file, diagnostic in one.unmatched() if file not in shared]
    return unmatched, frozenset(pair for one in several for pair in one.matched() if pair[0] in shared)


class _Overlay:
    """An overlay, ready to be applied."""

    __slots__ = ("document", "layer", "match", "name")

    def __init__(self, overlay: OverlayDocument) -> None:
        self.document = overlay.document
        self.name = overlay.overlay.metadata.name
        self.match = overlay.overlay.spec.match
        patch = get(spelled(overlay.document, OVERLAY_FORM), _OVERLAID, {})
        self.layer = Layer(self.name, source_of(overlay.document), _parts(patch, _OVERLAID), overlay.overlay.spec.layer)


def _parts(partial: Tree, because: FieldPath) -> tuple[LayerPart, ...]:
    """Return a partial experiment as parts of an experiment: `metadata` is among the fields of its spec."""
    spec = {key: value for key, value in partial.items() if key != "metadata"}
    parts = [part(("spec",), spec, because)]
    if partial.get("metadata"):
        parts.append(part(("metadata",), partial["metadata"], (*because, "metadata")))
    return tuple(parts)


def _everywhere(project: LoadedProject, environment: str | None) -> list[Layer]:
    """The defaults of every experiment."""
    layers = []
    platform = project.platform(environment)
    if platform is not None:
        defaults = get(spelled(platform.document, PLATFORM_FORM), _DEFAULTS, None)
        if defaults:
            layers.append(Layer(platform.platform.metadata.name, source_of(platform.document), _parts(defaults, _DEFAULTS)))
    own = project.environment(environment)
    if own is not None and own.namespace is not None and project.document is not None:
        because: FieldPath = ("spec", "environments", environment or "", "namespace")
        namespace = part(("metadata", "namespace"), own.namespace, because)
        layers.append(Layer("project", source_of(project.document), (namespace,)))
    return layers


def _contradiction(contradiction: Contradiction, documents: Documents) -> Diagnostic:
    return Diagnostic(
        "TJ210",
        f"{render(contradiction.path)} is set differently by overlays {contradiction.before.manager}"
        f" and {contradiction.after.manager} of the same layer",
        path=contradiction.path,
        span=span_of(contradiction.after, documents),
        related=(other_origin(contradiction.before, documents),),
        hint="set it in one of them, or match different experiments",
    )


def _unmatched(overlay: _Overlay, experiments: Collection[str]) -> Diagnostic:
    path: FieldPath = ("spec", "match")
    near = [f'"{one}"' for name in overlay.match.names if (one := nearest(name, experiments))]
    hint = f"did you mean {near[0]}?" if near else _LABELS if overlay.match.labels else "change its match, or remove it"
    return Diagnostic(
        "TJ211", f'overlay "{overlay.name}" matches no experiment', path=path, span=overlay.document.locate(path), hint=hint
    )


def _unmatched_name(overlay: _Overlay, position: int, experiments: Collection[str]) -> Diagnostic:
    path: FieldPath = ("spec", "match", "names", position)
    name = overlay.match.names[position]
    near = nearest(name, experiments)
    return Diagnostic(
        "TJ211",
        f'overlay "{overlay.name}" names "{name}", which matches no experiment',
        path=path,
        span=overlay.document.locate(path),
        hint=f'did you mean "{near}"?' if near else "correct the name, or remove it",
    )
