"""What was found about a manifest -> the verdict, in the stages and the words of the API server."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.cluster.schema import walk
from tjgen.cluster.schema.walk import Mismatch
from tjgen.cluster.validate.fault import BAD_REQUEST, INTERNAL_ERROR, Fault
from tjgen.cluster.validate.verdict import DECODE, PANIC, STRICT, VALIDATION, Stage, Verdict
from tjgen.cluster.validate.wording import field, quote, shown

_STRICT = "strict decoding error: "


def verdict(read: Sequence[Mismatch], invalid: list[Fault], late: list[Fault], *, duplicates: Sequence[str] = ()) -> Verdict:
    """The verdict on what decoding (`read`) and validation found; `late` is what is looked at if nothing is `invalid`."""
    mismatches = [finding for finding in read if finding.type == walk.TYPE]
    unknown = [finding for finding in read if finding.type == walk.UNKNOWN]
    return Verdict((*_decode(mismatches), *_strict(unknown, duplicates), *_validation(invalid), *_validation(late)))


def _decode(mismatches: list[Mismatch]) -> Iterator[Stage]:
    # The server names Go types here and stops at the first value; the words are ours.
    faults = [_unreadable(finding) for finding in mismatches]
    if faults:
        yield Stage(DECODE, (faults[0],), tuple(faults))


def _unreadable(finding: Mismatch) -> Fault:
    detail = f"Invalid value: {shown(finding.value)}: {finding.message}"
    return Fault(BAD_REQUEST, "", f"json: {field(finding.path)}: {finding.message}", finding.path, detail)


def _strict(unknown: list[Mismatch], duplicates: Sequence[str]) -> Iterator[Stage]:
    fields = [_unknown(finding) for finding in sorted(unknown, key=lambda finding: field(finding.path))]
    if duplicates:
        lines = "\n".join(f"  {line}" for line in duplicates)
        yield Stage(STRICT, (Fault(BAD_REQUEST, "", f"{_STRICT}yaml: unmarshal errors:\n{lines}", ()), *fields), tuple(fields))
    elif fields:
        yield Stage(STRICT, tuple(fields), tuple(fields))


def _unknown(finding: Mismatch) -> Fault:
    message = f"unknown field {quote(field(finding.path))}"
    return Fault(BAD_REQUEST, "", _STRICT + message, finding.path, message, known=finding.known)


def _validation(invalid: list[Fault]) -> Iterator[Stage]:
    if invalid:
        once = {(fault.type, fault.field, fault.detail): fault for fault in reversed(invalid)}
        errors = tuple(reversed(once.values()))
        panics = tuple([fault for fault in errors if fault.type == INTERNAL_ERROR])[:1]
        yield Stage(PANIC if panics else VALIDATION, panics or errors, tuple([fault for fault in errors if not fault.echo]))
