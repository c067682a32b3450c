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
    """A request to a registry that returned no digest. `kind` is one of the constants above, `message` a sentence."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(kind, message)
        self.kind = kind
        self.message = message
