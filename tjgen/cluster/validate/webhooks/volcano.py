"""A Volcano object -> the answer of Volcano's webhooks: Job, PodGroup, Queue, JobFlow, HyperNode.

Upstream: volcano `pkg/webhooks/admission`. What a release does not know yet is not in its schema either, so that one set of rules
serves all of them. The words are upstream's where an error has a text of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.cluster.schema import store
from tjgen.cluster.schema.defaults import with_defaults
from tjgen.cluster.schema.pattern_escapes import PatternError, UnavailableError
from tjgen.cluster.schema.patterns import search
from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.webhooks import volcano_queues
from tjgen.cluster.validate.webhooks.answer import WebhookAnswer, refused
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.k8s.syntax import label_key

GROUPS = ("batch.volcano.sh", "flow.volcano.sh", "scheduling.volcano.sh", "topology.volcano.sh")
_BOTH_TIERS = "must not specify 'highestTierAllowed' and 'highestTierName' in networkTopology simultaneously."


def validate(tree: Tree, *, old: Tree = None, context: Sequence[Tree] = ()) -> WebhookAnswer:
    """The webhooks' answer on creating `tree`, which the schema accepts, or on replacing `old` by it."""
    kind = tree.get("kind")
    if kind == "Job":
        from tjgen.cluster.validate.webhooks import volcano_jobs  # most objects of Volcano are PodGroups

        before = _stored(old) if old is not None else None
        return WebhookAnswer(tuple(volcano_jobs.faults(_stored(tree), before, context)))
    if kind == "Queue":
        return WebhookAnswer(tuple(volcano_queues.faults(_stored(tree), context)))
    if kind == "PodGroup" and old is None:  # its updates have no webhook
        return WebhookAnswer(tuple(_pod_group(tree, context)))
    if kind == "JobFlow":
        return WebhookAnswer(tuple(_job_flow(tree)))
    return WebhookAnswer(tuple(_hyper_node(tree))) if kind == "HyperNode" else WebhookAnswer()


def _stored(tree: Tree) -> Tree:
    schema = store.find(tree.get("apiVersion", ""), tree.get("kind", ""))
    return tree if schema is None else with_defaults(tree, schema)


def _pod_group(tree: Tree, context: Sequence[Tree]) -> Iterator[Fault]:
    """`podgroups/validate:validatePodGroup`; an unknown queue is assumed to exist, and to be open."""
    path: FieldPath = ("spec", "networkTopology")
    if _names_both_tiers(get(tree, path, None)):
        yield refused(_BOTH_TIERS, path, "keep one of the two")
    for position, policy in enumerate(get(tree, ("spec", "subGroupPolicy"), None) or ()):
        if _names_both_tiers(get(policy, ("networkTopology",), None)):
            words = f"in subGroupPolicy '{policy.get('name', '')}': {_BOTH_TIERS}"
            yield refused(words, ("spec", "subGroupPolicy", position, "networkTopology"), "keep one of the two")
    queue = get(tree, ("spec", "queue"), None)
    yield from volcano_queues.closed(queue, ("spec", "queue"), context)


def _names_both_tiers(topology: Tree) -> bool:
    given = topology or {}
    return given.get("highestTierAllowed") is not None and bool(given.get("highestTierName"))


def _job_flow(tree: Tree) -> Iterator[Fault]:
    """`jobflows/validate:validateJobFlowDAG`."""
    flows: FieldPath = ("spec", "flows")
    given = get(tree, flows, None) or ()
    needs = {str(flow.get("name", "")): list(get(flow, ("dependsOn", "targets"), None) or ()) for flow in given}
    for position, flow in enumerate(given):
        for target in needs[str(flow.get("name", ""))]:
            if target not in needs:
                words = f"jobflow flow is not dag: cannot find the vertex {target}"
                yield refused(words, (*flows, position, "dependsOn", "targets"), "name a flow of the JobFlow")
                return
    from tjgen.cluster.validate.webhooks.volcano_jobs import is_acyclic

    if not is_acyclic(needs):
        yield refused("jobflow flow is not dag", flows, "remove the circle of dependencies")


def _hyper_node(tree: Tree) -> Iterator[Fault]:
    """`hypernodes/validate:validateHyperNode`: the checks beyond its schema."""
    for position, member in enumerate(get(tree, ("spec", "members"), None) or ()):
        at: FieldPath = ("spec", "members", position, "selector")
        name = get(member, ("selector", "exactMatch", "name"), None)
        if name is not None:
            messages = label_key(name) if name else []
            if not name:
                yield refused("member exactMatch name is required", (*at, "exactMatch"), "name a node")
            elif messages:
                yield refused(f"member exactMatch validate failed {messages}", (*at, "exactMatch", "name"), "correct the name")
        pattern = get(member, ("selector", "regexMatch", "pattern"), None)
        if pattern is not None:
            yield from _pattern(pattern, (*at, "regexMatch", "pattern"))


def _pattern(pattern: str, path: FieldPath) -> Iterator[Fault]:
    if not pattern:
        yield refused("member regexMatch pattern is required", path, "write a pattern")
        return
    try:
        search(pattern)
    except UnavailableError:
        return
    except PatternError as problem:
        yield refused(f"member regexMatch pattern is invalid: {problem}", path, "correct the pattern")
