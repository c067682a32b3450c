"""An answer of a registry that is not an image -> the reason."""

from __future__ import annotations

UNREACHABLE = "unreachable"
DENIED = "denied"
UNKNOWN = "unknown"
UNUSABLE = "unusable"
OTHER_PLATFORM = "other-platform"
INVALID = "invalid"
ADDRESS = "address"
REALM = "realm"


class RegistryError(Exception):
    """A question to a registry that got no digest. `kind` is one of the constants above, `said` a sentence."""

    def __init__(self, kind: str, said: str) -> None:
        super().__init__(kind, said)
        self.kind = kind
        self.said = said
