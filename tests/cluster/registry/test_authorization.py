"""Which token service gets the credentials of a registry, and what a request for a token contains."""

from __future__ import annotations

from collections.abc import Mapping
from email.message import Message
from urllib.parse import parse_qs, urlsplit

import pytest

from tjgen.cluster.registry.authorization import answer
from tjgen.cluster.registry.credentials import Credentials
from tjgen.cluster.registry.failure import REALM, RegistryError
from tjgen.cluster.registry.transport import Response, Transport


class RecordingTransport(Transport):
    """A transport that gives a token to everyone and keeps the requests."""

    def __init__(self) -> None:
        super().__init__(timeout=1, agent="tests")
        self.requests: list[tuple[str, Mapping[str, str], bytes | None]] = []

    def request(self, url: str, headers: Mapping[str, str], *, form: bytes | None = None) -> Response:
        self.requests.append((url, headers, form))
        return Response(200, Message(), b'{"token": "T"}')


def authorize(transport: Transport, challenge: str, credentials: Credentials | None, host: str, *token_hosts: str) -> str:
    return answer(
        [challenge],
        credentials,
        transport,
        registry="registry",
        host=host,
        token_hosts=token_hosts,
        scope="repository:a/b:pull",
    )


@pytest.mark.parametrize(
    ("host", "realm", "token_hosts", "is_allowed"),
    [
        pytest.param("quay.io", "quay.io", (), True, id="same host"),
        pytest.param("registry-1.docker.io", "auth.docker.io", (), True, id="same domain"),
        pytest.param("registry-1.docker.io", "auth.docker.io:443", (), True, id="same domain, port of https"),
        pytest.param("registry-1.docker.io", "auth.docker.io:8443", (), False, id="same domain, another port"),
        pytest.param("quay.io", "auth.example.com", (), False, id="another domain"),
        pytest.param("a.com", "b.com", (), False, id="same suffix"),
        pytest.param("a.co.uk", "b.co.uk", (), False, id="same suffix of two labels"),
        pytest.param("cr.a.co.uk", "auth.a.co.uk", (), True, id="same domain below a suffix of two labels"),
        pytest.param("cr.acme.de", "auth.acme.de", (), True, id="same domain in a country"),
        pytest.param("cr.abc.com", "auth.abc.com", (), True, id="a short name below a long suffix"),
        pytest.param("10.0.0.1:5000", "10.0.0.1:5001", (), False, id="addresses"),
        pytest.param("registry:5000", "tokens:5000", (), False, id="names without a domain"),
        pytest.param("quay.io", "auth.example.com", ("auth.example.com",), True, id="named by the caller"),
        pytest.param("quay.io", "auth.example.com:8443", ("auth.example.com",), True, id="named by the caller, any port"),
        pytest.param("quay.io", "auth.example.com:8443", ("auth.example.com:443",), False, id="named with another port"),
    ],
)
def test_credentials_go_to_token_services_of_the_domain(
    host: str, realm: str, token_hosts: tuple[str, ...], is_allowed: bool
) -> None:
    transport = RecordingTransport()
    challenge = f'Bearer realm="https://{realm}/token"'
    if is_allowed:
        assert authorize(transport, challenge, Credentials("user", "secret"), host, *token_hosts) == "Bearer T"
        assert [urlsplit(url).netloc for url, _, _ in transport.requests] == [realm]
    else:
        with pytest.raises(RegistryError) as error:
            authorize(transport, challenge, Credentials("user", "secret"), host, *token_hosts)
        assert (error.value.kind, transport.requests) == (REALM, [])


def test_anonymous_requests_go_to_every_token_service() -> None:
    transport = RecordingTransport()
    authorize(transport, 'Bearer realm="https://auth.example.com/token"', None, "quay.io")
    assert [headers for _, headers, _ in transport.requests] == [{}]


def test_the_scope_of_the_challenge_takes_precedence() -> None:
    for more, scope in (("", "repository:a/b:pull"), (',scope="repository:c/d:pull"', "repository:c/d:pull")):
        transport = RecordingTransport()
        authorize(transport, f'Bearer realm="https://quay.io/token",service="S"{more}', None, "quay.io")
        assert parse_qs(urlsplit(transport.requests[0][0]).query) == {"service": ["S"], "scope": [scope]}


def test_an_identity_token_is_sent_in_a_form() -> None:
    transport = RecordingTransport()
    authorize(transport, 'Bearer realm="https://quay.io/token"', Credentials(identity="I"), "quay.io")
    url, headers, form = transport.requests[0]
    assert (url, headers) == ("https://quay.io/token", {"Content-Type": "application/x-www-form-urlencoded"})
    assert form is not None
    assert parse_qs(form.decode()) == {
        "grant_type": ["refresh_token"],
        "refresh_token": ["I"],
        "client_id": ["tjgen"],
        "scope": ["repository:a/b:pull"],
    }
