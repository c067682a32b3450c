"""A text -> a name that the API server accepts, for the hint of a name that it refuses."""

from __future__ import annotations

import re

from tjgen.trees.k8s.names import LABEL_LENGTH

SUBDOMAIN_LENGTH = 253
"""Maximum length of the name of most objects: apimachinery `validation.DNS1123SubdomainMaxLength`."""
_SHORT = 40


def dashed(text: str) -> str:
    """`text` in lowercase, with `-` for other characters, but not at its ends; empty if no character is left."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def valid_name(text: str) -> str:
    """`text` in lowercase, with `-` for other characters, and not too long for a label."""
    plain = dashed(text)
    return plain if len(plain) <= LABEL_LENGTH else plain[:_SHORT].rpartition("-")[0] or plain[:_SHORT]
