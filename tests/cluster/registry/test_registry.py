"""Digests of tags, asked of a registry: who we are to it, what it may answer, and what is believed."""

from __future__ import annotations

import base64
import json
import socket
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster.registry.server import INDEX, MANIFEST, Registry, digest, serving
from tjgen.cluster.registry.credentials import Credentials, find
from tjgen.cluster.registry.failure import DENIED, OTHER_PLATFORM, UNKNOWN, UNREACHABLE, UNUSABLE, RegistryError
from tjgen.cluster.registry.reference import Reference
from tjgen.cluster.registry.registry import Registries
from tjgen.cluster.registry.transport import Transport


@pytest.fixture
def registry() -> Iterator[Registry]:
    with serving(Registry()) as one:
        yield one


class Asking:
    """A client that does not wait, and says for how long it would have."""

    def __init__(self, credentials: Credentials | None = None, *, timeout: float = 5) -> None:
        self.pauses: list[float] = []
        # The caller names this machine: an image alone would lead to it neither by http nor at all.
        transport = Transport(timeout=timeout, agent="tests", pause=self.pauses.append, insecure=["127.0.0.1"])
        self.registries = Registries(transport, lambda _: credentials)

    def digest(self, registry: Registry, image: str, platform: str | None = None) -> str:
        return self.registries.digest(Reference.of(f"{registry.host}/{image}"), platform=platform)

    def refused(self, registry: Registry, image: str, platform: str | None = None) -> tuple[str, str]:
        with pytest.raises(RegistryError) as error:
            self.digest(registry, image, platform)
        return error.value.kind, error.value.message.replace(registry.host, "HOST")


def test_the_parts_of_a_reference() -> None:
    hub = Reference.of("docker.io/library/python:3.13")
    assert (hub.registry, hub.host, hub.repository, hub.tag) == ("docker.io", "registry-1.docker.io", "library/python", "3.13")
    own = Reference.of("registry.example.com:5000/a/b:1")
    assert (own.host, own.repository, own.tag) == ("registry.example.com:5000", "a/b", "1")


def test_the_digest_of_an_index_holds_for_every_platform(registry: Registry) -> None:
    wanted = registry.push("a/b", "1", ["linux/amd64", "linux/arm64/v8"])
    for platform in ("linux/amd64", "linux/arm64", "linux/arm64/v8", None):
        assert Asking().digest(registry, "a/b:1", platform) == wanted
    assert registry.asked == ["GET /v2/a/b/manifests/1"] * 4


def test_both_forms_of_manifests_and_of_indexes_are_accepted(registry: Registry) -> None:
    registry.push("a/b", "1")
    Asking().digest(registry, "a/b:1")
    assert registry.accepted == [
        "application/vnd.oci.image.index.v1+json, application/vnd.docker.distribution.manifest.list.v2+json, "
        "application/vnd.oci.image.manifest.v1+json, application/vnd.docker.distribution.manifest.v2+json"
    ]


def test_the_digest_of_a_manifest_is_its_own(registry: Registry) -> None:
    wanted = registry.push("a/b", "1")
    assert Asking().digest(registry, "a/b:1", "linux/amd64") == wanted


@pytest.mark.parametrize("platforms", [["linux/arm64"], ["linux/arm64", "windows/amd64"]], ids=["manifest", "index"])
def test_an_image_for_another_platform_is_refused(registry: Registry, platforms: list[str]) -> None:
    registry.push("a/b", "1", platforms)
    kind, said = Asking().refused(registry, "a/b:1", "linux/amd64")
    assert kind == OTHER_PLATFORM
    assert said == f"the image exists for {', '.join(platforms)}, not for linux/amd64"


def test_an_artifact_that_is_no_container_image_has_no_platform(registry: Registry) -> None:
    body = json.dumps({"schemaVersion": 2, "config": {"mediaType": "application/vnd.oci.empty.v1+json", "digest": "x"}}).encode()
    registry.manifests["models/bert", "1"] = (MANIFEST, body)
    assert Asking().digest(registry, "models/bert:1", "linux/amd64") == digest(body)


