"""Results of a build: units, their runs, and findings about the project."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from tjgen.compiler.pipeline import Compiled
from tjgen.language.catalog.runtime import CatalogRuntime
from tjgen.language.resolve.variants import KeptState, Variant
from tjgen.language.runs.identity import Identity, RunContent
from tjgen.language.runs.lock import path_of
from tjgen.trees.diagnostics.model import Diagnostic, has_errors
from tjgen.trees.source.document import Document
from tjgen.trees.typing import Any, NamedTuple, Protocol, TypeAlias

NEVER_STARTS = ("TJ580", "TJ581", "TJ587")
"""Codes for a run that never starts on the nodes of its Platform (see fit/findings.py)."""
BLOCKED = (*NEVER_STARTS, "TJ249", "TJ383", "TJ385", "TJ393", "TJ394")
"""The same, and codes for a run that its queue or the quota of its namespace never admits (see totals/shared.py), and for one
in a namespace of the cluster (see checks/namespaces.py)."""


class Unit(NamedTuple):
    """One experiment in one environment: what is built, locked and removed together."""

    document: Document
    environment: str | None
    namespace: str
    name: str
    source: str
    """The file of the experiment, relative to the project."""

    @property
    def key(self) -> str:
        """`environment/namespace/name`, or `namespace/name` in a project without environments."""
        _, environment, namespace, name, _ = self
        if environment and namespace and name:
            return f"{environment}/{namespace}/{name}"
        return "/".join([part for part in (environment, namespace, name) if part])


class Run(NamedTuple):
    """One run: what is trained once."""

    unit: Unit
    name: str
    variant: Variant
    runtime: CatalogRuntime
    identity: Identity
    content: RunContent
    """What its identity is computed from."""
    renewal: int
    """The number of deliberate reruns: part of its name, not of its identity."""
    reads_files: bool
    compiled: Compiled
    is_record: bool = False
    """Whether it was archived on its own, independent of its experiment."""
    is_resumed: bool = False
    """Whether it was suspended once and runs again."""
    promoted_from: str = ""
    """Key of the experiment and name of the run that it was promoted from."""
    images: tuple[str, ...] = ()
    """The images with a tag that its pods or its runtime name, as they are written, if the request lists them."""

    @property
    def footprint(self) -> tuple[Any, ...]:
        """What it takes of resources that other runs share (see totals/shared.py)."""
        return self.compiled.footprint

    @property
    def fixed(self) -> bool:
        """Whether its name stays if its content changes."""
        return self.variant.experiment.spec.naming == "fixed"

    @property
    def state(self) -> str:
        """The lifecycle state in the experiment: active, suspended or archived."""
        return self.variant.experiment.spec.state

    def archived(self) -> Run:
        """The same run as a record, which nothing runs."""
        from tjgen.language.runs import archive  # most runs are not archived by a build

        full = self.in_full()
        manifests = archive.archived(full.compiled.manifests, archive.by_lock(self.name))
        return full._replace(compiled=full.compiled._replace(manifests=manifests), is_record=True)

    def resumed(self) -> Run:
        """The same run as one that was suspended."""
        from tjgen.language.runs import resume  # few runs were suspended

        full = self.in_full()
        manifests = resume.resumed(full.compiled.manifests, self.name)
        return full._replace(compiled=full.compiled._replace(manifests=manifests), is_resumed=True)

    def in_full(self) -> Run:
        """The same run with the specs and origins of its objects, also if it comes from a record."""
        return self._replace(compiled=self.compiled.in_full())


class RecordForm(NamedTuple):
    """What records of runs have in addition to the objects to apply (see records.py)."""

    previews: str = ""
    """The form of the previews, COLLAPSED or EACH; empty if there are none."""
    has_usage: bool = False
    """Whether they have what a summary prints."""


OBJECTS_ONLY = RecordForm()


class Built(NamedTuple):
    """Result of compiling one experiment for one environment. With errors among the diagnostics, runs may be missing."""

    unit: Unit
    runs: list[Run]
    diagnostics: list[Diagnostic]
    content: bytes = b""
    """The text of the unit's file."""
    overlays: tuple[str, ...] = ()
    """Names of the overlays that apply to it."""
    kept_names: tuple[str, ...] = ()
    """Locked runs that stay as they are, though they were not built."""
    waiting: int = 0
    """Number of runs that were left out because they are not promoted to the environment."""
    stops: bool = False
    """Whether runs that are superseded are stopped (`onSupersede: stop`)."""
    kept_state: KeptState | None = None
    """The state of those runs, if the sources of an environment with promoted runs set one: see gitops/output/kept_states.py."""

    @property
    def footprint(self) -> tuple[Any, ...]:
        """What its runs take of resources that other runs share; records take nothing."""
        return tuple([one for run in self.runs if not run.is_record for one in run.footprint])

    @property
    def relations(self) -> tuple[Any, ...]:
        """Names and gangs of the objects of its runs."""
        return tuple([one for run in self.runs for one in run.compiled.relations])

    @property
    def failed(self) -> bool:
        """Whether there was an error."""
        return has_errors(self.diagnostics)

    @property
    def lock(self) -> str:
        """The path of its lock, in the folder of locks."""
        return path_of(self.unit.environment, self.unit.namespace, self.unit.name)

    @property
    def reads_files(self) -> bool:
        """Whether it depends on files in addition to those of the project, such as lists of data."""
        return any(run.reads_files for run in self.runs)


