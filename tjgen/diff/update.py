"""A manifest that stands in the cluster, and what shall take its place -> what the API server and its webhooks refuse.

Asked are the rules that only an update can break: transition rules of the schema (CEL rules about
`oldSelf`), the webhooks of Trainer and JobSet, and the checks of PersistentVolumeClaims and immutable
ConfigMaps in Kubernetes' own code. Whether the new manifest is right by itself is the business of a build.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from tjgen.fields.path import FieldPath, Tree, get
from tjgen.k8s import quantity
from tjgen.schema import store
from tjgen.schema.defaults import with_defaults
from tjgen.schema.store import Schema
from tjgen.trainer.framework import live
from tjgen.trainer.typed import DecodeError
from tjgen.typing import NamedTuple
from tjgen.validate import admission
from tjgen.validate.cel.program import program
from tjgen.validate.cel.rules import Plan, plan
from tjgen.validate.wording import field, shown

_JOBSET = "jobset.x-k8s.io/v1alpha2"
_STORAGE: FieldPath = ("spec", "resources", "requests", "storage")


class Refusal(NamedTuple):
    """One thing that is refused, in the server's words."""

    path: FieldPath
    words: str


def refusals(old: Tree, new: Tree, context: Sequence[Tree] = ()) -> list[Refusal]:
    """What is refused when `new` is applied over `old`; `context` holds the objects that stand beside it."""
    api_version, kind = new.get("apiVersion", ""), new.get("kind", "")
    schema = store.find(api_version, kind)
    if schema is None:
        return []
    if store.is_built_in(api_version, kind):
        return list(_built_in(old, new))
    found = list(_transitions(with_defaults(old, schema), with_defaults(new, schema), schema))
    try:
        before = live(old) if api_version == _JOBSET and kind == "JobSet" else old
        answer = admission.review(new, old=before, context=context)
    except DecodeError as error:
        return [*found, Refusal(error.path, error.text)]
    said = {refusal.path for refusal in found}
    return found + [_worded(one.path, one.said or one.detail) for one in answer.errors if one.path not in said]


def _in_order(tree: Tree, schema: Schema) -> Tree:
    """The tree with its map lists in one order: to rules they are maps."""
    if tree.__class__ is dict:
        properties, others = schema.get("properties", {}), schema.get("additionalProperties")
        below = {key: properties.get(key, others) for key in tree}
        return {key: _in_order(value, below[key]) if below[key].__class__ is dict else value for key, value in tree.items()}
    if tree.__class__ is list and schema.get("items").__class__ is dict:
        items = [_in_order(item, schema["items"]) for item in tree]
        keys = schema.get("x-kubernetes-list-map-keys")
        return sorted(items, key=lambda item: [str(item.get(key)) for key in keys]) if keys else items
    return tree


def _transitions(old: Tree, new: Tree, schema: Schema) -> Iterator[Refusal]:
    root = plan(schema)
    if root is not None:
        yield from _below(old, new, root, ())


def _below(old: Tree, new: Tree, here: Plan, path: FieldPath) -> Iterator[Refusal]:
    """Rules run where both sides have a value (k8s.io/apiextensions-apiserver `schema/cel/validation.go`)."""
    if old is None or new is None:
        return
    for rule in here.rules:
        runnable = program(rule["rule"])
        if runnable.is_transition and not runnable.holds(_in_order(new, here.schema), _in_order(old, here.schema)):
            value = "" if new.__class__ in (dict, list) else f"{shown(new)}: "
            words = rule.get("message", "").strip() or f"failed rule: {rule['rule'].strip()}"
            yield _worded(path, f"Invalid value: {value}{words}")
    if old.__class__ is dict and new.__class__ is dict:
        for name, below in here.properties.items():
            if name in old and name in new:
                yield from _below(old[name], new[name], below, (*path, name))
        if here.values is not None:
            for key in new:
                if key in old:
                    yield from _below(old[key], new[key], here.values, (*path, key))
    elif old.__class__ is list and new.__class__ is list and here.items is not None:
        yield from _items(old, new, here, path)


