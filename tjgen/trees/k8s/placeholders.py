"""The values in previews that only a cluster can create."""

from __future__ import annotations

PLACEHOLDER_UID = "00000000-0000-4000-8000-000000000001"
"""The UID of an object."""
RANDOM = "<random>"
"""Random characters, such as a key."""
SCRIPT = "<script>"
"""A script that a controller brings."""
