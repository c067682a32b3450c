"""Runs that policies deny -> those that exist, which a policy does not stop, and what is reported of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fnmatch import fnmatchcase

from tjgen.compiler.building.run import Built
from tjgen.language.runs.store import LockKey, Locks
from tjgen.trees import enforced
from tjgen.trees.diagnostics.model import ERROR, CompileError, Diagnostic, has_errors

POLICY_FINDINGS = ("TJ550", "TJ551", "TJ552", "TJ554", "TJ558", "TJ559")
"""What policies have against objects."""
_SHOWN = 3
_OF_CALLER = "the run exists, and tjgen verify accepts it unless the change touches it"
_OF_BRANCH = "the run exists, but the default branch does not have it, so the policy applies as to a new run"


class Policed:
    """The runs that policies of a Platform deny and that a build keeps, since the base of the change has them.

    Policies that the caller enforces deny every run: a lock in a branch does not prove that a review accepted the run.
    """

    def __init__(self, locks: Locks, renew: Sequence[str]) -> None:
        """`renew`: patterns of names of runs that the build creates again under other names."""
        self._locks = locks
        self._renew = renew
        self._denied: list[str] = []

    def accepted(self, built: Built) -> Built:
        """The unit without what policies report if the build keeps all runs that they deny.

        Else the unit as it is, with a hint if all of these runs exist.
        """
        if not built.failed or not any(one.code in POLICY_FINDINGS for one in built.diagnostics):
            return built
        denied = [
            run for run in built.runs if has_errors([one for one in run.compiled.diagnostics if one.code in POLICY_FINDINGS])
        ]
        if any(run.fixed or any(fnmatchcase(run.name, pattern) for pattern in self._renew) for run in denied):
            return built
        place = LockKey(built.unit.environment, built.unit.namespace, built.unit.name)
        if not all(run.name in self._locks.of(place).runs for run in denied):
            return built
        if enforced.files():
            return _explained(built, _OF_CALLER)
        existing = self._at_base(place)
        if not all(run.name in existing for run in denied):
            return _explained(built, _OF_BRANCH)
        self._denied += [f"{built.unit.namespace}/{run.name}" for run in denied]
        return without_findings(built)

    def _at_base(self, place: LockKey) -> Collection[str]:
        """The names of runs that the experiment has now and at the base."""
        from tjgen.gitops.diff.reference import chosen  # policies deny few builds
        from tjgen.gitops.diff.revision import Repository
        from tjgen.gitops.output.committed_locks import lock_at

        names = self._locks.of(place).runs
        try:
            repository = Repository.around(self._locks.folder)
            commit = chosen(repository, None).commit
            if not names or commit is None:
                return ()
            return names.keys() & lock_at(repository, commit, repository.path_of(self._locks.folder), place).runs.keys()
        except CompileError:  # no repository, or a clone without the base
            return ()

    def findings(self) -> list[Diagnostic]:
        """TJ557 for the runs that the build keeps."""
        return [denied_unchanged(self._denied)] if self._denied else []


def _explained(built: Built, why: str) -> Built:
    """The unit, with the reason why policies stop a run that exists."""
    reported = [
        one._replace(hint=f"{one.hint}; {why}" if one.hint else why)
        if one.code in POLICY_FINDINGS and one.severity == ERROR
        else one
        for one in built.diagnostics
    ]
    return built._replace(diagnostics=reported)


def without_findings(built: Built) -> Built:
    """The unit without what policies report."""
    return built._replace(diagnostics=[one for one in built.diagnostics if one.code not in POLICY_FINDINGS])


def denied_unchanged(names: Sequence[str]) -> Diagnostic:
    """TJ557 for runs, as `namespace/name`, that policies deny now."""
    runs = sorted(dict.fromkeys(names))
    more = f" and {len(runs) - _SHOWN} more" if len(runs) > _SHOWN else ""
    noun = "1 unchanged run" if len(runs) == 1 else f"{len(runs)} unchanged runs"
    message = f"policies would now deny {noun}: {', '.join(runs[:_SHOWN])}{more}"
    hint = "pods that run keep running, but the server denies updates and new pods: a run that waits in a queue will not start"
    return Diagnostic("TJ557", message, hint=hint)
