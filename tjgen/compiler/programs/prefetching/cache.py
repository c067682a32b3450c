"""`prefetch.cache` -> folders in memory and on fast disks of the pods that train, and the variables that name them.

The contract: TJGEN_CACHE_MEMORY and TJGEN_CACHE_SSD are the folders, with _BYTES behind it what each may take;
TJGEN_CACHE_TTL is the number of seconds for which what is in memory counts as fresh.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.compiler.lower import SPEC
from tjgen.compiler.programs.prefetching import problems
from tjgen.compiler.volumes.mounts import mounted_at
from tjgen.language.spec.forms import text
from tjgen.language.spec.objects import Cache, SsdCache
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree, get, named
from tjgen.trees.k8s import duration
from tjgen.trees.k8s.quantity import parse
from tjgen.trees.workload.contribution import Contribution
from tjgen.trees.workload.roles import members
from tjgen.trees.workload.workload import PodSet, Workload

AT: FieldPath = (*SPEC, "prefetch", "cache")
KINDS = ("memory", "ssd")


def volume_name(kind: str) -> str:
    """The name of the volume of a cache in the pods that train."""
    return f"tjgen-cache-{kind}"


def variable(kind: str) -> str:
    """The variable with the folder of a cache."""
    return f"TJGEN_CACHE_{kind.upper()}"


def mounted(workload: Workload, cache: Cache, at: FieldPath = AT) -> Iterator[Contribution | Diagnostic]:
    """Add a volume, its mount and the variables, for each of the caches; `at` is the experiment's field for them."""
    if cache.memory is None and cache.ssd is None:
        hint = "add memory: {} or ssd: {}, or leave cache out"
        yield Diagnostic(problems.NOTHING, "prefetch.cache sets neither memory nor ssd", path=at, hint=hint)
    wrong = [one for kind in KINDS if (one := _misplaced(workload, cache, kind, at)) is not None]
    yield from wrong
    for podset in members(workload) if not wrong else []:
        if cache.memory is not None:
            at_memory: FieldPath = _below(at, "memory")
            source = {"emptyDir": {"medium": "Memory", "sizeLimit": text(cache.memory.size)}}
            yield from _folder(podset, "memory", source, cache.memory.path, text(cache.memory.size), at_memory)
            seconds = duration.seconds(cache.memory.ttl)
            yield _variable(podset, "TJGEN_CACHE_TTL", str(seconds), _below(at_memory, "ttl"))
            yield from _requested(workload, podset, "memory", text(cache.memory.size), at_memory)
        if cache.ssd is not None:
            disk = _disk(cache.ssd)
            yield from _folder(podset, "ssd", disk, cache.ssd.path, text(cache.ssd.size), _below(at, "ssd"))
            if "emptyDir" in disk:
                yield from _requested(workload, podset, "ephemeral-storage", text(cache.ssd.size), _below(at, "ssd"))


def _below(at: FieldPath, field: str) -> FieldPath:
    """Return the cache's field that sets it; a profile sets all of it by its name."""
    return at if at[-1] == "profile" else (*at, field)


def _misplaced(workload: Workload, cache: Cache, kind: str, at: FieldPath) -> Diagnostic | None:
    folder = getattr(cache, kind)
    if folder is None:
        return None
    at = _below(at, kind)
    if not folder.path.startswith("/") or ":" in folder.path:
        return Diagnostic(problems.TAKEN, f"a cache cannot be mounted at {folder.path}", path=at, hint="write an absolute path")
    for podset in members(workload):
        other = mounted_at(workload, podset, folder.path)
        if other is not None:
            message = f"the cache is mounted at {folder.path}, where {podset.name} already has volume {other}"
            return Diagnostic(problems.TAKEN, message, path=at, hint="use another path")
    if kind == "ssd" and cache.memory is not None and cache.memory.path.rstrip("/") == folder.path.rstrip("/"):
        message = f"both caches are mounted at {folder.path}"
        return Diagnostic(problems.TAKEN, message, path=at, hint="use another path for one of them")
    return None


def _disk(ssd: SsdCache) -> Tree:
    if ssd.host_path is not None:
        return {"hostPath": {"path": ssd.host_path, "type": "DirectoryOrCreate"}}
    if ssd.storage_class_name is not None:
        storage = {"requests": {"storage": text(ssd.size)}}
        spec = {"accessModes": ["ReadWriteOnce"], "resources": storage, "storageClassName": ssd.storage_class_name}
        return {"ephemeral": {"volumeClaimTemplate": {"spec": spec}}}
    return {"emptyDir": {"sizeLimit": text(ssd.size)}}


def _folder(podset: PodSet, kind: str, source: Tree, path: str, size: str, at: FieldPath) -> Iterator[Contribution]:
    name = volume_name(kind)
    yield Contribution((*podset.pod, "volumes", named(name)), {"name": name, **source}, at)
    yield Contribution((*podset.main, "volumeMounts", (("mountPath", path),)), {"name": name, "mountPath": path}, at)
    yield _variable(podset, variable(kind), path, at)
    yield _variable(podset, f"{variable(kind)}_BYTES", str(parse(size).value), at)


def _requested(workload: Workload, podset: PodSet, resource: str, size: str, at: FieldPath) -> Iterator[Contribution]:
    """What a cache takes of its node, unless the container names the resource itself."""
    if not any(get(workload.tree.value, (*podset.main, "resources", bound, resource), None) for bound in ("requests", "limits")):
        yield Contribution((*podset.main, "resources", "requests", resource), size, at)


def _variable(podset: PodSet, name: str, value: str, because: FieldPath) -> Contribution:
    return Contribution((*podset.main, "env", named(name)), {"name": name, "value": value}, because)
