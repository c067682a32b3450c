"""The jobs and runtimes that upstream shows go through `expand` and `check`, or are refused as its webhooks refuse them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.checkout import ROOT, list_entries
from tests.program import tjgen

UPSTREAM = ROOT.parent / "shared" / "upstream" / "trainer-v2.3.0"
ABSENT = pytest.mark.skipif(not UPSTREAM.is_dir(), reason=f"no upstream examples in {UPSTREAM}")
RUNTIME_IN_ANOTHER_FILE = {
    "flux-interactive.yaml": "flux-runtime.yaml",
    "lammps-train-gpus.yaml": "flux-runtime.yaml",
    "lammps-train-job.yaml": "flux-runtime.yaml",
}
REFUSED = {"05-multi-step.yaml": "must have volumeMount with name - initializer in container dataset-initializer"}
"""What the webhooks of v2.3.0 refuse of upstream's own examples, by a part of their words."""


def named(folder: str) -> list[Path]:
    return list_entries(UPSTREAM / folder, "*.yaml")


JOBS = [path for path in named("examples") if "runtime.yaml" not in path.name]


@ABSENT
@pytest.mark.parametrize("runtime", named("runtimes"), ids=lambda path: path.name)
def test_a_runtime_is_accepted(runtime: Path) -> None:
    answer = tjgen(UPSTREAM, "check", str(runtime))
    assert (answer.code, answer.out) == (0, ""), answer.err


@ABSENT
@pytest.mark.parametrize("job", JOBS, ids=lambda path: path.name)
def test_a_job_expands_into_what_the_server_accepts(job: Path, tmp_path: Path) -> None:
    words = [str(job), *[str(job.parent / RUNTIME_IN_ANOTHER_FILE[job.name]) for _ in range(job.name in RUNTIME_IN_ANOTHER_FILE)]]
    expanded = tjgen(UPSTREAM, "expand", *words, "--catalog", "runtimes")
    assert expanded.code == 0, expanded.err
    assert "kind: JobSet\n" in expanded.out
    # What the controller generates at random, and its private copy of the runtime, has marks in place of values.
    documents = [text for text in expanded.out.split("---\n") if "kind: Secret\n" not in text]
    (tmp_path / "made.yaml").write_text("---\n".join(documents), encoding="utf-8")
    made = tjgen(tmp_path, "check", "made.yaml")
    assert made.code == 0, made.err


@ABSENT
@pytest.mark.parametrize("job", JOBS, ids=lambda path: path.name)
def test_a_job_is_accepted_or_refused_as_the_webhooks_do(job: Path, tmp_path: Path) -> None:
    together = [job.read_text(encoding="utf-8"), *[path.read_text(encoding="utf-8") for path in named("runtimes")]]
    together += [path.read_text(encoding="utf-8") for path in named("examples") if path.name == "flux-runtime.yaml" != job.name]
    (tmp_path / "all.yaml").write_text("\n---\n".join(together), encoding="utf-8")
    answer = tjgen(tmp_path, "check", "all.yaml")
    words = REFUSED.get(job.name)
    assert answer.code == (1 if words else 0), answer.err
    assert words is None or words in answer.err
