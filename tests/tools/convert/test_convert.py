"""TrainJobs of one release rewritten for another: what stays, what goes where, and what is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cluster.trainer.cases import CORPUS, folders
from tests.program import tjgen
from tjgen.cluster.trainer.inputs import is_kind
from tjgen.cluster.trainer.release import NEWEST, RELEASES
from tjgen.cluster.validate.judge import judge
from tjgen.cluster.validate.verdict import DECODE, STRICT
from tjgen.tools.convert.file import ConvertedFile, converted
from tjgen.trees.diagnostics.model import ERROR
from tjgen.trees.source.reader import KUBERNETES, read

RUNTIME = """\
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: torch}
spec:
  mlPolicy: {numNodes: 1, torch: {}}
  template:
    spec:
      replicatedJobs:
      - name: node
        replicas: 1
        template:
          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
          spec: {template: {spec: {containers: [{name: node, image: "base:1"}]}}}
"""
JOB = """\
# the first line
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: demo} # its name
spec:
  runtimeRef:
    name: torch # which runtime
"""
OVERRIDES = """\
  labels:
    team: vision
  podTemplateOverrides:
  - targetJobs:
    - name: node
    spec:
      nodeSelector: {pool: gpu}
  # do not start yet
  suspend: true
"""


def convert(text: str, target: str, source: str | None = None) -> tuple[str, list[str]]:
    files, diagnostics = converted(
        [ConvertedFile("job.yaml", text.encode())], RELEASES[source] if source else None, RELEASES[target], lambda *_: None
    )
    return "".join(file.text.decode() for file in files), [f"{one.code}: {one.message}" for one in diagnostics]


def test_comments_and_order_stay_where_nothing_changes() -> None:
    text, told = convert(JOB + OVERRIDES + RUNTIME, "2.3")
    assert told == []
    assert text == JOB + (
        """\
  runtimePatches:
  - manager: tjgen.dev/converted
    trainingRuntimeSpec:
      template:
        metadata:
          labels:
            team: vision
        spec:
          replicatedJobs:
          - name: node
            template:
              spec:
                template:
                  spec:
                    nodeSelector:
                      pool: gpu
  # do not start yet
  suspend: true
