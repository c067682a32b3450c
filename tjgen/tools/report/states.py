"""The states of runs, in the order in which a report counts them."""

from __future__ import annotations

from tjgen.language.runs.lock import ARCHIVED, CURRENT, ORPHANED, SUPERSEDED, SUSPENDED
from tjgen.tools.report.content import FAILED

STATES = (CURRENT, SUSPENDED, FAILED, SUPERSEDED, ORPHANED, ARCHIVED)
