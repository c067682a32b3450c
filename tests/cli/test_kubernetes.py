"""The release of Kubernetes by which manifests are validated: `--kubernetes`, or the Platform."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.program import tjgen

CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: a, namespace: ml}
spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.example.com}}]}}}
"""
SERVICE = """\
apiVersion: v1
kind: Service
metadata: {name: 1a, namespace: ml}
spec: {ports: [{port: 80}]}
"""
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: a, namespace: ml}
spec:
  hostnameOverride: a
  containers: [{name: a, image: "a:1"}]
"""


@pytest.mark.parametrize(
    ("manifest", "release", "code", "words"),
    [
        pytest.param(CLAIM, "1.33", 1, "Kubernetes 1.33 does not serve ResourceClaimTemplate", id="a kind that came later"),
        pytest.param(CLAIM, "1.34", 0, "1 object, 0 problems", id="the kind in the release that brought it"),
        pytest.param(SERVICE, "1.35", 1, "error[TJ505]", id="a name that came later"),
        pytest.param(SERVICE, "1.36.2", 0, "1 object, 0 problems", id="the name in the release that brought it"),
        pytest.param(POD, "1.33", 1, "error[TJ502]", id="a field that came later"),
        pytest.param(POD, "1.34", 0, "warning[TJ472]", id="a field that is off by default"),
        pytest.param(POD, "v1.35", 0, "1 object, 0 problems", id="the field in the release in which it is on"),
        pytest.param(POD, "1.30", 1, "warning[TJ471]", id="a release that tjgen does not have"),
        pytest.param(POD, "2.1", 1, "error[TJ290]", id="no release"),
    ],
)
def test_check_validates_by_the_release(tmp_path: Path, manifest: str, release: str, code: int, words: str) -> None:
    (tmp_path / "a.yaml").write_text(manifest)
    answer = tjgen(tmp_path, "check", "--kubernetes", release, "a.yaml")
    assert words in answer.err
    assert answer.code == code
    again = tjgen(tmp_path, "check", "--kubernetes", release, "a.yaml")  # from the cache
    assert (again.err, again.code) == (answer.err, answer.code)


@pytest.mark.parametrize("command", ["check", "lint"])
@pytest.mark.parametrize(
    ("declared", "option", "code", "words"),
    [
        pytest.param(["1.33"], None, 1, "error[TJ502]", id="a field that came later"),
        pytest.param(["1.34"], None, 0, "warning[TJ472]", id="a field that is off by default"),
        pytest.param(["1.36"], None, 0, "", id="the field in a release in which it is on"),
        pytest.param(["1.36", "1.33"], None, 1, "error[TJ502]", id="the oldest of two releases"),
        pytest.param(["1.33"], "1.36", 0, "", id="the option goes before the Platform"),
        pytest.param(["1.36"], "1.33", 1, "error[TJ502]", id="the option for an older release than that of the Platform"),
        pytest.param(["1.30"], None, 1, "warning[TJ471] c0.yaml:4:", id="a release that tjgen does not have"),
        pytest.param([None], None, 0, "", id="a Platform without a release"),
        pytest.param([], "2.1", 1, "error[TJ290]", id="no release"),
    ],
)
def test_manifests_are_validated_by_the_release_of_the_platform(
    tmp_path: Path, command: str, declared: list[str | None], option: str | None, code: int, words: str
) -> None:
    header = "apiVersion: tjgen.dev/v1alpha1\nkind: {}\nmetadata: {{name: {}}}\n"
    files = [f"c{number}.yaml" for number, _ in enumerate(declared)]
    for file, release in zip(files, declared, strict=True):
        cluster = "" if release is None else f'kubernetes: "{release}"'
        (tmp_path / file).write_text(header.format("Platform", file[:2]) + f"spec: {{cluster: {{{cluster}}}}}\n")
    (tmp_path / "tjgen.yaml").write_text(header.format("Project", "p") + f"spec: {{platforms: [{', '.join(files)}]}}\n")
    (tmp_path / "pod.yaml").write_text(POD)
    options = ("--kubernetes", option) if option is not None else ()
    answer = tjgen(tmp_path, command, *options, "pod.yaml")
    problems = "\n".join(line for line in answer.err.splitlines() if "TJ6" not in line)
    assert words in problems
    assert answer.code == code
    assert bool(words) == any(code in problems for code in ("TJ290", "TJ471", "TJ472", "TJ502"))


@pytest.mark.parametrize(
    ("release", "words"),
    [
        ("1.33", "warning[TJ472] e.yaml:5:"),
        ("1.34", "warning[TJ472] e.yaml:5:"),
        ("1.35", ""),
        ("1.40", "warning[TJ471] c.yaml:4:30"),
    ],
)
def test_a_build_validates_by_the_release_of_the_platform(tmp_path: Path, release: str, words: str) -> None:
    header = "apiVersion: tjgen.dev/v1alpha1\nkind: {}\nmetadata: {{name: {}}}\n"
    (tmp_path / "tjgen.yaml").write_text(header.format("Project", "p") + "spec: {experiments: [e.yaml], platforms: [c.yaml]}\n")
    (tmp_path / "c.yaml").write_text(header.format("Platform", "c") + f'spec: {{cluster: {{kubernetes: "{release}"}}}}\n')
    job = "{name: node, template: {spec: {template: {spec: {hostnameOverride: a}}}}}"
    merge = f"{{spec: {{template: {{spec: {{replicatedJobs: [{job}]}}}}}}}}"
    (tmp_path / "e.yaml").write_text(
        header.format("Experiment", "e, namespace: ml")
        + "spec: {runtime: tjgen-torch, image: 'a:1', script: t.py,\n"
        + f"  patches: {{host: {{target: {{kind: TrainingRuntime}}, merge: {merge}}}}}}}\n"
    )
    answer = tjgen(tmp_path, "build", "e.yaml")
    assert answer.code == 0
    assert words in answer.err
    assert bool(words) == bool(answer.err)
