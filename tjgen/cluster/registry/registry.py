"""A reference -> the digest that its tag has now in its registry (OCI distribution, `GET /v2/<name>/manifests/<tag>`).

The digest is that of the index where the tag names one, so that it holds for every architecture. What
requested manifest is read with GET, not HEAD, to compute its digest and to read the platforms.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from hashlib import sha256
from urllib.parse import quote

from tjgen.cluster.registry import authorization
from tjgen.cluster.registry.credentials import Credentials
from tjgen.cluster.registry.failure import DENIED, OTHER_PLATFORM, UNKNOWN, UNUSABLE, RegistryError
from tjgen.cluster.registry.reference import Reference
from tjgen.cluster.registry.transport import Response, Transport
from tjgen.trees.typing import Any

_INDEXES = ("application/vnd.oci.image.index.v1+json", "application/vnd.docker.distribution.manifest.list.v2+json")
_MANIFESTS = ("application/vnd.oci.image.manifest.v1+json", "application/vnd.docker.distribution.manifest.v2+json")
_ACCEPT = ", ".join((*_INDEXES, *_MANIFESTS))


class Registries:
    """Registries that resolve tags to digests.

    `token_hosts`: hosts outside of a registry's own domain that may get its credentials in exchange for a token.
    """

    def __init__(
        self, transport: Transport, credentials: Callable[[str], Credentials | None], *, token_hosts: Sequence[str] = ()
    ) -> None:
        self._transport = transport
        self._credentials = credentials
        self._token_hosts = tuple(token_hosts)
        self._headers: dict[tuple[str, str], str] = {}
        """Registry and repository -> the Authorization header that it requires."""

    def digest(self, reference: Reference, *, platform: str | None = None) -> str:
        """Return the digest of a tag, `sha256:...`. With `platform` (`linux/amd64`) it must support that. Raise RegistryError."""
        answer = self._get(reference, f"manifests/{quote(reference.tag)}", accept=_ACCEPT)
        digest = "sha256:" + sha256(answer.body).hexdigest()
        claimed = answer.headers.get("Docker-Content-Digest") or digest
        if claimed != digest:
            raise RegistryError(UNUSABLE, f"{reference.registry} claims the digest {claimed}, but what it sends has {digest}")
        manifest = _object(answer.body, reference)
        if manifest.get("schemaVersion") == 1:
            raise RegistryError(UNUSABLE, "the image has a manifest of schema version 1, which has no digest")
        _check_type(answer, manifest, reference)
        offered = self._platforms(reference, manifest) if platform is not None else []
        if platform is not None and offered and not any(_fits(platform, one) for one in offered):
            raise RegistryError(OTHER_PLATFORM, f"the image exists for {', '.join(sorted(set(offered)))}, not for {platform}")
        return digest

    def _platforms(self, reference: Reference, manifest: Any) -> list[str]:
        """The platforms of an index or a manifest; empty if it declares none, as artifacts do that are not container images."""
        listed = manifest.get("manifests")
        if listed.__class__ is list:
            described = [one.get("platform") for one in listed if one.__class__ is dict]
            return [name for one in described if (name := _platform(one)) and name != "unknown/unknown"]
        config = manifest.get("config")
        digest = config.get("digest") if config.__class__ is dict else None
        if digest.__class__ is not str or "image" not in str(config.get("mediaType", "")):
            return []
        platform_config = _object(self._get(reference, f"blobs/{quote(digest, safe=':')}", accept="*/*").body, reference)
        name = _platform(platform_config)
        return [name] if name else []

    def _get(self, reference: Reference, what: str, *, accept: str) -> Response:
        registry, host = reference.registry, reference.host
        secure = not {registry, host, host.partition(":")[0]} & self._transport.insecure
        url = f"{'https' if secure else 'http'}://{host}/v2/{quote(reference.repository)}/{what}"
        key = (registry, reference.repository)
        headers = {"Accept": accept}
        if key in self._headers:
            headers["Authorization"] = self._headers[key]
        answer = self._transport.request(url, headers)
        if answer.status == 401 and key not in self._headers:
            challenges = answer.headers.get_all("WWW-Authenticate") or []
            scope = f"repository:{reference.repository}:pull"
            known = self._credentials(registry)
            self._headers[key] = authorization.answer(
                challenges, known, self._transport, registry=registry, host=host, token_hosts=self._token_hosts, scope=scope
            )
            answer = self._transport.request(url, {**headers, "Authorization": self._headers[key]})
        if answer.status in (401, 403):
            raise RegistryError(DENIED, f"{registry} refuses to show {reference.repository} ({answer.status})")
        if answer.status == 404:
            raise RegistryError(UNKNOWN, f"{registry} has no image {reference.repository}:{reference.tag}")
        if answer.status != 200:
            raise RegistryError(UNUSABLE, f"{registry} answers {answer.status}")
        return answer


def _check_type(answer: Response, manifest: Any, reference: Reference) -> None:
    """Raises RegistryError unless the type and the fields are those of a manifest or index: any page can have the status 200."""
    kind = answer.headers.get_content_type()
    stated = manifest.get("mediaType", kind)
    if kind in _INDEXES and stated == kind and manifest.get("manifests").__class__ is list:
        return
    if kind in _MANIFESTS and stated == kind and manifest.get("config").__class__ is dict:
        return
    raise RegistryError(UNUSABLE, f"{reference.registry} sent a response of type {kind} that is not an image manifest")


def _object(body: bytes, reference: Reference) -> Any:
    try:
        content = json.loads(body)
    except ValueError:
        content = None
    if content.__class__ is not dict:
        raise RegistryError(UNUSABLE, f"{reference.registry} sent a response that is not a manifest")
    return content


def _platform(described: Any) -> str:
    """`os/architecture[/variant]`, or "" if the manifest does not declare it."""
    if described.__class__ is not dict or not described.get("os") or not described.get("architecture"):
        return ""
    return "/".join(str(part) for part in (described["os"], described["architecture"], described.get("variant")) if part)


def _fits(wanted: str, offered: str) -> bool:
    """Whether an image is for a platform; a variant counts only where one is wanted."""
    return offered == wanted or offered.startswith(wanted + "/")
