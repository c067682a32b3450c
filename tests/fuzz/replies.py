"""Random answers of a registry, nearly right: status, a header, and a body."""

from __future__ import annotations

import json
from hashlib import sha256
from random import Random

from tests.fuzz import texts
from tests.fuzz.trees import SCALARS

Reply = tuple[int, str, str, bytes]

_MANIFEST = {
    "schemaVersion": 2,
    "mediaType": "application/vnd.oci.image.index.v1+json",
    "manifests": [
        {
            "mediaType": "application/vnd.oci.image.manifest.v1+json",
            "digest": "sha256:" + "b" * 64,
            "size": 5,
            "platform": {"os": "linux", "architecture": "amd64"},
        }
    ],
}
_CHALLENGES = (
    'Bearer realm="https://registry.example.com/token",service="x"',
    "Basic realm=x",
    "Bearer",
    "",
    "Bearer realm=",
    'Bearer realm="http://["',
    "Digest x",
)


def replies(random: Random) -> tuple[Reply, ...]:
    """One to four answers."""
    return tuple(_reply(random) for _ in range(random.randrange(1, 5)))


def _reply(random: Random) -> Reply:
    kind = random.randrange(4)
    if kind == 0:
        return 401, "WWW-Authenticate", random.choice(_CHALLENGES), b""
    if kind == 1:
        body = json.dumps({"token": random.choice(SCALARS), "access_token": random.choice(SCALARS)}).encode()
        return 200, "Content-Type", "application/json", body
    body = json.dumps(_MANIFEST).encode()
    if random.random() < 0.5:
        body = texts.mutated(random, body)
    digest = "sha256:" + sha256(body).hexdigest()
    value = digest if random.random() < 0.7 else str(random.choice(SCALARS)).encode("latin-1", "replace").decode("latin-1")
    return random.choice((200, 200, 200, 404, 301, 500, 418)), "Docker-Content-Digest", value, body
