"""The challenge of a registry -> the `Authorization` header that answers it.

distribution/distribution `docs/spec/auth/token.md` and `oauth.md`; Basic is that of RFC 7617.
"""

from __future__ import annotations

import json
import re
from urllib.parse import urlencode, urlsplit

from tjgen.registry.credentials import Credentials
from tjgen.registry.failure import DENIED, UNUSABLE, RegistryError
from tjgen.registry.transport import Transport

_CLIENT = "tjgen"
_PARAMETER = re.compile(r'([A-Za-z]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,]+))')


def answer(
    challenges: list[str], credentials: Credentials | None, transport: Transport, *, registry: str, secure: bool, scope: str
) -> str:
    """The header for the first challenge that can be answered; `secure`: the registry was asked over HTTPS.

    Raises RegistryError where there is none, or where who hands out tokens refuses.
    """
    for challenge in challenges:
        scheme, _, rest = challenge.strip().partition(" ")
        parameters = {key.lower(): quoted or plain for key, quoted, plain in _PARAMETER.findall(rest)}
        if scheme.lower() == "bearer" and "realm" in parameters:
            return _bearer(parameters, credentials, transport, registry=registry, secure=secure, scope=scope)
        if scheme.lower() == "basic":
            if credentials is None or credentials.identity:
                raise RegistryError(DENIED, f"{registry} asks for a name and a password, and none are known")
            return credentials.basic
    raise RegistryError(DENIED, f"{registry} refuses, and does not say how to get in")


def _is_address(realm: str) -> bool:
    try:
        return urlsplit(realm).scheme in ("http", "https")
    except ValueError:  # brackets without an IPv6 address
        return False


def _bearer(
    parameters: dict[str, str],
    credentials: Credentials | None,
    transport: Transport,
    *,
    registry: str,
    secure: bool,
    scope: str,
) -> str:
    realm = parameters["realm"]
    if not _is_address(realm):
        raise RegistryError(UNUSABLE, f"{registry} hands out tokens at {realm}, which is no address")
    if secure and credentials is not None and urlsplit(realm).scheme != "https":
        raise RegistryError(DENIED, f"{registry} wants the password sent in the clear, to {realm}")
    query = {"service": parameters["service"]} if "service" in parameters else {}
    query["scope"] = parameters.get("scope") or scope
    if credentials is not None and credentials.identity:
        form = {"grant_type": "refresh_token", "refresh_token": credentials.identity, "client_id": _CLIENT, **query}
        found = transport.ask(realm, {"Content-Type": "application/x-www-form-urlencoded"}, form=urlencode(form).encode())
    else:
        headers = {"Authorization": credentials.basic} if credentials is not None else {}
        found = transport.ask(f"{realm}{'&' if '?' in realm else '?'}{urlencode(query)}", headers)
    if found.status != 200:
        who = "the credentials" if credentials is not None else "anonymous access"
        raise RegistryError(DENIED, f"{urlsplit(realm).netloc} gives no token to {who} ({found.status})")
    try:
        said = json.loads(found.body)
        token = said.get("token") or said.get("access_token")
    except (ValueError, AttributeError):
        token = None
    if not isinstance(token, str) or not token.isascii() or not token.isprintable():
        raise RegistryError(UNUSABLE, f"{urlsplit(realm).netloc} answers with no token")
    return f"Bearer {token}"
