"""Which addresses may be asked, what a redirect carries, and what is tried again."""

from __future__ import annotations

import io
import ssl
import time
import urllib.error
import urllib.request
from email.message import Message
from http.client import HTTPMessage

import pytest

from tjgen.cluster.registry import addresses
from tjgen.cluster.registry.addresses import is_named, refuse
from tjgen.cluster.registry.failure import ADDRESS, REALM, UNREACHABLE, RegistryError
from tjgen.cluster.registry.transport import Response, Transport, _body, _Redirects


def transport(**named: list[str]) -> Transport:
    return Transport(timeout=1, agent="tests", pause=lambda _: None, **named)


def refused(one: Transport, url: str) -> str:
    with pytest.raises(RegistryError) as error:
        one.allow(url)
    return error.value.kind


@pytest.mark.parametrize(
    ("named", "url", "kind"),
    [
        pytest.param({}, "https://registry.example.com/v2/", "", id="https"),
        pytest.param({}, "http://registry.example.com/v2/", REALM, id="plain http"),
        pytest.param({}, "ftp://registry.example.com/v2/", REALM, id="another protocol"),
        pytest.param({"insecure": ["registry.example.com"]}, "http://registry.example.com/v2/", "", id="named, any port"),
        pytest.param({"insecure": ["registry.example.com"]}, "http://registry.example.com:5000/v2/", "", id="named, a port"),
        pytest.param({"insecure": ["registry.example.com:80"]}, "http://registry.example.com/v2/", "", id="port of http"),
        pytest.param({"insecure": ["registry.example.com:5000"]}, "http://registry.example.com/v2/", REALM, id="other port"),
        pytest.param({"insecure": ["other.example.com"]}, "http://registry.example.com/v2/", REALM, id="other host"),
        pytest.param({"insecure": ["registry.example.com"]}, "ftp://registry.example.com/v2/", REALM, id="named, not http"),
        pytest.param({"local": ["registry.example.com"]}, "http://registry.example.com/v2/", REALM, id="local is not insecure"),
        pytest.param({}, "https://127.0.0.1/v2/", ADDRESS, id="this machine"),
        pytest.param({"local": ["127.0.0.1"]}, "https://127.0.0.1/v2/", "", id="this machine, named"),
        pytest.param({"local": ["127.0.0.1:443"]}, "https://127.0.0.1/v2/", "", id="port of https"),
        pytest.param({"local": ["127.0.0.1:5000"]}, "https://127.0.0.1/v2/", ADDRESS, id="this machine, another port"),
        pytest.param({"insecure": ["127.0.0.1"]}, "https://127.0.0.1/v2/", "", id="insecure is local too"),
    ],
)
def test_an_address_is_allowed_or_not(named: dict[str, list[str]], url: str, kind: str) -> None:
    if kind:
        assert refused(transport(**named), url) == kind
    else:
        transport(**named).allow(url)


def redirected(one: Transport, url: str) -> urllib.request.Request | None:
    headers = {"Authorization": "Basic secret", "User-agent": "tests"}
    request = urllib.request.Request("https://registry.example.com/v2/", headers=headers)
    return _Redirects(one).redirect_request(request, io.BytesIO(), 302, "Found", HTTPMessage(), url)


def test_a_redirect_carries_no_credentials() -> None:
    request = redirected(transport(), "https://storage.example.com/blob")
    assert request is not None
    assert request.full_url == "https://storage.example.com/blob"
    assert not request.has_header("Authorization")
    assert request.has_header("User-agent")


def test_a_redirect_to_plain_http_is_refused() -> None:
    with pytest.raises(RegistryError) as error:
        redirected(transport(), "http://storage.example.com/blob")
    assert (error.value.kind, error.value.message) == (REALM, "http://storage.example.com is not https")


def test_a_request_to_plain_http_is_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(Transport, "_once")
    with pytest.raises(RegistryError) as error:
        transport().request("http://registry.example.com/v2/", {"Authorization": "Basic secret"})
    assert (error.value.kind, error.value.message) == (REALM, "http://registry.example.com is not https")


