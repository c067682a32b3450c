"""The UID in previews, where the API server would write one that it generates."""

from __future__ import annotations

PLACEHOLDER_UID = "00000000-0000-4000-8000-000000000001"
