"""Secrets do not get into what is committed: neither packed with code, nor as values; and no diagnostic prints one."""

from __future__ import annotations

import json
from base64 import b64encode
from pathlib import Path

import pytest

from tests.program import tjgen
from tests.trees.diagnostics.test_tokens import TOKENS
from tjgen.cli.command import FORMAT
from tjgen.trees.diagnostics.tokens import find, fingerprint

KEY = TOKENS["a private key"]
TOKEN = TOKENS["a token of Hugging Face"]
SUSPECTED = "0123456789abcdef0123"
EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: probe, namespace: team}
spec:
  runtime: tjgen-torch
  image: registry.example.com/team/train:1
  command: [python, train.py]
"""
PROJECT = "apiVersion: tjgen.dev/v1alpha1\nkind: Project\nspec: {experiments: [a.yaml], policy: {harmless: {%s: a sample}}}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    (tmp_path / "src/train.py").write_text("pass\n")
    return tmp_path


def build(folder: Path, more: str) -> tuple[int, str, str]:
    (folder / "a.yaml").write_text(EXPERIMENT + more)
    return tjgen(folder, "build", "a.yaml")


@pytest.mark.parametrize(
    "name",
    ["id_rsa", "id_ed25519", "keys/tls.key", "credentials.json", "client_secret.json", "service-account.json", "store.p12",
     "kubeconfig", "secrets.yaml", "ID_RSA"],
)  # fmt: skip
def test_a_file_of_secrets_is_not_packed_by_its_name(folder: Path, name: str) -> None:
    (folder / "src" / name).parent.mkdir(exist_ok=True)
    (folder / "src" / name).write_text("nothing\n")
    code, out, err = build(folder, "  code: {configMap: src}\n")
    assert (code, out) == (1, "")
    assert f"error[TJ108] a.yaml:8:21: src/{name} has a name that is typical of files with secrets" in err
    assert build(folder, f"  code: {{configMap: {{directory: src, exclude: [{name}]}}}}\n")[0] == 0
    assert build(folder, f"  code: {{configMap: {{directory: src, include: [train.py, {name}]}}}}\n")[0] == 0


@pytest.mark.parametrize("name", ["train.key.py", "monkey.txt", "id_rsa.pub", "secrets.py", "tokenizer.json", "ca.pem"])
def test_other_files_are_packed(folder: Path, name: str) -> None:
    (folder / "src" / name).write_text("nothing = 1\n")
    assert build(folder, "  code: {configMap: src}\n")[0] == 0


@pytest.mark.parametrize("kind", TOKENS)
def test_a_file_that_holds_one_is_not_packed(folder: Path, kind: str) -> None:
    (folder / "src/settings.txt").write_bytes(b"\xff\n" + TOKENS[kind].encode())
    more = "  code: {configMap: {directory: src, include: [train.py, settings.txt]}}\n"
    code, out, err = build(folder, more)
    assert (code, out) == (1, "")
    assert f"src/settings.txt holds {kind}" in err
    assert TOKENS[kind][-12:] not in err
    [token] = find(TOKENS[kind])
    (folder / "tjgen.yaml").write_text(PROJECT % token.fingerprint)
    code, out, err = build(folder, more)
    assert code == 0, err


def test_the_context_of_a_build_is_looked_at_too(folder: Path) -> None:
    (folder / "src/id_rsa").write_text(KEY)
    more = "  code: {build: {image: registry.example.com/team/built, directory: src, secret: push}}\n"
    code, _, err = build(folder, more)
    assert (code, "error[TJ108]" in err) == (1, True), err


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ('  env: {A: "%s"}\n', "env"),
        ('  args: [--token, "%s"]\n', "args"),
        ('  workingDir: "/x/%s"\n', "workingDir"),
        ('  patches: {a: {target: {kind: TrainJob}, merge: {metadata: {annotations: {note: "%s"}}}}}\n', "annotations"),
    ],
)
@pytest.mark.parametrize("output", FORMAT.choices)
def test_a_value_is_found_at_its_line_and_not_printed(folder: Path, more: str, field: str, output: str) -> None:
    (folder / "a.yaml").write_text(EXPERIMENT + more % TOKEN)
    answer = tjgen(folder, "build", "a.yaml", "--format", output)
    assert (answer.code, answer.out) == (1, "")
    assert "TJ109" in answer.err
    assert "a token of Hugging Face" in answer.err
    assert field in answer.err
    assert TOKEN[8:] not in answer.err
    if output == "text":
        assert "a.yaml:8:" in answer.err


@pytest.mark.parametrize("name", ["WANDB_API_KEY", "AWS_SECRET_ACCESS_KEY", "db_password"])
def test_a_variable_that_may_be_one_is_a_warning_at_its_line(folder: Path, name: str) -> None:
    more = f'  env:\n    A: "1"\n    {name}: {SUSPECTED}\n'
    code, _, err = build(folder, more)
    assert (code, err.count("TJ109")) == (0, 1), err
    assert f"warning[TJ109] a.yaml:10:{len(name) + 7}: the name {name} suggests a secret" in err
    assert f"{name}: {{secret: {name.lower().replace('_', '-')}, key: {name}}} in an experiment" in err
    assert SUSPECTED not in err
    (folder / "tjgen.yaml").write_text(PROJECT % fingerprint(SUSPECTED))
    assert build(folder, more)[2] == ""


def test_a_password_in_a_url_is_a_warning_at_its_line(folder: Path) -> None:
    more = '  env:\n    A: "1"\n    DB_URL: "postgres://u:%s@db/x"\n'
    code, _, err = build(folder, more % SUSPECTED)
    assert (code, err.count("TJ109")) == (0, 1), err
    assert "warning[TJ109] a.yaml:10:13: the URL in DB_URL has a password" in err
    assert SUSPECTED not in err
    for harmless in ("$(PASSWORD)", "${PASSWORD}", "****"):
        assert "TJ109" not in build(folder, more % harmless)[2]
    assert "TJ109" not in build(folder, more.replace("u:%s", "u"))[2]


@pytest.mark.parametrize("value", ['"true"', "/run/secrets/key", "$(OTHER)", "<pad>", '"[PAD]"', "{secret: a, key: b}"])
def test_a_value_that_cannot_be_one_is_none(folder: Path, value: str) -> None:
    assert "TJ109" not in build(folder, f"  env: {{OTHER: a, API_TOKEN: {value}}}\n")[2]


def test_each_of_several_similar_runs_is_looked_at(folder: Path) -> None:
    values = ["$(OTHER)1", "$(OTHER)2", "$(OTHER)3", SUSPECTED, f"{SUSPECTED}2"]
    experiments = [EXPERIMENT.replace("probe", f"probe-{place}") for place in range(len(values))]
    texts = [f'{one}  env: {{OTHER: a, API_TOKEN: "{value}"}}\n' for one, value in zip(experiments, values, strict=True)]
    for place, text in enumerate(texts):
        (folder / f"{place}.yaml").write_text(text)
    names = [f"{place}.yaml" for place in range(len(texts))]
    built = tjgen(folder, "build", *names)
    assert [f"{name}:8:" in built.err for name in names] == [False, False, False, True, True]
    for name in names:
        (folder / name).write_text(tjgen(folder, "build", name).out)
    assert tjgen(folder, "check", *names).err.count("TJ109") == 2


def test_check_finds_them_in_manifests(folder: Path) -> None:
    hidden = b64encode(f"x\n{KEY}\n".encode()).decode()
    manifests = [
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"key.txt": KEY}},
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "b"}, "binaryData": {"key.txt": hidden}},
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "annotations": {"x": TOKEN}}},
        {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "d"}, "stringData": {"key": KEY}},
    ]
    (folder / "m.yaml").write_text("---\n".join(json.dumps(one) + "\n" for one in manifests))
    answer = tjgen(folder, "check", "m.yaml")
    assert (answer.code, answer.err.count("error[TJ109]")) == (1, 3), answer.err
    assert "Ab3" not in answer.err
    assert hidden[:20] not in answer.err
    tokens = [next(find(text)) for text in (KEY, TOKEN)]
    (folder / "tjgen.yaml").write_text(PROJECT % ": x, ".join(one.fingerprint for one in tokens))
    assert tjgen(folder, "check", "m.yaml").code == 0


def test_no_other_diagnostic_prints_one(folder: Path) -> None:
    code, _, err = build(folder, f"  nodes: {TOKEN}\n  imagee: {TOKEN}\n  gpu: {TOKEN}\n")
    assert code == 1
    assert TOKEN[8:] not in err
