"""Experiments of one project that write to one folder, and take more of a quota together than there is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.program import tjgen

PROJECT = """
apiVersion: tjgen.dev/v1alpha1
kind: Project
spec: {experiments: [x], platforms: [platform.yaml], environments: %s}
"""
PLATFORM = """
apiVersion: tjgen.dev/v1alpha1
kind: Platform
metadata: {name: lab}
spec: %s
"""
EXPERIMENT = """
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: %s, namespace: team}
spec:
  runtime: tjgen-plain
  command: [count]
  cpu: 2
  state: %s
  volumes: %s
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "tjgen.yaml").write_text(PROJECT % "{prod: {platform: lab}}")
    (tmp_path / "platform.yaml").write_text(PLATFORM % "{}")
    (tmp_path / "x").mkdir()
    return tmp_path


def experiment(project: Path, name: str, volumes: str = "{}", state: str = "active") -> None:
    (project / "x" / f"{name}.yaml").write_text(EXPERIMENT % (name, state, volumes))


def said(project: Path, *words: str) -> list[str]:
    """The first lines of the warnings of a build."""
    answer = tjgen(project, "build", *words)
    assert answer.code == 0, answer.err
    return [line for line in answer.err.splitlines() if line.startswith(("warning[", "error["))]


OVER = 'warning[TJ326] x/b.yaml:10:18: volume "out" writes to {}, and so does experiment team/a'


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        pytest.param("{pvc: runs, mountPath: /out}", "{pvc: runs, mountPath: /o}", ["claim team/runs"], id="one claim"),
        pytest.param(
            "{pvc: runs, mountPath: /out, subPath: a}",
            "{pvc: runs, mountPath: /o, subPath: a/b}",
            ["folder a/b of claim team/runs"],
            id="a folder in the other's",
        ),
        pytest.param("{pvc: runs, mountPath: /out, subPath: a}", "{pvc: runs, mountPath: /o, subPath: ab}", [], id="two folders"),
        pytest.param("{pvc: runs, mountPath: /out}", "{pvc: others, mountPath: /o}", [], id="two claims"),
        pytest.param("{pvc: runs, mountPath: /out, readOnly: true}", "{pvc: runs, mountPath: /o}", [], id="one reads"),
        pytest.param("{pvc: runs, mountPath: /out, shared: true}", "{pvc: runs, mountPath: /o}", [], id="meant so"),
        pytest.param("{pvc: {create: {size: 1Gi}}, mountPath: /o}", "{pvc: {create: {size: 1Gi}}, mountPath: /o}", [], id="own"),
        pytest.param(
            "{pvc: {create: {size: 1Gi, scope: project}}, mountPath: /out}",
            "{pvc: {create: {size: 1Gi, scope: project}}, mountPath: /out}",
            [],
            id="a folder for each run",
        ),
        pytest.param(
            "{nfs: {server: nas, path: /runs}, mountPath: /out}",
            "{nfs: {server: nas, path: /runs}, mountPath: /o}",
            ["nas:/runs"],
            id="one server",
        ),
    ],
)
def test_what_experiments_write_over(one: str, other: str, found: list[str], project: Path) -> None:
    experiment(project, "a", f"{{out: {one}}}")
    experiment(project, "b", f"{{out: {other}}}")
    assert said(project) == [OVER.format(what) for what in found]


def test_it_is_said_again_by_builds_that_find_nothing_to_do(project: Path) -> None:
    for name in "ab":
        experiment(project, name, "{out: {pvc: runs, mountPath: /out}}")
    first = said(project, "-o", "out")
    assert first == [OVER.format("claim team/runs")]
    assert said(project, "-o", "out") == first
    experiment(project, "a", "{out: {pvc: runs, mountPath: /elsewhere}}")
    assert said(project, "-o", "out") == first
    experiment(project, "a", "{out: {pvc: others, mountPath: /out}}")
    assert said(project, "-o", "out") == []


def test_environments_do_not_share_claims(project: Path) -> None:
    (project / "tjgen.yaml").write_text(PROJECT % "{dev: {platform: lab}, prod: {platform: lab}}")
    experiment(project, "a", "{out: {pvc: runs, mountPath: /out}}")
    assert said(project, "-o", "out") == []


TOGETHER = "warning[TJ384] platform.yaml:5:{}: 2 runs in namespace team take {} together, but its quota is {}"
SIZED = "{{out: {{pvc: {{create: {{size: {}}}}}, mountPath: /out}}}}"


