"""The objects of the runs of a build -> what is wrong with their names: no two files may hold one object."""

from __future__ import annotations

from tjgen.gitops.output import problems
from tjgen.gitops.output.actions import Occupy
from tjgen.gitops.output.decide import report
from tjgen.gitops.output.records import Records
from tjgen.trees.diagnostics.model import Diagnostic


class OccupiedNames:
    """The objects of the runs that were built so far."""

    def __init__(self) -> None:
        self._objects: dict[tuple[str | None, str, str, str, str], tuple[str, str]] = {}
        """Environment and identity of an object -> its path, and the experiment that makes it."""

    def problem(self, action: Occupy, records: Records) -> Diagnostic | None:
        """Reserve the objects of a run; TJ741 if another experiment has one of them, or its name."""
        run = action.run
        for manifest, file in zip(run.compiled.manifests, action.files, strict=True):
            key = (run.unit.environment, manifest.api_version, manifest.kind, manifest.namespace, manifest.name)
            other = self._objects.setdefault(key, (file.path, run.unit.key))
            if other[0] != file.path:
                return report(problems.same_object(manifest.ref, other[1]), run).diagnostic
        # Experiments outside of this build have runs too. Names with a hash cannot be equal.
        holder = records.holder(run) if run.fixed and not action.is_locked else None
        return report(problems.same_name(run, holder), run).diagnostic if holder is not None else None
