"""No text of an input adds a line to what is generated, or writes to the terminal or the log that shows it."""

from __future__ import annotations

import json
import os
import unicodedata
from pathlib import Path

import pytest

from tests.program import tjgen
from tjgen.cli.command import FORMAT
from tjgen.trees.diagnostics.printable import visible

EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: probe, namespace: team}
spec:
  runtime: tjgen-torch
  image: registry.example.com/team/train:1
  script: train.py
  code:
    build: {image: registry.example.com/team/built, directory: src, secret: push, MORE}
"""
ESCAPE = "\x1b[31m"
UNSEEN = "\u200b\u200d\u2060\xad\u2028\u061c\ufe0f\U000e0041\u3164\ufff9"
"""One of each kind of characters that a reader cannot see."""
HOSTILE = f"x{ESCAPE}\u202e{UNSEEN}\n::error::owned\n##[add-mask]owned"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    (tmp_path / "src/train.py").write_text("pass\n")
    return tmp_path


@pytest.mark.parametrize(
    "more",
    [
        'base: "x:1\\nRUN curl evil"',
        'packages: ["torch\\nRUN curl evil"]',
        'system: ["git\\rRUN curl evil"]',
        'cache: "x\\u2028RUN"',
        'provided: ["a\\u202eb"]',
        'base: "x:1\\u0085RUN"',
    ],
)
def test_a_line_break_adds_no_line_to_a_dockerfile(folder: Path, more: str) -> None:
    (folder / "a.yaml").write_text(EXPERIMENT.replace("MORE", more))
    answer = tjgen(folder, "build", "a.yaml")
    assert (answer.code, answer.out) == (1, "")
    assert "error[TJ110] a.yaml:9:" in answer.err


@pytest.mark.parametrize("base", ["x:1 AS y", "--platform=x y"])
def test_a_base_is_the_name_of_an_image(folder: Path, base: str) -> None:
    (folder / "a.yaml").write_text(EXPERIMENT.replace("MORE", f'base: "{base}"'))
    answer = tjgen(folder, "build", "a.yaml")
    assert (answer.code, "error[TJ111] a.yaml:9:" in answer.err) == (1, True), answer.err


def test_a_list_of_packages_adds_no_line_either(folder: Path) -> None:
    (folder / "src/pyproject.toml").write_text('[project]\nname = "x"\nversion = "1"\ndependencies = ["torch\\nRUN curl evil"]\n')
    (folder / "a.yaml").write_text(EXPERIMENT.replace("MORE", "base: x"))
    answer = tjgen(folder, "build", "a.yaml")
    assert (answer.code, "RUN curl" in answer.out) == (1, False), answer.out


def test_blanks_and_dollars_in_folders_stay_where_they_are(folder: Path) -> None:
    more = EXPERIMENT.replace("MORE", "base: x").replace("  code:\n", "  code:\n    mountPath: /a b$HOME\n")
    (folder / "a.yaml").write_text(more)
    answer = tjgen(folder, "build", "a.yaml")
    assert answer.code == 0, answer.err
    assert 'COPY [".", "/a b\\\\$HOME"]' in answer.out
    assert 'ENV PYTHONPATH="/a b\\$HOME"' in answer.out


@pytest.mark.parametrize("kind", ["Project", "Overlay", "Platform"])
def test_other_documents_are_checked_too(folder: Path, kind: str) -> None:
    (folder / "tjgen.yaml").write_text(
        "apiVersion: tjgen.dev/v1alpha1\nkind: Project\n"
        + ('metadata: {name: "a\\nb"}\nspec: {}\n' if kind == "Project" else "spec: {overlays: [o.yaml], platforms: [p.yaml]}\n")
    )
    (folder / "o.yaml").write_text(
        'apiVersion: tjgen.dev/v1alpha1\nkind: Overlay\nmetadata: {name: "a\\nb"}\nspec: {experiment: {nodes: 1}}\n'
    )
    (folder / "p.yaml").write_text('apiVersion: tjgen.dev/v1alpha1\nkind: Platform\nmetadata: {name: "a\\nb"}\nspec: {}\n')
    (folder / "a.yaml").write_text(EXPERIMENT.replace("MORE", "base: x"))
    answer = tjgen(folder, "build", "a.yaml")
    assert (answer.code, "TJ110" in answer.err) == (1, True), answer.err


def test_texts_of_several_lines_stay_possible(folder: Path) -> None:
    text = EXPERIMENT.partition("  code:")[0] + '  env: {A: "b\\nc"}\n  pod: {annotations: {a: "a\\nb"}}\n'
    (folder / "a.yaml").write_text(text)
    assert tjgen(folder, "build", "a.yaml").code == 0


def inputs(folder: Path) -> None:
    """Names of files, values and keys that hold control characters, in places where something is reported."""
    name = f"e{ESCAPE}\u202e{UNSEEN}x.yaml"
    (folder / name).write_text("apiVersion: tjgen.dev/v1alpha1\nkind: Experiment\nmetadata: {name: A B}\nspec: {}\n")
    value = json.dumps(HOSTILE)
    (folder / "value.yaml").write_text(
        "apiVersion: tjgen.dev/v1alpha1\nkind: Experiment\nmetadata: {name: probe, namespace: team}\n"
        f"spec: {{runtime: {value}, image: {value}, nodes: {value}, {value}: 1,\n"
        f"  volumes: {{a: {{pvc: x, mountPath: {value}}}}}}}\n"
    )
    (folder / "known.yaml").write_text(
        "apiVersion: tjgen.dev/v1alpha1\nkind: Experiment\nmetadata: {name: known, namespace: team}\n"
        f"spec: {{runtime: tjgen-torch, script: train.py, env: {{A: {value}}},\n"
        f"  patches: {{{value}: {{target: {{kind: X, name: {value}}}, merge: {{a: {value}}}}}}}}}\n"
    )
    (folder / "object.yaml").write_text(
        f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {value}, namespace: {value}}}\ndata: {{{value}: {value}}}\n---\n"
        f"apiVersion: {value}\nkind: {value}\nmetadata: {{name: x}}\n"
    )


COMMANDS = (
    ("build", "."),
    ("build", "known.yaml", "--summary"),
    ("check", "."),
    ("lint", "."),
    ("explain", "known.yaml"),
    ("pin", "known.yaml", "--check"),
    ("expand", "object.yaml"),
    ("convert", "object.yaml"),
)


@pytest.mark.parametrize("form", FORMAT.choices)
@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_nothing_of_an_input_writes_to_a_terminal_or_a_log(folder: Path, words: tuple[str, ...], form: str) -> None:
    inputs(folder)
    answer = tjgen(folder, *words, "--format", form)
    for stream in (answer.out, answer.err):
        assert ESCAPE not in stream
        assert "\x1b" not in stream
        assert "\u202e" not in stream
        # Manifests are YAML or JSON: what a reader of a diff could miss is an escape there, too.
        assert not set(UNSEEN) & set(stream)
    for line in answer.err.split("\n"):
        assert "##[" not in line
        assert not line.strip().startswith("::") or (
            form == "github" and line.startswith(("::error file=", "::error title", "::warning ", "::notice "))
        ), line


def test_a_comparison_does_not_either(folder: Path) -> None:
    inputs(folder)
    (folder / "new").mkdir()
    os.rename(folder / "object.yaml", folder / "new/object.yaml")
    (folder / "old").mkdir()
    (folder / "old/object.yaml").write_text((folder / "new/object.yaml").read_text().replace("owned", "other"))
    for form in ("text", "json"):
        answer = tjgen(folder, "check", "--against", "old", "new", "--format", form)
        assert "\x1b" not in answer.out + answer.err
        assert not [line for line in (answer.out + answer.err).split("\n") if line.strip().startswith("::")]


SEEN = "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
"""Signs before numbers in Arabic and Kaithi, which are format characters with a shape of their own."""
BEYOND = range(0x13430, 0x13460)
"""Egyptian hieroglyphs have format characters that arrange them."""


def test_no_character_that_a_reader_cannot_see_is_printed() -> None:
    """By the categories of Unicode, apart from the table of the product."""
    raw = [
        f"{code:04x}"
        for code in range(0x110000)
        if unicodedata.category(character := chr(code)) in ("Cc", "Cf", "Cs", "Zl", "Zp")
        and character not in SEEN
        and code not in BEYOND
        and character != "\t"
        and visible(character) == character
    ]
    assert raw == []


@pytest.mark.parametrize("text", ["a b", "\u00e4\u4e2d\u0301\U0001f600", "caf\u0065\u0301", "\u0641\u0627", "a\tb"])
def test_what_a_reader_can_see_stays(text: str) -> None:
    assert visible(text) == text


def test_an_excerpt_shows_a_character_without_width(folder: Path) -> None:
    (folder / "a.yaml").write_text(
        EXPERIMENT.replace(", MORE", "").replace("nodes", "").replace("  script", "  no\u200bdes: 2\n  script")
    )
    answer = tjgen(folder, "build", "a.yaml")
    assert answer.code == 1
    assert "| " in answer.err
    assert "no\\u200bdes: 2" in answer.err
    assert "\u200b" not in answer.err
