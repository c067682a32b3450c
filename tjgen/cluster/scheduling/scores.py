"""Nodes that pass the filters -> those that the scheduler prefers.

The scores of NodeResourcesFit (LeastAllocated), NodeResourcesBalancedAllocation, TaintToleration, NodeAffinity
and InterPodAffinity of kubernetes 1.36, with their default weights. Preferred spreading and the images of nodes are left out.
"""

from __future__ import annotations

from collections.abc import Sequence

from tjgen.cluster.scheduling.filters.node_affinity import matches_term
from tjgen.cluster.scheduling.filters.taint_toleration import is_tolerated
from tjgen.cluster.scheduling.level import Level
from tjgen.cluster.scheduling.node import CPU, MEMORY
from tjgen.cluster.scheduling.pod import PREFERRED, SchedulingPod
from tjgen.trees.fields.path import Tree, get

_MOST = 100
_TAINTS_WEIGHT, _AFFINITY_WEIGHT = 3, 2


def scores(pod: SchedulingPod, levels: Sequence[Level], attraction: Sequence[int]) -> list[int]:
    """The score of each level, in the same order; `attraction` is that of the pods that run."""
    taints = _normalized([_bad_taints(pod, level) for level in levels], reverse=True)
    preferred = get(pod.spec, ("affinity", "nodeAffinity", PREFERRED), None) or ()
    affinity = _normalized([_preference(preferred, level) for level in levels], reverse=False)
    return [
        _of_resources(pod, level) + _TAINTS_WEIGHT * one + _AFFINITY_WEIGHT * (other + near)
        for level, one, other, near in zip(levels, taints, affinity, attraction, strict=True)
    ]


def _of_resources(pod: SchedulingPod, level: Level) -> int:
    """The scores that depend on nothing but the level."""
    score = level.scores.get(pod.kind)
    if score is None:
        score = level.scores[pod.kind] = _least_allocated(pod, level) + _balanced(pod, level)
    return score


def _least_allocated(pod: SchedulingPod, level: Level) -> int:
    """`leastResourceScorer`."""
    values = []
    for i, name in enumerate((CPU, MEMORY)):
        capacity = level.node.allocatable.get(name, 0)
        if capacity:
            requested = level.scored[i] + pod.scored[i]
            values.append((capacity - requested) * _MOST // capacity if requested <= capacity else 0)
    return sum(values) // len(values) if values else 0


def _balanced(pod: SchedulingPod, level: Level) -> int:
    """`balancedResourceScorer`; a pod without requests of processors and memory has no such score."""
    if not pod.requests.get(CPU) and not pod.requests.get(MEMORY):
        return 0
    before = _balance(level, (0, 0))
    after = _balance(level, (pod.requests.get(CPU, 0), pod.requests.get(MEMORY, 0)))
    return _MOST // 2 + int((_MOST // 2 + after - before) / 2)


def _balance(level: Level, more: tuple[int, int]) -> int:
    """`balancedResourceScore`."""
    fractions = [
        min((level.used.get(name, 0) + more[i]) / level.node.allocatable[name], 1.0)
        for i, name in enumerate((CPU, MEMORY))
        if level.node.allocatable.get(name)
    ]
    deviation = abs((fractions[0] - fractions[1]) / 2) if len(fractions) == 2 else 0.0
    return int((1 - deviation) * _MOST)


def _bad_taints(pod: SchedulingPod, level: Level) -> int:
    """`countIntolerableTaintsPreferNoSchedule`."""
    soft = [taint for taint in level.node.taints if taint.get("effect") == "PreferNoSchedule"]
    if not soft:
        return 0
    allowed = [one for one in pod.spec.get("tolerations") or () if one.get("effect") in (None, "", "PreferNoSchedule")]
    return sum(not is_tolerated(taint, allowed) for taint in soft)


def _preference(preferred: Sequence[Tree], level: Level) -> int:
    """The weights of the preferred terms that match."""
    return sum(int(one["weight"]) for one in preferred if matches_term(one["preference"], level.node.labels, level.node.name))


def _normalized(values: list[int], *, reverse: bool) -> list[int]:
    """`helper.DefaultNormalizeScore`."""
    most = max(values, default=0)
    if not most:
        return [_MOST if reverse else 0 for _ in values]
    return [_MOST - one * _MOST // most if reverse else one * _MOST // most for one in values]
