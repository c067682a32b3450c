"""Patches of a Platform: what they select and refuse, whose Platform they change, and what its lock remembers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.program import Answer, tjgen

HEAD = "apiVersion: tjgen.dev/v1alpha1\nkind: Platform\nmetadata: {name: lab}\n"
QUOTAS = "namespaces: {a: {}, b: {}}, quotas: {a: {cpu: 1}, b: {cpu: 1}}"
CLASS = "storageClasses: {fast: {create: {provisioner: example.com/files}}}"


def build(folder: Path, spec: str, patch: str, *words: str) -> Answer:
    (folder / "platform.yaml").write_text(f"{HEAD}spec: {{patches: {{own: {{{patch}}}}}, {spec}}}\n", encoding="utf-8")
    return tjgen(folder, "build", "platform.yaml", *words)


def test_a_namespace_selects_one_of_several_objects_of_a_name(tmp_path: Path) -> None:
    every = build(tmp_path, QUOTAS, "target: ResourceQuota, merge: {spec: {scopes: [NotTerminating]}}")
    one = build(tmp_path, QUOTAS, "target: {kind: ResourceQuota, namespace: b}, merge: {spec: {scopes: [NotTerminating]}}")
    assert (every.code, every.out.count("scopes:"), one.code, one.out.count("scopes:")) == (0, 2, 0, 1), every.err + one.err


def test_a_platform_with_patches_alone_has_nothing_to_patch(tmp_path: Path) -> None:
    answer = build(tmp_path, "quotas: {a: {cpu: 1}}", "target: ResourceQuota, merge: {spec: {scopes: [NotTerminating]}}")
    assert answer.code == 1
    assert "error[TJ330] platform.yaml:4:" in answer.err
    assert "hint: remove the patch" in answer.err


@pytest.mark.parametrize(
    ("patch", "code"),
    [
        ("target: StorageClass", "TJ122"),
        ("target: StorageClass, merge: {}, json: []", "TJ121"),
        ("merge: {}", "TJ102"),
        ("target: StorageClass, json: [{op: add, path: /mountOptions}]", "TJ129"),
        ("target: StorageClass, json: [{op: add, path: mountOptions, value: [ro]}]", "TJ331"),
        ("target: StorageClass, json: [{op: test, path: /provisioner, value: other}]", "TJ331"),
        ("target: StorageClass, merge: {metadata: {annotations: [x]}}", "TJ501"),
    ],
)
def test_a_patch_that_an_experiment_could_not_have_is_refused(tmp_path: Path, patch: str, code: str) -> None:
    answer = build(tmp_path, CLASS, patch)
    assert (answer.code, f"error[{code}] platform.yaml:4:" in answer.err) == (1, True), answer.err


def test_a_default_of_the_language_is_not_a_conflict(tmp_path: Path) -> None:
    """The Platform sets no policy, so a patch of it conflicts with no field."""
    patch = "target: StorageClass, force: false, merge: {reclaimPolicy: Retain}"
    answer = build(tmp_path, CLASS, patch)
    assert (answer.code, answer.err) == (0, ""), answer.err
    answer = build(tmp_path, CLASS.replace("files}", "files, reclaimPolicy: Delete}"), patch)
    assert (answer.code, "error[TJ749] platform.yaml:4:" in answer.err) == (1, True), answer.err


@pytest.mark.parametrize("items", ["[{key: a, operator: Exists}, {key: b, operator: Exists}]", "[{key: b, operator: Exists}]"])
def test_only_a_changed_item_of_a_list_is_a_conflict(tmp_path: Path, items: str) -> None:
    spec = "flavors: {h100: {tolerations: [{key: a, operator: Exists}]}}"
    answer = build(tmp_path, spec, f"target: ResourceFlavor, force: false, merge: {{spec: {{tolerations: {items}}}}}")
    assert (answer.code, "TJ749" in answer.err) == ((0, False) if "key: a" in items else (1, True)), answer.err


def test_the_lock_remembers_values_of_patches(tmp_path: Path) -> None:
    patch = "target: StorageClass, merge: {allowedTopologies: [{matchLabelExpressions: [{key: zone, values: [ZONE]}]}]}"
    assert build(tmp_path, CLASS, patch.replace("ZONE", "a"), "-o", "out").code == 0
    answer = build(tmp_path, CLASS, patch.replace("ZONE", "b"), "-o", "out")
    assert (answer.code, "error[TJ912] platform.yaml:4:" in answer.err) == (1, True), answer.err


def test_environments_have_the_patches_of_their_own_platform(tmp_path: Path) -> None:
    project = (
        "apiVersion: tjgen.dev/v1alpha1\nkind: Project\nmetadata: {name: lab}\nspec:\n  platforms: [platforms]\n"
        "  gitops: {tool: argocd, repository: https://example.com/lab.git}\n"
        "  output: {directory: out}\n  environments: {dev: {platform: dev}, prod: {platform: prod}}\n"
    )
    (tmp_path / "tjgen.yaml").write_text(project, encoding="utf-8")
    (tmp_path / "platforms").mkdir()
    for name in ("dev", "prod"):
        patch = f"target: Namespace, merge: {{metadata: {{annotations: {{of: {name}, argocd.argoproj.io/sync-wave: '-40'}}}}}}"
        text = f"{HEAD.replace('lab', name)}spec: {{namespaces: {{nlp: {{}}}}, patches: {{own: {{{patch}}}}}}}\n"
        (tmp_path / "platforms" / f"{name}.yaml").write_text(text, encoding="utf-8")
    answer = tjgen(tmp_path, "build")
    assert answer.code == 0, answer.err
    for name in ("dev", "prod"):
        text = (tmp_path / f"out/platform/{name}/namespace-nlp.yaml").read_text(encoding="utf-8")
        assert f"of: {name}\n" in text
        assert 'sync-wave: "-40"' in text
    assert tjgen(tmp_path, "build", "--check").code == 0


def test_objects_of_files_have_patches_too(tmp_path: Path) -> None:
    settings = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: nlp}\ndata: {epochs: '3', seed: '1'}\n"
    (tmp_path / "settings.yaml").write_text(settings, encoding="utf-8")
    answer = build(
        tmp_path, "manifests: [settings.yaml]", "target: ConfigMap, force: false, merge: {data: {epochs: '4', seed: null}}"
    )
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.endswith('data:\n  epochs: "4"\n')
