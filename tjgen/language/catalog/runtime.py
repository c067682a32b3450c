"""A document that holds a TrainingRuntime -> a runtime of the catalog: its spec, and what is known about it."""

from __future__ import annotations

from tjgen.language.catalog.naming import digest
from tjgen.trees.fields.order import ordered
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tjgen.trees.fields.managed import Owners
    from tjgen.trees.source.document import Document

API_VERSION = "trainer.kubeflow.org/v1alpha1"
CLUSTER_KIND = "ClusterTrainingRuntime"
NAMESPACED_KIND = "TrainingRuntime"
KINDS = (CLUSTER_KIND, NAMESPACED_KIND)

DESCRIPTION = "tjgen.dev/description"
LAUNCHER = "tjgen.dev/launcher"
ORIGIN = "tjgen.dev/origin"
VERSION = "tjgen.dev/version"

BUNDLED = "bundled"
PROJECT = "project"
CLUSTER = "cluster"

_LAUNCHERS = {"torch": ("torchrun",), "mpi": ("mpirun", "python")}
_LAUNCHER = ("python",)


def is_runtime(tree: Tree) -> bool:
    """Return whether a tree is a runtime of Kubeflow Trainer."""
    return tree.__class__ is dict and tree.get("apiVersion") == API_VERSION and tree.get("kind") in KINDS


class CatalogRuntime:
    """A runtime by name. `origin` is "bundled", "project" or "cluster": who owns it, so whether build emits it."""

    __slots__ = ("_digest", "document", "kind", "name", "namespace", "origin", "rewritten", "tree", "version")

    def __init__(self, tree: Tree, document: Document | None, origin: str) -> None:
        """`tree` has a name and a valid spec (see shape.py); an annotation may mark it as owned by the cluster."""
        self.tree = ordered(tree)
        self.document = document
        self.kind = str(tree["kind"])
        self.name = str(get(tree, ("metadata", "name")))
        self.namespace = str(get(tree, ("metadata", "namespace"), None) or "")
        self.version = self._annotation(VERSION)
        self.origin = CLUSTER if self._annotation(ORIGIN) == CLUSTER else origin
        self.rewritten: Owners = {}
        """Paths in the spec whose image differs from the document, and the source of the change."""
        self._digest = ""

    def with_spec(self, spec: Tree, rewritten: Owners) -> CatalogRuntime:
        """The same runtime with other images."""
        changed = CatalogRuntime({**self.tree, "spec": spec}, self.document, self.origin)
        changed.rewritten = rewritten
        return changed

    @property
    def digest(self) -> str:
        """SHA-256 over the canonical spec, in hex."""
        if not self._digest:
            self._digest = digest(self.tree.get("spec"))
        return self._digest

    @property
    def launcher(self) -> list[str]:
        """The words that start a Python program on this runtime: its annotation's, else those of its ML policy."""
        annotation = self._annotation(LAUNCHER)
        if annotation:
            return annotation.split()
        policy = get(self.tree, ("spec", "mlPolicy"), None) or {}
        for name, words in _LAUNCHERS.items():
            if policy.get(name) is not None:
                return list(words)
        return list(_LAUNCHER)

    @property
    def description(self) -> str:
        """One sentence for lists of runtimes, or ""."""
        return self._annotation(DESCRIPTION)

    @property
    def file(self) -> str:
        """The file that it was read from, as diagnostics show it."""
        return self.document.file if self.document is not None else ""

    def _annotation(self, key: str) -> str:
        return str(get(self.tree, ("metadata", "annotations", key), None) or "")
