"""The states of runs, in the order in which a report counts them."""

from __future__ import annotations

from tjgen.report.content import FAILED
from tjgen.runs.lock import ARCHIVED, CURRENT, SUPERSEDED, SUSPENDED

STATES = (CURRENT, SUSPENDED, FAILED, SUPERSEDED, ARCHIVED)
