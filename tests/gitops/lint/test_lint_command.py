"""`tjgen lint` around its rules: suppressions, what a project says, revisions, formats, wrong use."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.program import Answer, assert_clean, tjgen

JOBSET = """\
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata:
  name: classifier-{name}
spec:
  ttlSecondsAfterFinished: 60
  replicatedJobs: []
"""
ONE = JOBSET.format(name="1c0ffee0")
TWO = JOBSET.format(name="2badf00d")
TTL = "  ttlSecondsAfterFinished: 60\n"
CLAIM = """\
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
"""
EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: resnet50, namespace: vision}
spec:
  runtime: tjgen-torch
  image: registry.example/train:1
  script: train.py
  volumes:
    data: {pvc: {create: {size: 50Gi}}, mountPath: /data}
"""
PROJECT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Project
metadata: {name: vision}
spec:
  experiments: [experiments]
  output: {directory: deploy}
  gitops: argocd
"""


def lint(folder: Path, text: str, *words: str) -> Answer:
    (folder / "run.yaml").write_text(text, encoding="utf-8")
    return tjgen(folder, "lint", "run.yaml", *words)


def codes(answer: Answer) -> list[str]:
    return [
        line.partition("[")[2].partition("]")[0] for line in answer.err.splitlines() if line.startswith(("error[", "warning["))
    ]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(ONE.replace(TTL, TTL[:-1] + " # tjgen: ignore TJ632: nobody syncs it\n"), id="on the line"),
        pytest.param(ONE.replace(TTL, "  # tjgen: ignore TJ632: nobody syncs it\n\n" + TTL), id="above the line"),
        pytest.param(ONE.replace("spec:\n", "# tjgen: ignore TJ632: nobody syncs it\nspec:\n"), id="above the field around it"),
        pytest.param(ONE.replace("spec:\n", "spec: # tjgen: ignore TJ632: nobody syncs it\n"), id="on the field around it"),
        pytest.param("# tjgen: ignore TJ632: nobody syncs it\n" + ONE, id="on top of the file"),
        pytest.param("---\n# why\n# tjgen: ignore TJ632, TJ634: nobody syncs it\n" + ONE, id="on top of the document"),
        pytest.param(
            ONE.replace("metadata:\n", 'metadata:\n  annotations: {tjgen.dev/ignore: "TJ632: nobody syncs it"}\n'),
            id="annotation",
        ),
        pytest.param(
            ONE.replace("metadata:\n", "metadata:\n  annotations:\n    tjgen.dev/ignore: |\n      TJ632: nobody\n"),
            id="annotation of lines",
        ),
    ],
)
def test_a_suppression_with_a_reason_silences_what_it_covers(text: str, tmp_path: Path) -> None:
    assert_clean(lint(tmp_path, text))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param(ONE.replace(TTL, TTL[:-1] + " # tjgen: ignore TJ632\n"), ["TJ632", "TJ677"], id="no reason"),
        pytest.param(ONE.replace(TTL, TTL[:-1] + " # tjgen: ignore TJ632:  \n"), ["TJ632", "TJ677"], id="an empty reason"),
        pytest.param(ONE.replace(TTL, TTL[:-1] + " # tjgen: ignore: no\n"), ["TJ632", "TJ678"], id="no rule"),
        pytest.param(ONE.replace(TTL, TTL[:-1] + " # tjgen: ignore T632: no\n"), ["TJ632", "TJ678"], id="not the code"),
        pytest.param(ONE.replace(TTL, TTL[:-1] + " # tjgen: ignore TJ638: no\n"), ["TJ632", "TJ676"], id="another rule"),
        pytest.param(ONE.replace("kind", "# tjgen: ignore TJ632: no\nkind"), ["TJ676", "TJ632"], id="another line"),
        pytest.param(ONE.replace(TTL, TTL + "  # tjgen: ignore TJ632: no\n"), ["TJ632", "TJ676"], id="below"),
        pytest.param("# tjgen: ignore TJ632: no\n" + ONE + "---\n" + TWO, ["TJ632"], id="another document"),
        pytest.param(ONE.replace(TTL, ""), [], id="nothing to find"),
        pytest.param("# tjgen: ignore TJ632: no\n" + ONE.replace(TTL, ""), ["TJ676"], id="not needed any more"),
        pytest.param(
            ONE.replace("metadata:\n", 'metadata:\n  annotations: {note: "# tjgen: ignore TJ632: no"}\n'),
            ["TJ632"],
            id="no comment",
        ),
    ],
)
def test_any_other_suppression_silences_nothing_and_is_reported(text: str, found: list[str], tmp_path: Path) -> None:
    answer = lint(tmp_path, text)
    assert codes(answer) == found
    assert answer.code == (1 if {"TJ632", "TJ677", "TJ678"} & {*found} else 0)


def test_a_rule_that_was_not_asked_leaves_its_suppression_alone(tmp_path: Path) -> None:
    text = "# tjgen: ignore TJ632: nobody syncs it\n" + ONE.replace(TTL, "")
    assert_clean(lint(tmp_path, text, "--ignore", "TJ632"))
    assert_clean(lint(tmp_path, text, "--select", "TJ638"))


def test_rules_are_chosen_by_their_codes(tmp_path: Path) -> None:
    assert codes(lint(tmp_path, ONE, "--select", "TJ632")) == ["TJ632"]
    assert_clean(lint(tmp_path, ONE, "--ignore", "TJ632"))
    answer = lint(tmp_path, ONE, "--select", "TJ623x", "--ignore", "T632")
    assert answer.err.count("error[TJ678]") == 2
    assert "did you mean TJ632?" in answer.err


def test_the_list_names_every_rule(tmp_path: Path) -> None:
    answer = tjgen(tmp_path, "lint", "--list")
    assert answer.code == 0
    assert "TJ632  error    ttl-of-synced-object" in answer.out


def test_formats_are_those_of_other_commands(tmp_path: Path) -> None:
    (one,) = json.loads(lint(tmp_path, ONE, "--format", "json").err)
    assert (one["code"], one["severity"]) == ("TJ632", "error")
    run = json.loads(lint(tmp_path, ONE, "--format", "sarif").err)["runs"][0]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["TJ632"]
    assert "::error file=run.yaml,line=6" in lint(tmp_path, ONE, "--format", "github").err


def test_strict_makes_errors_of_warnings(tmp_path: Path) -> None:
    assert lint(tmp_path, CLAIM).code == 0
    assert lint(tmp_path, CLAIM, "--strict").code == 1


def test_standard_input_and_lists_are_looked_at(tmp_path: Path) -> None:
    items = "".join(f"- {line}" if at == 0 else f"  {line}" for at, line in enumerate(ONE.splitlines(keepends=True)))
    answer = tjgen(tmp_path, "lint", "-", stdin=f"apiVersion: v1\nkind: List\nitems:\n{items}")
    assert "error[TJ632] <stdin>:9:5" in answer.err


@pytest.mark.parametrize(
    "text", ["a: [1\n", "- 1\n", "kind: 5\n", "{}", "apiVersion: v1\nkind: Pod\nmetadata: []\nspec: 3\n", "\x00"]
)
def test_what_is_no_manifest_is_no_defect(text: str, tmp_path: Path) -> None:
    assert lint(tmp_path, text).code in (0, 1)


def test_nothing_that_is_there_is_an_error(tmp_path: Path) -> None:
    assert codes(tjgen(tmp_path, "lint", "nowhere.yaml")) == ["TJ020"]
    assert codes(tjgen(tmp_path, "lint")) == ["TJ261"]
    assert tjgen(tmp_path, "lint", "--diff", "x.yaml").code == 2
    assert tjgen(tmp_path, "lint", "-C", "nowhere").code == 2


def project(folder: Path, more: str = "", experiment: str = EXPERIMENT) -> None:
    (folder / "experiments").mkdir(exist_ok=True)
    (folder / "experiments" / "resnet50.yaml").write_text(experiment, encoding="utf-8")
    (folder / "tjgen.yaml").write_text(PROJECT + more, encoding="utf-8")


def test_a_finding_of_an_experiment_stands_at_the_line_that_asked(tmp_path: Path) -> None:
    project(tmp_path)
    assert_clean(tjgen(tmp_path, "lint"))
    answer = tjgen(tmp_path, "lint", "experiments", "--gitops", "flux")
    assert "warning[TJ638] experiments/resnet50.yaml:9:" in answer.err


def test_a_comment_in_an_experiment_silences(tmp_path: Path) -> None:
    project(tmp_path, experiment=EXPERIMENT.replace("  volumes:\n", "  # tjgen: ignore TJ638: may be lost\n  volumes:\n"))
    assert_clean(tjgen(tmp_path, "lint", "--gitops", "flux"))
    assert codes(tjgen(tmp_path, "lint")) == ["TJ676"]


def test_without_a_tool_its_rules_are_not_asked(tmp_path: Path) -> None:
    (tmp_path / "run.yaml").write_text(EXPERIMENT, encoding="utf-8")
    answer = tjgen(tmp_path, "lint", "run.yaml")
    assert answer.code == 0
    skipped = "rules for GitOps tools were skipped: name the tool with --gitops, or as spec.gitops.tool in tjgen.yaml"
    assert answer.err == f"{skipped}\n3 objects, 0 problems\n"


def test_a_project_ignores_with_a_reason(tmp_path: Path) -> None:
    project(tmp_path, "  lint: {ignore: {TJ638: nothing of it is kept}}\n")
    assert_clean(tjgen(tmp_path, "lint", "--gitops", "flux"))
    answer = tjgen(tmp_path, "lint")
    assert "warning[TJ676] tjgen.yaml:8:19" in answer.err
    (tmp_path / "deploy").mkdir()
    (tmp_path / "deploy" / "claim.yaml").write_text(CLAIM)
    assert_clean(tjgen(tmp_path, "lint", "deploy"))


def test_a_project_ignores_no_rule_that_does_not_exist_and_none_without_a_reason(tmp_path: Path) -> None:
    project(tmp_path, "  lint: {ignore: {TJ699: why}}\n")
    assert "error[TJ678] tjgen.yaml:8:19" in tjgen(tmp_path, "lint").err
    project(tmp_path, "  lint: {ignore: {TJ638: }}\n")
    assert "error[TJ677] tjgen.yaml:8:19" in tjgen(tmp_path, "lint").err
    project(tmp_path, '  lint: {ignore: {TJ638: ""}}\n')
    assert tjgen(tmp_path, "lint").code == 1


def test_the_policy_of_a_project_holds(tmp_path: Path) -> None:
    project(tmp_path, "  policy: {severity: {TJ638: error}}\n")
    assert tjgen(tmp_path, "lint", "--gitops", "flux").err.startswith("error[TJ638]")
    project(tmp_path, "  policy: {severity: {ttl-of-synced-object: warning}}\n")
    (tmp_path / "run.yaml").write_text(ONE, encoding="utf-8")
    answer = tjgen(tmp_path, "lint", "run.yaml")
    assert (answer.code, codes(answer)) == (0, ["TJ632"])
    project(tmp_path, "  policy: {severity: {TJ632: ignore}}\n")
    answer = tjgen(tmp_path, "lint", "run.yaml")
    assert sorted(codes(answer)) == ["TJ632", "TJ677"]
    assert "add it to spec.lint.ignore with the reason why it does no harm: TJ632: REASON" in answer.err


def git(folder: Path, *words: str) -> None:
    identity = ("-c", "user.name=tests", "-c", "user.email=tests@example.com", "-c", "init.defaultBranch=main")
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)


def test_manifests_are_compared_with_a_revision(tmp_path: Path) -> None:
    (tmp_path / "deploy").mkdir()
    (tmp_path / "deploy" / "one.yaml").write_text(ONE.replace(TTL, ""), encoding="utf-8")
    (tmp_path / "deploy" / "two.yaml").write_text(TWO.replace(TTL, ""), encoding="utf-8")
    git(tmp_path, "init")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-m", "one")
    assert_clean(tjgen(tmp_path, "lint", "deploy", "--against", "HEAD"))
    (tmp_path / "deploy" / "one.yaml").unlink()
    answer = tjgen(tmp_path, "lint", "deploy", "--against", "HEAD")
    assert "error[TJ635] HEAD:deploy/one.yaml:4:9: JobSet/classifier-1c0ffee0: it was removed" in answer.err
    assert codes(tjgen(tmp_path, "lint", "deploy", "--against", "nothing")) == ["TJ093"]


def test_a_project_is_compared_with_a_revision(tmp_path: Path) -> None:
    project(tmp_path)
    assert tjgen(tmp_path, "build", "-o", "deploy").code == 0
    git(tmp_path, "init")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-m", "one")
    assert_clean(tjgen(tmp_path, "lint", "--against", "HEAD"))
    # A changed run is another one, and what is superseded stays.
    project(tmp_path, experiment=EXPERIMENT.replace("train:1", "train:2"))
    assert_clean(tjgen(tmp_path, "lint", "--against", "HEAD"))
    project(tmp_path, "  history: {keep: 0}\n", experiment=EXPERIMENT.replace("train:1", "train:2"))
    # A run that a sync only deletes after a person confirms stays until then.
    assert_clean(tjgen(tmp_path, "lint", "--against", "HEAD"))
    assert codes(tjgen(tmp_path, "lint", "experiments", "--against", "HEAD")) == ["TJ543"]


def test_a_project_is_linted_with_what_makes_the_tool_sync(tmp_path: Path) -> None:
    options = 'annotations: {argocd.argoproj.io/sync-options: "Force=true,Replace=true"}'
    project(tmp_path, experiment=EXPERIMENT.replace("namespace: vision", f"namespace: vision, {options}"))
    assert "TJ625" in codes(tjgen(tmp_path, "lint"))
    synced = PROJECT.replace("gitops: argocd", "gitops: {tool: argocd, repository: https://git.example/vision.git}")
    (tmp_path / "tjgen.yaml").write_text(synced, encoding="utf-8")
    # Its Application only applies what differs.
    assert_clean(tjgen(tmp_path, "lint"))
    assert tjgen(tmp_path, "build", "-o", "deploy").code == 0
    assert_clean(tjgen(tmp_path, "lint"))
    git(tmp_path, "init")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-m", "one")
    labelled = EXPERIMENT.replace("namespace: vision", f"namespace: vision, labels: {{team: vision}}, {options}")
    (tmp_path / "experiments" / "resnet50.yaml").write_text(labelled, encoding="utf-8")
    answer = tjgen(tmp_path, "lint", "--against", "HEAD")
    assert "it has changed, and Force=true and Replace=true delete and recreate it" in answer.err


def test_a_removed_run_without_confirmation_is_reported(tmp_path: Path) -> None:
    removal = PROJECT.replace("gitops: argocd", "gitops: {tool: argocd, removal: sync}")
    (tmp_path / "tjgen.yaml").write_text(removal, encoding="utf-8")
    (tmp_path / "experiments").mkdir()
    (tmp_path / "experiments" / "resnet50.yaml").write_text(EXPERIMENT, encoding="utf-8")
    assert tjgen(tmp_path, "build", "-o", "deploy").code == 0
    git(tmp_path, "init")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-m", "one")
    (tmp_path / "tjgen.yaml").write_text(removal + "  history: {keep: 0}\n", encoding="utf-8")
    (tmp_path / "experiments" / "resnet50.yaml").write_text(EXPERIMENT.replace("train:1", "train:2"), encoding="utf-8")
    assert codes(tjgen(tmp_path, "lint", "--against", "HEAD")) == ["TJ635"]


def test_what_no_server_holds_is_no_defect_of_a_comparison(tmp_path: Path) -> None:
    job = "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: x}\nspec: {minAvailable: 1, tasks: [%s]}\n"
    (tmp_path / "before.d").mkdir()
    (tmp_path / "before.d" / "run.yaml").write_text(job % "1.5", encoding="utf-8")
    answer = lint(tmp_path, job % "{name: a, replicas: 1, template: {spec: {containers: []}}}", "--against", "before.d")
    assert answer.code in (0, 1)
    assert "TJ900" not in answer.err


def test_a_generated_file_is_never_changed(tmp_path: Path) -> None:
    project(tmp_path)
    (tmp_path / "tjgen.yaml").write_text(PROJECT.replace("  gitops: argocd\n", ""), encoding="utf-8")
    assert tjgen(tmp_path, "build", "-o", "deploy").code == 0
    before = {path: path.read_bytes() for path in (tmp_path / "deploy").rglob("*.yaml")}
    answer = tjgen(tmp_path, "lint", "deploy", "--gitops", "argocd", "--fix")
    assert "TJ638" in codes(answer)
    assert {path: path.read_bytes() for path in (tmp_path / "deploy").rglob("*.yaml")} == before


def test_a_fix_that_cannot_be_written_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(ONE, encoding="utf-8")
    (tmp_path / "b.yaml").write_text(TWO, encoding="utf-8")
    (tmp_path / ".b.yaml.tjgen").mkdir()
    answer = tjgen(tmp_path, "lint", "a.yaml", "b.yaml", "--fix")
    assert "error[TJ408]" in answer.err
    assert (tmp_path / "a.yaml").read_text(encoding="utf-8") == ONE
    assert sorted(path.name for path in tmp_path.iterdir()) == [".b.yaml.tjgen", "a.yaml", "b.yaml"]


def test_a_fix_keeps_what_it_does_not_touch(tmp_path: Path) -> None:
    text = ONE.replace("metadata:\n", "metadata: # who\n").replace("spec:\n", "spec:\n  # jobs\n").replace("\n", "\r\n")
    (tmp_path / "run.yaml").write_bytes(text.encode())
    assert tjgen(tmp_path, "lint", "run.yaml", "--fix") == Answer(0, "", "cured 1 finding in 1 file\n1 object, 0 problems\n")
    assert (tmp_path / "run.yaml").read_bytes() == text.replace("  ttlSecondsAfterFinished: 60\r\n", "").encode()


def test_an_item_of_a_list_is_cured(tmp_path: Path) -> None:
    items = "".join(f"- {line}" if at == 0 else f"  {line}" for at, line in enumerate(ONE.splitlines(keepends=True)))
    text = f"apiVersion: v1\nkind: List\nitems:\n{items}"
    assert lint(tmp_path, text, "--fix").code == 0
    assert (tmp_path / "run.yaml").read_text(encoding="utf-8") == text.replace("  " + TTL, "")


def test_a_silenced_finding_is_not_cured(tmp_path: Path) -> None:
    text = "# tjgen: ignore TJ632: nobody syncs it\n" + ONE
    assert_clean(lint(tmp_path, text, "--fix"))
    assert (tmp_path / "run.yaml").read_text(encoding="utf-8") == text


def test_equal_findings_are_one_line_for_people_and_all_for_programs(tmp_path: Path) -> None:
    text = "---\n".join(JOBSET.format(name=f"{number:03}") for number in range(999))
    answer = lint(tmp_path, text, "--select", "TJ632")
    (line,) = [line for line in answer.err.splitlines() if line.startswith("error")]
    assert "run.yaml:6:3: JobSet/classifier-000: " in line
    note = "  note: 998 more like it: run.yaml:14:3, run.yaml:22:3, run.yaml:30:3, and 995 others"
    assert note in answer.err.splitlines()
    assert len(json.loads(lint(tmp_path, text, "--select", "TJ632", "--format", "json").err)) == 999
    assert len(codes(lint(tmp_path, text, "--select", "TJ632", "--all"))) == 999


IMAGES = """\
apiVersion: batch/v1
kind: Job
metadata: {name: work}
spec:
  template:
    spec:
      containers:
        - {name: a, image: x:latest}
        - {name: b, image: x:latest}
        - {name: c, image: other}
