"""Typical mistakes, by shape, and what makes their messages good.

Each file of this folder lists mistakes of one shape. An entry changes `base.yaml` and has these keys:

- `write`: pairs of a text of base.yaml and its replacement, or `file`: the whole experiment
- `with`: other files of the folder, by name
- `run`: the command, if it is not `tjgen build experiment.yaml`
- `paste`: words of the hint that correct the mistake
- `over`: the wrong text, which is at the place that the message shows; `paste` replaces it, or `by` if the hint is a description
- `marked`: what the message quotes, if the mistake is on the command line or the whole file is wrong
- `rerun`: the corrected command
- `same`: a pair for base.yaml. The entry is a usual notation that is accepted, and builds the same as this pair

`python -m tests.mistakes` prints the table, and how many messages are good.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import yaml

from tests.checkout import list_entries
from tests.docs.test_wording import violations
from tests.program import Answer, tjgen

HERE = Path(__file__).parent
BASE = (HERE / "base.yaml").read_text(encoding="utf-8")
SHAPES = sorted(path.stem for path in list_entries(HERE, "*.yaml") if path.name != "base.yaml")

_FILE = "experiment.yaml"
_PLACE = re.compile(rf"{re.escape(_FILE)}:(\d+):\d+")
_RUN = re.compile(r"resnet50-[a-z0-9]{8}")
"""Names of runs, which differ with the notation of a field."""
_FINDING = re.compile(r"^(?:error|warning|info)\[(TJ\d+)\]", re.M)
_QUOTED = re.compile(r'"[^"]*"|`[^`]*`|^ +\d+ \|.*$|^ +\|.*$', re.M)


class Mistake(NamedTuple):
    """One mistake of the tables."""

    shape: str
    name: str
    entry: dict[str, Any]

    @property
    def experiment(self) -> str:
        """The text of the experiment with the mistake."""
        return self.entry.get("file") or changed(self.entry.get("write", []))

    @property
    def command(self) -> list[str]:
        return list(self.entry.get("run", ["build", _FILE]))

    @property
    def others(self) -> dict[str, str]:
        """The other files of the folder."""
        return dict(self.entry.get("with", {}))


def changed(pairs: list[str]) -> str:
    """base.yaml with the first text of each pair replaced by the second."""
    text = BASE
    for old, new in zip(pairs[::2], pairs[1::2], strict=True):
        assert old in text, old
        text = text.replace(old, new, 1)
    return text


def mistakes() -> list[Mistake]:
    """Every mistake of the tables."""
    tables = {shape: yaml.safe_load((HERE / f"{shape}.yaml").read_text(encoding="utf-8")) for shape in SHAPES}
    return [Mistake(shape, name, entry) for shape, table in tables.items() for name, entry in table.items()]


def answer(experiment: str, command: list[str], others: Mapping[str, str] = MappingProxyType({})) -> Answer:
    """The result of a command in a folder that contains only the experiment and `others`."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in others.items():
            (Path(folder) / name).write_text(text, encoding="utf-8")
        (Path(folder) / _FILE).write_text(experiment, encoding="utf-8")
        return tjgen(Path(folder), *command)


def faults(mistake: Mistake) -> list[str]:
    """Reasons why the message of a mistake is not good; none if it is."""
    entry, found = mistake.entry, answer(mistake.experiment, mistake.command, mistake.others)
    if "same" in entry:
        other = answer(changed(entry["same"]), ["build", _FILE])
        is_same = _RUN.sub("", found.out) == _RUN.sub("", other.out)
        return [] if is_same and (found.code, found.err) == (0, "") else [f"not accepted, or not the same: {found.err}"]
    hint = found.err.rpartition("hint:")[2]
    reasons = []
    if "marked" in entry and entry["marked"] not in found.err.split("hint:")[0]:
        reasons.append(f"the message does not quote {entry['marked']}")
    if "over" in entry and not _is_located(mistake, found.err):
        reasons.append("the place is not that of the mistake")
    if len(_FINDING.findall(found.err)) > 1:
        reasons.append("one mistake has several findings")
    reasons += [problem for _, _, problem in violations(_QUOTED.sub("@", found.err).replace("\n", "\n\n"))]
    if entry["paste"] not in (hint or found.err):
        reasons.append(f"the hint does not contain {entry['paste']}")
    corrected = answer(_corrected(mistake), list(entry.get("rerun", mistake.command)), mistake.others)
    if corrected.code != 0 or "error" in corrected.err or set(_FINDING.findall(found.err)) & set(_FINDING.findall(corrected.err)):
        reasons.append(f"the finding remains: {corrected.err}")
    return reasons


def _corrected(mistake: Mistake) -> str:
    entry = mistake.entry
    if "over" not in entry:
        return mistake.experiment
    assert entry["over"] in mistake.experiment, mistake.name
    return mistake.experiment.replace(entry["over"], entry.get("by", entry["paste"]), 1)


def _is_located(mistake: Mistake, printed: str) -> bool:
    """Whether a place of the message is on one of the lines with the wrong text."""
    start = mistake.experiment.index(mistake.entry["over"])
    first = mistake.experiment.count("\n", 0, start) + 1
    last = first + mistake.entry["over"].rstrip("\n").count("\n")
    return any(first <= int(line) <= last for line in _PLACE.findall(printed))
