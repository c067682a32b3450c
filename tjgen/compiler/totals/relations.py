"""Objects of runs -> names and gangs of them, and what the rules of phase TOGETHER report about those of several runs.

What is known of a run is kept as plain tuples, its relations, so that a later build does not need its objects.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tjgen.cluster.trainer.warnings.clashes import ClashingRun, Key, key_of, names_of_objects, shared, taken
from tjgen.cluster.validate.gangs import Gang, gangs, of_group, too_large
from tjgen.trees.diagnostics.model import Diagnostic, ObjectRef, Span
from tjgen.trees.manifests.manifest import Manifest
from tjgen.trees.typing import Any

Relation = tuple[Any, ...]
"""(what, environment, place in a file, subject, *what a Key or a Gang has)."""

CREATED = "made"
APPLIED = "applied"
GANG = "gang"


def relations(
    environment: str | None, span: Span | None, applied: Sequence[Manifest], previews: Sequence[Manifest]
) -> Iterator[Relation]:
    """The relations of a run: names that it takes, names that controllers take for its TrainJob, and its gangs."""
    place = tuple(span) if span is not None else None
    created = [one.tree for one in previews]
    for one in applied:
        head = (environment or "", place, tuple(one.ref))
        if one.kind == "TrainJob":
            for key in dict.fromkeys(names_of_objects(ClashingRun(one.tree, created))):
                yield CREATED, *head, *key
        else:
            object_key = key_of(one.tree)
            if object_key is not None:
                yield APPLIED, *head, *object_key
        for gang in gangs(one.tree):
            yield GANG, *head, *gang


def problems(run_relations: Iterable[Relation]) -> list[Diagnostic]:
    """TJ865 and TJ866 for names that clash, and TJ528 for gangs that are larger than their pods, in any order of the runs."""
    environments: dict[str, list[Relation]] = {}
    for one in sorted(run_relations, key=lambda one: (one[1], one[3])):
        environments.setdefault(one[1], []).append(one)
    return [diagnostic for known in environments.values() for diagnostic in (*_clashes(known), *_gangs(known))]


def _clashes(relations: Sequence[Relation]) -> Iterator[Diagnostic]:
    makers: dict[tuple[Any, ...], Relation] = {}
    """Fields of a Key -> the first relation that has them."""
    reported: set[tuple[Any, ...]] = set()
    for one in relations:
        if one[0] == CREATED:
            key = one[4:]
            first = makers.setdefault(key, one)
            if first[3] != one[3] and key not in reported:
                reported.add(key)
                yield _placed(shared(Key(*key), ObjectRef(*first[3]), ObjectRef(*one[3])), one)
    for one in relations:
        if one[0] == APPLIED and (key := one[4:]) in makers:
            yield _placed(taken(Key(*key), ObjectRef(*one[3]), ObjectRef(*makers[key][3])), one)


def _gangs(relations: Sequence[Relation]) -> Iterator[Diagnostic]:
    known = {Gang(*one[4:]): one for one in relations if one[0] == GANG and one[4]}
    members = [Gang(*one[4:]) for one in relations if one[0] == GANG and not one[4]]
    for group, total in too_large([*known, *members]):
        yield _placed(of_group(group, ObjectRef(*known[group][3]), total), known[group])


def _placed(diagnostic: Diagnostic, one: Relation) -> Diagnostic:
    return diagnostic._replace(span=Span(*one[2]) if one[2] else None)
