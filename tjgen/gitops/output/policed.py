"""Runs that policies deny -> those that exist, which a policy does not stop, and what is reported of them."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

from tjgen.compiler.building.run import Built
from tjgen.language.runs.store import Locks
from tjgen.trees.diagnostics.model import Diagnostic, has_errors

POLICY_FINDINGS = ("TJ550", "TJ551", "TJ552", "TJ554", "TJ558", "TJ559")
"""What policies have against objects."""
_SHOWN = 3


def accepted(built: Built, locks: Locks, renew: Sequence[str]) -> tuple[Built, list[str]]:
    """The unit without what policies report, and the runs that they deny, as `namespace/name`, if the build keeps all of these.

    Else the unit as it is. `renew`: patterns of names of runs that the build creates again under other names.
    """
    if not built.failed or not any(one.code in POLICY_FINDINGS for one in built.diagnostics):
        return built, []
    denied = [run for run in built.runs if has_errors([one for one in run.compiled.diagnostics if one.code in POLICY_FINDINGS])]
    existing = locks.of(built.unit).runs
    for run in denied:
        if run.name not in existing or run.fixed or any(fnmatchcase(run.name, pattern) for pattern in renew):
            return built, []
    return without_findings(built), [f"{built.unit.namespace}/{run.name}" for run in denied]


def without_findings(built: Built) -> Built:
    """The unit without what policies report."""
    return built._replace(diagnostics=[one for one in built.diagnostics if one.code not in POLICY_FINDINGS])


def denied_unchanged(names: Sequence[str]) -> Diagnostic:
    """TJ557 for runs, as `namespace/name`, that policies deny now."""
    runs = sorted(dict.fromkeys(names))
    more = f" and {len(runs) - _SHOWN} more" if len(runs) > _SHOWN else ""
    noun = "1 unchanged run" if len(runs) == 1 else f"{len(runs)} unchanged runs"
    message = f"policies would now deny {noun}: {', '.join(runs[:_SHOWN])}{more}"
    hint = "they keep running; the server evaluates policies again when it updates the runs or creates their pods"
    return Diagnostic("TJ557", message, hint=hint)