"""


def test_an_image_without_version_is_reported_once(tmp_path: Path) -> None:
    answer = lint(tmp_path, IMAGES, "--select", "TJ664")
    lines = [line for line in answer.err.splitlines() if line.startswith("warning")]
    assert [line.partition("Job/work: ")[2] for line in lines] == [
        "x:latest can refer to a different image each time a pod starts",
        "other can refer to a different image each time a pod starts",
    ]
    assert "note: 1 more like it: run.yaml:9:28\n" in answer.err


def test_findings_of_other_causes_stay_apart(tmp_path: Path) -> None:
    text = f"{ONE}---\n{TWO.replace('60', '70')}"
    assert codes(lint(tmp_path, text, "--select", "TJ632")) == ["TJ632", "TJ632"]


def test_a_rule_without_danger_is_off_by_default(tmp_path: Path) -> None:
    text = "---\n".join(
        f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c-{number}, namespace: a}}\n" for number in range(1100)
    )
    assert codes(lint(tmp_path, text)) == []
    assert codes(lint(tmp_path, text, "--all")) == ["TJ658"]
    assert codes(lint(tmp_path, text, "--select", "TJ658")) == ["TJ658"]
    assert "off by default" in tjgen(tmp_path, "lint", "--list").out


def test_no_fix_guesses_a_namespace(tmp_path: Path) -> None:
    head = "apiVersion: v1\nkind: ConfigMap\n"
    text = f"{head}metadata: {{name: a}}\n---\n{head}metadata: {{name: b, namespace: default}}\n"
    answer = lint(tmp_path, text, "--fix")
    assert codes(answer) == ["TJ666"]
    assert "other objects here are in default" in answer.err
    assert (tmp_path / "run.yaml").read_text(encoding="utf-8") == text


def test_a_field_that_the_release_refuses_is_an_error(tmp_path: Path) -> None:
    head = "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\n"
    text = f"{head}metadata: {{name: a, namespace: b}}\nspec:\n  podSpecOverrides: []\n"
    answer = lint(tmp_path, text, "--select", "TJ671", "--trainer", "2.3")
    assert (answer.code, "error[TJ671]" in answer.err) == (1, True), answer.err


def test_the_last_line_counts_the_objects_unless_it_is_quiet(tmp_path: Path) -> None:
    text = f"{ONE.replace(TTL, '')}---\n{TWO.replace(TTL, '')}"
    assert lint(tmp_path, text).err == "2 objects, 0 problems\n"
    assert lint(tmp_path, text, "--quiet").err == ""
    assert lint(tmp_path, ONE).err.endswith("1 error\n")


def test_a_chart_is_left_out_and_named(tmp_path: Path) -> None:
    """A sync renders a chart: its templates are no manifests, and not even YAML."""
    templates = tmp_path / "deploy/chart/templates"
    templates.mkdir(parents=True)
    (tmp_path / "deploy/run.yaml").write_text(ONE, encoding="utf-8")
    (tmp_path / "deploy/README.md").write_text("# Runs\n", encoding="utf-8")
    (tmp_path / "deploy/chart/Chart.yaml").write_text("apiVersion: v2\nname: a\nversion: 1.0.0\n", encoding="utf-8")
    (tmp_path / "deploy/chart/values.yaml").write_text("a: 1\n", encoding="utf-8")
    (templates / "job.yaml").write_text("a: {{ .Values.a }}\n", encoding="utf-8")
    (tmp_path / "deploy/loose.yaml").write_text("a: {{ .Values.a }}\n", encoding="utf-8")
    answer = tjgen(tmp_path, "lint", "deploy", "--gitops", "argocd")
    assert codes(answer) == ["TJ632"]
    assert "info[TJ547] deploy/chart contains a Helm chart" in answer.err
    assert "info[TJ547] deploy/loose.yaml contains a Helm template" in answer.err
    (tmp_path / "deploy/run.yaml").write_text(ONE.replace(TTL, ""), encoding="utf-8")
    clean = tjgen(tmp_path, "lint", "deploy", "--gitops", "argocd")
    assert clean.code == 0
    assert clean.err.endswith("1 object, 0 problems (2 info)\n")
    named = tjgen(tmp_path, "lint", "deploy/loose.yaml")
    assert (named.code, codes(named)) == (1, ["TJ005"])
