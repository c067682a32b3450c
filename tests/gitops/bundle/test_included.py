"""Manifests that a Platform includes: as they are, once, and only what belongs there."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.program import Answer, tjgen

SETTINGS = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: nlp}\ndata: {epochs: '3'}\n"
QUEUE = "apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: ai}\nspec: {weight: 2}\n"
EXPERIMENT = (
    "apiVersion: tjgen.dev/v1alpha1\nkind: Experiment\nmetadata: {name: a, namespace: nlp}\nspec:\n"
    "  runtime: tjgen-torch\n  image: registry.example.com/a:1\n  script: train.py\n"
    "  volumes: {out: {pvc: {create: {size: 1Gi, name: out}}, mountPath: /out}}\n"
)


def build(folder: Path, text: str, spec: str = "manifests: [shared]", output: str | None = None) -> Answer:
    platform = f"apiVersion: tjgen.dev/v1alpha1\nkind: Platform\nmetadata: {{name: lab}}\nspec: {{{spec}}}\n"
    (folder / "platform.yaml").write_text(platform, encoding="utf-8")
    (folder / "shared").mkdir()
    (folder / "shared" / "a.yaml").write_text(text, encoding="utf-8")
    return tjgen(folder, "build", "platform.yaml", *(("-o", output) if output else ()))


def test_an_object_is_built_as_it_is(tmp_path: Path) -> None:
    built = yaml.safe_load(build(tmp_path, SETTINGS).out)
    metadata = {"name": "settings", "namespace": "nlp", "labels": {"app.kubernetes.io/managed-by": "tjgen"}}
    assert built == {**yaml.safe_load(SETTINGS), "metadata": metadata}


def test_explain_names_the_line_of_the_file(tmp_path: Path) -> None:
    build(tmp_path, SETTINGS)
    answer = tjgen(tmp_path, "explain", "platform.yaml", "ConfigMap", "data.epochs")
    assert "data.epochs: 3  <- platform data.epochs (shared/a.yaml:4:16)" in answer.out


def test_what_the_server_refuses_is_reported_in_the_file(tmp_path: Path) -> None:
    answer = build(tmp_path, SETTINGS.replace("'3'", "3"))
    assert answer.code == 1
    assert "shared/a.yaml:4:16" in answer.err


def test_a_secret_a_run_and_a_list_are_refused(tmp_path: Path) -> None:
    secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: hf}\n"
    run = "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: ring}\n"
    answer = build(tmp_path, f"{secret}---\n{run}---\n[1]\n")
    assert [line for line in answer.err.splitlines() if "TJ795" in line] == [
        "error[TJ795] shared/a.yaml:1:1: Secret hf is a Secret, which does not belong in Git",
        "error[TJ795] shared/a.yaml:5:1: JobSet ring is a run, which only an experiment creates",
        "error[TJ795] shared/a.yaml:9:1: an entry is not a Kubernetes object with a kind and a name",
    ]


def test_an_object_that_a_field_creates_too_is_an_error(tmp_path: Path) -> None:
    answer = build(tmp_path, QUEUE, "queues: {ai: {create: {volcano: {}}}}, manifests: [shared]")
    assert "error[TJ796] shared/a.yaml:3:18: Queue ai is created twice: by the Platform" in answer.err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("apiVersion: v1\nkind: secret\nmetadata: {name: a}\n", "secret a cannot be validated: v1 has no schema"),
        (
            "apiVersion: tjgen.dev/v1alpha1\nkind: Platform\nmetadata: {name: a}\n",
            "Platform a cannot be validated: tjgen.dev/v1alpha1 has no schema",
        ),
        ("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n", "ConfigMap a has no namespace"),
        (QUEUE.replace("ai}", "ai, namespace: nlp}"), "Queue ai has a namespace, but belongs to the whole cluster"),
        (SETTINGS.replace("nlp}", "5}"), "ConfigMap settings is not a Kubernetes object with a kind and a name"),
        (SETTINGS.replace("nlp}", "nlp, uid: x}"), "ConfigMap settings has uid, which the cluster or its tools set"),
        (
            SETTINGS.replace("nlp}", "nlp, labels: {argocd.argoproj.io/instance: x}}"),
            "ConfigMap settings has argocd.argoproj.io/instance, which the cluster or its tools set",
        ),
    ],
    ids=["another kind", "a file of tjgen", "no namespace", "a namespace", "a number", "a uid", "a mark of Argo CD"],
)
def test_what_a_platform_cannot_include_is_refused(text: str, message: str, tmp_path: Path) -> None:
    assert f"error[TJ795] shared/a.yaml:1:1: {message}" in build(tmp_path, text).err


@pytest.mark.parametrize("name", ["../../../x", "a/../../x"])
def test_a_name_is_no_path(name: str, tmp_path: Path) -> None:
    answer = build(tmp_path, SETTINGS.replace("name: settings", f"name: {name}"), output="out")
    assert answer.code == 1
    assert "error[TJ505] shared/a.yaml:3:18" in answer.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["platform.yaml", "shared"]


def test_a_link_that_leaves_the_repository_is_not_read(tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    repository.mkdir()
    (tmp_path / "other.yaml").write_text(SETTINGS, encoding="utf-8")
    build(repository, SETTINGS)
    (repository / "shared" / "b.yaml").symlink_to(tmp_path / "other.yaml")
    (repository / "tjgen.yaml").write_text("apiVersion: tjgen.dev/v1alpha1\nkind: Project\nspec: {}\n", encoding="utf-8")
    answer = tjgen(repository, "build", "platform.yaml")
    assert "shared/b.yaml cannot be read: it is outside of the repository" in answer.err


@pytest.mark.parametrize("environments", ["", ", environments: {dev: {platform: lab}, prod: {platform: lab, cluster: other}}"])
def test_an_object_that_a_run_creates_too_is_an_error(environments: str, tmp_path: Path) -> None:
    claim = "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: out, namespace: nlp}\nspec:\n"
    build(tmp_path, f"{claim}  accessModes: [ReadWriteOnce]\n  resources: {{requests: {{storage: 1Gi}}}}\n")
    (tmp_path / "a.yaml").write_text(EXPERIMENT, encoding="utf-8")
    spec = f"{{experiments: [a.yaml], platforms: [platform.yaml]{environments}}}"
    (tmp_path / "tjgen.yaml").write_text(f"apiVersion: tjgen.dev/v1alpha1\nkind: Project\nspec: {spec}\n", encoding="utf-8")
    answer = tjgen(tmp_path, "build", "-o", "out")
    assert answer.code == 1
    message = "PersistentVolumeClaim nlp/out is created twice: by the Platform and in "
    assert f"error[TJ796] shared/a.yaml:3:18: {message}" in answer.err
    assert not (tmp_path / "out" / "platform").exists()


def test_a_path_without_files_is_an_error(tmp_path: Path) -> None:
    answer = build(tmp_path, SETTINGS, "manifests: [others]")
    assert "error[TJ797] platform.yaml:4:20: others does not exist, or contains no YAML file" in answer.err


def test_a_claim_of_one_run_has_no_name(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(EXPERIMENT.replace("name: out", "name: out, scope: run"), encoding="utf-8")
    answer = tjgen(tmp_path, "build", "a.yaml")
    assert answer.code == 1
    assert 'error[TJ798] a.yaml:8:51: scope is run, but all runs would share the claim "out"' in answer.err
    (tmp_path / "a.yaml").write_text(EXPERIMENT, encoding="utf-8")
    assert "claimName: out\n" in tjgen(tmp_path, "build", "a.yaml").out
