"""The second rules of the identity: which fields of an experiment count, as tables that never change.

A block with default values alone was not part of the identity, although some blocks change the objects of a run. A run that
has such a digest in a lock keeps its name as blocks.py describes. New fields of the language need no entry here.
"""

from __future__ import annotations

from tjgen.language.runs.identity_v1 import rules_of
from tjgen.language.spec.identity import AMOUNT, COUNTS, EXCLUDED, PRESENT, Rule
from tjgen.trees.fields.path import Tree

_Group = tuple[str, Tree, str]
"""Meaning, default, and the places, as paths below `spec`."""

_OF_RUNS: tuple[_Group, ...] = (
    (
        EXCLUDED,
        None,
        """
        tasks sweep naming state onSupersede volumes.*.pvc.create.size volumes.*.pvc.create.storageClassName
        volumes.*.pvc.create.accessModes volumes.*.pvc.create.volumeMode volumes.*.pvc.create.keep volumes.*.pvc.create.labels
        volumes.*.pvc.create.annotations volumes.*.pvc.backup volumes.*.dataset.create.quota volumes.*.dataset.create.medium
        volumes.*.dataset.create.path volumes.*.dataset.create.replicas code.build.provided code.build.builder
        code.build.cache code.build.secret code.build.deadline code.build.cpu code.build.memory checkpoints.files
        checkpoints.keep checkpoints.keepRuns checkpoints.index checkpoints.expectedSize checkpoints.backup
        prefetch.sets.*.secret prefetch.sets.*.workers prefetch.sets.*.deadline prefetch.sets.*.nodes
        prefetch.sets.*.waitTimeout prefetch.sets.*.priority prefetch.secret prefetch.workers prefetch.deadline prefetch.nodes
        prefetch.waitTimeout prefetch.priority monitor
        """,
    ),
    (
        AMOUNT,
        None,
        """
        sharedMemory volumes.*.ephemeral.size volumes.*.emptyDir.sizeLimit data.sets.*.items.list.*.size
        data.items.list.*.size prefetch.sets.*.env.*.divisor prefetch.env.*.divisor initializer.dataset.env.*.divisor
        initializer.dataset.cpu initializer.dataset.memory initializer.model.env.*.divisor initializer.model.cpu
        initializer.model.memory schedule.minResources.*
        """,
    ),
    (
        COUNTS,
        False,
        """
        rdma volumes.*.mounts.*.readOnly volumes.*.readOnly volumes.*.shared data.sets.*.shared data.shared
        code.git.submodules code.git.lfs schedule.multiKueue
        """,
    ),
    (COUNTS, "family", "volumes.*.pvc.create.scope volumes.*.dataset.create.scope"),
    (PRESENT, None, "volumes.*.mounts.* prefetch.cache.memory prefetch.cache.ssd volcano.plugins.*"),
    (COUNTS, "contiguous", "data.sets.*.slices.by data.slices.by"),
    (COUNTS, "keep", "data.sets.*.slices.remainder data.slices.remainder"),
    (
        COUNTS,
        "nodes",
        """
        data.sets.*.slices.over data.sets.*.slices.within data.slices.over data.slices.within
        """,
    ),
    (
        COUNTS,
        True,
        "data.sets.*.slices.covering data.slices.covering prefetch.sets.*.wait prefetch.wait patches.*.force",
    ),
    (COUNTS, 1, "data.sets.*.slices.workers data.slices.workers code.git.depth attempt"),
    (COUNTS, "env", "data.sets.*.slices.deliver data.slices.deliver"),
    (COUNTS, "configMap", "code.build.context"),
    (COUNTS, "run", "checkpoints.scope"),
    (COUNTS, "step-", "checkpoints.name"),
    (COUNTS, "_SUCCESS", "checkpoints.marker"),
    (COUNTS, "program", "checkpoints.mark"),
    (COUNTS, "min", "checkpoints.resumeFrom.mode"),
    (AMOUNT, "10Gi", "prefetch.cache.memory.size"),
    (COUNTS, "1h", "prefetch.cache.memory.ttl"),
    (COUNTS, "/cache/memory", "prefetch.cache.memory.path"),
    (AMOUNT, "100Gi", "prefetch.cache.ssd.size"),
    (COUNTS, "/cache/ssd", "prefetch.cache.ssd.path"),
    (COUNTS, "hard", "schedule.networkTopology.mode"),
    (COUNTS, "trainjob", "target"),
    (COUNTS, "All", "success.operator"),
)

_OF_ROLES: tuple[_Group, ...] = (
    (
        AMOUNT,
        None,
        """
        gpu.minMemory gpu.share.memory initContainers.*.env.*.divisor initContainers.*.cpu initContainers.*.memory
        initContainers.*.ephemeralStorage initContainers.*.resources.* sidecars.*.env.*.divisor sidecars.*.cpu
        sidecars.*.memory sidecars.*.ephemeralStorage sidecars.*.resources.* env.*.divisor cpu memory ephemeralStorage
        resources.*
        """,
    ),
    (COUNTS, False, "initContainers.*.mounts.*.readOnly sidecars.*.mounts.*.readOnly"),
    (COUNTS, 1, "gpu.count"),
    (COUNTS, True, "sidecars.*.native"),
    (COUNTS, "TCP", "initContainers.*.ports.*.protocol sidecars.*.ports.*.protocol ports.*.protocol"),
)
"""Places of a run that each of its roles has too."""


def _patterns(places: str, *before: str) -> tuple[tuple[str, ...], ...]:
    return tuple([(*before, *place.split(".")) for place in places.split()])


SPEC: Rule = rules_of(
    *[(part, default, _patterns(places)) for part, default, places in (*_OF_RUNS, *_OF_ROLES)],
    *[(part, default, _patterns(places, "roles", "*")) for part, default, places in _OF_ROLES],
)
"""The rule of `spec`."""
OF_BUNDLED_RUNTIME: Rule = (*SPEC[:2], {**SPEC[2], "nodes": (COUNTS, 1, {})})
"""The same for a run with a runtime of tjgen."""