"""
        + RUNTIME
    )


def test_there_and_back_again_is_the_same_job() -> None:
    there, _ = convert(JOB + OVERRIDES + RUNTIME, "2.3")
    back, told = convert(there, "2.1")
    assert told == []
    assert [one.value for one in read(back, "b", KUBERNETES)[0]] == [
        one.value for one in read(JOB + OVERRIDES + RUNTIME, "a", KUBERNETES)[0]
    ]


def test_a_file_that_needs_nothing_keeps_its_bytes() -> None:
    text, told = convert(JOB + RUNTIME, "2.2")
    assert (text, told) == (JOB + RUNTIME, [])


def test_an_experiment_stays_and_is_reported() -> None:
    text = "apiVersion: tjgen.dev/v1alpha1\nkind: Experiment\nmetadata: {name: bert}\nspec: {runtime: tjgen-torch}\n"
    result, (warning,) = convert(text, "2.1")
    assert (result, warning.partition(":")[0]) == (text, "TJ794")


def test_what_has_no_place_is_told_with_the_difference_that_it_makes() -> None:
    job = JOB + "  podTemplateOverrides:\n  - targetJobs: [{name: node}]\n    metadata: {labels: {a: b}}\n"
    _, told = convert(job + RUNTIME, "2.0")
    assert told[0] == "TJ404: Trainer 2.0 has no field for pod metadata of job node, so it is omitted"
    assert any(one.startswith("TJ405: demo expands to another JobSet in 2.0") and "metadata.labels" in one for one in told)


@pytest.mark.parametrize(("word", "lines", "told"), [("auto", "", 0), ('"4"', "    numProcPerNode: 4\n", 0), ("gpu", "", 2)])
def test_a_number_of_processes_in_words(word: str, lines: str, told: int) -> None:
    job = JOB + f"  trainer:\n    numNodes: 2\n    numProcPerNode: {word}\n"
    text, found = convert(job + RUNTIME, "2.3")
    assert text == JOB + "  trainer:\n    numNodes: 2\n" + lines + RUNTIME
    assert len(found) == told


def test_entries_that_share_a_line_are_written_anew() -> None:
    job = JOB + "  podTemplateOverrides: [{targetJobs: [{name: node}], spec: {nodeSelector: {a: b}}}]\n"
    text, told = convert(
        job.replace("spec:\n  runtimeRef:\n    name: torch # which runtime\n  ", "spec: {runtimeRef: {name: torch}, ").replace(
            "}}}]\n", "}}}]}\n"
        )
        + RUNTIME,
        "2.3",
    )
    assert [one.partition(":")[0] for one in told] == ["TJ407"]
    assert "runtimePatches" in text and "# the first line" not in text


def test_without_its_runtime_a_job_is_not_compared() -> None:
    _, told = convert(JOB + OVERRIDES, "2.3")
    assert [one.partition(":")[0] for one in told] == ["TJ406"]


def cases() -> list[Any]:
    found = []
    for release in RELEASES.values():
        if release is not NEWEST:
            for one in folders(CORPUS.with_name(f"expand-{release.version}")):
                found.append(pytest.param(release.name, *one.values, id=f"{release.name}-{one.id}"))
    return found


@pytest.mark.parametrize(("source", "case"), cases())
def test_what_becomes_of_a_job_is_of_the_shape_of_the_release(source: str, case: Path) -> None:
    text = (case / "input.yaml").read_text(encoding="utf-8")
    before = [one.value for one in read(text, "input.yaml", KUBERNETES)[0]]
    after, told = convert(text, NEWEST.name, source)
    if any(one.startswith("TJ800:") for one in told):
        assert after == ""
        assert not all(judge(old, versions=RELEASES[source].versions).allowed for old in before)
        return
    documents, problems = read(after, "after.yaml", KUBERNETES)
    assert [one for one in problems if one.severity == ERROR] == []
    for old, one in zip(before, [document.value for document in documents], strict=True):
        was_right = judge(old, versions=RELEASES[source].versions).allowed
        if was_right and is_kind(old, "TrainJob"):
            # Later releases may refuse a value; a field that they do not know is what conversion is about.
            assert [stage for stage in judge(one).stages if stage.name in (DECODE, STRICT)] == []


INITIALIZER = RUNTIME.replace(
    "      - name: node\n",
    "      - name: dataset-initializer\n"
    "        template:\n"
    "          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: dataset-initializer}}\n"
    "          spec: {template: {spec: {containers: [{name: dataset-initializer, image: x}]}}}\n"
    "      - name: node\n",
)
CLAIMS = RUNTIME.replace(
    "      replicatedJobs:\n",
    "      volumeClaimPolicies:\n"
    "      - templates:\n"
    "        - metadata: {name: data}\n"
    "          spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}\n"
    "      replicatedJobs:\n",
)


@pytest.mark.parametrize(
    ("text", "source", "target", "words"),
    [
        pytest.param(
            JOB + "  initializer: {dataset: {storageUri: hf://data}}\n" + INITIALIZER,
            "2.1",
            "2.3",
            "TrainJob demo: spec.runtimeRef: must have volumeMount with name - initializer in container dataset-initializer "
            "of the dataset-initializer job",
            id="an initializer without the mount that 2.3 requires",
        ),
        pytest.param(
            JOB + "  trainer: {resourcesPerNode: {limits: {cpu: 1.5}}}\n" + RUNTIME,
            "2.1",
            "2.3",
            "TrainJob demo: spec.trainer.resourcesPerNode.limits.cpu: Invalid value: 1.5: must be of type integer,string",
            id="a quantity that is a number",
        ),
        pytest.param(
            JOB + CLAIMS,
            "2.3",
            "2.1",
            'ClusterTrainingRuntime torch: unknown field "spec.template.spec.volumeClaimPolicies"',
            id="claims of a runtime that the release does not have",
        ),
        pytest.param(
            JOB + "  initializer: {dataset: {storageUri: 'cache'}}\n" + INITIALIZER,
            "2.1",
            "2.3",
            'TrainJob demo: spec.initializer.dataset.storageUri: Invalid value: "cache": '
            "storageUri may be empty, or it must be a valid URI (scheme://...)",
            id="a storage URI that is not one",
        ),
    ],
)
def test_a_result_that_the_release_rejects_is_an_error(text: str, source: str, target: str, words: str) -> None:
    _, found = convert(text, target, source)
    assert f"TJ545: Trainer {target} rejects the converted {words}" in found


def test_a_rejected_result_is_not_written(tmp_path: Path) -> None:
    text = JOB + OVERRIDES + CLAIMS
    (tmp_path / "job.yaml").write_text(text, encoding="utf-8")
    answer = tjgen(tmp_path, "convert", "--trainer", "2.0", "--from", "2.3", "--in-place", "job.yaml")
    assert answer.code == 1
    assert "error[TJ545] job.yaml:" in answer.err
    assert (tmp_path / "job.yaml").read_text(encoding="utf-8") == text


def test_a_job_that_an_override_names_twice_is_patched_once() -> None:
    job = JOB + "  podTemplateOverrides:\n  - targetJobs: [{name: node}, {name: node}]\n    spec: {nodeSelector: {a: b}}\n"
    text, found = convert(job + RUNTIME, "2.3")
    assert found == []
    assert text.count("- name: node\n            template:") == 1
