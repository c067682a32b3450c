"""A request -> the answer of a server, whatever its status: with a time limit, and again where that may help."""

from __future__ import annotations

import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from email.message import Message
from http.client import HTTPException, HTTPMessage
from typing import IO
from urllib.parse import urlsplit

from tjgen.registry.failure import UNREACHABLE, UNUSABLE, RegistryError
from tjgen.typing import NamedTuple

_ATTEMPTS = 3
_PAUSE = 0.5
_LONGEST_PAUSE = 20.0
_LARGEST = 4 << 20
"""Bytes of a manifest that registries accept (OCI distribution, manifest size limit)."""
_BUSY = (429, 500, 502, 503, 504)


class Answer(NamedTuple):
    """What a server said."""

    status: int
    headers: Message
    body: bytes


class Transport:
    """Requests to servers. `pause` waits between attempts."""

    def __init__(self, *, timeout: float, agent: str, pause: Callable[[float], None] = time.sleep) -> None:
        self._timeout = timeout
        self._agent = agent
        self._pause = pause
        self._opener = urllib.request.build_opener(_Redirects)

    def ask(self, url: str, headers: Mapping[str, str], *, form: bytes | None = None) -> Answer:
        """The answer to a GET, or to a POST of a form. Raises RegistryError where none comes (unreachable)."""
        request = urllib.request.Request(url, data=form, headers={"User-Agent": self._agent, **headers})
        wait = _PAUSE
        for attempt in range(_ATTEMPTS):
            is_last = attempt == _ATTEMPTS - 1
            try:
                answer = self._once(request)
            except (urllib.error.URLError, HTTPException, OSError) as error:
                if is_last or not _may_pass(error):
                    raise RegistryError(UNREACHABLE, f"{urlsplit(url).netloc} does not answer: {_reason(error)}") from error
            else:
                if answer.status not in _BUSY or is_last:
                    return answer
                wait = _asked_pause(answer.headers) or wait
            self._pause(min(wait, _LONGEST_PAUSE))
            wait *= 2
        raise AssertionError("the last attempt answers or raises")

    def _once(self, request: urllib.request.Request) -> Answer:
        try:
            with self._opener.open(request, timeout=self._timeout) as response:
                return Answer(response.status, response.headers, _body(response, request.full_url))
        except urllib.error.HTTPError as error:
            with error:
                return Answer(error.code, error.headers, _body(error, request.full_url))


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Redirects as ever, but credentials stay with the host that they are for: storage behind a registry refuses them."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> urllib.request.Request | None:
        request = super().redirect_request(req, fp, code, msg, headers, newurl)
        if request is not None and urlsplit(newurl).netloc != urlsplit(req.full_url).netloc:
            request.remove_header("Authorization")
        return request


def _body(response: IO[bytes], url: str) -> bytes:
    body = response.read(_LARGEST + 1)
    if len(body) > _LARGEST:
        raise RegistryError(UNUSABLE, f"{urlsplit(url).netloc} answers with more than {_LARGEST >> 20} MiB")
    return body


def _may_pass(error: BaseException) -> bool:
    """Whether asking again may help: not where the name is unknown or the certificate is wrong."""
    cause = error.reason if isinstance(error, urllib.error.URLError) else error
    return isinstance(cause, (TimeoutError, ConnectionResetError, ConnectionAbortedError, HTTPException))


def _reason(error: BaseException) -> str:
    cause = error.reason if isinstance(error, urllib.error.URLError) else error
    if isinstance(cause, TimeoutError):
        return "the time is up"
    return (cause.strerror if isinstance(cause, OSError) else None) or str(cause) or type(cause).__name__


def _asked_pause(headers: Message) -> float:
    """Seconds that the server asks for; 0 where it does not say so in seconds."""
    said = headers.get("Retry-After", "")
    return float(said) if said.isascii() and said.isdigit() else 0.0
