"""The Kubernetes dialect reads what kubectl reads, as recorded from its own reader."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tjgen.trees.diagnostics.model import has_errors
from tjgen.trees.source.reader import KUBERNETES, read

RECORDED = json.loads((Path(__file__).parent / "recorded" / "kubectl.json").read_text(encoding="utf-8"))["cases"]


def same(ours: Any, theirs: Any) -> bool:
    """Equality of JSON: 1 and 1.0 are one number, true is none."""
    if isinstance(ours, bool) or isinstance(theirs, bool):
        return ours is theirs
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return ours.keys() == theirs.keys() and all(same(ours[key], theirs[key]) for key in ours)
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    if isinstance(ours, (int, float)) and isinstance(theirs, (int, float)):
        return ours == theirs or float(ours) == float(theirs)
    return type(ours) is type(theirs) and bool(ours == theirs)


@pytest.mark.parametrize("case", RECORDED, ids=lambda case: repr(case["text"]))
def test_the_value_is_what_kubectl_reads(case: dict[str, Any]) -> None:
    documents, diagnostics = read(case["text"], "manifest.yaml", KUBERNETES)
    if "error" in case:
        assert has_errors(diagnostics)
    else:
        assert not has_errors(diagnostics), diagnostics
        assert same(documents[0].value if documents else None, case["value"])
