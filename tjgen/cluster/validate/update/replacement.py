"""A manifest and the manifest that created the object -> the verdict of an API server on applying it.

In the server's order: `kubectl apply` merges the manifest into the live object, then the whole is decoded, defaulted and
validated as a new one, compared with the old one, and what was wrong before and did not change is forgiven where the
server forgives it.
"""

from __future__ import annotations

from tjgen.cluster.schema import store, walk
from tjgen.cluster.schema.defaults import with_defaults
from tjgen.cluster.schema.store import Schema
from tjgen.cluster.trainer.goread import DecodeError
from tjgen.cluster.trainer.release import Release
from tjgen.cluster.validate import custom, decode, serverside
from tjgen.cluster.validate import metadata as new_metadata
from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.stages import verdict
from tjgen.cluster.validate.update import fieldmerge, jsonmerge, metadata, stored_object
from tjgen.cluster.validate.update.pair import ObjectPair
from tjgen.cluster.validate.update.refusals import conflict, unreadable_old
from tjgen.cluster.validate.verdict import Verdict
from tjgen.cluster.validate.webhooks.mutating import mutated
from tjgen.trees.fields.path import Tree


def judge(
    tree: dict[str, Tree],
    old: Tree,
    schema: Schema,
    *,
    built_in: bool,
    server_side: bool = False,
    bound: bool = False,
    release: Release | None = None,
) -> Verdict:
    """Return the verdict on applying `tree` over the object created from `old`, of the same kind, name and namespace.

    The mutating webhooks of `release` change both objects; None for a cluster without them.
    """
    if any(finding.type == walk.TYPE for finding in decode.mismatches(old.get("metadata"), store.object_meta(), ("metadata",))):
        return unreadable_old()
    if server_side:
        refused = serverside.refusal(tree, schema)
        if refused is not None:
            return refused
    if built_in:
        from tjgen.cluster.validate.update import builtin

        return builtin.judge(tree, old, schema, server_side=server_side, bound=bound)
    before = stored_object.stored_custom(old, schema)
    if release is not None:
        before = _mutated(before, None, schema, release)
    if server_side:
        tree = serverside.without_time(tree)
        after = fieldmerge.applied(serverside.without_time(old), tree, before, serverside.whole(schema))
    else:
        after = jsonmerge.applied(old, tree, before)
    read = [*decode.mismatches(after.get("metadata"), store.object_meta(), ("metadata",))]
    is_readable = not any(finding.type == walk.TYPE for finding in read)
    stored = serverside.stored(after, schema) if server_side else with_defaults(after, schema)
    read += [finding for finding in walk.check(stored, schema) if finding.type == walk.UNKNOWN]
    if not is_readable or read:
        return verdict(read, [], [])
    if metadata.is_conflict(after.get("metadata") or {}):
        return conflict()
    if release is not None:
        stored = _mutated(stored, before, schema, release)
    return verdict(read, _faults(_settled(stored, before, schema), before, schema), [])


def _mutated(tree: dict[str, Tree], before: Tree, schema: Schema, release: Release) -> dict[str, Tree]:
    """The object after the mutating webhook. One that the webhook cannot decode stays: `admission.review` refuses it."""
    try:
        changed = mutated(tree, before, release)
    except DecodeError:
        return tree
    return tree if changed is tree else with_defaults(changed, schema)


def _settled(tree: dict[str, Tree], before: dict[str, Tree], schema: Schema) -> dict[str, Tree]:
    """The object as the server compares it: status and system fields are those of the object that it holds."""
    given = decode.decoded(tree.get("metadata") or {}, store.object_meta())
    kept = {key: value for key, value in given.items() if stored_object.is_printed(value)}
    result = {**tree, "metadata": metadata.settled(kept, before["metadata"])}
    if schema["x-tjgen-resource"]["status"]:
        result.pop("status", None)
    return result


def _faults(tree: dict[str, Tree], before: dict[str, Tree], schema: Schema) -> list[Fault]:
    pair = ObjectPair(tree, before, schema)
    faults = [*new_metadata.common(tree["metadata"], namespaced="namespace" in before["metadata"])]
    faults += metadata.faults(tree["metadata"], before["metadata"])
    lists = (walk.DUPLICATE, walk.NOT_KEYED)
    was_broken = any(finding.type in lists for finding in walk.check(before, schema))
    wrong = []
    for finding in walk.check(tree, schema):
        if finding.type in lists:
            is_forgiven = was_broken
        else:
            is_forgiven = pair.forgives(finding.path[:-1] if finding.type == walk.REQUIRED else finding.path)
        if not is_forgiven:
            wrong.append(finding)
    faults += custom.faults(wrong, schema)
    faults += custom.scale(tree, schema)
    faults += custom.rules(tree, schema, faults, pair)
    return faults
