"""The webhooks against what the real ones said, word for word."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.trainer.cases import of_releases, trees
from tjgen.cluster.trainer.framework import live
from tjgen.cluster.trainer.inputs import expand_documents, opened
from tjgen.cluster.trainer.release import NEWEST, Release
from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.webhooks import jobset, trainer
from tjgen.cluster.validate.webhooks.answer import INTERNAL

WITHOUT_JOBSET = "2.2"
"""The release whose recordings lack the answers of JobSet's webhook: the recorder could not be built with it."""
WORDS_ONLY = ("spec.replicatedJobs", "spec.network")
"""What JobSet 0.8 says nothing about but words."""
EARLIER = ("schema", "cel")
"""Stages that come before the webhooks: what these would say is not known then."""


def verdicts(case: Path) -> list[Any]:
    return [json.loads(line) for line in (case / "admit.json").read_text(encoding="utf-8").splitlines()]


def worded(fault: Fault) -> str:
    return f"{fault.field}: {fault.detail}" if fault.field else fault.detail


def said(faults: Sequence[Fault], release: Release) -> list[str]:
    """What JobSet's webhook answers: field errors one by one since 0.12, before that one text of lines."""
    if release is NEWEST:
        return [fault.detail for fault in faults]
    lines = [
        f"{fault.field}: {fault.detail}"
        if fault.type != INTERNAL and (release.labels_coordinators or not fault.field.startswith(WORDS_ONLY))
        else fault.summary or fault.detail
        for fault in faults
    ]
    return ["\n".join(lines)] if lines else []


def old_of(tree: Any, stored: list[Any]) -> Any:
    same = [other for other in stored if all(other.get(key) == tree.get(key) for key in ("apiVersion", "kind"))]
    return next((other for other in same if other["metadata"]["name"] == tree["metadata"]["name"]), None)


@pytest.mark.parametrize(("release", "case"), of_releases())
def test_the_trainer_webhooks_say_the_same(release: Release, case: Path) -> None:
    documents = opened(trees(case / "input.yaml"))
    stored = trees(case / "old.yaml") if (case / "old.yaml").exists() else []
    for verdict in verdicts(case):
        if "generatedFrom" in verdict or verdict.get("stage") in EARLIER:
            continue
        tree = documents[verdict["index"]]
        answer = trainer.validate(tree, old=old_of(tree, stored), context=[*stored, *documents], release=release)
        assert [worded(fault) for fault in answer.errors] == (verdict.get("errors") or [])
        warnings = [warning for warning in verdict.get("warnings") or [] if not warning.startswith("also: ")]
        assert list(answer.warnings) == warnings


@pytest.mark.parametrize(("release", "case"), of_releases())
def test_the_jobset_webhook_says_the_same(release: Release, case: Path) -> None:
    documents = trees(case / "input.yaml")
    expansions = [expansion for _, expansion in expand_documents(documents, release=release)]
    jobsets = [made.tree for expansion in expansions for made in expansion.objects if made.tree["kind"] == "JobSet"]
    recorded = [verdict for verdict in verdicts(case) if verdict["kind"] == "JobSet"]
    assert len(jobsets) == len(recorded)
    for tree, verdict in zip(jobsets, recorded, strict=True):
        if verdict.get("stage") not in EARLIER and release.name != WITHOUT_JOBSET:
            answer = jobset.validate(live(tree, release), context=documents, release=release)
            assert said(answer.errors, release) == (verdict.get("errors") or [])
