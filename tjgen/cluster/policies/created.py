"""An object -> the objects that controllers create from it, as policies see them: of equal ones the first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tjgen.cluster.controllers.creation import create
from tjgen.cluster.kinds.table import kind_of
from tjgen.cluster.policies.stored import stored
from tjgen.cluster.validate.templates import templates
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.manifests.generated_names import named
from tjgen.trees.typing import NamedTuple


class InnerObject(NamedTuple):
    """One of these objects."""

    tree: Tree
    source: FieldPath
    """Path of its template in the object that the author wrote."""

    def placed(self, path: FieldPath) -> FieldPath:
        """A path in the object as a path in what the author wrote."""
        return path if path == ("metadata", "name") else self.source + path


def created(tree: Tree, *, versions: Mapping[str, str] | None = None) -> Iterator[InnerObject]:
    """Yield the Jobs, pods and other objects that follow from an object, through all controllers.

    Kinds whose controller tjgen does not repeat have the pods of their templates, without the changes of the controller.
    """
    source = stored(tree, versions=versions)
    if source is None:
        return
    kind = kind_of(tree)
    if kind is None or not kind.controller:
        namespace = source.tree["metadata"].get("namespace")
        for template in templates(tree, versions=versions):
            metadata = {**template.tree["metadata"], **({"namespace": namespace} if namespace else {})}
            yield InnerObject({**template.tree, "metadata": metadata}, template.path)
        return
    for series in create(source.tree):
        inner = named(series.build(0))
        yield InnerObject(inner, series.source or ())
        for below in created(inner, versions=versions):
            yield below._replace(source=(*(series.source or ()), *below.source))
