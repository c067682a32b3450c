"""An image leads `pin` to no host that the caller did not mean, and to no place that gets credentials which are not for it."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster.registry.server import INDEX, MANIFEST, Registry, serving
from tests.program import tjgen
from tjgen.cluster.registry.addresses import connecting, is_named
from tjgen.cluster.registry.authorization import answer
from tjgen.cluster.registry.credentials import Credentials
from tjgen.cluster.registry.failure import ADDRESS, INVALID, REALM, UNREACHABLE, UNUSABLE, RegistryError
from tjgen.cluster.registry.reference import Reference
from tjgen.cluster.registry.registry import Registries
from tjgen.cluster.registry.transport import Transport

EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: probe, namespace: team}
spec: {runtime: tjgen-torch, image: "IMAGE", script: train.py}
"""


@pytest.fixture
def registry() -> Iterator[Registry]:
    with serving(Registry()) as one:
        yield one


def registries(
    credentials: Credentials | None = None, *, timeout: float = 5, insecure: tuple[str, ...] = ("127.0.0.1",)
) -> Registries:
    transport = Transport(timeout=timeout, agent="tests", pause=lambda _: None, insecure=insecure)
    return Registries(transport, lambda _: credentials)


def refused(image: str, asked: Registries) -> RegistryError:
    with pytest.raises(RegistryError) as error:
        asked.digest(Reference.of(image))
    return error.value


@pytest.mark.parametrize(
    "host", ["localhost", "127.0.0.1", "127.1.2.3", "0.0.0.0", "[::1]", "169.254.169.254", "[fe80::1]", "[::ffff:127.0.0.1]"]
)
def test_pin_does_not_go_to_this_machine_because_an_image_says_so(tmp_path: Path, registry: Registry, host: str) -> None:
    port = registry.host.rpartition(":")[2]
    (tmp_path / "tjgen.yaml").write_text("apiVersion: tjgen.dev/v1alpha1\nkind: Project\nspec: {experiments: [a.yaml]}\n")
    (tmp_path / "a.yaml").write_text(EXPERIMENT.replace("IMAGE", f"{host}:{port}/a/b:1"))
    answer = tjgen(tmp_path, "pin", "a.yaml", "--timeout", "2")
    assert (answer.code, registry.asked) == (1, [])
    # An address of IPv6 is not the name of a registry in a reference.
    assert f"error[{'TJ742' if '[' in host else 'TJ743'}] a.yaml:4:" in answer.err


def test_the_address_behind_a_name_counts(registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    place = ("127.0.0.1", int(registry.host.rpartition(":")[2]))
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [(socket.AF_INET, socket.SOCK_STREAM, 6, "", place)])
    error = refused("registry.example.com/a/b:1", registries(insecure=()))
    assert (error.kind, registry.asked) == (ADDRESS, [])
    assert error.message.startswith("registry.example.com (127.0.0.1) is an address of this machine")


def test_plain_http_needs_the_word_of_the_caller(registry: Registry) -> None:
    registry.push("a/b", "1")
    # Named as local alone, it is asked by https, which it does not speak.
    transport = Transport(timeout=2, agent="tests", pause=lambda _: None, local=["127.0.0.1"])
    error = refused(f"{registry.host}/a/b:1", Registries(transport, lambda _: None))
    assert error.kind == UNREACHABLE
    assert not [line for line in registry.asked if line.startswith("GET /v2")]


@pytest.mark.parametrize(
    "image",
    ["r.example.com/admin/delete?x=1:2", "r.example.com/../x:1", "r.example.com/a b:1", "r.example.com/A/b:1",
     "r.example.com/a:1?x", "r.example.com/a//b:1", "user@r.example.com/a:1", "r.example.com#x/a:1",
     "r.example.com/a\n/b:1", "r_x.example.com/a:1",
     "r.example.com/" + "a" * 300 + ":1", "r.example.com/a:" + "1" * 129],
)  # fmt: skip
def test_a_name_that_is_none_is_not_asked_for(image: str) -> None:
    with pytest.raises(RegistryError) as error:
        Reference.of(image)
    assert error.value.kind == INVALID


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("text/html", b'{"schemaVersion": 2}'),
        ("application/json", b'{"schemaVersion": 2, "config": {}}'),
        (MANIFEST, b'{"ok": true}'),
        (INDEX, b'{"schemaVersion": 2, "config": {}}'),
        (MANIFEST, json.dumps({"mediaType": INDEX, "config": {}}).encode()),
    ],
)
def test_an_answer_that_is_no_manifest_has_no_digest(registry: Registry, kind: str, body: bytes) -> None:
    registry.manifests["a/b", "1"] = (kind, body)
    assert refused(f"{registry.host}/a/b:1", registries()).kind == UNUSABLE


