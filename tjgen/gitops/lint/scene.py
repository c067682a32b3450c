"""What rules look at: the objects of one tree or stream, those of before, and what is known of who syncs them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from tjgen.cluster.synctools.table import TOOLS
from tjgen.cluster.trainer.framework import Expansion, expand
from tjgen.cluster.trainer.release import NEWEST, Release
from tjgen.cluster.trainer.warnings.clashes import ClashingRun
from tjgen.gitops.lint.kinds import CLUSTER_RUNTIME, CLUSTERED, RUNTIME
from tjgen.trees.diagnostics.model import Diagnostic, ObjectRef, Span
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.session import Session
from tjgen.trees.source.document import Document
from tjgen.trees.typing import Any, NamedTuple

Kind = tuple[str, str]
Locate = Callable[..., "Span | None"]
"""Field path, and `key=True` for the key of it -> the place in a file."""
LookUp = Callable[[str, str, str], "Tree | None"]
"""Kind, namespace and name of a runtime -> the runtime of the catalog, or None."""


class AppliedObject:
    """An object that is applied. `tree` is a value; parts of a hand-written one may have any type."""

    __slots__ = ("annotations", "base", "document", "file", "kind", "labels", "locate", "name", "namespace", "tree", "units")

    def __init__(
        self,
        tree: dict[str, Any],
        locate: Locate,
        *,
        file: str,
        units: Mapping[str, str],
        document: Document | None = None,
        base: FieldPath = (),
    ) -> None:
        metadata = _map(tree.get("metadata"))
        self.tree = tree
        self.locate = locate
        self.file = file
        self.units = units
        """Tool -> the Application or Kustomization that syncs it."""
        self.document = document
        """Where it is written by hand; None for what is built."""
        self.base = base
        """Its path in its document."""
        self.kind: Kind = (str(tree.get("apiVersion", "")).rpartition("/")[0], str(tree.get("kind", "")))
        """Group and kind."""
        self.name = str(metadata.get("name") or "")
        self.namespace = "" if self.kind in CLUSTERED else str(metadata.get("namespace") or "default")
        """Its namespace; "default" if none is set, none for kinds without."""
        self.annotations = _map(metadata.get("annotations"))
        self.labels = _map(metadata.get("labels"))

    @property
    def ref(self) -> ObjectRef:
        """Its name in diagnostics."""
        namespace = str(get(self.tree, ("metadata", "namespace"), None) or "")
        return ObjectRef(str(self.tree.get("apiVersion", "")), self.kind[1], namespace, self.name)

    @property
    def identity(self) -> tuple[Kind, str, str]:
        """Its identity among the objects of a cluster."""
        return self.kind, self.namespace, self.name

    def __str__(self) -> str:
        name = self.name or f"{_map(self.tree.get('metadata')).get('generateName') or ''}*"
        return f"{self.kind[1]}/{name}"

    def get(self, *path: Any, default: Any = None) -> Any:
        """A value of the tree; `default` if there is none, or null."""
        value = get(self.tree, path, None)
        return default if value is None else value

    def map(self, *path: Any) -> dict[str, Any]:
        """A mapping of the tree, empty if there is none."""
        return _map(get(self.tree, path, None))

    def maps(self, *path: Any) -> Iterator[tuple[FieldPath, dict[str, Any]]]:
        """The mappings in a list of the tree, with their paths."""
        value = get(self.tree, path, None)
        for position, one in enumerate(value if value.__class__ is list else ()):
            if one.__class__ is dict:
                yield (*path, position), one

    def unit(self, tool: str) -> str:
        """The Application or Kustomization that syncs it with `tool`."""
        return self.units.get(tool, "")


class RunOutcome(NamedTuple):
    """What rules read of the expansion of a TrainJob."""

    diagnostics: Sequence[Diagnostic]
    names: ClashingRun | None


class ItemPair(NamedTuple):
    """An object as it was and as it is."""

    old: AppliedObject
    new: AppliedObject


class Scene:
    """The input of a rule. Look-ups are created once, on first use."""

    def __init__(
        self,
        items: Iterable[AppliedObject],
        *,
        tools: Iterable[str],
        is_guess: bool = False,
        before: Iterable[AppliedObject] | None = None,
        others: Sequence[Document] = (),
        release: Release = NEWEST,
        look_up: LookUp = lambda *_: None,
    ) -> None:
        self.items = tuple(items)
        self.tools = frozenset(tools)
        """The tools that sync: "argocd", "flux", both, or none if unknown."""
        self.synctools = tuple([tool for tool in TOOLS if tool.name in self.tools])
        """The descriptors of these tools: a rule that depends on a property of a tool reads it here."""
        self.is_guess = is_guess
        """Whether the tools are a guess: rules for one tool alone then do not apply."""
        self.before = tuple(before) if before is not None else None
        """The objects of the state before; None if nothing is known of it."""
        self.others = tuple(others)
        """Documents among the manifests that are none."""
        self.release = release
        """Release of Trainer in the cluster."""
        self._look_up = look_up
        self._kinds: dict[Kind, list[AppliedObject]] | None = None
        self._named: dict[Any, AppliedObject] | None = None
        self._named_before: dict[Any, AppliedObject] | None = None
        self._first: dict[tuple[Kind, str], AppliedObject] | None = None
        self._units: dict[str, dict[str, list[AppliedObject]]] = {}
        self._session = Session()

    def of(self, *kinds: Kind) -> list[AppliedObject]:
        """The objects of some kinds, kind by kind."""
        if self._kinds is None:
            self._kinds = {}
            for item in self.items:
                self._kinds.setdefault(item.kind, []).append(item)
        return [item for kind in kinds for item in self._kinds.get(kind, ())]

    def find(self, kind: Kind, namespace: str, name: str) -> AppliedObject | None:
        """An object of the scene; of two with one name the last, which is applied last."""
        if self._named is None:
            self._named = {item.identity: item for item in self.items}
        return self._named.get((kind, "" if kind in CLUSTERED else namespace, name))

    def named(self, kind: Kind, name: str) -> AppliedObject | None:
        """The first object of a kind and a name, in any namespace."""
        if self._first is None:
            self._first = {}
            for item in self.items:
                self._first.setdefault((item.kind, item.name), item)
        return self._first.get((kind, name))

    def synced_by(self, tool: str, unit: str) -> list[AppliedObject]:
        """The objects that an Application or Kustomization syncs with `tool`, in order."""
        units = self._units.get(tool)
        if units is None:
            units = self._units[tool] = {}
            for item in self.items:
                units.setdefault(item.unit(tool), []).append(item)
        return units.get(unit, [])

    def find_before(self, item: AppliedObject) -> AppliedObject | None:
        """The same object in the state before."""
        if self._named_before is None:
            self._named_before = {one.identity: one for one in self.before or ()}
        return self._named_before.get(item.identity)

    def pairs(self, *kinds: Kind) -> Iterator[ItemPair]:
        """Return objects that exist before and now, and differ; of some kinds, or of all."""
        for item in self.of(*kinds) if kinds else self.items:
            old = self.find_before(item)
            if old is not None and old.tree != item.tree:
                yield ItemPair(old, item)

    def removed(self, *kinds: Kind) -> list[AppliedObject]:
        """Return objects that existed before and do not exist now."""
        removed_items = [item for item in self.before or () if self.find(*item.identity) is None]
        return [item for item in removed_items if not kinds or item.kind in kinds]

    def added(self, *kinds: Kind) -> list[AppliedObject]:
        """New objects, which the earlier state does not have."""
        return [item for item in (self.of(*kinds) if kinds else self.items) if self.find_before(item) is None]

    def leaves(self, item: AppliedObject, is_left: Callable[[AppliedObject, str], bool]) -> bool:
        """Whether every tool that syncs leaves an object alone; if none is known, it counts as applied."""
        return bool(self.tools) and all(is_left(item, tool) for tool in self.tools)

    def runtime_ref(self, run: AppliedObject) -> tuple[Kind, str, str]:
        """Kind, namespace and name of the runtime that a TrainJob names."""
        reference = run.map("spec", "runtimeRef")
        kind = RUNTIME if reference.get("kind") == RUNTIME[1] else CLUSTER_RUNTIME
        return kind, run.namespace if kind == RUNTIME else "", str(reference.get("name") or "")

    def runtime_of(self, run: AppliedObject) -> AppliedObject | None:
        """The runtime of a TrainJob, where it is in the scene."""
        return self.find(*self.runtime_ref(run))

    def catalog(self, kind: Kind, namespace: str, name: str) -> Tree | None:
        """A runtime that is not in the scene but known."""
        return self._look_up(kind[1], namespace, name)

    def expansion(self, run: AppliedObject) -> Expansion | None:
        """Return the Trainer controller's objects for a TrainJob; None if its runtime is unknown, or there are none."""
        return self._session.once("expansion", run, lambda: self._expanded(run))

    def expansion_diagnostics(self, run: AppliedObject) -> Sequence[Diagnostic]:
        """What the expansion of a TrainJob reports; nothing if its runtime is unknown."""
        return self._outcome(run).diagnostics

    def clashing_run(self, run: AppliedObject) -> ClashingRun | None:
        """The names that the objects for a TrainJob take; None if its runtime is unknown, or there are none."""
        return self._outcome(run).names

    def _outcome(self, run: AppliedObject) -> RunOutcome:
        return self._session.once("outcome", run, lambda: self._outcome_of(run))

    def _outcome_of(self, run: AppliedObject) -> RunOutcome:
        expansion = self.expansion(run)
        if expansion is None:
            return RunOutcome((), None)
        return RunOutcome(expansion.diagnostics, ClashingRun(run.tree, [one.tree for one in expansion.objects]))

    def _expanded(self, run: AppliedObject) -> Expansion | None:
        item = self.runtime_of(run)
        runtime = item.tree if item is not None else self.catalog(*self.runtime_ref(run))
        if runtime is None:
            return None
        expansion = expand(run.tree, runtime, release=self.release, session=self._session)
        return expansion if expansion.objects else None


def _map(value: Any) -> dict[str, Any]:
    return value if value.__class__ is dict else {}