@pytest.mark.parametrize(
    ("quota", "state", "found"),
    [
        pytest.param("{cpu: 3}", "active", [TOGETHER.format(29, "4 of cpu", "3")], id="requests"),
        pytest.param("{limits.cpu: 3}", "active", [TOGETHER.format(36, "4 of limits.cpu", "3")], id="limits"),
        pytest.param("{cpu: 4}", "active", [], id="as much as there is"),
        pytest.param("{cpu: 3}", "suspended", [], id="one waits"),
        pytest.param(
            "{requests.storage: 8Gi}",
            "suspended",
            [TOGETHER.format(42, "10Gi of requests.storage", "8Gi")],
            id="who waits has claims",
        ),
        pytest.param("{persistentvolumeclaims: 1}", "archived", [], id="a record takes nothing"),
        pytest.param("{services: 0}", "active", [], id="what runs do not say"),
    ],
)
def test_quotas_of_all_runs_together(quota: str, state: str, found: list[str], project: Path) -> None:
    (project / "platform.yaml").write_text(PLATFORM % f"{{quotas: {{team: {quota}}}}}")
    experiment(project, "a", SIZED.format("5Gi"))
    experiment(project, "b", SIZED.format("5Gi"), state)
    assert said(project) == found
    assert said(project, "-o", "out") == found
    assert said(project, "-o", "out") == found


@pytest.mark.parametrize("bound", ["{quotas: {team: {requests.cpu: CPU}}}", "{queues: {lab: {capability: {cpu: CPU}}}}"])
def test_a_lower_quota_blocks_new_runs_only(project: Path, bound: str) -> None:
    """TJ383 and TJ385 are warnings for a run that exists, errors for a new one and a renewal, and none for an archived run."""
    (project / "tjgen.yaml").write_text(
        PROJECT.replace("spec: {", "spec: {output: {directory: out}, ") % "{prod: {platform: lab}}"
    )
    (project / "platform.yaml").write_text(PLATFORM % bound.replace("CPU", "4"))
    source = EXPERIMENT.replace("tjgen-plain", "tjgen-torch").replace("[count]", "[python, train.py]")
    source = source.replace("  cpu: 2", "  image: train:1\n  cpu: 2\n  schedule: {system: volcano, queue: lab}")
    (project / "x/a.yaml").write_text(source % ("a", "active", "{}"))
    built = tjgen(project, "build")
    assert built.code == 0, built.err
    (project / "platform.yaml").write_text(PLATFORM % bound.replace("CPU", "1"))
    built = tjgen(project, "build")
    assert (built.code, built.err.count("it never starts"), "tjgen runs archive a-" in built.err) == (0, 1, True), built.err
    renewed = tjgen(project, "runs", "rerun", "a-*")
    assert (renewed.code, "error[TJ38" in renewed.err) == (1, True), renewed.err
    (project / "x/b.yaml").write_text(source % ("b", "active", "{}"))
    built = tjgen(project, "build")
    assert (built.code, built.err.count("error[TJ38"), built.err.count("it never starts")) == (1, 1, 2), built.err
    (project / "x/b.yaml").unlink()
    assert tjgen(project, "runs", "archive", "a-*").code == 0
    assert "TJ38" not in tjgen(project, "build").err


@pytest.mark.parametrize("changes_labels", [False, True])
def test_a_locked_run_without_the_queue_is_not_compared_with_it(project: Path, changes_labels: bool) -> None:
    """A queue of an overlay is not in the manifest of a locked run, unless labels of its experiment change in place."""
    spec = "spec: {output: {directory: out}, overlays: [overlays], "
    (project / "tjgen.yaml").write_text(PROJECT.replace("spec: {", spec) % "{prod: {platform: lab}}")
    (project / "platform.yaml").write_text(PLATFORM % "{queues: {lab: {capability: {cpu: 1}}}}")
    source = EXPERIMENT.replace("tjgen-plain", "tjgen-torch").replace("[count]", "[python, train.py]")
    source = source.replace("  cpu: 2", "  image: train:1\n  cpu: 2") % ("a", "active", "{}")
    (project / "x/a.yaml").write_text(source)
    (project / "overlays").mkdir()
    overlay = "apiVersion: tjgen.dev/v1alpha1\nkind: Overlay\nmetadata: {name: o}\nspec: {experiment: FIELDS}\n"
    (project / "overlays/o.yaml").write_text(overlay.replace("FIELDS", "{nodes: 1}"))
    assert tjgen(project, "build").code == 0
    (project / "overlays/o.yaml").write_text(overlay.replace("FIELDS", "{schedule: {system: kueue, queue: lab}}"))
    if changes_labels:
        assert "{name: a" in source
        (project / "x/a.yaml").write_text(source.replace("{name: a", "{labels: {team: b}, name: a"))
    for words in (["build"], ["build", "--check"], ["build"]):
        built = tjgen(project, *words)
        assert (built.code, "TJ385" in built.err) == (0, changes_labels), built.err
    (manifest,) = project.glob("out/prod/runs/team/a/*/trainjob-*.yaml")
    assert ("queue-name: lab" in manifest.read_text(encoding="utf-8")) == changes_labels
    assert "error[TJ385]" in tjgen(project, "build", "--renew", "a-*").err