def _items(old: list[Tree], new: list[Tree], here: Plan, path: FieldPath) -> Iterator[Refusal]:
    """Only the elements of map lists have a counterpart, the one with the same keys."""
    keys = here.schema.get("x-kubernetes-list-map-keys")
    if keys and here.items is not None:
        before = {tuple(str(item.get(key)) for key in keys): item for item in old}
        for position, item in enumerate(new):
            twin = before.get(tuple(str(item.get(key)) for key in keys))
            yield from _below(twin, item, here.items, (*path, position))


def _built_in(old: Tree, new: Tree) -> Iterator[Refusal]:
    check = _CHECKS.get((new.get("apiVersion"), new.get("kind")))
    if check is not None:
        yield from check(old, new)


def _claim(old: Tree, new: Tree) -> Iterator[Refusal]:
    """pkg/apis/core/validation `ValidatePersistentVolumeClaimUpdate`; the claim is taken to be bound."""
    fixed, wanted = _without(old), _without(new)
    if "storageClassName" not in fixed:
        # The default class stands there now, and nobody here knows its name.
        wanted.pop("storageClassName", None)
    for source in ("dataSource", "dataSourceRef"):
        # The server copies either to the other, so one that is left out comes back.
        if source not in wanted:
            fixed.pop(source, None)
    if fixed != wanted:
        words = "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims"
        yield _worded(("spec",), f"Forbidden: {words}")
    before, after = get(old, _STORAGE, None), get(new, _STORAGE, None)
    if before is not None and after is not None and quantity.parse(after).nanos < quantity.parse(before).nanos:
        yield _worded(_STORAGE, "Forbidden: field can not be less than status.capacity")


def _without(claim: Tree) -> Tree:
    """What of a claim's spec cannot change, without what the server has filled in where it was left out."""
    spec = {key: value for key, value in (claim.get("spec") or {}).items() if key != "volumeAttributesClassName"}
    resources = {key: value for key, value in (spec.get("resources") or {}).items() if key != "requests"}
    return {**spec, "resources": resources, "volumeMode": spec.get("volumeMode", "Filesystem")}


def _constants(old: Tree, new: Tree) -> Iterator[Refusal]:
    """pkg/apis/core/validation `ValidateConfigMapUpdate` and `ValidateSecretUpdate`."""
    if new["kind"] == "Secret" and old.get("type", "Opaque") != new.get("type", "Opaque"):
        yield _worded(("type",), f"Invalid value: {shown(new.get('type'))}: field is immutable")
    if old.get("immutable") is True:
        for name in ("immutable", "data", "binaryData"):
            if old.get(name) != new.get(name):
                yield _worded((name,), "Forbidden: field is immutable when `immutable` is set")


def _job(old: Tree, new: Tree) -> Iterator[Refusal]:
    """pkg/apis/batch/validation `ValidateJobUpdate`. A suspended Job may still change some, and is not judged."""
    before, after = old.get("spec") or {}, new.get("spec") or {}
    if before.get("suspend"):
        return
    fixed = _FIXED_OF_JOB if after.get("completionMode") == "Indexed" else (*_FIXED_OF_JOB, "completions")
    for name in fixed:
        if before.get(name) != after.get(name):
            yield _worded(("spec", name), "field is immutable")


_FIXED_OF_JOB = (
    "selector",
    "template",
    "completionMode",
    "podFailurePolicy",
    "backoffLimitPerIndex",
    "managedBy",
    "successPolicy",
)
_CHECKS: dict[tuple[Tree, Tree], Callable[[Tree, Tree], Iterator[Refusal]]] = {
    ("v1", "PersistentVolumeClaim"): _claim,
    ("v1", "ConfigMap"): _constants,
    ("v1", "Secret"): _constants,
    ("batch/v1", "Job"): _job,
}


def _worded(path: FieldPath, words: str) -> Refusal:
    name = field(path)
    return Refusal(path, f"{name}: {words}" if name else words)
