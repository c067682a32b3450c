"""Each file gets the diagnostics that it gets on its own, whatever was checked before it."""

from __future__ import annotations

from tests.scaling.inputs import dumped, runtime, trainjob
from tjgen.cluster.validate.check import examine


def test_a_verdict_by_a_runtime_of_the_same_file_is_not_shared() -> None:
    # The webhook refuses the variable with a runtime of torch.
    job = trainjob(
        runtimeRef={"name": "own", "kind": "ClusterTrainingRuntime"},
        trainer={"image": "a:1", "env": [{"name": "PET_NNODES", "value": "2"}]},
    )
    assert examine(dumped(job), "alone.yaml").diagnostics == []
    found = examine(dumped(runtime("own"), job), "with-runtime.yaml").diagnostics
    assert [one.code for one in found] == ["TJ530"]


def test_each_of_several_refused_objects_is_reported() -> None:
    files = {f"{number}.yaml": dumped(trainjob(f"job-{number}", trainer={"numNodes": "two"})) for number in range(3)}
    found = [one for name, text in files.items() for one in examine(text, name).diagnostics]
    assert [one.span.file if one.span else "" for one in found] == list(files)
