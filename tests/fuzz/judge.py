"""An input and what its run did -> what is wrong with that: kind and site, the same for one cause."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

import yaml

from tests.checkout import ROOT
from tests.fuzz.inputs import CLOSED, PROGRAM, UTF8, Input
from tests.fuzz.runner import HUNG, MOST_MEMORY, MOST_SECONDS, RAISED, Result
from tjgen.trees.source.escapes import join_halves
from tjgen.trees.source.reader import KUBERNETES, read

TRACEBACK = "traceback"
HANG = "hang"
MEMORY = "memory"
EXIT_CODE = "exit code"
UNREADABLE = "output does not read back"

_FRAME = re.compile(rf'File "{re.escape(str(ROOT))}/((?:tjgen|tests)/[^"]+)", line \d+, in (\S+)')
_RAISED = re.compile(r"^ *([A-Za-z_][\w.]*(?:Error|Exception|Exit|Interrupt|_TooLong|StopIteration|Warning)\b.*)$", re.MULTILINE)
_ERRORS = {
    "text": re.compile(r"^(?:.*: )?error\[TJ\d+\]", re.MULTILINE),
    "json": re.compile(r'"severity": "error"'),
    "sarif": re.compile(r'"level": "error",\s*"message"'),
    "github": re.compile(r"^::error ", re.MULTILINE),
    "gitlab": re.compile(r'"severity": "(?:major|critical|blocker)"'),
}
_DEFECT = "error[TJ900]"
_STREAMS = ("build", "expand", "convert", "krm", "postrender", "import", "diagnose", "cmp")
"""Commands whose standard output is manifests."""


class Finding(NamedTuple):
    """Something that is wrong. Findings with one kind and site have one cause."""

    kind: str
    site: str
    detail: str = ""

    @property
    def key(self) -> str:
        return f"{self.kind}: {self.site}"


def judged(one: Input, result: Result) -> Finding | None:
    """What is wrong with the run, or None."""
    if result.memory > MOST_MEMORY:
        return Finding(MEMORY, _command(one), f"{result.memory >> 20} MiB more than at the start")
    if result.code == HUNG or result.seconds > MOST_SECONDS:
        return Finding(HANG, _command(one) + " " + _site(result.err), f"{result.seconds:.2f} s of CPU time\n{result.err}")
    if result.code == RAISED or _DEFECT in result.err or "Traceback (most recent call last)" in result.err:
        raised = _RAISED.findall(result.err)
        kind = re.split(r"[:\s]", raised[-1].strip())[0] if raised else "?"
        site = _site(result.err)
        if "unreadable" in kind.lower():
            return Finding(UNREADABLE, site, result.err)
        return Finding(TRACEBACK, f"{kind} in {site}", result.err)
    return _exit_code(one, result) or _unreadable(one, result) if one.call == PROGRAM else None


def _command(one: Input) -> str:
    return one.words[0] if one.call == PROGRAM and one.words else one.call


def _site(text: str) -> str:
    """The innermost function of the product in a traceback."""
    frames: list[tuple[str, str]] = [found for found in _FRAME.findall(text) if not found[0].startswith("tests/fuzz/runner")]
    own = [frame for frame in frames if frame[0].startswith("tjgen/")] or frames
    return ":".join(own[-1]) if own else "?"


def _exit_code(one: Input, result: Result) -> Finding | None:
    style = _style(one)
    has_error = style in _ERRORS and (_ERRORS[style].search(result.err) or _ERRORS["text"].search(result.err))
    command = _command(one)
    if result.code not in (0, 1, 2):
        return Finding(EXIT_CODE, f"{command} exits {result.code}", result.err)
    if result.code == 0 and has_error:
        return Finding(EXIT_CODE, f"{command} reports an error and exits 0", result.err)
    if result.code == 1 and not result.err.strip() and not _may_fail_silently(one):
        return Finding(EXIT_CODE, f"{command} exits 1 without an error", result.err)
    if result.code == 2 and not re.search(r"^(Error|Usage): ", result.err, re.MULTILINE) and one.output == UTF8:
        return Finding(EXIT_CODE, f"{command} exits 2 without a word on usage", result.err)
    return None


def _may_fail_silently(one: Input) -> bool:
    # `explain CODE`, `diff` and `build --check` answer by their exit code; a pipe that closes is no error.
    return bool({"--check", "--staged", "diff"} & set(one.words)) or one.output != UTF8


def _style(one: Input) -> str:
    words = list(one.words)
    found = "text"
    for number, word in enumerate(words):
        if word.startswith("--format="):
            found = word.partition("=")[2]
        elif word == "--format" and number + 1 < len(words):
            found = words[number + 1]
    return found


def _unreadable(one: Input, result: Result) -> Finding | None:
    if result.code != 0 or not result.out or one.output not in (UTF8, CLOSED):
        return None
    command = _command(one)
    if command in ("check", "diff", "explain") and _style(one) == "json" and "--help" not in one.words:
        try:
            json.loads(result.out)
        except ValueError as error:
            return Finding(UNREADABLE, f"{command} --format json", f"{error}\n{result.out!r:.500}")
    if command not in _STREAMS or {"--help", "--summary", "--version", "discover", "parameters"} & set(one.words):
        return None
    # Objects that stay as they are may be JSON, which writes a character as two halves.
    documents, problems = read(join_halves(result.out.decode("utf-8", "replace")), "output", KUBERNETES)
    wrong = [problem for problem in problems if problem.severity == "error"]
    if wrong:
        return Finding(UNREADABLE, f"{command} {wrong[0].code}", f"{wrong[0]}\n{result.out!r:.2000}")
    # kubectl reads JSON objects one after the other, which are no YAML: a file of them may stay as it is.
    if len(result.out) < 4000 and not _is_json(result.out):
        try:
            theirs = [event for event in yaml.parse(result.out, yaml.CSafeLoader) if isinstance(event, yaml.DocumentStartEvent)]
        except yaml.YAMLError as error:
            if "escape code" in str(error):
                return None  # PyYAML does not join halves
            return Finding(UNREADABLE, f"{command} by PyYAML", f"{error}\n{result.out!r:.2000}")
        if len(theirs) < len(documents):
            return Finding(UNREADABLE, f"{command} by PyYAML, number of documents", f"{result.out!r:.2000}")
    return None


def _is_json(stream: bytes) -> bool:
    """Whether a stream is values of JSON with nothing but white space between them."""
    text, position = stream.decode("utf-8", "replace"), 0
    try:
        while text[position:].strip():
            position += len(text[position:]) - len(text[position:].lstrip())
            _, position = json.JSONDecoder().raw_decode(text, position)
    except ValueError:
        return False
    return True
