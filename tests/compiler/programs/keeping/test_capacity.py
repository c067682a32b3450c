"""Whether there is room and time for checkpoints: the arithmetic, at its edges."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.program import tjgen
from tjgen.compiler.programs.keeping.capacity import _text

EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: run, namespace: team}
spec:
  runtime: tjgen-torch
  image: registry.example/train:1
  script: train.py
  POD
  volumes: {out: {pvc: {create: {size: SIZE, storageClassName: shared}}, mountPath: /out}}
  checkpoints: {volume: out, expectedSize: EXPECTED, keep: {last: 2, best: 1, metric: loss, graceSeconds: GRACE}}
"""
PROJECT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Project
spec: {platforms: [platform.yaml], experiments: [experiment.yaml]}
"""
PLATFORM = """\
apiVersion: tjgen.dev/v1alpha1
kind: Platform
metadata: {name: one}
spec: {storageClasses: {shared: {accessModes: [ReadWriteMany], bandwidth: 1G}}}
"""


def built(folder: Path, *, size: str = "10T", expected: str = "1G", pod: str = "", grace: int = 60) -> tuple[str, int | None]:
    """What is said, and the grace period that the pods get."""
    text = EXPERIMENT.replace("SIZE", size).replace("EXPECTED", expected).replace("POD", pod).replace("GRACE", str(grace))
    for name, content in (("experiment", text), ("tjgen", PROJECT), ("platform", PLATFORM)):
        (folder / f"{name}.yaml").write_text(content)
    answer = tjgen(folder, "build", "--expanded")
    assert answer.code == 0, answer.err
    (jobset,) = (tree for tree in yaml.safe_load_all(answer.out) if tree["kind"] == "JobSet")
    spec = jobset["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]
    return answer.err, spec.get("terminationGracePeriodSeconds")


@pytest.mark.parametrize(
    ("size", "grace", "fits"), [("60G", 60, True), ("59999M", 60, False), ("48G", 0, True), ("47999M", 0, False)]
)
def test_a_claim_holds_what_stays_what_is_written_what_is_in_the_trash_and_a_fifth_more(
    tmp_path: Path, size: str, grace: int, fits: bool
) -> None:
    said, _ = built(tmp_path, size=size, expected="10G", grace=grace)  # (2 + 1 + 1 + 1) * 10G * 1.2
    assert ("TJ463" not in said) == fits


@pytest.mark.parametrize(
    ("amount", "words"),
    [(1023, "1023"), (1024, "1Ki"), (1025, "1.1Ki"), (1024**2, "1Mi"), (1536 * 1024**2, "1.5Gi"), (1024**4, "1Ti")],
)
def test_sizes_are_rounded_up_in_the_largest_unit(amount: int, words: str) -> None:
    assert _text(amount) == words


@pytest.mark.parametrize(
    ("expected", "code"), [("30G", ""), ("30001M", "TJ464"), ("60G", "TJ464"), ("60001M", "TJ465")], ids=["30", "31", "60", "61"]
)
def test_seconds_of_saving(tmp_path: Path, expected: str, code: str) -> None:
    said, _ = built(tmp_path, expected=expected)
    assert [one for one in ("TJ464", "TJ465") if one in said] == ([code] if code else [])


@pytest.mark.parametrize(("expected", "seconds"), [("25G", None), ("26G", 32), ("100G", 120)])
def test_the_grace_period_is_worked_out_where_nobody_says_one(tmp_path: Path, expected: str, seconds: int | None) -> None:
    assert built(tmp_path, expected=expected)[1] == seconds


@pytest.mark.parametrize(("said", "short"), [(100, False), (99, True)])
def test_a_grace_period_that_is_said_stays_and_is_judged(tmp_path: Path, said: int, short: bool) -> None:
    found, seconds = built(tmp_path, expected="100G", pod=f"pod: {{terminationGracePeriodSeconds: {said}}}")
    assert seconds == said
    assert ("TJ466" in found) == short
