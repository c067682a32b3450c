"""Records that another process wrote to disk -> whether each has the form that `record_of` gives it.

Only such a record reaches the output tree, so nothing after it meets a type, a path or a key that a build does not make.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from tjgen.cluster.trainer.warnings.clashes import Key
from tjgen.cluster.validate.gangs import Gang
from tjgen.compiler.building.plan import Plan
from tjgen.compiler.building.records import ObjectRecord, RunRecord, begins_with_head
from tjgen.compiler.totals.relations import APPLIED, CREATED, GANG
from tjgen.compiler.totals.shared import QUEUED, TAKES, WRITES
from tjgen.trees import data
from tjgen.trees.diagnostics.model import INFO, WARNING, Diagnostic, Note, ObjectRef, Span
from tjgen.trees.diagnostics.table import TABLE
from tjgen.trees.files.sandbox import is_below
from tjgen.trees.manifests.manifest import STAGES
from tjgen.trees.typing import Any

_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._:")
_LONGEST_NAME = 253
_LARGEST = 2**96
_STEPS = 100
"""More than a field path has."""
_FOOTPRINT = 7
"""Fields of a footprint."""
_HEAD = 4
"""Fields that all relations have."""

_Check = Callable[[Any], bool]


class RecordShape:
    """The form of the records of one plan."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._readable: dict[str, bool] = {}
        """Name of a file -> whether a diagnostic may show its lines."""

    def is_record(self, value: Any) -> bool:
        """Whether a value is the record of a run."""
        if not _is_list(value, len(RunRecord._fields)):
            return False
        record = RunRecord(*value)
        return (
            _are(record.objects, _is_object)
            and _are(record.images, _is_text)
            and _is_text(record.previews)
            and _are(record.diagnostics, self._is_diagnostic)
            and _are(record.footprint, self._is_footprint)
            and _are(record.relations, self._is_relation)
            and record.usage is None
        )

    def _is_diagnostic(self, value: Any) -> bool:
        if not _is_list(value, len(Diagnostic._fields)):
            return False
        code, severity, message, subject, path, span, related, hint = value
        return (
            _is_text(code)
            and code in TABLE
            and severity in (WARNING, INFO)
            and _is_text(message)
            and (subject is None or _is_texts(subject, len(ObjectRef._fields)))
            and (path is None or (_are(path, _is_step) and len(path) < _STEPS))
            and self._is_span(span)
            and _are(related, lambda note: _is_list(note, len(Note._fields)) and _is_text(note[0]) and self._is_span(note[1]))
            and (hint is None or _is_text(hint))
        )

    def _is_footprint(self, value: Any) -> bool:
        if value.__class__ is not list or len(value) != _FOOTPRINT or not _is_texts(value[:-1], _FOOTPRINT - 1):
            return False
        what, environment, name, _, key, _, last = value
        if what == WRITES:
            return self._is_span(last)
        if what not in (TAKES, QUEUED) or not _is_number(last) or (environment or None) not in self._plan.environments:
            return False
        bound = self._plan.bound(environment, "quotas" if what == TAKES else "queues", name)
        return bound is not None and key in bound[0]

    def _is_relation(self, value: Any) -> bool:
        if value.__class__ is not list or len(value) < _HEAD:
            return False
        what, environment, span, subject, *rest = value
        if not (_is_text(environment) and self._is_span(span) and _is_texts(subject, len(ObjectRef._fields))):
            return False
        if what in (CREATED, APPLIED):
            return _is_texts(rest, len(Key._fields))
        if what != GANG or len(rest) != len(Gang._fields):
            return False
        is_group, *names, number = rest
        return is_group.__class__ is bool and all(map(_is_text, names)) and (number is None or _is_number(number))

    def _is_span(self, value: Any) -> bool:
        if value is None:
            return True
        if not (
            _is_list(value, len(Span._fields)) and _is_text(value[0]) and all(_is_number(one) and one > 0 for one in value[1:])
        ):
            return False
        file = value[0]
        if file not in self._readable:
            self._readable[file] = self._is_readable(file)
        return self._readable[file]

    def _is_readable(self, file: str) -> bool:
        try:
            real = os.path.realpath(file)
        except ValueError:
            return False
        return self._plan.sandbox.is_inside(real) or is_below(real, os.path.realpath(data.path("runtimes")))


def _is_object(value: Any) -> bool:
    if not _is_list(value, len(ObjectRecord._fields)):
        return False
    one = ObjectRecord(*value)
    return _is_text(one.text) and one.text.endswith("\n") and one.stage in STAGES and _is_head(one.head) and begins_with_head(one)


def _is_head(head: Any) -> bool:
    if head.__class__ is not dict or [*head] != ["apiVersion", "kind", "metadata"]:
        return False
    metadata = head["metadata"]
    if not (_is_text(head["apiVersion"]) and _is_name(head["kind"]) and metadata.__class__ is dict):
        return False
    if not (_is_name(metadata.get("name")) and ("namespace" not in metadata or _is_name(metadata["namespace"]))):
        return False
    return all(_is_text(field) and _is_metadata(value) for field, value in metadata.items())


def _is_metadata(value: Any) -> bool:
    if value.__class__ is dict:
        return all(_is_text(key) and _is_text(text) for key, text in value.items())
    return _is_text(value) or _are(value, _is_text)


def _is_step(value: Any) -> bool:
    """Whether a value is a step of a field path: a key, an index, or the keys of an element."""
    return _is_text(value) or _is_number(value) or _are(value, lambda pair: _is_list(pair, 2) and all(map(_is_scalar, pair)))


def _is_name(value: Any) -> bool:
    """Whether a value can be a part of a path in the output tree."""
    return value.__class__ is str and 0 < len(value) <= _LONGEST_NAME and _NAME.issuperset(value) and value not in (".", "..")


def _is_number(value: Any) -> bool:
    return value.__class__ is int and -_LARGEST < value < _LARGEST


def _is_scalar(value: Any) -> bool:
    return value is None or value.__class__ is bool or _is_number(value) or _is_text(value)


def _is_text(value: Any) -> bool:
    """Whether a value is a text that UTF-8 can encode."""
    if value.__class__ is not str:
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_texts(value: Any, count: int) -> bool:
    return _is_list(value, count) and all(map(_is_text, value))


def _is_list(value: Any, count: int) -> bool:
    return value.__class__ is list and len(value) == count


def _are(value: Any, check: _Check) -> bool:
    return value.__class__ is list and all(map(check, value))
