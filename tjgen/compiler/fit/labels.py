"""The sources of a project -> the labels of nodes that its runs select or spread on."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.controllers.jobset_pods import EXCLUSIVE
from tjgen.language.resolve.members import experiments
from tjgen.language.resolve.project import LoadedProject
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.k8s.labels import KUEUE_PREFERRED, KUEUE_REQUIRED, KUEUE_SLICE_LEVEL
from tjgen.trees.source.reader import KUBERNETES, read

_SELECTOR = "nodeSelector"
_LEVELS = ("exclusive", "required", "preferred")
_ANNOTATIONS = (
    EXCLUSIVE,
    KUEUE_REQUIRED,
    KUEUE_PREFERRED,
    KUEUE_SLICE_LEVEL,
)


def labels_of(project: LoadedProject) -> set[str]:
    """Labels that the experiments, overlays, runtimes, and Platforms name. Files that cannot be read have none."""
    overlays = [*project.overlays, *(one for several in project.overlays_of.values() for one in several)]
    trees = [one.document.value for one in (*overlays, *project.platforms)]
    for file in [*experiments(project)[0], *project.files(project.spec.catalogs)]:
        content = project.sandbox.content(file)
        if not isinstance(content, Diagnostic):
            trees += [one.value for one in read(content, file, KUBERNETES)[0]]
    classes = [one.platform.spec.device_classes.values() for one in project.platforms]
    flavors = [one.platform.spec.flavors.values() for one in project.platforms]
    topologies = [one.platform.spec.topologies.values() for one in project.platforms]
    return {
        *(label for tree in trees for label in selected_labels(tree)),
        *(label for several in classes for one in several for label in one.node_selector),
        *(label for several in flavors for one in several for label in one.node_labels),
        *(label for several in topologies for one in several for label in one.levels),
    }


def selected_labels(tree: Tree) -> Iterator[str]:
    """Labels in node selectors, node affinities, topology keys, and levels of topologies, anywhere in a tree."""
    waiting = [tree]
    while waiting:
        one = waiting.pop()
        if isinstance(one, list):
            waiting += one
        if not isinstance(one, dict):
            continue
        waiting += one.values()
        for key, value in one.items():
            head, dot, label = str(key).partition(f"{_SELECTOR}.")
            if dot and head[-1:] in ("", "."):
                yield label  # a sweep names fields by their paths
            elif key == _SELECTOR and isinstance(value, dict):
                yield from map(str, value)
            elif key == "nodeSelectorTerms" and isinstance(value, list):
                yield from (label for term in value for label in _expressions(term))
            elif key == "preference":
                yield from _expressions(value)
            elif key == "topology" and isinstance(value, dict):
                yield from (str(value[level]) for level in _LEVELS if value.get(level))
                yield from (str(level) for level in [get(value, ("slice", "level"), None)] if level)
            elif key == "topologyKey" or key in _ANNOTATIONS:
                yield str(value)


def _expressions(term: Tree) -> Iterator[str]:
    expressions = get(term, ("matchExpressions",), None)
    for one in expressions if isinstance(expressions, list) else ():
        if isinstance(one, dict) and one.get("key"):
            yield str(one["key"])