@pytest.mark.parametrize("claim", ["sha256:" + "0" * 64, "sha512:" + "0" * 128, "nonsense"])
def test_a_digest_that_the_content_has_not_is_refused(registry: Registry, claim: str) -> None:
    registry.push("a/b", "1")
    registry.claims = claim
    assert refused(f"{registry.host}/a/b:1", registries()).kind == UNUSABLE


def challenged(realm: str, host: str, token_hosts: tuple[str, ...] = ()) -> RegistryError:
    transport = Transport(timeout=1, agent="tests", pause=lambda _: None)
    with pytest.raises(RegistryError) as error:
        answer(
            [f'Bearer realm="{realm}"'], Credentials("someone", "secret"), transport,
            registry=host, host=host, token_hosts=token_hosts, scope="repository:a:pull",
        )  # fmt: skip
    return error.value


@pytest.mark.parametrize(
    ("realm", "host"),
    [
        ("https://evil.example.org/token", "registry.example.com"),
        ("https://registry.example.com:8443/token", "registry.example.com"),
        ("http://registry.example.com/token", "registry.example.com"),
        ("http://auth.example.com/token", "registry.example.com"),
        ("https://evil.co.uk/token", "registry.co.uk"),
        ("https://10.0.0.2/token", "10.0.0.1"),
        ("https://example.com.evil.org/token", "registry.example.com"),
        ("https://registry.example.com@evil.org/token", "registry.example.com"),
    ],
)
def test_credentials_go_to_no_other_domain_and_never_in_the_clear(realm: str, host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: pytest.fail("somebody is asked"))
    assert challenged(realm, host).kind == REALM


def test_a_token_service_of_the_same_domain_or_one_that_is_named_may_know(monkeypatch: pytest.MonkeyPatch) -> None:
    class AskedError(Exception):
        """The transport got as far as asking for an address."""

    def asked(*_: object, **__: object) -> None:
        raise AskedError

    monkeypatch.setattr(socket, "getaddrinfo", asked)
    for realm, host, token_hosts in (
        ("https://auth.docker.io/token", "registry-1.docker.io", ()),
        ("https://gitlab.com/jwt/auth", "registry.gitlab.com", ()),
        ("https://authn.example.org/token", "registry.example.com", ("authn.example.org",)),
        ("https://auth.example.co.uk/token", "registry.example.co.uk", ()),
    ):
        with pytest.raises(AskedError):
            answer(
                [f'Bearer realm="{realm}"'], Credentials("someone", "secret"), Transport(timeout=1, agent="tests"),
                registry=host, host=host, token_hosts=token_hosts, scope="repository:a:pull",
            )  # fmt: skip


def test_redirects_carry_no_credentials_also_to_the_same_host(registry: Registry) -> None:
    registry.auth, registry.accounts = "basic", {"someone": "secret"}
    registry.push("a/b", "1")
    registry.blobs_at = registry.host
    asked = registries(Credentials("someone", "secret"))
    with pytest.raises(RegistryError):  # the blob is asked for without credentials, so the registry refuses it
        asked.digest(Reference.of(f"{registry.host}/a/b:1"), platform="linux/amd64")


def test_a_redirect_to_an_address_that_is_refused_is_not_followed(registry: Registry) -> None:
    registry.failures = [(302, {"Location": "http://169.254.169.254/latest/meta-data"})]
    assert refused(f"{registry.host}/a/b:1", registries()).kind in (REALM, ADDRESS)
    registry.failures = [(302, {"Location": "file:///etc/passwd"})]
    assert refused(f"{registry.host}/a/b:1", registries()).kind in (REALM, ADDRESS, UNUSABLE, UNREACHABLE)


def test_a_server_that_answers_a_byte_at_a_time_is_left() -> None:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()

        sent: list[int] = []

        def drip() -> None:
            connection, _ = server.accept()
            with connection:
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
                try:
                    for number in range(400):
                        connection.sendall(b"x")
                        sent.append(number)
                        time.sleep(0.02)
                except OSError:
                    return

        thread = threading.Thread(target=drip)
        thread.start()
        error = refused(f"127.0.0.1:{server.getsockname()[1]}/a/b:1", registries(timeout=0.2))
        assert error.kind == UNREACHABLE
        thread.join()
        assert 0 < len(sent) < 400, "the client closes the connection before the answer is complete"


def test_names_of_the_caller() -> None:
    assert is_named("127.0.0.1", 5000, ["127.0.0.1"])
    assert is_named("127.0.0.1", 5000, ["127.0.0.1:5000"])
    assert is_named("::1", 5000, ["[::1]:5000"])
    assert not is_named("127.0.0.1", 5000, ["127.0.0.1:5001"])
    with pytest.raises(RegistryError):
        connecting(())(("127.0.0.1", 1))
