"""An image reference in its long form -> where a registry has it."""

from __future__ import annotations

from tjgen.typing import NamedTuple

# What people write and what answers differ only for Docker Hub.
_HOSTS = {"docker.io": "registry-1.docker.io"}
_LOOPBACK = ("localhost", "127.", "[::1]")


class Reference(NamedTuple):
    """One image of a registry."""

    registry: str
    """The registry as references name it, with its port."""
    repository: str
    tag: str

    @staticmethod
    def of(image: str) -> Reference:
        """The parts of `registry/repository:tag`, a reference without a digest."""
        registry, _, rest = image.partition("/")
        repository, _, tag = rest.rpartition(":")
        return Reference(registry, repository, tag)

    @property
    def host(self) -> str:
        """Host and port that answer for the registry."""
        return _HOSTS.get(self.registry, self.registry)


def is_loopback(host: str) -> bool:
    """Whether a host, with or without a port, is this machine, which is asked over plain HTTP as container runtimes do."""
    return host.partition(":")[0] == _LOOPBACK[0] or host.startswith(_LOOPBACK[1:])
