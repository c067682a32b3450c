"""What is printed of manifests has no secret: not a token, and not the value of a variable whose name suggests one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.gitops.verify.repository import build, commit, experiment, start
from tests.program import tjgen
from tjgen.trees.diagnostics import suspected
from tjgen.trees.manifests.secrets import HIDDEN, without_secrets

KEY = "wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY"
TOKEN = f"hf_{'a1B2' * 8}"


@pytest.mark.parametrize(
    ("value", "path", "kind", "wanted"),
    [
        (KEY, ("env", (("name", "AWS_SECRET_ACCESS_KEY"),), "value"), "Pod", HIDDEN),
        ("8", ("env", (("name", "BATCH"),), "value"), "Pod", "8"),
        ("$(OTHER)", ("env", (("name", "API_KEY"),), "value"), "Pod", "$(OTHER)"),
        ([{"name": "API_KEY", "value": KEY}, {"name": "A", "value": "1"}], ("env",), "Pod", [
            {"name": "API_KEY", "value": HIDDEN},
            {"name": "A", "value": "1"},
        ]),
        ({"name": "WANDB_API_KEY", "valueFrom": {"secretKeyRef": {"name": "w", "key": "k"}}}, ("env", 0), "Pod", {
            "name": "WANDB_API_KEY",
            "valueFrom": {"secretKeyRef": {"name": "w", "key": "k"}},
        }),
        (f"run {TOKEN}", ("args", 0), "Pod", f"run {'*' * len(TOKEN)}"),
        ("abc", ("stringData", "key"), "Secret", HIDDEN),
        ({"key": "abc"}, ("data",), "Secret", {"key": HIDDEN}),
        ({"key": "<random>"}, ("data",), "Secret", {"key": "<random>"}),
        ({"key": "abc"}, ("data",), "ConfigMap", {"key": "abc"}),
        (3, ("replicas",), "Job", 3),
    ],
)  # fmt: skip
def test_a_value_is_printed_without_secrets(value: Any, path: Any, kind: str, wanted: Any) -> None:
    assert without_secrets(value, path, kind) == wanted


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        (f"env: {{API_KEY: {KEY}, BATCH: 8}}", f"env: {{API_KEY: {'*' * len(KEY)}, BATCH: 8}}"),
        (f'  API_KEY: "{KEY}"', f'  API_KEY: "{"*" * len(KEY)}"'),
        (f"export HF_TOKEN={KEY} && train", f"export HF_TOKEN={'*' * len(KEY)} && train"),
        ("  API_KEY: {secret: wandb, key: key}", "  API_KEY: {secret: wandb, key: key}"),
        ("  token: abc", "  token: abc"),
        ("  TOKEN: $(OTHER)", "  TOKEN: $(OTHER)"),
        ("  MONKEY: 3", "  MONKEY: 3"),
    ],
)
def test_a_line_is_printed_without_suspected_secrets(line: str, wanted: str) -> None:
    assert suspected.concealed(line) == wanted


@pytest.mark.parametrize(
    "words",
    [
        ("build",),
        ("build", "--check"),
        ("verify",),
        ("verify", "--format", "markdown"),
        ("verify", "--format", "json"),
        ("diff", "HEAD"),
        ("diff", "HEAD", "--format", "json"),
        ("explain", "experiments/letters.yaml"),
        ("explain", "experiments/letters.yaml", "--format", "json"),
        ("lint",),
        ("report", "-o", "report.html"),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("token", ["", TOKEN], ids=["suspected", "with a token"])
def test_no_command_prints_a_suspected_secret(tmp_path: Path, words: tuple[str, ...], token: str) -> None:
    folder = tmp_path / "project"
    start(folder)
    experiment(folder, "letters", more=f"  env: {{API_KEY: {KEY}, A: 1}}\n")
    build(folder)
    commit(folder)
    other = f", OTHER: {token}" if token else ""
    experiment(folder, "letters", more=f"  env: {{API_KEY: {KEY}2, A: 2{other}}}\n")
    answer = tjgen(folder, *words)
    report = folder / "report.html"
    printed = answer.out + answer.err + (report.read_text(encoding="utf-8") if report.exists() else "")
    assert printed
    assert (KEY in printed, TOKEN in printed) == (False, False), printed