def test_a_body_is_read_as_it_arrives() -> None:
    class Body(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            raise AssertionError("waits until all bytes of a part are there, so the deadline passes unnoticed")

    assert _body(Body(b"{}"), "https://registry.example.com/v2/", time.monotonic() + 5) == b"{}"


@pytest.mark.parametrize(
    ("error", "attempts", "reason"),
    [
        pytest.param(urllib.error.URLError(TimeoutError()), 3, "the time is up", id="a time limit"),
        pytest.param(ConnectionResetError(104, "Connection reset by peer"), 3, "Connection reset by peer", id="a reset"),
        pytest.param(urllib.error.URLError(ConnectionRefusedError(111, "refused")), 1, "refused", id="nobody listens"),
        pytest.param(urllib.error.URLError(ssl.SSLError("a bad certificate")), 1, "('a bad certificate',)", id="TLS"),
        pytest.param(urllib.error.URLError("no host given"), 1, "no host given", id="a text"),
    ],
)
def test_only_what_may_pass_is_tried_again(monkeypatch: pytest.MonkeyPatch, error: Exception, attempts: int, reason: str) -> None:
    tried = []

    def fail(self: Transport, request: urllib.request.Request) -> Response:
        tried.append(request.full_url)
        raise error

    monkeypatch.setattr(Transport, "_once", fail)
    with pytest.raises(RegistryError) as raised:
        transport().request("https://registry.example.com/v2/", {})
    assert (raised.value.kind, len(tried)) == (UNREACHABLE, attempts)
    assert raised.value.message == f"registry.example.com does not answer: {reason}"


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_busy_server_is_asked_three_times_with_growing_pauses(monkeypatch: pytest.MonkeyPatch, status: int) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(Transport, "_once", lambda *_: Response(status, Message(), b""))
    one = Transport(timeout=1, agent="tests", pause=pauses.append)
    assert one.request("https://registry.example.com/v2/", {}).status == status
    assert pauses == [0.5, 1.0]


@pytest.mark.parametrize("status", [200, 400, 401, 404, 501])
def test_any_other_answer_counts_at_once(monkeypatch: pytest.MonkeyPatch, status: int) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(Transport, "_once", lambda *_: Response(status, Message(), b""))
    assert Transport(timeout=1, agent="tests", pause=pauses.append).request("https://a.example.com/", {}).status == status
    assert pauses == []


def test_a_request_names_its_agent_and_carries_its_headers(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[urllib.request.Request] = []

    def once(self: Transport, request: urllib.request.Request) -> Response:
        seen.append(request)
        return Response(200, Message(), b"")

    monkeypatch.setattr(Transport, "_once", once)
    transport().request("https://registry.example.com/token", {"Accept": "a"}, form=b"x=1")
    (request,) = seen
    assert (request.get_header("User-agent"), request.get_header("Accept"), request.data) == ("tests", "a", b"x=1")
    assert request.get_method() == "POST"


@pytest.mark.parametrize(
    ("host", "port", "named", "expected"),
    [
        ("::1", 80, ["[::1]"], True),
        ("[::1]", 80, ["[::1]"], True),
        ("::1", 80, ["::1"], True),
        ("::1", 5000, ["[::1]:5000"], True),
        ("::1", 80, ["[::1]:5000"], False),
        ("a.example.com", 80, ["a.example.com:80"], True),
        ("a.example.com", 80, ["b.example.com"], False),
    ],
)
def test_a_host_is_named_alone_or_with_its_port(host: str, port: int, named: list[str], expected: bool) -> None:
    assert is_named(host, port, named) is expected


@pytest.mark.parametrize(
    "text",
    [
        *("127.0.0.1", "::1", "169.254.1.1", "fe80::1%eth0", "0.0.0.0", "::", "224.0.0.1", "ff02::1", "::ffff:127.0.0.1"),
        *("169.254.169.254", "fd00:ec2::254", "100.100.100.200", "168.63.129.16", "192.0.0.192", "::ffff:169.254.169.254"),
    ],
)
def test_addresses_that_no_image_may_lead_to(text: str) -> None:
    with pytest.raises(RegistryError) as error:
        refuse(text, text)
    assert error.value.message == f"{text} is an address of this machine, its network segment or a cloud's metadata"
    with pytest.raises(RegistryError, match=r"a\.example\.com \("):
        refuse(text, "a.example.com")


@pytest.mark.parametrize("text", ["10.0.0.1", "192.168.1.1", "8.8.8.8", "2001:db8::1", "a.example.com", "::ffff:8.8.8.8"])
def test_other_addresses_are_let_through(text: str) -> None:
    refuse(text, text)


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("http://proxy.example.com:3128", ("proxy.example.com", 3128)),
        ("proxy.example.com:3128", ("proxy.example.com", 3128)),
        ("http://proxy.example.com", ("proxy.example.com", 80)),
        ("https://proxy.example.com", ("proxy.example.com", 443)),
    ],
)
def test_the_proxies_of_the_environment(monkeypatch: pytest.MonkeyPatch, url: str, place: tuple[str, int]) -> None:
    monkeypatch.setattr(addresses, "getproxies", lambda: {"https": url})
    assert addresses._proxies() == {place}
