"""The rules of the identity of earlier releases, newest first: a run that has such an identity in a lock keeps its name."""

from __future__ import annotations

from tjgen.language.runs import identity_v1
from tjgen.language.spec.identity import Rule

EARLIER: dict[str, Rule] = {
    "identity_v1": identity_v1.SPEC,
}
"""Module of this package -> its rule of `spec`."""