@pytest.mark.parametrize("stated", ["application/json", INDEX])
def test_a_manifest_of_another_type_than_its_header_is_refused(registry: Registry, stated: str) -> None:
    body = json.dumps({"schemaVersion": 2, "mediaType": stated, "config": {}}).encode()
    registry.manifests["a/b", "1"] = (MANIFEST, body)
    assert Asking().refused(registry, "a/b:1") == (
        UNUSABLE,
        f"HOST sent a response of type {MANIFEST} that is not an image manifest",
    )


def test_a_token_is_fetched_once_for_a_repository(registry: Registry) -> None:
    registry.auth = "bearer"
    wanted = registry.push("a/b", "1")
    asking = Asking()
    assert asking.digest(registry, "a/b:1", "linux/amd64") == wanted
    assert asking.digest(registry, "a/b:1") == wanted
    assert [line.partition("?")[0] for line in registry.asked] == [
        "GET /v2/a/b/manifests/1",
        "GET /token",
        "GET /v2/a/b/manifests/1",
        f"GET /v2/a/b/blobs/{json.loads(registry.manifests['a/b', '1'][1])['config']['digest']}",
        "GET /v2/a/b/manifests/1",
    ]


@pytest.mark.parametrize("auth", ["bearer", "basic"])
def test_a_name_and_a_password_open_what_is_closed(registry: Registry, auth: str) -> None:
    registry.auth, registry.accounts = auth, {"someone": "pass:word"}
    wanted = registry.push("a/b", "1")
    assert Asking(Credentials("someone", "pass:word")).digest(registry, "a/b:1") == wanted
    assert Asking().refused(registry, "a/b:1")[0] == DENIED
    assert Asking(Credentials("someone", "wrong")).refused(registry, "a/b:1")[0] == DENIED


def test_an_identity_token_is_exchanged(registry: Registry) -> None:
    registry.auth, registry.accounts = "bearer", {"someone": "secret"}
    wanted = registry.push("a/b", "1")
    assert Asking(Credentials(identity="identity")).digest(registry, "a/b:1") == wanted
    assert "POST /token" in registry.asked
    assert Asking(Credentials(identity="old")).refused(registry, "a/b:1")[0] == DENIED


def test_a_realm_that_is_no_address_is_not_asked(registry: Registry) -> None:
    registry.auth, registry.realm = "bearer", "file:///etc/passwd"
    registry.push("a/b", "1")
    assert Asking().refused(registry, "a/b:1") == (
        UNUSABLE,
        "HOST issues tokens at file:///etc/passwd, which is not a valid address",
    )


def test_credentials_stay_with_their_host(registry: Registry) -> None:
    with serving(Registry()) as storage:
        registry.auth, registry.accounts = "basic", {"someone": "secret"}
        wanted = registry.push("a/b", "1")
        storage.blobs, registry.blobs_at = registry.blobs, storage.host
        assert Asking(Credentials("someone", "secret")).digest(registry, "a/b:1", "linux/amd64") == wanted
        assert len(storage.asked) == 1


def test_what_is_not_there(registry: Registry) -> None:
    assert Asking().refused(registry, "a/b:2") == (UNKNOWN, "HOST has no image a/b:2")


def test_a_busy_registry_is_asked_again(registry: Registry) -> None:
    wanted = registry.push("a/b", "1")
    registry.failures = [(503, {}), (429, {"Retry-After": "7"})]
    asking = Asking()
    assert asking.digest(registry, "a/b:1") == wanted
    assert asking.pauses == [0.5, 7.0]


def test_not_for_ever(registry: Registry) -> None:
    registry.push("a/b", "1")
    registry.failures = [(500, {})] * 5
    asking = Asking()
    assert asking.refused(registry, "a/b:1") == (UNUSABLE, "HOST answers 500")
    assert len(registry.asked) == 3


