"""The manifests of a run -> previews of all objects that controllers create from them, down to the pods."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from tjgen.cluster.controllers.creation import create, too_many_pods
from tjgen.cluster.controllers.series import Series
from tjgen.cluster.kinds.table import kind_of
from tjgen.trees import regex
from tjgen.trees.diagnostics.model import CompileError
from tjgen.trees.fields.managed import Origin, Owners, origins_of
from tjgen.trees.fields.path import FieldPath, Step, Tree, get, render
from tjgen.trees.manifests.leaves import lasting
from tjgen.trees.manifests.manifest import PREVIEW, RUNS, Manifest
from tjgen.trees.typing import NamedTuple, partial
from tjgen.trees.workload.keys import LIST_KEYS

_COPIED: tuple[FieldPath, ...] = (("metadata", "labels"), ("metadata", "annotations"), ("spec",))
"""Fields that an object takes over from the template that it is created from."""


_AFTER_RESUME = ("training-operator", "kuberay")
"""Controllers that create nothing for a suspended run."""


class PreviewedObject(Manifest):
    """An object that a controller will create, or one document for several."""

    __slots__ = ("_find_owners", "note")

    def __init__(self, tree: Tree, find_owners: Callable[[], Owners], note: str = "") -> None:
        self.tree = tree
        self.stage = PREVIEW
        self.expanded = True
        self.note = note
        """A comment about the document; empty if there is none."""
        self._find_owners = find_owners

    def __getattr__(self, name: str) -> Owners:
        # Only explanations read the owners.
        if name != "owners":
            raise AttributeError(name)
        self.owners = self._find_owners()
        return self.owners

    @property
    def name(self) -> str:
        """The name; of an object whose name the API server completes, the part before the random characters."""
        metadata = self.tree["metadata"]
        return str(metadata.get("name") or metadata.get("generateName", "").removesuffix("-"))


def note_of(manifest: Manifest) -> str:
    """The comment about a document, as lines of YAML; empty for other manifests than previews of several objects."""
    note = manifest.note if isinstance(manifest, PreviewedObject) else ""
    return "".join(f"# {line}\n" for line in note.splitlines())


def first_created(job: Manifest, kind: str) -> list[Manifest]:
    """The first object of a kind that the controller of a manifest creates; empty if it creates none."""
    series = next((one for one in create(job.tree) if one.kind == kind), None)
    if series is None:
        return []
    tree = series.build(0)
    return [Manifest(tree, _owners(series, job, tree), PREVIEW)]


def follow(applied: Iterable[Manifest], previews: Sequence[Manifest], *, every: bool) -> Iterator[Manifest]:
    """Yield what controllers create from the objects of a run, each object before what follows from it.

    `previews` are the objects that the controller of the TrainJob creates, if the run is one. Equal objects are one document
    unless `every` is set. Raises CompileError (TJ595) for a run of more pods than a cluster can have.
    """
    known: set[tuple[str, str, str]] = set()
    excess = [diagnostic for manifest in applied if (diagnostic := too_many_pods(manifest.tree)) is not None]
    if excess:
        raise CompileError(excess)
    # What several runs share, such as a Job that builds an image, belongs to none of them.
    for manifest in (*previews, *[one for one in applied if one.stage == RUNS]):
        if manifest in previews:
            known.add((manifest.api_version, manifest.kind, manifest.name))
            yield manifest
        for below in _each_below(manifest) if every else _collapsed(manifest):
            key = (below.api_version, below.kind, below.name)
            # The API server completes a generated name, so two objects with it are not the same one.
            if key not in known or "name" not in below.tree["metadata"]:
                known.add(key)
                yield below


def _each_below(parent: Manifest) -> Iterator[Manifest]:
    for series in create(parent.tree):
        note = _suspension(parent.tree, series)
        for ordinal in range(series.number):
            child = _preview(series, parent, series.build(ordinal), note)
            yield child
            yield from _each_below(child)


class _Parents(NamedTuple):
    """Equal objects, or a sample of them with their ordinals."""

    trees: Sequence[Tree]
    ordinals: Sequence[int]
    total: int


def _collapsed(manifest: Manifest) -> list[PreviewedObject]:
    """The documents for what follows from a manifest."""
    parents = _Parents([manifest.tree], [0], 1)
    try:
        return list(_below(manifest, parents, sample))
    except IrregularError:
        return list(_below(manifest, parents, range))


def _below(parent: Manifest, parents: _Parents, ordinals_of: Callable[[int], Sequence[int]]) -> Iterator[PreviewedObject]:
    """The documents for what follows from equal objects; `parent` is the first of them."""
    families = [list(create(tree)) for tree in parents.trees]
    for position, series in enumerate(families[0]):
        number = series.number
        ordinals = ordinals_of(number)
        children = [[family[position].build(ordinal) for ordinal in ordinals] for family in families]
        first = _preview(series, parent, children[0][0], "")
        for document in _documents([_Parents(row, ordinals, number) for row in children], parents):
            note = "\n".join(filter(None, (_note(series, document), _suspension(parent.tree, series))))
            yield PreviewedObject(document.tree, partial(_owners, series, parent, document.first), note)
        below = [before * number + ordinal for before in parents.ordinals for ordinal in ordinals]
        flat = [child for row in children for child in row]
        yield from _below(first, _Parents(flat, below, parents.total * number), ordinals_of)


def _documents(families: Sequence[_Parents], parents: _Parents) -> Iterator[Collapsed]:
    """Documents for the children of equal objects."""
    rows = [list(collapse(*children)) for children in families]
    if len({len(row) for row in rows}) != 1:
        if len(families) != parents.total:
            raise IrregularError
        for row in rows:
            yield from row
        return
    for column in zip(*rows, strict=True):
        for one in collapse([document.tree for document in column], parents.ordinals, parents.total):
            inner = next(document for document in column if document.tree is one.first)
            differing = list(dict.fromkeys([*inner.differing, *one.differing]))
            yield Collapsed(one.tree, inner.first, inner.number * one.number, differing)


def _note(series: Series, document: Collapsed) -> str:
    number, kind = document.number, document.tree["kind"]
    if number == 1:
        return ""
    lines = [f"{number} {kind}s: {{A..B}} is a number from A to B, another one in each {kind}."]
    if document.differing:
        fields = ", ".join(render(lasting(document.tree, path)) for path in document.differing)
        lines.append(f"Each has its own value of {fields}; the first is shown.")
    return "\n".join(lines)


def _suspension(tree: Tree, series: Series) -> str:
    """The note for an object that a suspended run does not have yet."""
    is_suspended = get(tree, ("spec", "suspend"), None) or get(tree, ("spec", "runPolicy", "suspend"), None)
    waits = series.kind == "Pod" or series.manager in _AFTER_RESUME or _follows_another(tree, series)
    return "Created when the run is resumed." if is_suspended and waits else ""


def _follows_another(tree: Tree, series: Series) -> bool:
    """Whether a JobSet creates the Jobs only after others have started or ended, which they do not while it is suspended."""
    is_job = series.kind == "Job" and series.source is not None and series.source[:2] == ("spec", "replicatedJobs")
    return is_job and bool(get(tree, (*(series.source or ())[:3], "dependsOn"), None))


def _preview(series: Series, parent: Manifest, tree: Tree, note: str) -> PreviewedObject:
    return PreviewedObject(tree, partial(_owners, series, parent, tree), note)


def _owners(series: Series, parent: Manifest, tree: Tree) -> Owners:
    """The controller for what it adds, the owners of the template for the rest."""
    owners: Owners = {(): (Origin(series.manager, "tjgen"),)}
    for to, path in series.copied.items():
        is_equal = get(parent.tree, path, None) == get(tree, to)
        owners[to] = (Origin(series.manager, "job", path, is_equal),)
    if series.source is None:
        return owners
    for field in _COPIED:
        given = get(parent.tree, (*series.source, *field), None)
        if given is not None and get(tree, field, None) is not None:
            owners |= _taken(series, parent, (*series.source, *field), field)
            owners |= _added(given, get(tree, field), field, Origin(series.manager, "tjgen"))
    return owners


def _taken(series: Series, parent: Manifest, path: FieldPath, to: FieldPath) -> Owners:
    """Owners of the field `to` that is copied from `path` in the parent.

    `trace` supports one object in between, the run's own job. What follows from another object has the owners of that object.
    """
    path = lasting(parent.tree, path)
    kind = kind_of(parent.tree)
    if not parent.expanded and kind is not None and kind.run is not None:
        return {to: (Origin(series.manager, "job", path, True),)}
    owners = {(*to, *key[len(path) :]): one for key, one in parent.owners.items() if key[: len(path)] == path}
    return {to: origins_of(parent.owners, path), **owners}


def _added(before: Tree, after: Tree, path: FieldPath, origin: Origin) -> Owners:
    """`origin` for every value that `after` has and `before` has not."""
    if before is after:
        return {}
    owners: Owners = {}
    if before.__class__ is dict and after.__class__ is dict:
        for key, value in after.items():
            if key not in before:
                owners[(*path, key)] = (origin,)
            else:
                owners |= _added(before[key], value, (*path, key), origin)
    elif before.__class__ is list and after.__class__ is list:
        keys = LIST_KEYS.get(str(path[-1]))
        for position, value in enumerate(after):
            step: Step = ((keys[0], value[keys[0]]),) if keys and value.__class__ is dict and keys[0] in value else position
            old = next((one for one in before if keys and _has(one, step)), None)
            old = before[position] if keys is None and position < len(before) else old
            if old is None:
                owners[(*path, step)] = (origin,)
            else:
                owners |= _added(old, value, (*path, step), origin)
    elif before != after:
        owners[path] = (origin,)
    return owners


def _has(element: Tree, step: Step) -> bool:
    return isinstance(step, tuple) and element.__class__ is dict and all(element.get(key) == value for key, value in step)


# Objects that differ only by numbers -> one document for all of them: `node-0-{0..15}` are 16 names.

_FEW = 24
"""Objects that are all built."""


class Collapsed(NamedTuple):
    """One document for several objects in a row."""

    tree: Tree
    """The first object, with `{A..B}` where the values count up from A to B."""
    first: Tree
    number: int
    differing: list[FieldPath]
    """Fields whose values do not count up; the tree has those of the first object."""


class IrregularError(Exception):
    """The objects of a sample do not show where the fields of the objects between them change."""


def sample(number: int) -> Sequence[int]:
    """The ordinals of the objects to build: of many, those at the ends and where the number of digits changes."""
    if number <= _FEW:
        return range(number)
    chosen = {0, 1, 2, number - 2, number - 1}
    power = 10
    while power < number:
        chosen |= {power - 1, power, power + 1}
        power *= 10
    return sorted(one for one in chosen if one < number)


def collapse(trees: Sequence[Tree], ordinals: Sequence[int], total: int) -> Iterator[Collapsed]:
    """Yield a document for each row of objects with the same fields.

    `trees` are the objects with these ordinals, of `total` objects. Raises IrregularError if a row ends between two of them that
    are not neighbors.
    """
    start = 0
    while start < len(trees):
        end = start + 1
        while end < len(trees) and _has_same_fields(trees[end - 1], trees[end]):
            end += 1
        following = ordinals[end] if end < len(ordinals) else total
        if following != ordinals[end - 1] + 1:
            raise IrregularError
        members, first = trees[start:end], ordinals[start]
        differing: list[FieldPath] = []
        tree = _merged(members, [ordinal - first for ordinal in ordinals[start:end]], (), differing)
        yield Collapsed(tree, members[0], following - first, differing)
        start = end


def _has_same_fields(one: Tree, other: Tree) -> bool:
    """Whether two trees differ by nothing but values. Objects of one series share most of their parts."""
    if one is other:
        return True
    if one.__class__ is not other.__class__:
        return False
    if one.__class__ is dict:
        return list(one) == list(other) and _have_same_fields(one.values(), other.values())
    if one.__class__ is list:
        return len(one) == len(other) and _have_same_fields(one, other)
    return True


def _have_same_fields(some: Iterable[Tree], others: Iterable[Tree]) -> bool:
    for one, other in zip(some, others, strict=True):
        if one is not other and not (one.__class__ is other.__class__ is str or _has_same_fields(one, other)):
            return False
    return True


def _merged(values: Sequence[Tree], offsets: Sequence[int], path: FieldPath, differing: list[FieldPath]) -> Tree:
    first = values[0]
    if all(value is first for value in values) or all(value == first for value in values):
        return first
    if first.__class__ is dict:
        return {key: _merged([value[key] for value in values], offsets, (*path, key), differing) for key in first}
    if first.__class__ is list:
        return [
            _merged(list(items), offsets, (*path, position), differing)
            for position, items in enumerate(zip(*values, strict=True))
        ]
    text = _pattern([str(value) for value in values], offsets)
    if text is None:
        differing.append(path)
        return first
    return text


def _pattern(texts: Sequence[str], offsets: Sequence[int]) -> str | None:
    """The texts as one with ranges; None if they differ by something else than numbers that count up with the offsets."""
    split = [regex.split("([0-9]+)", text) for text in texts]
    if len({len(parts) for parts in split}) != 1:
        return None
    result = []
    for parts in zip(*split, strict=True):
        first = parts[0]
        if all(part == first for part in parts):
            result.append(first)
        elif first.isdecimal() and all(part == str(int(first) + offset) for offset, part in zip(offsets, parts, strict=True)):
            result.append(f"{{{first}..{parts[-1]}}}")
        else:
            return None
    return "".join(result)
