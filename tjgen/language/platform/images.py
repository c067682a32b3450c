"""An image reference and the Platform's rewrite rules -> the reference to pull.

A rule is a prefix of a reference and its replacement. Both are compared in the long form of
the reference (`python:3.13` is `docker.io/library/python:3.13`) and end at a part of it: `ghcr.io/acme`
holds `ghcr.io/acme/train:1`, not `ghcr.io/acme-labs/train:1`. The longest prefix wins, `""` holds every
image, and a reference that already begins with its rule's target stays as it is.
"""

from __future__ import annotations

from collections.abc import Mapping

DOCKER = "docker.io"
_OFFICIAL = "docker.io/library"
_ALIASES = ("index.docker.io", "registry-1.docker.io", "registry.hub.docker.com")

CONTENT_TAG = "tjgen-"
"""The prefix of a tag that depends on the content of an image that is built for an experiment: it replaces a digest."""
ENV_IMAGES = ("CACHE_IMAGE", "FLUX_VIEW_IMAGE")
"""Variables whose value is an image that Trainer starts: the data cache of the dataset initializer, and Flux's view."""


def rewrite(image: str, rules: Mapping[str, str]) -> str:
    """The reference to pull instead of `image`; `image` as it is written where no rule holds it."""
    if not image or not rules:
        return image
    full = normal(image)
    matching = [(start, target) for prefix, target in rules.items() for start in _starts(prefix) if _holds(start, full)]
    if not matching:
        return image
    start, target = max(matching, key=lambda rule: len(rule[0]))
    target = target.rstrip("/")
    if any(_holds(already, full) for already in _starts(target)):
        return image
    return f"{target}{full[len(start) :]}" if start else f"{target}/{full}"


def pinned(image: str, digest: str | None) -> str:
    """`image` with the digest behind it; `image` as it is written if there is none."""
    return f"{image}@{digest}" if digest is not None else image


def tagged(image: str) -> str | None:
    """Return the long form of a reference with its tag, `latest` by default; None for a reference to fixed content."""
    if not image or "@" in image:
        return None
    full = normal(image)
    tag = full.rpartition("/")[2].partition(":")[2]
    return None if tag.startswith(CONTENT_TAG) else full if tag else f"{full}:latest"


def normal(image: str) -> str:
    """The long form of a reference, with its registry: `pytorch/pytorch:2` is `docker.io/pytorch/pytorch:2`.

    Upstream: distribution/reference `splitDockerDomain`.
    """
    first, slash, rest = image.partition("/")
    if not slash or not _is_registry(first):
        return f"{DOCKER}/{image}" if slash else f"{_OFFICIAL}/{image}"
    registry = _registry(first)
    return f"{_OFFICIAL}/{rest}" if registry == DOCKER and "/" not in rest else f"{registry}/{rest}"


def _starts(prefix: str) -> tuple[str, ...]:
    """Return the prefixes of long forms that match a prefix: of a registry, an owner or an image."""
    first, slash, rest = prefix.rstrip("/").partition("/")
    if _is_registry(first):
        registry = _registry(first)
        if registry != DOCKER or not slash:
            return (registry + slash + rest,)
        first, slash, rest = rest.partition("/")
    if not first:
        return ("",)
    # One part alone is an owner (`pytorch`, of `pytorch/pytorch`) or an official image (`python`).
    return (f"{DOCKER}/{first}{slash}{rest}",) if slash else (f"{DOCKER}/{first}", f"{_OFFICIAL}/{first}")


def _is_registry(part: str) -> bool:
    host, colon, port = part.partition(":")
    if host == "localhost" or "." in host or host.lower() != host:
        return True
    return bool(colon) and port.isdigit() and len(port) >= len("1000")


def _registry(host: str) -> str:
    return DOCKER if host in _ALIASES else host


def _holds(start: str, image: str) -> bool:
    return image.startswith(start) and (not start or len(image) == len(start) or image[len(start)] in "/:@")
