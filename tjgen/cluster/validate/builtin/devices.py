"""ResourceClaims, their templates and DeviceClasses -> what the API server has against them.

Mirrors kubernetes 1.36 `pkg/apis/resource/validation`, after the defaults of `pkg/apis/resource/v1`. Expressions are read but
not type-checked, and their words are ours; whether a namespace allows administrative access is left to the cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tjgen.cluster.validate.builtin.claims import template_metadata
from tjgen.cluster.validate.builtin.resources import is_extended
from tjgen.cluster.validate.builtin.selectors import label_name
from tjgen.cluster.validate.builtin.volumes import driver_name
from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.place import Place
from tjgen.cluster.validate.wording import as_json
from tjgen.trees.k8s import syntax
from tjgen.trees.typing import Any

_MOST = 32
_MOST_ALTERNATIVES = 8
_LONGEST_EXPRESSION = 10 * 1024
_LONGEST_PARAMETERS = 10 * 1024
_LONGEST_IDENTIFIER = 32
_MODES = ("All", "ExactCount")
_OPERATORS = ("Equal", "Exists")
_EFFECTS = ("NoExecute", "NoSchedule", "None")
_ONE_KIND = "exactly one of `exactly` or `firstAvailable` is required"
_ONE_ATTRIBUTE = 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set'
_NO_REQUEST = "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'"
_NO_DOMAIN = "a fully qualified name must be a domain and a name separated by a slash"
_NAMES = frozenset({"device", *("bool", "bytes", "double", "int", "list", "map", "null_type", "string", "type", "uint")})
_UNREAD = (".?", "[?", "{")
"""What the reader of expressions does not know."""

Item = Callable[[Any, Place], Iterator[Fault]]


def claim(tree: dict[str, Any]) -> Iterator[Fault]:
    """`ValidateResourceClaim`, metadata left out."""
    yield from _devices(tree.get("spec", {}).get("devices", {}), Place().child("spec", "devices"))


def claim_template(tree: dict[str, Any]) -> Iterator[Fault]:
    """`ValidateResourceClaimTemplate` without metadata except that of the claims."""
    spec, at = tree.get("spec", {}), Place("spec", ("spec",))
    yield from template_metadata(spec.get("metadata", {}), at.child("metadata"))
    yield from _devices(spec.get("spec", {}).get("devices", {}), at.child("spec", "devices"))


def device_class(tree: dict[str, Any]) -> Iterator[Fault]:
    """`ValidateDeviceClass`, metadata left out."""
    spec, at = tree.get("spec", {}), Place("spec", ("spec",))
    yield from _each(spec.get("selectors", ()), _MOST, _selector, at.child("selectors"))
    yield from _each(spec.get("config", ()), _MOST, _configuration, at.child("config"))
    name = spec.get("extendedResourceName")
    if name is not None and not is_extended(name):
        yield at.child("extendedResourceName").invalid(name, "must be a valid extended resource name")


def _each(items: Any, most: int, check: Item, at: Place) -> Iterator[Fault]:
    """`validateSlice`."""
    if len(items) > most:
        yield at.too_many(len(items), most)
        return
    for position, item in enumerate(items):
        yield from check(item, at.item(position))


def _each_once(items: Any, most: int, check: Item, at: Place) -> Iterator[Fault]:
    """`validateSet`: items that are names or have names, each another."""
    yield from _each(items, most, check, at)
    if len(items) <= most:
        names: set[str] = set()
        for position, item in enumerate(items):
            name = item if isinstance(item, str) else item.get("name", "")
            if name in names:
                yield at.item(position).duplicate(name)
            names.add(name)


def _devices(devices: dict[str, Any], at: Place) -> Iterator[Fault]:
    """`validateDeviceClaim`."""
    requests = devices.get("requests", ())
    names = {request.get("name", "") for request in requests}
    names |= {
        f"{request.get('name', '')}/{other.get('name', '')}"
        for request in requests
        for other in request.get("firstAvailable", ())
    }

    def referring(item: dict[str, Any], field: Place) -> Iterator[Fault]:
        yield from _each_once(
            item.get("requests", ()), _MOST, lambda name, at: _reference(name, names, at), field.child("requests")
        )

    def constraint(item: dict[str, Any], field: Place) -> Iterator[Fault]:
        yield from referring(item, field)
        yield from _constraint(item, field)

    def configuration(item: dict[str, Any], field: Place) -> Iterator[Fault]:
        yield from referring(item, field)
        yield from _configuration(item, field)

    yield from _each_once(requests, _MOST, _request, at.child("requests"))
    yield from _each(devices.get("constraints", ()), _MOST, constraint, at.child("constraints"))
    yield from _each(devices.get("config", ()), _MOST, configuration, at.child("config"))


def _request(request: dict[str, Any], at: Place) -> Iterator[Fault]:
    yield from _named(request, at)
    alternatives = request.get("firstAvailable", ())
    if alternatives and "exactly" in request:
        yield at.invalid(None, f"{_ONE_KIND}, but multiple fields are set")
    elif alternatives:
        yield from _each_once(alternatives, _MOST_ALTERNATIVES, _alternative, at.child("firstAvailable"))
    elif "exactly" in request:
        yield from _exact(request["exactly"], at.child("exactly"))
    else:
        yield at.required(_ONE_KIND)


def _named(item: dict[str, Any], at: Place) -> Iterator[Fault]:
    name = item.get("name", "")
    for message in syntax.dns1123_label(name):
        yield at.child("name").invalid(name, message)


def _alternative(request: dict[str, Any], at: Place) -> Iterator[Fault]:
    yield from _named(request, at)
    yield from _exact(request, at)


def _exact(request: dict[str, Any], at: Place) -> Iterator[Fault]:
    device_class = request.get("deviceClassName", "")
    if not device_class:
        yield at.child("deviceClassName").required()
    for message in syntax.dns1123_subdomain(device_class) if device_class else ():
        yield at.child("deviceClassName").invalid(device_class, message)
    yield from _each(request.get("selectors", ()), _MOST, _selector, at.child("selectors"))
    mode, count = request.get("allocationMode") or "ExactCount", request.get("count", 0)
    if mode not in _MODES:
        yield at.child("allocationMode").not_supported(mode, _MODES)
    elif mode == "All" and count:
        yield at.child("count").invalid(count, "must not be specified when allocationMode is 'All'")
    elif count < 0:
        yield at.child("count").invalid(count, "must be greater than zero")
    for position, toleration in enumerate(request.get("tolerations", ())):
        yield from _toleration(toleration, at.child("tolerations").item(position))


def _toleration(toleration: dict[str, Any], at: Place) -> Iterator[Fault]:
    operator, value, effect = toleration.get("operator") or "Equal", toleration.get("value", ""), toleration.get("effect")
    if toleration.get("key"):
        yield from label_name(toleration["key"], at.child("key"))
    if operator not in _OPERATORS:
        yield at.child("operator").not_supported(operator, _OPERATORS)
    elif operator == "Exists":
        if value:
            yield at.child("value").invalid(value, "must be empty for operator `Exists`")
    else:
        for message in syntax.label_value(value):
            yield at.child("value").invalid(value, message)
    if effect and effect not in _EFFECTS:
        yield at.child("effect").not_supported(effect, _EFFECTS)


def _selector(selector: dict[str, Any], at: Place) -> Iterator[Fault]:
    if "cel" not in selector:
        yield at.child("cel").required()
        return
    text, field = selector["cel"].get("expression", ""), at.child("cel", "expression")
    if len(text.encode()) > _LONGEST_EXPRESSION:
        yield field.too_long(_LONGEST_EXPRESSION)
        return
    problem = _expression_problem(text)
    if problem:
        yield field.invalid(text, f"compilation failed: {problem}")


def _expression_problem(text: str) -> str:
    """Yield certain errors in an expression about a device; unsupported expressions are skipped."""
    from tjgen.cluster.validate.cel.parser import parse
    from tjgen.cluster.validate.cel.program import names_in

    try:
        node = parse(text)
    except SyntaxError as problem:
        is_unread = "understood" in str(problem) or any(sign in text for sign in _UNREAD)
        return "" if is_unread else str(problem)
    unknown = names_in(node) - _NAMES
    if unknown and "(" not in text:  # a function may have brought the name
        return f"undeclared reference to '{min(unknown)}'"
    return "" if node[0] != "literal" or isinstance(node[1], bool) else "must evaluate to bool"


def _reference(name: str, names: set[str], at: Place) -> Iterator[Fault]:
    """`validateRequestNameRef`."""
    steps = name.split("/")
    if len(steps) <= 2:
        for step in steps:
            for message in syntax.dns1123_label(step):
                yield at.invalid(step, message)
    if name not in names:
        yield at.invalid(name, _NO_REQUEST)


def _constraint(constraint: dict[str, Any], at: Place) -> Iterator[Fault]:
    for name in ("matchAttribute", "distinctAttribute"):
        if name in constraint:
            yield from _qualified(constraint[name], at.child(name))
            return
    yield at.required(_ONE_ATTRIBUTE)


def _qualified(name: str, at: Place) -> Iterator[Fault]:
    """`validateFullyQualifiedName`; one with more slashes passes upstream too."""
    steps = name.split("/")
    if len(steps) == 1:
        yield from _identifier(name, at)
        yield at.invalid(name, _NO_DOMAIN)
    elif len(steps) == 2:
        domain, last = steps
        if not domain:
            yield at.invalid("", "the domain must not be empty")
        else:
            yield from driver_name(domain, at)
        if not last:
            yield at.invalid("", "the name must not be empty")
        else:
            yield from _identifier(last, at)


def _identifier(name: str, at: Place) -> Iterator[Fault]:
    if len(name.encode()) > _LONGEST_IDENTIFIER:
        yield at.too_long(_LONGEST_IDENTIFIER)
    for message in syntax.c_identifier(name):
        yield at.invalid(name, message)


def _configuration(config: dict[str, Any], at: Place) -> Iterator[Fault]:
    if "opaque" not in config:
        yield at.child("opaque").required()
        return
    opaque, field = config["opaque"], at.child("opaque", "parameters")
    yield from driver_name(opaque.get("driver", ""), at.child("opaque", "driver"))
    parameters = opaque.get("parameters")
    if parameters is None:
        yield field.required()
    elif len(as_json(parameters).encode()) > _LONGEST_PARAMETERS:
        yield field.too_long(_LONGEST_PARAMETERS)
    elif not isinstance(parameters, dict):
        yield field.invalid("<value omitted>", "must be a valid JSON object")