def test_nobody_waits_as_long_as_a_registry_wants(registry: Registry) -> None:
    registry.push("a/b", "1")
    registry.failures = [(429, {"Retry-After": "86400"})]
    asking = Asking()
    asking.digest(registry, "a/b:1")
    assert asking.pauses == [20.0]


def test_a_connection_that_breaks_is_tried_again(registry: Registry) -> None:
    wanted = registry.push("a/b", "1")
    registry.failures = [(0, {})]
    assert Asking().digest(registry, "a/b:1") == wanted


def test_a_registry_that_is_not_there() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        gone = Registry()
        gone.host = f"127.0.0.1:{free.getsockname()[1]}"
    asking = Asking()
    assert asking.refused(gone, "a/b:1") == (UNREACHABLE, "HOST does not answer: Connection refused")
    assert asking.pauses == []


def test_a_registry_that_never_answers() -> None:
    with socket.socket() as mute:
        mute.bind(("127.0.0.1", 0))
        mute.listen()
        silent = Registry()
        silent.host = f"127.0.0.1:{mute.getsockname()[1]}"
        assert Asking(timeout=0.1).refused(silent, "a/b:1") == (UNREACHABLE, "HOST does not answer: the time is up")


def test_a_digest_that_is_not_that_of_the_content_is_not_believed(registry: Registry) -> None:
    wanted = registry.push("a/b", "1")
    registry.claims = "sha256:" + "0" * 64
    kind, said = Asking().refused(registry, "a/b:1")
    assert kind == UNUSABLE
    assert wanted in said
    registry.claims = ""
    assert Asking().digest(registry, "a/b:1") == wanted


@pytest.mark.parametrize("body", [b"", b"[]", b"<html>", b'{"schemaVersion": 1}'])
def test_what_is_no_manifest_has_no_digest(registry: Registry, body: bytes) -> None:
    registry.manifests["a/b", "1"] = (MANIFEST, body)
    assert Asking().refused(registry, "a/b:1")[0] == UNUSABLE


def test_an_answer_that_is_too_large_is_not_read(registry: Registry) -> None:
    registry.manifests["a/b", "1"] = (MANIFEST, b" " * ((4 << 20) + 1))
    assert Asking().refused(registry, "a/b:1") == (UNUSABLE, "HOST answers with more than 4 MiB")


