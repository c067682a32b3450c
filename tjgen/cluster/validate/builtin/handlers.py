"""Probes and lifecycle hooks of a container -> what the API server has against them.

Mirrors kubernetes 1.36 `pkg/apis/core/validation` (validateHandler, validateProbe, validateLifecycle).
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.validate.builtin.resources import NOT_NEGATIVE
from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.place import Place
from tjgen.trees.k8s import syntax
from tjgen.trees.typing import Any

PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_HANDLERS = ("exec", "httpGet", "tcpSocket", "grpc", "sleep")
_SCHEMES = ("HTTP", "HTTPS")
# What the server fills in where a count is missing or zero.
_COUNTS = {"initialDelaySeconds": 0, "timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3}


def probes(container: dict[str, Any], grace: int, at: Place) -> Iterator[Fault]:
    """The three probes of a container that may have them."""
    for name in PROBES:
        if name in container:
            yield from _probe(container[name], name, grace, at.child(name))


def _probe(probe: dict[str, Any], name: str, grace: int, at: Place) -> Iterator[Fault]:
    yield from _handler({kind: probe[kind] for kind in _HANDLERS[:4] if kind in probe}, grace, at)
    for count, default in _COUNTS.items():
        if (probe.get(count) or default) < 0:
            yield at.child(count).invalid(probe[count], NOT_NEGATIVE)
    seconds = at.child("terminationGracePeriodSeconds")
    if probe.get("terminationGracePeriodSeconds", 1) <= 0:
        yield seconds.invalid(probe["terminationGracePeriodSeconds"], "must be greater than 0")
    if name == "readinessProbe":
        if "terminationGracePeriodSeconds" in probe:
            yield seconds.invalid(probe["terminationGracePeriodSeconds"], "must not be set for readinessProbes")
    elif (probe.get("successThreshold") or 1) != 1:
        yield at.child("successThreshold").invalid(probe["successThreshold"], "must be 1")


def lifecycle(hooks: dict[str, Any], grace: int, at: Place) -> Iterator[Fault]:
    """`validateLifecycle`; the stop signal is behind a gate that is off."""
    for name in ("postStart", "preStop"):
        if name in hooks:
            yield from _handler(hooks[name], grace, at.child(name))


def _handler(handler: dict[str, Any], grace: int, at: Place) -> Iterator[Fault]:
    given = [kind for kind in _HANDLERS if kind in handler]
    if not given:
        yield at.required("must specify a handler type")
    for kind in given[1:]:
        yield at.child(kind).forbidden("may not specify more than 1 handler type")
    for kind in given[:1]:
        yield from _action(kind, handler[kind], grace, at.child(kind))


def _action(kind: str, action: dict[str, Any], grace: int, at: Place) -> Iterator[Fault]:
    if kind == "exec":
        if not action.get("command"):
            yield at.child("command").required()
    elif kind == "httpGet":
        yield from _http(action, at)
    elif kind in ("tcpSocket", "grpc"):
        yield from port(action.get("port", 0), at.child("port"))
    elif not 0 <= action.get("seconds", 0) <= grace:
        message = f"must be non-negative and less than terminationGracePeriodSeconds ({grace})"
        yield at.invalid(action.get("seconds", 0), message)


def _http(action: dict[str, Any], at: Place) -> Iterator[Fault]:
    yield from port(action.get("port", 0), at.child("port"))
    scheme = action.get("scheme") or "HTTP"
    if scheme not in _SCHEMES:
        yield at.child("scheme").not_supported(scheme, _SCHEMES)
    for position, header in enumerate(action.get("httpHeaders", ())):
        for message in syntax.http_header(header.get("name", "")):
            yield at.child("httpHeaders").seen_at(position).invalid(header.get("name", ""), message)


def port(value: int | str, at: Place) -> Iterator[Fault]:
    """`ValidatePortNumOrName`."""
    messages = syntax.port_name(value) if isinstance(value, str) else syntax.port_number(value)
    for message in messages:
        yield at.invalid(value, message)
