"""A registry on loopback: the part of the OCI distribution API that says what an image is, with the manners of real ones."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

INDEX = "application/vnd.oci.image.index.v1+json"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
CONFIG = "application/vnd.oci.image.config.v1+json"


def digest(content: bytes) -> str:
    return "sha256:" + sha256(content).hexdigest()


class Registry:
    """What a server holds and how it behaves. `asked` has every request, as "METHOD path"."""

    def __init__(self) -> None:
        self.manifests: dict[tuple[str, str], tuple[str, bytes]] = {}
        self.blobs: dict[str, bytes] = {}
        self.asked: list[str] = []
        self.accepted: list[str] = []
        """What each request accepts."""
        self.auth = ""
        """"" for none, "bearer" or "basic"."""
        self.accounts: dict[str, str] = {}
        """Who may pull; with bearer nobody but them where there are some."""
        self.realm = ""
        self.failures: list[tuple[int, dict[str, str]]] = []
        """Statuses and headers that the next requests get."""
        self.claims: str | None = None
        """The digest that answers claim to have, in place of their own."""
        self.blobs_at = ""
        """Another server that holds the blobs."""
        self.host = ""

    def push(self, name: str, tag: str, platforms: Sequence[str] = ("linux/amd64",)) -> str:
        """An image for several platforms, as an index; for one, as a manifest; its digest."""
        manifests = [self._manifest(f"{name}:{tag}", platform) for platform in platforms]
        kind, body = MANIFEST, manifests[0]
        if len(manifests) > 1:
            kind = INDEX
            entries = [
                {"mediaType": MANIFEST, "digest": digest(one), "size": len(one), "platform": _platform(platform)}
                for one, platform in zip(manifests, platforms, strict=True)
            ]
            body = json.dumps({"schemaVersion": 2, "mediaType": INDEX, "manifests": entries}).encode()
        self.manifests[name, tag] = (kind, body)
        return digest(body)

    def _manifest(self, content: str, platform: str) -> bytes:
        config = json.dumps({**_platform(platform), "content": content}).encode()
        self.blobs[digest(config)] = config
        described = {"mediaType": CONFIG, "digest": digest(config), "size": len(config)}
        return json.dumps({"schemaVersion": 2, "mediaType": MANIFEST, "config": described, "layers": []}).encode()


def _platform(text: str) -> dict[str, str]:
    return dict(zip(("os", "architecture", "variant"), text.split("/"), strict=False))


@contextmanager
def serving(registry: Registry) -> Iterator[Registry]:
    """The registry, answering at `registry.host`."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"registry": registry}))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    registry.host = f"127.0.0.1:{server.server_address[1]}"
    try:
        yield registry
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    registry: Registry

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the name of the base class
        """Nothing: tests look at `asked`."""

    def do_GET(self) -> None:
        self.registry.asked.append(f"GET {self.path}")
        self.registry.accepted.append(self.headers.get("Accept", ""))
        if self.registry.failures:
            status, headers = self.registry.failures.pop(0)
            if status == 0:  # the connection breaks
                self.connection.close()
                self.close_connection = True
                return
            self._answer(status, b"", headers)
            return
        where = urlsplit(self.path)
        if where.path == "/token":
            self._token(parse_qs(where.query).get("scope", [""])[0])
        elif self._may_enter():
            self._serve(where.path)

    def do_POST(self) -> None:
        form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        self.registry.asked.append(f"POST {self.path}")
        if form.get("grant_type") == ["refresh_token"] and form.get("refresh_token") == ["identity"]:
            self._answer(200, json.dumps({"access_token": f"pass {form['scope'][0]}".replace(" ", "-")}).encode(), {})
        else:
            self._answer(401, b"", {})

    def _token(self, scope: str) -> None:
        if self.registry.accounts and not self._knows_account():
            self._answer(401, b"", {})
        else:
            self._answer(200, json.dumps({"token": f"pass {scope}".replace(" ", "-")}).encode(), {})

    def _knows_account(self) -> bool:
        said = self.headers.get("Authorization", "").partition(" ")[2]
        user, _, password = base64.b64decode(said).decode().partition(":")
        return bool(user) and self.registry.accounts.get(user) == password

    def _may_enter(self) -> bool:
        name = self.path.removeprefix("/v2/").rpartition("/")[0].rpartition("/")[0]
        match self.registry.auth:
            case "bearer":
                scope = f"repository:{name}:pull"
                if self.headers.get("Authorization") == f"Bearer pass-{scope}":
                    return True
                realm = self.registry.realm or f"http://{self.registry.host}/token"
                self._answer(401, b"", {"WWW-Authenticate": f'Bearer realm="{realm}",service="tests",scope="{scope}"'})
                return False
            case "basic":
                if self._knows_account():
                    return True
                self._answer(401, b"", {"WWW-Authenticate": 'Basic realm="tests"'})
                return False
        return True

    def _serve(self, path: str) -> None:
        name, _, last = path.removeprefix("/v2/").rpartition("/")
        name, _, kind = name.rpartition("/")
        if kind == "blobs" and self.registry.blobs_at:
            self._answer(307, b"", {"Location": f"http://{self.registry.blobs_at}/elsewhere/blobs/{last}"})
        elif kind == "blobs" and last in self.registry.blobs:
            # Storage refuses credentials that are not its own, as S3 does.
            refused = name == "elsewhere" and "Authorization" in self.headers
            self._answer(400 if refused else 200, self.registry.blobs[last], {})
        elif kind == "manifests" and (name, last) in self.registry.manifests:
            media, body = self.registry.manifests[name, last]
            claimed = self.registry.claims if self.registry.claims is not None else digest(body)
            self._answer(200, body, {"Content-Type": media, **({"Docker-Content-Digest": claimed} if claimed else {})})
        else:
            self._answer(404, b'{"errors": []}', {})

    def _answer(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for key, value in headers.items():
            self.send_header(key, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