class TestCredentials:
    """The configuration of Docker's command line."""

    def config(self, folder: Path, content: object) -> dict[str, str]:
        (folder / "config.json").write_text(json.dumps(content), encoding="utf-8")
        return {"DOCKER_CONFIG": str(folder)}

    def test_a_name_and_a_password(self, tmp_path: Path) -> None:
        auth = base64.b64encode(b"someone:pass:word").decode()
        here = self.config(
            tmp_path, {"auths": {"registry.example.com": {"auth": auth}, "https://index.docker.io/v1/": {"auth": auth}}}
        )
        assert find("registry.example.com", here) == Credentials("someone", "pass:word")
        assert find("docker.io", here) == Credentials("someone", "pass:word")
        assert find("other.example.com", here) is None

    @pytest.mark.parametrize(
        "key", ["https://index.docker.io/v1/", "index.docker.io", "docker.io", "registry-1.docker.io", "https://docker.io/v2/"]
    )
    def test_every_name_of_docker_hub(self, tmp_path: Path, key: str) -> None:
        here = self.config(tmp_path, {"auths": {key: {"username": "someone", "password": "secret"}}})
        is_found = key != "https://docker.io/v2/"
        assert find("docker.io", here) == (Credentials("someone", "secret") if is_found else None)
        assert find("registry.example.com", here) is None

    def test_a_name_without_a_password(self, tmp_path: Path) -> None:
        here = self.config(tmp_path, {"auths": {"http://registry.example.com": {"username": "someone"}}})
        assert find("registry.example.com", here) == Credentials("someone", "")

    def test_an_identity_token_goes_before_a_password(self, tmp_path: Path) -> None:
        entry = {"identitytoken": "token", "auth": base64.b64encode(b"a:b").decode(), "username": "c"}
        assert find("registry.example.com", self.config(tmp_path, {"auths": {"registry.example.com": entry}})).identity == "token"  # type: ignore[union-attr]

    def test_the_header_of_a_name_and_a_password(self) -> None:
        assert Credentials("someone", "secret").basic == "Basic c29tZW9uZTpzZWNyZXQ="

    @pytest.mark.parametrize(
        ("script", "expected"),
        [
            ("""echo '{"Username": "<token>", "Secret": "secret"}'""", Credentials(identity="secret")),
            ("""echo '{"Username": "someone", "Secret": "secret"}'""", Credentials("someone", "secret")),
            ("""[ "$1" = get ] && echo '{"Username": "a", "Secret": "b"}'""", Credentials("a", "b")),
            ("exit 1", Credentials("stored", "")),
        ],
        ids=["a token", "a password", "the word get", "nothing known"],
    )
    def test_the_answer_of_a_helper(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, expected: Credentials
    ) -> None:
        program = tmp_path / "docker-credential-tests"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
        here = self.config(tmp_path, {"credsStore": "tests", "auths": {"a.example.com": {"username": "stored"}}})
        assert find("a.example.com", here) == expected

    def test_an_answer_of_a_helper_that_is_no_secret(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        program = tmp_path / "docker-credential-tests"
        program.write_text('#!/bin/sh\necho \'{"Username": "a"}\'\n')
        program.chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
        with pytest.raises(RegistryError, match="docker-credential-tests answers with no name and secret"):
            find("a.example.com", self.config(tmp_path, {"credsStore": "tests"}))

    def test_an_identity_token(self, tmp_path: Path) -> None:
        here = self.config(tmp_path, {"auths": {"https://registry.example.com/v2/": {"identitytoken": "token"}}})
        assert find("registry.example.com", here) == Credentials(identity="token")

    @pytest.mark.parametrize("content", [{}, [], None, {"auths": []}, {"auths": {"registry.example.com": {}}}])
    def test_none(self, tmp_path: Path, content: object) -> None:
        assert find("registry.example.com", self.config(tmp_path, content)) is None
        assert find("registry.example.com", {"HOME": str(tmp_path)}) is None

    def test_what_cannot_be_understood_is_told(self, tmp_path: Path) -> None:
        here = self.config(tmp_path, {"auths": {"registry.example.com": {"auth": "@@"}}})
        with pytest.raises(RegistryError, match="not a name and a password"):
            find("registry.example.com", here)
        (tmp_path / "config.json").write_text("{", encoding="utf-8")
        with pytest.raises(RegistryError, match="cannot be read"):
            find("registry.example.com", here)

    @pytest.mark.parametrize("section", [{"credsStore": "tests"}, {"credHelpers": {"registry.example.com": "tests"}}])
    def test_a_helper_is_asked(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, section: dict[str, object]) -> None:
        program = tmp_path / "docker-credential-tests"
        program.write_text(
            '#!/bin/sh\nread -r server\n[ "$server" = registry.example.com ] || exit 1\n'
            'echo \'{"ServerURL": "x", "Username": "someone", "Secret": "secret"}\'\n'
        )
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
        here = self.config(tmp_path, section)
        assert find("registry.example.com", here) == Credentials("someone", "secret")
        assert find("other.example.com", here) is None

    def test_a_helper_that_is_not_there_is_told(self, tmp_path: Path) -> None:
        with pytest.raises(RegistryError, match="docker-credential-missing"):
            find("registry.example.com", self.config(tmp_path, {"credsStore": "missing"}))
