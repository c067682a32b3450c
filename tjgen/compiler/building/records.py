"""A compiled run -> its record, plain data for another process; and a record -> what the output tree needs of the run.

A record has the text of each object, and what several runs are compared by. It has no specs and no origins: who needs them
compiles the run in full (`Compiled.in_full`). The process that reads records reads and resolves the experiments itself, so that
names, locks and the order of diagnostics do not depend on them. A run with errors has no record.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tjgen.compiler.building.run import RecordForm
from tjgen.compiler.hops.draft import Job
from tjgen.compiler.pipeline import Compiled, Compiler, Recorded, compile_run
from tjgen.compiler.totals.usage import Usage
from tjgen.trees.diagnostics.model import CompileError, Diagnostic, has_errors
from tjgen.trees.diagnostics.plain import diagnostic_of, plain, tuples
from tjgen.trees.fields.path import Tree
from tjgen.trees.manifests.manifest import Manifest
from tjgen.trees.source.writer import dump
from tjgen.trees.typing import Any, NamedTuple, Protocol
from tjgen.trees.workload.workload import over

FileRecords = Mapping[str, Any]
"""Key of a run -> its record, for the runs of one file."""


class Answers(Protocol):
    """Records of the files of a build, in the order of the files."""

    def answer(self, file: str, content: bytes | Diagnostic) -> KnownRuns | None:
        """The records of the next file, which has this content or cannot be read; None if there are none. Raises CompileError."""
        ...

    def close(self) -> None: ...


class ObjectRecord(NamedTuple):
    """One object to apply."""

    head: Tree
    """Its apiVersion, kind and metadata."""
    stage: str
    text: str


class RunRecord(NamedTuple):
    """The record of a run."""

    objects: list[ObjectRecord]
    images: list[str]
    previews: str
    diagnostics: list[Any]
    footprint: list[Any]
    relations: list[Any]
    usage: Any
    """What a summary prints of the run; None if the form of the record has no usage."""


class KnownRuns:
    """The records of the runs of one file."""

    __slots__ = ("_differs", "_form", "_records")

    def __init__(self, records: FileRecords, differs: Callable[[str], Diagnostic] | None = None, previews: str = "") -> None:
        """`differs`: the first run is also compiled; what to report if its record is another one, with this form of previews."""
        self._records = records
        self._differs = differs
        self._form = RecordForm(previews)

    def compiler(self, key: str, compiler: Compiler) -> Compiler:
        """What compiles the run with this key: its record, or else `compiler`."""
        record = self._records.get(key)
        return (lambda job: self._compiled(record, job)) if record is not None else compiler

    def _compiled(self, plain_record: Any, job: Job) -> Compiled:
        """The run of a record. Raises CompileError if it differs from what the sources make."""
        if self._differs is not None:
            own = record_of(job, compile_run(job), self._form)
            if own is None or tuples(own) != tuples(plain_record):
                raise CompileError([self._differs(job.setting.run)])
            self._differs = None
        record = RunRecord(*plain_record)
        objects = [ObjectRecord(*one) for one in record.objects]
        return Compiled(
            [_RecordedManifest(*one) for one in objects],
            [],
            [diagnostic_of(one) for one in record.diagnostics],
            job.sources,
            over(job.runtime.tree["spec"], name=job.setting.run, namespace=job.setting.namespace),
            tuples(record.footprint),
            tuples(record.relations),
            Recorded(
                job, tuple(record.images), record.previews, Usage.of_plain(record.usage) if record.usage is not None else None
            ),
        )


def record_of(job: Job, compiled: Compiled, form: RecordForm) -> RunRecord | None:
    """The record of a run; None for a run that another process must compile."""
    if has_errors(compiled.diagnostics):
        return None
    objects = [ObjectRecord(head_of(one.tree), one.stage, one.text()) for one in compiled.manifests]
    if not all(begins_with_head(one) for one in objects):
        return None
    return RunRecord(
        objects,
        list(compiled.images()),
        compiled.preview_text(form.previews) if form.previews else "",
        [plain(one) for one in compiled.diagnostics],
        list(compiled.footprint),
        list(compiled.relations),
        compiled.usage(job.setting.classes, job.setting.cluster.claims) if form.has_usage else None,
    )


def head_of(tree: Tree) -> Tree:
    """What names an object."""
    return {field: tree[field] for field in ("apiVersion", "kind", "metadata") if field in tree}


def begins_with_head(one: ObjectRecord) -> bool:
    """Whether the text of an object begins with its head, and has one document."""
    return one.text.startswith(dump(one.head)) and "\n---" not in one.text and "\n..." not in one.text


class Recorder:
    """Records the runs of one file while they are compiled."""

    __slots__ = ("_form", "_reads", "records")

    def __init__(self, form: RecordForm, reads: Callable[[], Any]) -> None:
        """`reads` counts the files that were read: a run whose compilation reads files has no record."""
        self.records: dict[str, RunRecord] = {}
        self._form = form
        self._reads = reads

    def compiler(self, key: str, compiler: Compiler) -> Compiler:
        """What compiles the run with this key, as `compiler` does, and records it."""

        def compile_and_record(job: Job) -> Compiled:
            before = self._reads()
            compiled = compiler(job)
            record = record_of(job, compiled, self._form) if self._reads() == before else None
            if record is not None:
                self.records[key] = record
            return compiled

        return compile_and_record


class _RecordedManifest(Manifest):
    """An object with its text, whose tree has no more than its head."""

    __slots__ = ("_text",)

    def __init__(self, head: Tree, stage: str, text: str) -> None:
        super().__init__(head, {}, stage)
        self._text = text

    def text(self) -> str:
        """The object as YAML."""
        return self._text
