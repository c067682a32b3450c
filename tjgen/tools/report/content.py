"""What a report shows, as plain values: gathering creates them, drawing and writing pages reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tjgen.compiler.building.timelines import ClusterTimeline
from tjgen.compiler.totals.cost import Cost
from tjgen.compiler.totals.tally import Totals
from tjgen.gitops.diff.compare import DiffEntry
from tjgen.gitops.diff.side import Attribution
from tjgen.language.runs.store import LockKey
from tjgen.tools.report.structure import Structure
from tjgen.trees.diagnostics.model import Diagnostic, ObjectRef
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.typing import NamedTuple


class ReportField(NamedTuple):
    """A leaf of an object, and its source."""

    path: FieldPath
    value: Tree
    attribution: Attribution | None


class ReportPart(NamedTuple):
    """An object of a run, field by field."""

    ref: ObjectRef
    file: str
    """Its path in the output tree; "" for what controllers make."""
    fields: tuple[ReportField, ...]


class SharedPart(NamedTuple):
    """An object that several runs use."""

    part: ReportPart
    runs: int


class Fact(NamedTuple):
    """Something that people want to know of a run at once."""

    label: str
    value: str
    attribution: Attribution | None = None


class Shown(NamedTuple):
    """One run."""

    place: LockKey
    name: str
    state: str
    """current, suspended, superseded, archived; or FAILED."""
    source: str
    """File of its experiment."""
    written_in: str
    """The same as places in files name it; "" if unknown."""
    folder: str
    """Folder of its files in the output tree; "" if they are not in one."""
    facts: tuple[Fact, ...]
    structure: Structure
    totals: Totals
    parts: tuple[ReportPart, ...]
    """Objects that are its own."""
    uses: tuple[str, ...]
    """Files of objects that it shares with other runs."""
    queue: str
    problems: tuple[Diagnostic, ...] = ()
    change: DiffEntry | None = None
    stopped: bool = False
    """Whether its manifests suspend it."""
    cluster: str = ""
    device_class: str = ""
    """Classes of its devices; empty if they are not known."""
    labels: Mapping[str, str] = {}
    """The labels of its objects."""
    cost: Cost = Cost()
    """Cost of its devices if its pods run, and of its claims."""
    project: str = ""
    """The folder of its project in the workspace; empty without a workspace, and for the workspace itself."""


FAILED = "not built"
"""The state of a run of an experiment that cannot be built."""


class Bar(NamedTuple):
    """What runs take of something that is bounded."""

    environment: str
    """The environments that share it, with commas between them; empty without environments."""
    holder: str
    """What has the bound: a namespace with its quota, a queue."""
    key: str
    used: str
    allowed: str
    share: float
    """used / allowed; infinite if nothing is allowed."""


class Sum(NamedTuple):
    """What the runs of a namespace request together."""

    environment: str
    namespace: str
    runs: int
    left: int
    """How many of them are superseded or orphaned."""
    totals: Totals


class Changes(NamedTuple):
    """What is different from something earlier."""

    earlier: str
    entries: Sequence[DiffEntry]
    project: str = ""
    """The folder of the project in the workspace; empty without a workspace, and for the workspace itself."""


class Report(NamedTuple):
    """Everything that is shown."""

    title: str
    subject: str
    """What the report is of, in words."""
    runs: Sequence[Shown]
    shared: Mapping[str, SharedPart]
    """By file in the output tree."""
    sums: Sequence[Sum]
    bars: Sequence[Bar]
    bandwidths: Mapping[str, int]
    diagnostics: Sequence[Diagnostic]
    changes: Sequence[Changes] = ()
    """Of each project, if something is compared."""
    timelines: Sequence[ClusterTimeline] = ()
    """Clusters whose Platform has nodes or queues."""
    by: Sequence[str] = ()
    """Groups whose totals are shown (see `totals/groups.py`); empty for the usual ones."""
