"""A pod set and the domains of its flavor -> what fits in each domain, and the sentence of Kueue if it does not suffice.

Mirrors phase 1 of kueue v0.19 `pkg/cache/scheduler/tas_flavor_snapshot.go` (`findTopologyAssignment`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from tjgen.cluster.queueing.kueue.objects import PodSetRequest, TopologyPath, TopologyRequest
from tjgen.cluster.queueing.kueue.topology import Domain, TopologySnapshot, add_amounts, count_in, count_left, remaining
from tjgen.cluster.scheduling.filters.node_affinity import matches_required
from tjgen.cluster.scheduling.filters.taint_toleration import untolerated_taint
from tjgen.cluster.scheduling.node import PODS, Node
from tjgen.trees.canonical import json_text
from tjgen.trees.fields.path import Tree
from tjgen.trees.typing import NamedTuple

AssumedUsage = dict[TopologyPath, dict[str, int]]
"""Domain -> what earlier pod sets of the workload use there."""
IMPLIED = TopologyRequest(unconstrained=True)
"""The request of pods without one in a queue whose flavors all have a topology."""


class TopologySearch(NamedTuple):
    """`topologyAssignmentParameters`."""

    tree: TopologySnapshot
    requested_level: int
    slice_level: int
    slice_size: int
    slice_sizes: Mapping[int, int]
    """Level below the slices -> the size of smaller slices there."""
    constraints: Sequence[tuple[str, int]]
    number: int
    """Number of pods, without the leader."""
    leaders: int
    """1 if there is a leader."""
    is_required: bool
    is_unconstrained: bool
    """Whether domains with the least free capacity are first (LeastFreeCapacity)."""
    excluded: Counter[str]
    """Reason -> the number of nodes that it excludes."""


class TopologyMisfitError(Exception):
    """The pods do not fit. The text is the sentence of Kueue."""


def start_search(tree: TopologySnapshot, workers: PodSetRequest, leader: PodSetRequest | None) -> TopologySearch:
    """The levels and slices of a request. Raises TopologyMisfitError for levels that the topology does not have."""
    request = workers.topology or IMPLIED
    key = request.level(tree.levels)
    if key is None:
        raise TopologyMisfitError("topology level not specified")
    if key not in tree.levels:
        raise TopologyMisfitError(f"no requested topology level: {key}")
    constraints = request.slices or ((tree.levels[-1], 1),)
    (slice_key, slice_size), *inner = constraints
    if slice_key not in tree.levels:
        raise TopologyMisfitError(f"no requested topology level for slices: {slice_key}")
    level, slice_level = tree.levels.index(key), tree.levels.index(slice_key)
    if level > slice_level:
        raise TopologyMisfitError(f"podset slice topology {slice_key} is above the podset topology {key}")
    sizes = _inner_sizes(tree, inner, slice_level, slice_size)
    return TopologySearch(
        tree,
        level,
        slice_level,
        slice_size,
        sizes,
        request.slices if sizes else (),
        workers.number,
        int(leader is not None),
        bool(request.required),
        bool(request.unconstrained) or request.is_slice_only,
        Counter(),
    )


def _inner_sizes(tree: TopologySnapshot, inner: Sequence[tuple[str, int]], level: int, size: int) -> dict[int, int]:
    """`buildSliceSizeAtLevel`: the sizes of slices inside the slices."""
    sizes: dict[int, int] = {}
    for key, own in inner:
        if key not in tree.levels:
            raise TopologyMisfitError(f"no requested topology level for additional slice layer: {key}")
        below = tree.levels.index(key)
        if below <= level:
            raise TopologyMisfitError(f"additional slice layer topology {key} must be at a lower level than {tree.levels[level]}")
        if size % own:
            raise TopologyMisfitError(f"additional slice layer size {own} must evenly divide parent layer size {size}")
        sizes |= dict.fromkeys(range(level + 1, below + 1), own)
        level, size = below, own
    return sizes


def fill_in_counts(
    search: TopologySearch, workers: PodSetRequest, leader: PodSetRequest | None, assumed: AssumedUsage, *, is_empty: bool
) -> None:
    """`fillInCounts`: what fits in each domain, from the lowest level up."""
    tree = search.tree
    for level in tree.domains:
        for domain in level.values():
            domain.reset()
    requests = {**workers.per_pod, PODS: 1}
    leaves, excluded = _feasible(tree, workers.spec)
    search.excluded.update(excluded)
    is_simple, items = leader is None and not assumed and not is_empty, tuple(requests.items())
    for path, leaf in leaves:
        if is_simple:
            leaf.state, limit = leaf.counts.get(items) or count_left(leaf, items)
            if not leaf.state:
                search.excluded[f'resource "{limit}"'] += 1
            continue
        left = dict(leaf.free) if is_empty else remaining(leaf)
        add_amounts(left, assumed.get(path, {}), -1)
        leaf.state, limit = count_in(requests, left)
        if not leaf.state:
            search.excluded[f'resource "{limit}"'] += 1
        if leader is not None:
            of_leader = {**leader.per_pod, PODS: 1}
            if count_in(of_leader, left)[0]:
                leaf.leader_state = 1
                add_amounts(left, of_leader, -1)
        leaf.state_with_leader = count_in(requests, left)[0]
    if is_simple:
        _add_up_levels(search)
        return
    for root in tree.domains[0].values():
        _add_up(search, root, 0)


def _feasible(tree: TopologySnapshot, spec: Tree) -> tuple[list[tuple[TopologyPath, Domain]], Counter[str]]:
    """The domains of the lowest level whose nodes the pods can run on, and why other nodes are excluded."""
    key = scheduling_key(spec)
    if key not in tree.memo:
        tolerations = [*(spec.get("tolerations") or ()), *tree.tolerations]
        leaves, excluded = [], Counter[str]()
        for path, leaf in tree.leaves.items():
            reason = _exclusion(leaf.node, spec, tolerations) if leaf.node is not None else ""
            if reason:
                excluded[reason] += 1
            else:
                leaves.append((path, leaf))
        tree.memo[key] = leaves, excluded
    result: tuple[list[tuple[TopologyPath, Domain]], Counter[str]] = tree.memo[key]
    return result


def scheduling_key(spec: Tree) -> str:
    """Equal for pods that can run on the same nodes, as far as Kueue sees it."""
    return json_text([spec.get("nodeSelector"), spec.get("affinity"), spec.get("tolerations")])


def _exclusion(node: Node, spec: Tree, tolerations: Sequence[Tree]) -> str:
    """`FindFeasibleNodes`: why the pods cannot run on a node; empty if they can."""
    taint = untolerated_taint(node.taints, tolerations)
    if taint is not None:
        value = f"={taint['value']}" if taint.get("value") else ""
        return f'taint "{taint["key"]}{value}:{taint["effect"]}"'
    if not matches_required({"nodeSelector": spec.get("nodeSelector")}, node.labels, node.name):
        return "nodeSelector"
    return "" if matches_required({"affinity": spec.get("affinity")}, node.labels, node.name) else "affinity"


def _add_up_levels(search: TopologySearch) -> None:
    """The result of `_add_up` without a leader, level by level: the counts with a leader are those without one."""
    levels, size = search.tree.domains, search.slice_size
    for level in range(len(levels) - 1, -1, -1):
        inner = search.slice_sizes.get(level + 1, 1)
        for domain in levels[level].values():
            children = domain.children
            if children and inner == 1:
                domain.state = sum([child.state for child in children])
            elif children:
                domain.state = sum([child.state // inner * inner for child in children])
            if level == search.slice_level:
                domain.slice_state = domain.state // size
            elif level < search.slice_level:
                domain.slice_state = sum([child.slice_state for child in children])
            domain.state_with_leader, domain.slice_state_with_leader = domain.state, domain.slice_state


def _add_up(search: TopologySearch, domain: Domain, level: int) -> None:
    """`fillInCountsHelper`."""
    size = search.slice_size
    if not domain.children:
        if level == search.slice_level:
            domain.slice_state, domain.slice_state_with_leader = domain.state // size, domain.state_with_leader // size
        return
    inner = search.slice_sizes.get(level + 1, 1)
    differences, slice_differences = [], []
    for child in domain.children:
        _add_up(search, child, level + 1)
        state, with_leader = child.state // inner * inner, child.state_with_leader // inner * inner
        domain.state += state
        domain.slice_state += child.slice_state
        domain.leader_state = max(domain.leader_state, child.leader_state)
        if not search.leaders or child.leader_state:
            differences.append(state - with_leader)
            slice_differences.append(child.slice_state - child.slice_state_with_leader)
    if differences:
        domain.state_with_leader = domain.state - min(differences)
        domain.slice_state_with_leader = domain.slice_state - min(slice_differences)
    if level == search.slice_level:
        domain.slice_state, domain.slice_state_with_leader = domain.state // size, domain.state_with_leader // size


def misfit_sentence(search: TopologySearch, level: int, fitting: int) -> str:
    """`notFitMessage`, and `multiLayerNotFitMessage` for slices inside slices."""
    tree = search.tree
    total = search.number // search.slice_size
    unit = "pod" if search.slice_size == 1 else "slice"
    if search.constraints:
        best = min(tree.domains[level].values(), key=lambda one: (-one.slice_state, tree.identity(one)))
        layers = [
            f"; {_slices(best, tree.levels.index(key) - level, size)}/{search.number // size} slice(s) fit on level {key}"
            for key, size in search.constraints
        ]
        text = f'topology "{tree.name}" doesn\'t allow to fit{"".join(layers)}'
    elif fitting:
        text = f'topology "{tree.name}" allows to fit only {fitting} out of {total} {unit}(s)'
    else:
        text = f'topology "{tree.name}" doesn\'t allow to fit any of {total} {unit}(s)'
    if not search.excluded:
        return text
    reasons = sorted(f"{reason}: {number}" for reason, number in search.excluded.items())
    return f"{text}. Total nodes: {len(tree.leaves)}; excluded: {', '.join(reasons)}"


def _slices(domain: Domain, depth: int, size: int) -> int:
    """`countSlicesInSubtree`."""
    return sum(_slices(child, depth - 1, size) for child in domain.children) if depth else domain.state // size
