"""What may not change of a Job.

Mirrors kubernetes 1.36 `pkg/apis/batch/validation` (ValidateJobSpecUpdate, validatePodTemplateUpdate) and the options that
`pkg/registry/batch/job` gives it: while a Job is suspended, its pods' scheduling fields and requests may still change.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.place import Place
from tjgen.cluster.validate.update.metadata import IMMUTABLE
from tjgen.cluster.validate.update.shape import comparable, same
from tjgen.trees.typing import Any

_DIRECTIVES = ("nodeSelector", "schedulingGates", "tolerations")
_FIXED = ("selector", "completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy")


def job(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Fault]:
    """`ValidateJobSpecUpdate`."""
    spec, before, at = new.get("spec", {}), old.get("spec", {}), Place("spec", ("spec",))
    wanted, fixed = comparable(spec, "JobSpec"), comparable(before, "JobSpec")
    if wanted.get("completions") != fixed.get("completions"):
        yield from _completions(spec, at.child("completions"))
    for name in _FIXED:
        if wanted.get(name) != fixed.get(name):
            yield at.child(name).invalid(spec.get(name), IMMUTABLE)
    yield from _template(spec.get("template") or {}, before, at.child("template"))


def _completions(spec: dict[str, Any], at: Place) -> Iterator[Fault]:
    """`validateCompletions`, where they changed: an Indexed Job is scaled with its parallelism."""
    if spec.get("completionMode") != "Indexed":
        yield at.invalid(spec.get("completions"), IMMUTABLE)
    elif "completions" in spec and spec["completions"] != spec.get("parallelism"):
        yield at.invalid(spec["completions"], "can only be modified in tandem with spec.parallelism")


def _template(template: dict[str, Any], before: dict[str, Any], at: Place) -> Iterator[Fault]:
    old = before.get("template") or {}
    if not before.get("suspend"):
        if not same(template, old, "PodTemplateSpec"):
            yield at.invalid({}, IMMUTABLE)
        return
    # Only the spec of the pod is compared then; its labels and annotations are free.
    spec, stored = template.get("spec") or {}, _with_directives(old.get("spec") or {}, template.get("spec") or {})
    for name in ("containers", "initContainers"):
        stored = {**stored, name: _with_resources(stored.get(name) or [], spec.get(name) or [])}
    if not same(spec, stored, "PodSpec"):
        yield Place(f"{at.field}.spec", (*at.path, "spec")).invalid({}, IMMUTABLE)


def _with_directives(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """The old pod with where the new one may go."""
    kept = {key: value for key, value in old.items() if key not in (*_DIRECTIVES, "affinity")}
    taken = {key: new[key] for key in _DIRECTIVES if key in new}
    affinity = _affinity(old.get("affinity"), new.get("affinity"))
    return {**kept, **taken, **({} if affinity is None else {"affinity": affinity})}


def _affinity(old: dict[str, Any] | None, new: dict[str, Any] | None) -> dict[str, Any] | None:
    others = {key: value for key, value in (old or {}).items() if key != "nodeAffinity"}
    if new is None:
        return others or None
    return {**others, **({"nodeAffinity": new["nodeAffinity"]} if new.get("nodeAffinity") is not None else {})}


def _with_resources(old: list[Any], new: list[Any]) -> list[Any]:
    """The old containers with the resources of the new ones of the same names."""
    if len(old) != len(new):
        return old
    pairs = zip(old, new, strict=True)
    return [{**one, "resources": other.get("resources", {})} if one["name"] == other["name"] else one for one, other in pairs]
