"""A manifest -> the object that policies see: with the defaults of the server, and the metadata that the server adds."""

from __future__ import annotations

from collections.abc import Mapping

from tjgen.cluster.schema import store
from tjgen.cluster.schema.defaults import with_defaults
from tjgen.cluster.schema.store import Schema
from tjgen.cluster.schema.walk import TYPE
from tjgen.cluster.trainer.goread import DecodeError
from tjgen.cluster.trainer.release import of_versions
from tjgen.cluster.validate import decode
from tjgen.cluster.validate.update import builtin, stored_object
from tjgen.cluster.validate.update.gotypes import TYPES
from tjgen.cluster.validate.webhooks.mutating import mutated
from tjgen.trees.fields.path import Tree
from tjgen.trees.typing import NamedTuple

_APPARMOR = "container.apparmor.security.beta.kubernetes.io/"
_PENDING = ("PersistentVolumeClaim", "Pod")
_PROFILES = {"runtime/default": "RuntimeDefault", "unconfined": "Unconfined"}


class Stored(NamedTuple):
    """An object as the server holds it, and the resource that it is one of."""

    tree: dict[str, Tree]
    group: str
    version: str
    plural: str
    is_namespaced: bool


def stored(tree: Tree, *, versions: Mapping[str, str] | None = None, webhooks: bool = True) -> Stored | None:
    """The object of a manifest; None if its kind has no schema, or the server cannot read it.

    `webhooks`: whether the mutating webhooks of Trainer and JobSet change it first.
    """
    if tree.__class__ is not dict or tree.get("apiVersion").__class__ is not str or tree.get("kind").__class__ is not str:
        return None
    api_version, kind = tree["apiVersion"], tree["kind"]
    schema = store.find(api_version, kind, versions=versions)
    if schema is None or _is_unreadable(tree, schema, built_in=(is_own := store.is_built_in(api_version, kind))):
        return None
    result = _built_in(tree, schema, kind) if is_own else _custom(tree, schema, versions, webhooks=webhooks)
    resource = schema["x-tjgen-resource"]
    group, _, version = api_version.rpartition("/")
    metadata = {key: value for key, value in result["metadata"].items() if key != "resourceVersion"}
    return Stored({**result, "metadata": metadata}, group, version, resource["plural"], resource["scope"] == "Namespaced")


def replacing(new: Stored, old: Stored) -> Stored:
    """The object that replaces `old`, with the generation that the server counts."""
    generation = old.tree["metadata"].get("generation")
    if generation is None:
        return new
    sides = [{key: value for key, value in one.tree.items() if key not in ("metadata", "status")} for one in (new, old)]
    counted = generation + (sides[0] != sides[1])
    return new._replace(tree={**new.tree, "metadata": {**new.tree["metadata"], "generation": counted}})


def _is_unreadable(tree: dict[str, Tree], schema: Schema, *, built_in: bool) -> bool:
    mismatches = [*decode.mismatches(tree.get("metadata"), store.object_meta())]
    mismatches += decode.mismatches({**tree, "metadata": None}, schema) if built_in else ()
    return any(finding.type == TYPE for finding in mismatches)


def _built_in(tree: dict[str, Tree], schema: Schema, kind: str) -> dict[str, Tree]:
    if kind in TYPES:
        result = builtin.stored_of(tree, schema, kind)
        # Go prints a status that nothing sets.
        status = {"status": {"phase": "Pending"} if kind in _PENDING else {}} if schema["x-tjgen-resource"]["status"] else {}
        return {"apiVersion": tree["apiVersion"], "kind": kind, **result, **status, **(_pod(result) if kind == "Pod" else {})}
    body = decode.decoded({key: value for key, value in tree.items() if key != "metadata"}, schema)
    return {**body, "metadata": stored_object.stored_metadata(tree, schema, generation=None)}


def _pod(pod: dict[str, Tree]) -> dict[str, Tree]:
    """The spec with the profiles of AppArmor that annotations name (`pkg/registry/core/pod/strategy.go`)."""
    annotations = pod["metadata"].get("annotations") or {}
    spec = pod["spec"]
    for kind in ("initContainers", "containers") if any(key.startswith(_APPARMOR) for key in annotations) else ():
        if kind in spec:
            spec = {**spec, kind: [_with_profile(one, annotations.get(_APPARMOR + one["name"])) for one in spec[kind]]}
    return {"spec": spec}


def _with_profile(container: Tree, profile: str | None) -> Tree:
    context = container.get("securityContext") or {}
    if profile is None or "appArmorProfile" in context:
        return container
    own: Tree = {"type": _PROFILES.get(profile, "Localhost")}
    if own["type"] == "Localhost":
        own["localhostProfile"] = profile.removeprefix("localhost/")
    return {**container, "securityContext": {**context, "appArmorProfile": own}}


def _custom(tree: dict[str, Tree], schema: Schema, versions: Mapping[str, str] | None, *, webhooks: bool) -> dict[str, Tree]:
    result = stored_object.stored_custom(tree, schema)
    if not webhooks:
        return result
    try:
        changed: dict[str, Tree] = with_defaults(mutated(result, None, of_versions(versions)), schema)
    except DecodeError:
        return result  # the webhook refuses the object, which is reported
    return changed
