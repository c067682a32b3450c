"""The challenge of a registry -> the `Authorization` header that answers it.

distribution/distribution `docs/spec/auth/token.md` and `oauth.md`; Basic is that of RFC 7617.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from urllib.parse import urlencode, urlsplit

from tjgen.cluster.registry.credentials import Credentials
from tjgen.cluster.registry.failure import DENIED, REALM, UNUSABLE, RegistryError
from tjgen.cluster.registry.transport import Transport

_CLIENT = "tjgen"
_PARAMETER = re.compile(r'([A-Za-z]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,]+))')


def answer(
    challenges: list[str],
    credentials: Credentials | None,
    transport: Transport,
    *,
    registry: str,
    host: str,
    token_hosts: Sequence[str],
    scope: str,
) -> str:
    """The header for the first challenge that can be answered. `host` answers for the registry.

    Credentials go to a token service of the same domain alone, or to one of `token_hosts`. Raises RegistryError where no
    challenge can be answered, or where the token service refuses.
    """
    for challenge in challenges:
        scheme, _, rest = challenge.strip().partition(" ")
        parameters = {key.lower(): quoted or plain for key, quoted, plain in _PARAMETER.findall(rest)}
        if scheme.lower() == "bearer" and "realm" in parameters:
            return _bearer(parameters, credentials, transport, registry=registry, host=host, token_hosts=token_hosts, scope=scope)
        if scheme.lower() == "basic":
            if credentials is None or credentials.identity:
                raise RegistryError(DENIED, f"{registry} requires a name and a password, but no credentials are stored")
            return credentials.basic
    raise RegistryError(DENIED, f"{registry} denies access without a supported authentication method")


def _is_address(realm: str) -> bool:
    try:
        parts = urlsplit(realm)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and realm.isascii() and realm.isprintable()
    except ValueError:  # brackets without an IPv6 address
        return False


def _may_know(realm_host: str, host: str, token_hosts: Sequence[str]) -> bool:
    """Whether a token service may get the credentials of a registry."""
    if realm_host == host or realm_host in token_hosts or realm_host.partition(":")[0] in token_hosts:
        return True
    names = [_domain(one) for one in (realm_host, host)]
    return "" not in names and names[0] == names[1]


def _domain(place: str) -> str:
    """What one owner registers of a host: two labels, three below a suffix such as co.uk; "" for an address or another port."""
    name, colon, port = place.rpartition("@")[2].partition(":")
    labels = name.lower().split(".")
    if (colon and port != "443") or len(labels) < 2 or labels[-1].isdigit() or "" in labels:
        return ""
    is_country = len(labels[-1]) == 2 and len(labels[-2]) <= 3
    return ".".join(labels[-3 if is_country and len(labels) > 2 else -2 :])


def _bearer(
    parameters: dict[str, str],
    credentials: Credentials | None,
    transport: Transport,
    *,
    registry: str,
    host: str,
    token_hosts: Sequence[str],
    scope: str,
) -> str:
    realm = parameters["realm"]
    if not _is_address(realm):
        raise RegistryError(UNUSABLE, f"{registry} issues tokens at {realm}, which is not a valid address")
    realm_host = urlsplit(realm).netloc
    if credentials is not None and not _may_know(realm_host, host, token_hosts):
        raise RegistryError(REALM, f"{registry} requires its credentials to be sent to {realm_host}, a host of another domain")
    query = {"service": parameters["service"]} if "service" in parameters else {}
    query["scope"] = parameters.get("scope") or scope
    if credentials is not None and credentials.identity:
        form = {"grant_type": "refresh_token", "refresh_token": credentials.identity, "client_id": _CLIENT, **query}
        answer = transport.request(realm, {"Content-Type": "application/x-www-form-urlencoded"}, form=urlencode(form).encode())
    else:
        headers = {"Authorization": credentials.basic} if credentials is not None else {}
        answer = transport.request(f"{realm}{'&' if '?' in realm else '?'}{urlencode(query)}", headers)
    if answer.status != 200:
        who = "the credentials" if credentials is not None else "anonymous access"
        raise RegistryError(DENIED, f"{urlsplit(realm).netloc} gives no token to {who} ({answer.status})")
    try:
        content = json.loads(answer.body)
        token = content.get("token") or content.get("access_token")
    except (ValueError, AttributeError):
        token = None
    if not isinstance(token, str) or not token.isascii() or not token.isprintable():
        raise RegistryError(UNUSABLE, f"{urlsplit(realm).netloc} answers with no token")
    return f"Bearer {token}"
