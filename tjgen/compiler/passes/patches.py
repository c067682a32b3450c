"""`patches` -> the manifests with the user's last word on them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tjgen.compiler.lower import SPEC
from tjgen.compiler.passes import identity
from tjgen.language.spec.objects import Operation, Patch
from tjgen.trees.diagnostics.model import ERROR, WARNING, Diagnostic
from tjgen.trees.explain.provenance import Sources, trace
from tjgen.trees.fields.managed import Managed, Origin
from tjgen.trees.fields.path import MISSING, FieldPath, Tree, get, index_of, render
from tjgen.trees.fields.writer import Writer
from tjgen.trees.manifests.leaves import lasting, selectors_of
from tjgen.trees.manifests.manifest import Manifest
from tjgen.trees.typing import NamedTuple
from tjgen.trees.workload.keys import LIST_KEYS

MANAGER = "patches"
_SHOWN = 20
_WRONG_POINTER = "write a JSON Pointer that exists in the object; tjgen build prints it"
_FAILED_TEST = "a field changes what the patch expects: undo that change, or remove the operations for this place from the patch"


class PatchSource(NamedTuple):
    """The kind of document that patches are in."""

    name: str
    """Its name in origins."""
    creator: str
    """What creates the objects, in messages."""
    without_objects: str
    """Severity of a patch without objects: an overlay adds a patch to several experiments, but a Platform has only its own."""
    is_checked: bool
    """Whether builds compare runs with its fields, so that a value that only a patch sets has no effect on them."""


EXPERIMENT = PatchSource("experiment", "the build", WARNING, False)
PLATFORM = PatchSource("platform", "the Platform", ERROR, True)


def patched(
    manifests: list[Manifest],
    patches: Mapping[str, Patch],
    sources: Sources,
    source: PatchSource = EXPERIMENT,
    *,
    allows: Sequence[str] = (),
    only: str = "",
    but: str = "",
) -> tuple[list[Manifest], list[Diagnostic]]:
    """Every patch over the objects that it selects; one that selects none is reported (TJ330).

    A patch that changes what identifies an object is an error (TJ107), but where the project's policy `allows` it. One with
    `force: false` that changes a value of a field is TJ749 at the field, and a warning otherwise if the `source` is checked.
    `only` and `but` name the kind that a target creates from the others: a patch for it is applied after that.
    """
    diagnostics = []
    result = list(manifests)
    positions = _positions(result)
    for name, patch in patches.items():
        if patch.target.kind == but or (only and patch.target.kind != only):
            continue
        because: FieldPath = (*SPEC, "patches", name)
        of_name = positions.get((patch.target.kind, patch.target.name), ())
        chosen = [i for i in of_name if patch.target.namespace in (None, result[i].namespace)]
        if not chosen:
            diagnostics.append(_matches_nothing(patch, result, because, source))
        for position in chosen:
            try:
                changed = _apply(result[position], patch, because, source.name)
            except _OperationError as bad:
                diagnostics.append(bad.diagnostic)
                continue
            if not patch.force or source.is_checked:
                overwritten = _conflicts(result[position], changed.tree, MANAGER, sources, source.name)
                diagnostics += [_conflict(name, patch, result[position], one, source) for one in overwritten]
            field = None if identity.ALLOWED in allows else identity.changed(result[position].tree, changed.tree)
            if field is None:
                is_renamed = (changed.kind, changed.name) != (result[position].kind, result[position].name)
                result[position] = changed
                positions = _positions(result) if is_renamed else positions
            else:
                diagnostics.append(identity.refused(name, patch, result[position].kind, field, because))
    return result, diagnostics


def _positions(manifests: Sequence[Manifest]) -> dict[tuple[str, str | None], list[int]]:
    """Kind and name, or kind alone -> the positions of its objects."""
    positions: dict[tuple[str, str | None], list[int]] = {}
    for position, manifest in enumerate(manifests):
        for name in (None, manifest.name):
            positions.setdefault((manifest.kind, name), []).append(position)
    return positions


def _apply(manifest: Manifest, patch: Patch, because: FieldPath, source: str) -> Manifest:
    writer = Writer(Managed(manifest.tree, manifest.owners), keys=LIST_KEYS)
    if patch.merge is not None:
        writer.merge((), patch.merge, Origin(MANAGER, source, (*because, "merge"), True))
    for position, operation in enumerate(patch.operations):
        _operate(writer, operation, Origin(MANAGER, source, (*because, "json", position)))
    done = writer.done()
    return Manifest(done.value, done.owners, manifest.stage, expanded=manifest.expanded)


def _operate(writer: Writer, operation: Operation, origin: Origin) -> None:
    """One operation of RFC 6902. Lists are replaced whole, so that no path in the owners goes stale."""
    for pointer in (operation.path, operation.source or ""):
        if pointer and not pointer.startswith("/"):
            raise _OperationError(f'"{pointer}" does not begin with "/"', origin)
    path = _path(operation.path)
    if operation.op == "test":
        # An API server treats null as absent, and so does a test.
        if get(writer.get(()), _resolved(writer.get(()), path), None) != operation.value:
            what = "absent" if operation.value is None else repr(operation.value)
            raise _OperationError(f"{operation.path} is not {what}", origin, _FAILED_TEST)
        return
    value = operation.value
    if operation.op in ("move", "copy"):
        value = get(writer.get(()), _resolved(writer.get(()), _path(operation.source or "")))
        if value is MISSING:
            raise _OperationError(f'nothing exists at "{operation.source}"', origin)
        if operation.op == "move":
            _change(writer, _path(operation.source or ""), MISSING, "remove", origin)
    _change(writer, path, MISSING if operation.op == "remove" else value, operation.op, origin)


def _change(writer: Writer, path: FieldPath, value: Tree, op: str, origin: Origin) -> None:
    parent = get(writer.get(()), _resolved(writer.get(()), path[:-1])) if path else MISSING
    shown = "/" + "/".join(str(step) for step in path)
    if parent.__class__ is list:
        node = _resolved(writer.get(()), path[:-1])
        writer.put(node, _changed_list(parent, str(path[-1]), value, op, shown, origin), origin)
        return
    if parent.__class__ is not dict:
        raise _OperationError(f'the parent of "{shown}" does not exist', origin)
    if op in ("remove", "replace") and path[-1] not in parent:
        raise _OperationError(f'nothing exists at "{shown}"', origin)
    writer.put(_resolved(writer.get(()), path), None if value is MISSING else value, origin)


def _changed_list(items: list[Tree], step: str, value: Tree, op: str, shown: str, origin: Origin) -> list[Tree]:
    position = len(items) if step == "-" else int(step) if step.isdigit() else -1
    last = len(items) if op not in ("remove", "replace") else len(items) - 1
    if not 0 <= position <= last:
        raise _OperationError(f'no element exists at "{shown}"', origin)
    if value is MISSING:
        return items[:position] + items[position + 1 :]
    return [*items[:position], value, *items[position + (op == "replace") :]]


def _path(pointer: str) -> FieldPath:
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:])


def _resolved(tree: Tree, path: FieldPath) -> FieldPath:
    """The steps of a JSON Pointer, with the keys of elements in lists: the owners of values are recorded under these."""
    steps: list[str | int] = []
    value = tree
    for step in path:
        if value.__class__ is list and str(step).isdigit():
            steps.append(int(str(step)))
        else:
            steps.append(str(step))
        value = get(value, (steps[-1],))
    return lasting(tree, tuple(steps))


class _OperationError(Exception):
    def __init__(self, message: str, origin: Origin, hint: str = _WRONG_POINTER) -> None:
        super().__init__(message)
        self.diagnostic = Diagnostic("TJ331", f"patch cannot be applied: {message}", path=origin.because, hint=hint)


def _matches_nothing(patch: Patch, manifests: list[Manifest], because: FieldPath, source: PatchSource) -> Diagnostic:
    target = patch.target
    wanted = target.kind + (f"/{target.name}" if target.name else "")
    where = f" in namespace {target.namespace}" if target.namespace else ""
    similar = [one for one in manifests if one.kind == target.kind] or manifests
    targets = sorted({_named(one, with_namespace=target.namespace is not None) for one in similar})
    more = f" and {len(targets) - _SHOWN} more" if len(targets) > _SHOWN else ""
    return Diagnostic(
        "TJ330",
        f"patch matches nothing: {source.creator} creates no {wanted}{where}",
        path=(*because, "target"),
        hint=f"use one of {', '.join(targets[:_SHOWN])}{more}" if targets else "remove the patch",
        severity=source.without_objects,
    )


def _named(manifest: Manifest, *, with_namespace: bool) -> str:
    where = f" in namespace {manifest.namespace}" if with_namespace and manifest.namespace else ""
    return f"{manifest.kind}/{manifest.name}{where}"


def _conflict(name: str, patch: Patch, manifest: Manifest, conflict: PatchConflict, source: PatchSource) -> Diagnostic:
    message = f'patch "{name}" changes {render(conflict.path)} of {manifest.ref}, which this field sets'
    hint = (
        f"set the value here and remove this place from patches.{name}: builds compare runs with the field"
        if source.is_checked
        else f"remove the field, or {_remedy(name, patch, manifest, conflict)}"
    )
    return Diagnostic("TJ749", message, path=conflict.field, hint=hint, severity=WARNING if patch.force else ERROR)


def _remedy(name: str, patch: Patch, manifest: Manifest, conflict: PatchConflict) -> str:
    """How the field takes effect: a merge keeps what an operation around its place replaces."""
    for operation in patch.operations:
        steps = [str(step) for step in _path(operation.path)]
        around = _resolved(manifest.tree, tuple(steps))
        if operation.op not in ("add", "replace") or around == conflict.path or around != conflict.path[: len(around)]:
            continue
        change = f"{operation.op} {operation.path} of patches.{name}"
        if operation.value.__class__ is not dict and steps[-1] not in LIST_KEYS:
            return f"remove {change}"
        tree = "".join(f"{{{step}: " for step in steps) + "VALUE" + "}" * len(steps)
        written = "" if any(step.isdigit() for step in steps) else f": {tree}"
        return f"move {change} to a patch of its own with merge{written}, which keeps the field"
    return f"remove this place from patches.{name}"


# An object before and after a patch -> the values that fields of the document set and the patch changes.
#
# The document is the experiment or the Platform with the patch.
#
# A patch with `force: false` must not change them: the result would ignore an edit of such a field. The comparison is of
# values, as in a server-side apply without force, so a patch that sets an equal value is not a conflict.

_CHOICES = (("spec", "target"), ("spec", "runtime"))
"""Fields that choose a whole object. What they bring is not a value of the author."""

_COMPUTED = "target:rayjob"
"""The manager of bounds that a target computes from a number of pods. A patch may set others (TJ474)."""


class PatchConflict(NamedTuple):
    """A value that a field of the document set. `field` is the place of that field in the document."""

    path: FieldPath
    field: FieldPath


def _conflicts(before: Manifest, after: Tree, manager: str, sources: Sources, source: str) -> Iterator[PatchConflict]:
    """Yield the values of `before` that a field set and that `after` lacks or changes. Values that `manager` set do not count.

    `source` is the name of the document in origins.
    """
    managed = Managed(before.tree, before.owners)
    for path in _changed(before.tree, after, ()):
        for place in (path, *managed.recorded_below(path)):
            origins = [one for one in managed.origins(place) if one.manager not in (manager, _COMPUTED)]
            fields = ((one, _field(one, before, sources, source)) for one in origins)
            field = next(
                (field for one, field in fields if field and not _only_addresses(one, place, field, managed, source)), None
            )
            if field is not None:
                yield PatchConflict(place, field)
                break


def _only_addresses(origin: Origin, path: FieldPath, field: FieldPath, managed: Managed, source: str) -> bool:
    """Whether a key of an item was written only to find the item: the field sets other values of it, and these stay.

    A field such as `env.LR` names its item, so the key is its value, too.
    """
    *above, key = path
    if not above or not isinstance(above[-1], tuple) or key not in dict(above[-1]) or dict(above[-1])[key] in field:
        return False
    if origin.source != source:
        return origin.because[-2:] == path[-2:]
    others = (one for place in managed.recorded_below(tuple(above)) if place != path for one in managed.origins(place))
    return any(one.source == origin.source and one.because == origin.because for one in others)


def _field(origin: Origin, manifest: Manifest, sources: Sources, source: str) -> FieldPath | None:
    """The field of the document that an origin leads to; None if it leads elsewhere."""
    for hop in trace(origin, sources, expanded=manifest.expanded):
        if hop.source == source and not _is_choice(hop.because, manifest, sources, source):
            return hop.because
    return None


def _is_choice(field: FieldPath, manifest: Manifest, sources: Sources, source: str) -> bool:
    """Whether a field only chooses the object, or has a value by default."""
    if source == "experiment":
        return field[:2] in _CHOICES
    document = sources.platform
    is_set = document is not None and get(document.value, field) is not MISSING
    return not is_set or field in [one.because for one in manifest.origins(())]


def _changed(before: Tree, after: Tree, path: FieldPath) -> Iterator[FieldPath]:
    """The highest places of `before` that `after` lacks or has another value at.

    Items of lists with keys are compared by key, and other maps in lists by position.
    """
    if before.__class__ is dict and after.__class__ is dict:
        for key, value in before.items():
            yield from _changed(value, after.get(key, MISSING), (*path, key))
        return
    if before.__class__ is list and after.__class__ is list:
        selectors = selectors_of(before, path[-1] if path else "")
        if selectors and (not after or selectors_of(after, path[-1] if path else "")):
            places = [index_of(after, one) for one in selectors]
            for position, (item, selector) in enumerate(zip(before, selectors, strict=True)):
                # An item that only has another name is at the same position.
                is_renamed = places[position] < 0 and position < len(after) and position not in places
                place = position if is_renamed else places[position]
                yield from _changed(item, after[place] if place >= 0 else MISSING, (*path, selector))
            return
        if len(after) >= len(before) > 0 and all(item.__class__ is dict for item in before):
            for position, item in enumerate(before):
                yield from _changed(item, after[position], (*path, position))
            return
    if before.__class__ is not after.__class__ or before != after:
        yield path
