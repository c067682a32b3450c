"""The verdict of an API server on a manifest: accepted, or the errors of each stage."""

from __future__ import annotations

from tjgen.cluster.validate.fault import Fault
from tjgen.trees.typing import NamedTuple

DECODE = "decode"
STRICT = "strict"
VALIDATION = "validation"
PANIC = "panic"
"""The server's own code fails at the manifest, which it refuses with an internal error."""
PATCH = "patch"
"""The client fails to merge the manifest with the stored object."""
REQUEST = "request"
"""The server does not take the request: the object has another version."""
APPLY = "apply"
"""The manifest cannot be put into the types of server-side apply."""
OLD = "old"
"""The stored object of the request is itself invalid."""


WEBHOOK = "webhook"
"""A validating webhook refuses the object."""


class Stage(NamedTuple):
    """A stage of the server's work that a manifest fails.

    `errors` is the server's answer, word for word; `findings` the same for people: every unknown field by itself, and
    without duplicates.
    """

    name: str
    errors: tuple[Fault, ...]
    findings: tuple[Fault, ...]


class Verdict(NamedTuple):
    """The failed stages in the server's order. It answers with the first; the others are what would come up next.

    If there is no schema nothing was `checked`, and the manifest is not called allowed.
    """

    stages: tuple[Stage, ...] = ()
    checked: bool = True
    gaps: tuple[str, ...] = ()
    """What the server checks of the kind and tjgen does not."""
    warnings: tuple[str, ...] = ()
    """What the validating webhooks warn of."""

    @property
    def allowed(self) -> bool:
        """Whether the server takes the manifest."""
        return self.checked and not self.stages

    @property
    def stage(self) -> str:
        """The stage at which the server refuses; "" if it does not."""
        return self.stages[0].name if self.stages else ""

    @property
    def errors(self) -> tuple[Fault, ...]:
        """The errors that the server answers with."""
        return self.stages[0].errors if self.stages else ()

    @property
    def findings(self) -> tuple[Fault, ...]:
        """Everything that was found, for people."""
        return tuple([fault for stage in self.stages for fault in stage.findings])


UNCHECKED = Verdict(checked=False)
