"""Windows options of a security context -> what the API server has against them.

Mirrors kubernetes 1.36 `pkg/apis/core/validation` (validateWindowsSecurityContextOptions, validateWindowsHostProcessPod).
"""

from __future__ import annotations

from collections.abc import Iterator
from re import compile as pattern

from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.place import Place
from tjgen.trees.k8s import syntax
from tjgen.trees.typing import Any

_LABEL = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
_DOMAIN = pattern(rf"(?:[^\\/:*?\"<>|.][^\\/:*?\"<>|]{{0,14}}|{_LABEL}(?:\.{_LABEL})*)\Z")
_CONTROL = pattern("[\x00-\x1f\x7f]")
_RESERVED = frozenset('"/\\:;|=,+*?<>@[]')
_LARGEST_SPEC = 64 * 1024


def options(given: dict[str, Any], at: Place) -> Iterator[Fault]:
    """`validateWindowsSecurityContextOptions`."""
    name, spec = given.get("gmsaCredentialSpecName"), given.get("gmsaCredentialSpec")
    for message in syntax.dns1123_subdomain(name) if name is not None else ():
        yield at.child("gmsaCredentialSpecName").invalid(name, message)
    if spec is not None and not spec:
        yield at.child("gmsaCredentialSpec").invalid(spec, "gmsaCredentialSpec cannot be an empty string")
    elif spec is not None and len(spec.encode()) > _LARGEST_SPEC:
        yield at.child("gmsaCredentialSpec").invalid(spec, "gmsaCredentialSpec size must be under 64 KiB")
    if "runAsUserName" in given:
        for message in _user(given["runAsUserName"]):
            yield at.child("runAsUserName").invalid(given["runAsUserName"], f"runAsUserName{message}")


def _user(text: str) -> Iterator[str]:
    domain, backslash, user = text.rpartition("\\")
    if not text:
        yield " cannot be an empty string"
    elif _CONTROL.search(text):
        yield " cannot contain control characters"
    elif "\\" in domain:
        yield " cannot contain more than one backslash"
    else:
        if len(domain.encode()) >= 256:
            yield "'s Domain length must be under 256 characters"
        if backslash and _DOMAIN.match(domain) is None:
            yield "'s Domain doesn't match the NetBios nor the DNS format"
        if not user:
            yield "'s User cannot be empty"
        elif len(user.encode()) > 104:
            yield "'s User length must not be longer than 104 characters"
        if user and not user.strip(". "):
            yield "'s User cannot contain only periods or spaces"
        if _RESERVED & set(user):
            yield "'s User cannot contain the following characters: \"/\\:;|=,+*?<>@[]"


def host_process(spec: dict[str, Any], contexts: list[tuple[Place, dict[str, Any]]], at: Place) -> Iterator[Fault]:
    """`validateWindowsHostProcessPod`, with the security contexts of all containers (empty if there is none)."""
    whole = spec.get("securityContext", {}).get("windowsOptions", {}).get("hostProcess")
    count = 0
    for place, context in contexts:
        own = context.get("windowsOptions", {}).get("hostProcess")
        if whole is not None and own is not None and whole != own:
            message = f"pod hostProcess value must be identical if both are specified, was {str(whole).lower()}"
            yield place.child("windowsOptions", "hostProcess").invalid(own, message)
        count += bool(whole if own is None else own)
    if count and count != len(contexts):
        message = "If pod contains any hostProcess containers then all containers must be HostProcess containers"
        yield at.invalid("", message)
    if count and not spec.get("hostNetwork"):
        yield at.child("hostNetwork").invalid(False, "hostNetwork must be true if pod contains any hostProcess containers")
