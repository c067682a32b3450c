"""A manifest -> what its controller creates, and the pods in the end.

    for pods in create_pods(jobset):
        pods.prefix, pods.number, pods.build(0)

The pods of a TrainJob are those of its JobSet: expand it first (`trainer.framework`).
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.controllers.series import Series
from tjgen.cluster.kinds.table import kind_of
from tjgen.trees.diagnostics.model import Diagnostic, ObjectRef
from tjgen.trees.fields.path import Tree
from tjgen.trees.manifests.generated_names import generated
from tjgen.trees.workload.roles import MOST_PODS, excess


def too_many_pods(tree: Tree) -> Diagnostic | None:
    """TJ595 for a manifest with more pods than a cluster supports; None for others."""
    kind = kind_of(tree)
    pods_of = kind.run.pods if kind is not None and kind.run is not None else None
    number = sum(pods.number for pods in pods_of(tree)) if pods_of is not None else 0
    if number <= MOST_PODS:
        return None
    metadata = tree["metadata"]
    subject = ObjectRef(tree["apiVersion"], tree["kind"], metadata.get("namespace") or "", generated(metadata))
    return excess(number)._replace(subject=subject)


def create(tree: Tree) -> Iterator[Series]:
    """Yield what the controller creates from a manifest that the API server accepts; nothing for kinds without controller."""
    kind = kind_of(tree)
    if kind is not None and kind.controller:
        module = __import__(f"tjgen.cluster.controllers.{kind.controller}", fromlist=["create"])
        every: Iterator[Series] = module.create(tree)
        yield from (series for series in every if series.number)


def create_pods(tree: Tree) -> Iterator[Series]:
    """Yield the pods of a run, through the Jobs that its controller creates.

    Pods of equal Jobs are one series: those of the first Job come first. A suspended run has these pods once it is resumed.
    """
    for series in create(tree):
        if series.kind == "Pod":
            yield series
        else:
            for position, pods in enumerate(create_pods(series.build(0))):
                yield _of_all(series, position, pods)


def _of_all(owners: Series, position: int, pods: Series) -> Series:
    """The pods of all objects of a series; `pods` are those of the first, at `position` among its series."""

    latest = 0, pods

    def build(ordinal: int) -> Tree:
        nonlocal latest
        owner, own = divmod(ordinal, pods.number)
        if owner != latest[0]:
            latest = owner, list(create_pods(owners.build(owner)))[position]
        return latest[1].build(own)

    source = (*owners.source, *pods.source) if owners.source is not None and pods.source is not None else None
    return pods._replace(prefix=owners.prefix, number=owners.number * pods.number, build=build, source=source)
