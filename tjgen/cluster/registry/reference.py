"""An image reference in its long form -> where a registry has it."""

from __future__ import annotations

import re

from tjgen.cluster.registry.failure import INVALID, RegistryError
from tjgen.trees.typing import NamedTuple

# What people write and what answers differ only for Docker Hub.
_HOSTS = {"docker.io": "registry-1.docker.io"}

# The grammar of distribution/reference (`regexp.go`), without digests.
_LABEL = r"[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?"
_REGISTRY = re.compile(rf"(?:{_LABEL}(?:\.{_LABEL})*|\[[a-fA-F0-9:]+\])(?::[0-9]{{1,5}})?")
_PART = r"[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
_REPOSITORY = re.compile(rf"{_PART}(?:/{_PART})*")
_TAG = re.compile(r"[\w][\w.-]{0,127}", re.ASCII)
_LONGEST = 255
"""Characters of registry and repository together."""


class Reference(NamedTuple):
    """One image of a registry."""

    registry: str
    """The registry as references name it, with its port."""
    repository: str
    tag: str

    @staticmethod
    def of(image: str) -> Reference:
        """The parts of `registry/repository:tag`, a reference without a digest. Raises RegistryError for anything else."""
        registry, _, rest = image.partition("/")
        repository, _, tag = rest.rpartition(":")
        for text, pattern, what in (
            (registry, _REGISTRY, "the name of a registry"),
            (repository, _REPOSITORY, "the name of a repository"),
            (tag, _TAG, "a tag"),
        ):
            if not pattern.fullmatch(text):
                raise RegistryError(INVALID, f'"{text}" is not {what}')
        if len(registry) + len(repository) + 1 > _LONGEST:
            raise RegistryError(INVALID, f"its name has more than {_LONGEST} characters")
        return Reference(registry, repository, tag)

    @property
    def host(self) -> str:
        """Host and port that answer for the registry."""
        return _HOSTS.get(self.registry, self.registry)
