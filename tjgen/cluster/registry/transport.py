"""A request -> the answer of a server, of any status: with a time limit, and again where that may help."""

from __future__ import annotations

import time
import urllib.error
import urllib.request
from collections.abc import Callable, Collection, Mapping
from email.message import Message
from http.client import HTTPConnection, HTTPException, HTTPMessage, HTTPResponse, HTTPSConnection
from typing import IO, Any
from urllib.parse import urlsplit

from tjgen.cluster.registry.addresses import Connect, connecting, is_named, refuse
from tjgen.cluster.registry.failure import REALM, UNREACHABLE, UNUSABLE, RegistryError
from tjgen.trees.typing import NamedTuple

_ATTEMPTS = 3
_PAUSE = 0.5
_LONGEST_PAUSE = 20.0
_LARGEST = 4 << 20
"""Bytes of a manifest that registries accept (OCI distribution, manifest size limit)."""
_CHUNK = 64 << 10
_BUSY = (429, 500, 502, 503, 504)


class Response(NamedTuple):
    """The response of a server."""

    status: int
    headers: Message
    body: bytes


class Transport:
    """Requests to servers. `pause` waits between attempts.

    `insecure`: hosts that use plain HTTP, `local`: hosts that may have an address of this machine or of its network
    segment. Both are named by the caller, never by an image.
    """

    def __init__(
        self,
        *,
        timeout: float,
        agent: str,
        pause: Callable[[float], None] = time.sleep,
        insecure: Collection[str] = (),
        local: Collection[str] = (),
    ) -> None:
        self.insecure = frozenset(insecure)
        self._timeout = timeout
        self._agent = agent
        self._pause = pause
        connect = connecting((*insecure, *local))
        self._named = (*insecure, *local)
        self._opener = urllib.request.build_opener(_Redirects(self), _Http(connect), _Https(connect))

    def allow(self, url: str) -> None:
        """Raise RegistryError if the URL is not allowed: plain HTTP, or a blocked host that the caller did not name."""
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
        if parts.scheme != "https" and not (parts.scheme == "http" and is_named(host, port, self.insecure)):
            raise RegistryError(REALM, f"{parts.scheme}://{parts.netloc} is not https")
        if not is_named(host, port, self._named):
            refuse(host, host)  # a proxy would connect to it unseen

    def request(self, url: str, headers: Mapping[str, str], *, form: bytes | None = None) -> Response:
        """Return the response to a GET, or to a POST of a form. Raise RegistryError if there is none or the URL is blocked."""
        self.allow(url)
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
                wait = _retry_after(answer.headers) or wait
            self._pause(min(wait, _LONGEST_PAUSE))
            wait *= 2
        raise AssertionError("the last attempt answers or raises")

    def _once(self, request: urllib.request.Request) -> Response:
        try:
            with self._opener.open(request, timeout=self._timeout) as response:
                return Response(response.status, response.headers, _body(response, request.full_url, self._deadline()))
        except urllib.error.HTTPError as error:
            with error:
                return Response(error.code, error.headers, _body(error, request.full_url, self._deadline()))

    def _deadline(self) -> float:
        """The deadline for a body: a server that sends a byte now and then would never run into the timeout."""
        return time.monotonic() + 4 * self._timeout


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follow redirects without credentials, and only to URLs that are allowed."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> urllib.request.Request | None:
        request = super().redirect_request(req, fp, code, msg, headers, newurl)
        if request is not None:
            try:
                self._transport.allow(request.full_url)
            except RegistryError:
                fp.close()
                raise
            request.remove_header("Authorization")
        return request


class _Http(urllib.request.HTTPHandler):
    def __init__(self, connect: Connect) -> None:
        super().__init__()
        self._connect = connect

    def http_open(self, req: urllib.request.Request) -> HTTPResponse:
        return self.do_open(_with(HTTPConnection, self._connect), req)


class _Https(urllib.request.HTTPSHandler):
    def __init__(self, connect: Connect) -> None:
        super().__init__()
        self._connect = connect

    def https_open(self, req: urllib.request.Request) -> HTTPResponse:
        return self.do_open(_with(HTTPSConnection, self._connect), req)


def _with(kind: type[HTTPConnection], connect: Connect) -> Any:
    """A maker of connections that looks at every address."""

    def open_connection(host: str, **options: Any) -> HTTPConnection:
        connection = kind(host, **options)
        connection._create_connection = connect  # type: ignore[attr-defined]  # the seam that http.client has for this
        return connection

    return open_connection


def _body(response: IO[bytes], url: str, deadline: float) -> bytes:
    read = getattr(response, "read1", response.read)
    body = b""
    while part := read(_CHUNK):
        body += part
        if len(body) > _LARGEST:
            raise RegistryError(UNUSABLE, f"{urlsplit(url).netloc} answers with more than {_LARGEST >> 20} MiB")
        if time.monotonic() > deadline:
            raise RegistryError(UNREACHABLE, f"{urlsplit(url).netloc} does not respond in time")
    return body


def _may_pass(error: BaseException) -> bool:
    """Return whether a retry can succeed: not if the name is unknown or the certificate is invalid."""
    cause = error.reason if isinstance(error, urllib.error.URLError) else error
    return isinstance(cause, (TimeoutError, ConnectionResetError, ConnectionAbortedError, HTTPException))


def _reason(error: BaseException) -> str:
    cause = error.reason if isinstance(error, urllib.error.URLError) else error
    if isinstance(cause, TimeoutError):
        return "the time is up"
    return (cause.strerror if isinstance(cause, OSError) else None) or str(cause) or type(cause).__name__


def _retry_after(headers: Message) -> float:
    """Seconds from the Retry-After header; 0 if it does not have a number of seconds."""
    value = headers.get("Retry-After", "")
    return float(value) if value.isascii() and value.isdigit() else 0.0
