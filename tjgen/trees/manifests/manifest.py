"""One Kubernetes object as a tree, with the origins of its fields."""

from __future__ import annotations

from tjgen.trees.diagnostics.model import ObjectRef
from tjgen.trees.fields.managed import Origin, Owners, origins_of
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.source.writer import dump

RUNTIMES = "runtimes"
DATA = "data"
RUNS = "runs"
PREVIEW = "preview"
STAGES = (RUNTIMES, DATA, RUNS)
"""The parts of an output tree, in the order in which they have to be applied."""
PLATFORM = "platform"
"""The part of the platform: objects that exist before all runs of its cluster."""
SYNC = "gitops"
"""The part of the tool: the objects that make a tool sync the tree."""


class Manifest:
    """An object to apply or to preview. `tree` and `owners` are values: do not change them."""

    __slots__ = ("expanded", "owners", "stage", "tree")

    def __init__(self, tree: Tree, owners: Owners, stage: str = RUNS, *, expanded: bool = False) -> None:
        self.tree = tree
        self.owners = owners
        self.stage = stage
        self.expanded = expanded or stage == PREVIEW
        """Whether the twin created it: its origins point into the TrainJob and the runtime that were expanded."""

    @property
    def api_version(self) -> str:
        return str(self.tree.get("apiVersion", ""))

    @property
    def kind(self) -> str:
        return str(self.tree.get("kind", ""))

    @property
    def name(self) -> str:
        return str(get(self.tree, ("metadata", "name"), ""))

    @property
    def namespace(self) -> str:
        return str(get(self.tree, ("metadata", "namespace"), ""))

    @property
    def labels(self) -> Tree:
        """Its labels; None if it has none."""
        return get(self.tree, ("metadata", "labels"), None)

    @property
    def ref(self) -> ObjectRef:
        return ObjectRef(self.api_version, self.kind, self.namespace, self.name)

    def text(self) -> str:
        """The object as YAML."""
        return dump(self.tree)

    def origins(self, path: FieldPath) -> tuple[Origin, ...]:
        """Who set the value at `path` (selectors for keyed lists)."""
        return origins_of(self.owners, path)
