"""The whole verdict, from decoding to webhooks, against what was recorded for each release."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tjgen
from tests.cluster.trainer.cases import of_releases, trees
from tests.cluster.trainer.test_webhooks import EARLIER, old_of
from tjgen.cluster.trainer.inputs import opened
from tjgen.cluster.trainer.release import Release

DECODED_BY_WEBHOOK = "json: cannot unmarshal"
"""The recorder asks the mutating webhook, which decodes, before it looks at the schema."""


@pytest.mark.parametrize(("release", "case"), of_releases())
def test_the_verdict_is_that_of_the_release(release: Release, case: Path) -> None:
    documents = opened(trees(case / "input.yaml"))
    stored = trees(case / "old.yaml") if (case / "old.yaml").exists() else []
    for line in (case / "admit.json").read_text(encoding="utf-8").splitlines():
        recorded = json.loads(line)
        if "generatedFrom" in recorded:
            continue
        tree = documents[recorded["index"]]
        verdict = tjgen.admit(tree, old=old_of(tree, stored), context=[*stored, *documents], versions=release.versions)
        assert verdict.allowed is recorded["allowed"]
        is_decoded = any(words.startswith(DECODED_BY_WEBHOOK) for words in recorded.get("errors") or ())
        if not verdict.allowed and not is_decoded:
            assert (verdict.stage == "webhook") is (recorded["stage"] not in EARLIER)
