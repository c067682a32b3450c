"""Verdicts on updates that the server refuses as a whole."""

from __future__ import annotations

from tjgen.cluster.validate.fault import BAD_REQUEST, CONFLICT, Fault
from tjgen.cluster.validate.update import metadata
from tjgen.cluster.validate.verdict import OLD, REQUEST, Stage, Verdict


def conflict() -> Verdict:
    """The manifest names another version of the object."""
    fault = Fault(CONFLICT, "", metadata.CONFLICT, ("metadata", "resourceVersion"), hint="remove metadata.resourceVersion")
    return Verdict((Stage(REQUEST, (fault,), (fault,)),))


def unreadable_old() -> Verdict:
    """The old manifest was invalid and did not create an object."""
    fault = Fault(BAD_REQUEST, "", "the object that is there cannot be read", ())
    return Verdict((Stage(OLD, (fault,), (fault,)),))