class ProjectFindings(NamedTuple):
    """The last result of a build: diagnostics that belong to no experiment."""

    diagnostics: list[Diagnostic]
    """About the project, files without an experiment, overlays that match nothing, and quotas that runs exceed together."""
    runs: tuple[Run, ...] = ()
    """None; so that a loop over results needs no condition."""
    waiting: int = 0
    shared_overlays: frozenset[tuple[str, str]] = frozenset()
    """File and name of each overlay of the workspace that is for an experiment of this build."""

    @property
    def failed(self) -> bool:
        """Whether there was an error."""
        return has_errors(self.diagnostics)


Result: TypeAlias = "Built | ProjectFindings"


class AbsentUnit(NamedTuple):
    """An experiment that is for other environments than this one."""

    name: str
    overlays: tuple[str, ...]
    """Names of the overlays that match it, of which none is reported as unused."""


class SourceFindings(NamedTuple):
    """What a build finds in a source in addition to its units."""

    problems: tuple[Diagnostic, ...] = ()
    """About the text of the file, the same in all environments."""
    absent: tuple[AbsentUnit, ...] = ()
    units: int = 0
    """The number of its units."""


class Recalled(Protocol):
    """What an earlier build left of a source (see output/memory.py)."""

    @property
    def units(self) -> tuple[tuple[str, str], ...]: ...
    @property
    def overlays(self) -> tuple[str, ...]: ...
    @property
    def footprint(self) -> tuple[Any, ...]: ...
    @property
    def relations(self) -> tuple[Any, ...]: ...
    @property
    def findings(self) -> SourceFindings: ...


Recall = Callable[[str, "str | None", bytes], "Recalled | None"]
"""File, environment and content of a source -> what is left of an earlier build, or None to build it."""
NoteFindings = Callable[[str, "str | None", bytes, SourceFindings], None]
"""Gets file, environment and content of a source that was compiled, and what it has in addition to units."""


Left = Callable[["Sequence[tuple[Any, ...]]"], "Iterable[tuple[Any, ...]]"]
"""Footprints of the runs of the build (see totals/shared.py) -> those of runs that it does not request."""
DigestOf = Callable[[str], "str | None"]
"""An image as it is written -> the digest that it gets, or None."""
Watch = Callable[[int, int, str], None]
"""Reports progress: files done, number of files, and the file that comes next."""
