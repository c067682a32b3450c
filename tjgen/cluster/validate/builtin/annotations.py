"""Annotations that mean something on a pod -> what the API server has against them.

Mirrors kubernetes 1.36 `pkg/apis/core/validation` (ValidatePodSpecificAnnotations and the checks that old annotations agree
with the fields that replaced them).
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.validate.builtin.paths import descending
from tjgen.cluster.validate.builtin.scheduling import tolerations
from tjgen.cluster.validate.builtin.security import names_of
from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.place import Place
from tjgen.trees.typing import Any

_MIRROR = "kubernetes.io/config.mirror"
_TOLERATIONS = "scheduler.alpha.kubernetes.io/tolerations"
_DELETION_COST = "controller.kubernetes.io/pod-deletion-cost"
_SECCOMP = "seccomp.security.alpha.kubernetes.io/pod"
_SECCOMP_CONTAINER = "container.seccomp.security.alpha.kubernetes.io/"
_APP_ARMOR = "container.apparmor.security.beta.kubernetes.io/"
_PROFILE_TYPES: dict[Any, dict[str, tuple[str, ...]]] = {
    "Unconfined": {"seccomp": ("unconfined",), "apparmor": ("unconfined",)},
    "RuntimeDefault": {"seccomp": ("runtime/default", "docker/default"), "apparmor": ("runtime/default",)},
    "Localhost": {"seccomp": (), "apparmor": ()},
}
"""The values that an annotation may have in addition to a profile of some type."""
_PROFILES = ("runtime/default", "docker/default", "unconfined")


def pod_annotations(annotations: dict[str, str], spec: dict[str, Any], at: Place, pod: Place) -> Iterator[Fault]:
    """`ValidatePodSpecificAnnotations`, with the places of the annotations and of the pod's spec."""
    if not annotations:
        return
    if _MIRROR in annotations and not spec.get("nodeName"):
        message = "must set spec.nodeName if mirror pod annotation is set"
        yield at.key(_MIRROR).invalid(annotations[_MIRROR], message)
    if annotations.get(_TOLERATIONS):
        yield from _tolerations(annotations[_TOLERATIONS], at)
    if _DELETION_COST in annotations and not _is_cost(annotations[_DELETION_COST]):
        yield at.key(_DELETION_COST).invalid(annotations[_DELETION_COST], "must be a 32bit integer")
    names = names_of(spec)
    for key, value in annotations.items():
        if key == _SECCOMP or key.startswith(_SECCOMP_CONTAINER):
            yield from _seccomp(value, at.child(key))
        elif key.startswith(_APP_ARMOR):
            if key.removeprefix(_APP_ARMOR) not in names:
                yield at.key(key).invalid(key.removeprefix(_APP_ARMOR), "container not found")
            if value not in ("", "runtime/default", "unconfined") and not value.startswith("localhost/"):
                yield at.key(key).invalid(value, f'invalid AppArmor profile name: "{value}"')
    yield from _agreement(annotations, spec, pod)


def _is_cost(text: str) -> bool:
    """What strconv.ParseInt takes for 32 bits, without a plus; leading zeros only behind a minus (`validFirstDigit`)."""
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()) or (text[0] == "0" and text != "0"):
        return False
    return -(2**31) <= int(text) < 2**31


def _tolerations(text: str, at: Place) -> Iterator[Fault]:
    from json import loads  # an annotation of old times

    from tjgen.cluster.validate.builtin.gojson import json_problem, unmarshal_problem

    problem = json_problem(text, list, "[]core.Toleration")
    given = loads(text) if not problem else None
    wrong = next((item for item in given or () if item is not None and not isinstance(item, dict)), None)
    if wrong is not None:
        problem = unmarshal_problem(wrong, "core.Toleration")
    if problem:
        yield at.seen_at(_TOLERATIONS).invalid(_TOLERATIONS, problem)
    else:
        yield from tolerations([item or {} for item in given or ()], at.child(_TOLERATIONS))


def _seccomp(profile: str, at: Place) -> Iterator[Fault]:
    if profile.startswith("localhost/"):
        yield from descending(profile.removeprefix("localhost/"), at)
    elif profile not in _PROFILES:
        yield at.invalid(profile, "must be a valid seccomp profile")


def _agreement(annotations: dict[str, str], spec: dict[str, Any], at: Place) -> Iterator[Fault]:
    """`validateSeccompAnnotationsAndFields` and `validateAppArmorAnnotationsAndFieldsMatchOnCreate`."""
    context = spec.get("securityContext", {})
    if _SECCOMP in annotations:
        field = at.child("securityContext", "seccompProfile")
        yield from _agrees("seccomp", annotations[_SECCOMP], context.get("seccompProfile"), field)
    for name in ("initContainers", "containers"):
        for position, container in enumerate(spec.get(name, ())):
            own = container.get("securityContext", {})
            field = at.child(name).item(position).child("securityContext")
            key = f"{_SECCOMP_CONTAINER}{container.get('name', '')}"
            if key in annotations:
                yield from _agrees("seccomp", annotations[key], own.get("seccompProfile"), field.child("seccompProfile"))
            key = f"{_APP_ARMOR}{container.get('name', '')}"
            if key in annotations and spec.get("os", {}).get("name") != "windows":
                profile = own.get("appArmorProfile", context.get("appArmorProfile"))
                yield from _agrees("apparmor", annotations[key], profile, field.child("appArmorProfile"))


def _agrees(what: str, annotation: str, profile: dict[str, Any] | None, at: Place) -> Iterator[Fault]:
    kind = (profile or {}).get("type")
    if kind == "Localhost" and profile is not None and annotation.startswith("localhost/"):
        if annotation.removeprefix("localhost/") != profile.get("localhostProfile"):
            yield at.child("localhostProfile").forbidden(f"{what} profile in annotation and field must match")
    elif kind in _PROFILE_TYPES and annotation not in _PROFILE_TYPES[kind][what]:
        yield at.child("type").forbidden(f"{what} type in annotation and field must match")
