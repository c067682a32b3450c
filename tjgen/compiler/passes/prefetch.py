"""`prefetch` -> what brings data before the runs begin, and caches of the nodes, as programs/prefetching delivers them."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.compiler.lower import SPEC
from tjgen.compiler.volumes.pvc import new_claim
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Cache, Experiment
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath
from tjgen.trees.workload.contribution import Contribution
from tjgen.trees.workload.workload import Workload


def contribute(workload: Workload, experiment: Experiment, setting: Setting) -> Iterator[Contribution | Diagnostic]:
    """Return nothing if the experiment has no `prefetch`, and no volume whose use implies caches."""
    prefetch = experiment.spec.prefetch
    if prefetch is None or prefetch.cache is None:
        yield from _of_profiles(workload, experiment, setting)
    if prefetch is None:
        return
    # Loaded only if the field is set, as for data.
    if prefetch.cache is not None:
        from tjgen.compiler.programs.prefetching import cache

        yield from cache.mounted(workload, prefetch.cache)
    from tjgen.compiler.programs.prefetching import target

    yield from target.brought(workload, experiment, setting)


def _of_profiles(workload: Workload, experiment: Experiment, setting: Setting) -> Iterator[Contribution | Diagnostic]:
    """Return the caches that go with the use of a volume, if the experiment sets none itself."""
    if not setting.cluster.profiles:
        return
    caches: dict[FieldPath, tuple[str, Cache]] = {}
    for name, volume in experiment.spec.volumes.items():
        create = new_claim(volume)
        used = (create.profile if create is not None else None) or ""
        profile = setting.cluster.profiles.get(used)
        if profile is not None and profile.cache is not None:
            caches[*SPEC, "volumes", name, "pvc", "create", "profile"] = used, profile.cache
    if not caches:
        return
    from tjgen.compiler.programs.prefetching import cache

    (first, (used, wanted)), *others = caches.items()
    for at, (_, other) in others:
        if other is not wanted:
            message = f"the profiles of volumes {first[2]} and {at[2]} define different caches, but a pod can use only one"
            hint = "set prefetch.cache, which takes precedence"
            yield Diagnostic("TJ922", message, path=at, hint=hint)
            return
    for one in cache.mounted(workload, wanted, first):
        yield one
        if isinstance(one, Contribution):
            yield one._replace(source="platform", because=("spec", "profiles", used, "cache"))
