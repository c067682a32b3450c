"""Diagnostics as people see them: the whole text is compared."""

from __future__ import annotations

from pathlib import Path

import pytest

from tjgen.trees.diagnostics.model import ERROR, INFO, WARNING, Diagnostic, Note, ObjectRef, Span
from tjgen.trees.diagnostics.render.text import render, summary
from tjgen.trees.fields.path import named
from tjgen.trees.source.ondisk import text_of

FILES = {
    "a.yaml": "kind: Experiment\nspec:\n  imagee: x\n\n  nodes: 2\n",
    "tabs.yaml": "a:\t\tb\tc\n",
    "wide.yaml": "日本: é\u0301x 한국\n",
    "long.yaml": "k: " + "x " * 100 + "HERE " + "y " * 100 + "\n",
    "short.yaml": "k: " + "x" * 200 + "\n",
    "escape.yaml": "a: \x1b[31mred\u202e\n",
    "windows.yaml": "\ufeffa: 1\r\nb: 2\r\n",
    "mac.yaml": "a: 1\rb: 2\r",
    "unfinished.yaml": "a: [",
}


def shown(diagnostic: Diagnostic, *, color: bool = False) -> str:
    return render([diagnostic], FILES.get, color=color)


def at(file: str, line: int, column: int, end_line: int | None = None, end_column: int | None = None) -> Diagnostic:
    span = Span(file, line, column, end_line or line, column + 1 if end_column is None else end_column)
    return Diagnostic("TJ505", "it is wrong", span=span)


def test_an_error_with_its_line_and_a_hint() -> None:
    diagnostic = Diagnostic("TJ103", 'unknown field "imagee"', span=Span("a.yaml", 3, 3, 3, 9), hint='did you mean "image"?')
    assert shown(diagnostic) == (
        'error[TJ103] a.yaml:3:3: unknown field "imagee"\n  3 |   imagee: x\n    |   ^^^^^^\n  hint: did you mean "image"?\n'
    )


def test_related_places_have_lines_of_their_own() -> None:
    notes = (
        Note("first defined here", Span("a.yaml", 1, 1, 1, 5)),
        Note("somewhere else", Span("b.yaml", 100, 1, 100, 2)),
        Note("by the way"),
    )
    assert shown(at("a.yaml", 3, 3)._replace(related=notes)) == (
        "error[TJ505] a.yaml:3:3: it is wrong\n"
        "    3 |   imagee: x\n"
        "      |   ^\n"
        "  note: a.yaml:1:1: first defined here\n"
        "    1 | kind: Experiment\n"
        "      | ^^^^\n"
        "  note: b.yaml:100:1: somewhere else\n"
        "  note: by the way\n"
    )


def test_an_object_is_named_beside_the_place_or_instead_of_it() -> None:
    subject = ObjectRef("jobset.x-k8s.io/v1alpha2", "JobSet", "ml", "train")
    path = ("spec", "replicatedJobs", named("node"), "replicas")
    without = Diagnostic("TJ501", "it is wrong", subject=subject, path=path, severity=WARNING)
    assert shown(without) == "warning[TJ501] JobSet/train spec.replicatedJobs[name=node].replicas: it is wrong\n"
    assert shown(without._replace(subject=None)) == "warning[TJ501] spec.replicatedJobs[name=node].replicas: it is wrong\n"
    assert shown(without._replace(span=Span("a.yaml", 1, 1, 1, 5))) == (
        "warning[TJ501] a.yaml:1:1: it is wrong\n  1 | kind: Experiment\n    | ^^^^\n"
        "  in: JobSet/train spec.replicatedJobs[name=node].replicas\n"
    )


def test_without_any_place() -> None:
    assert shown(Diagnostic("TJ345", "it is so", hint="know it")) == "info[TJ345] it is so\n  hint: know it\n"


@pytest.mark.parametrize(
    ("diagnostic", "line", "carets"),
    [
        (at("a.yaml", 2, 1, 5, 11), "  2 | spec:", "    | ^^^^^"),
        (at("a.yaml", 3, 8, 3, 8), "  3 |   imagee: x", "    |        ^"),
        (at("a.yaml", 3, 12, 4, 1), "  3 |   imagee: x", "    |            ^"),
        (at("a.yaml", 3, 90, 3, 99), "  3 |   imagee: x", "    |            ^"),
        (at("a.yaml", 4, 1), "  4 |", "    | ^"),
        (at("tabs.yaml", 1, 5, 1, 7), "  1 | a:        b    c", "    |           ^^^^^"),
        (at("wide.yaml", 1, 1, 1, 3), "  1 | 日本: é\u0301x 한국", "    | ^^^^"),
        (at("wide.yaml", 1, 5, 1, 7), "  1 | 日本: é\u0301x 한국", "    |       ^"),
        (at("wide.yaml", 1, 9, 1, 11), "  1 | 日本: é\u0301x 한국", "    |          ^^^^"),
        (at("escape.yaml", 1, 9, 1, 12), "  1 | a: \\x1b[31mred\\u202e", "    |            ^^^"),
        (at("windows.yaml", 2, 1, 2, 2), "  2 | b: 2", "    | ^"),
        (at("windows.yaml", 1, 1, 1, 2), "  1 | a: 1", "    | ^"),
        (at("mac.yaml", 2, 4, 2, 5), "  2 | b: 2", "    |    ^"),
        (at("unfinished.yaml", 1, 5, 1, 5), "  1 | a: [", "    |     ^"),
    ],
)
def test_the_line_and_its_carets(diagnostic: Diagnostic, line: str, carets: str) -> None:
    assert shown(diagnostic).split("\n")[1:3] == [line, carets]


@pytest.mark.parametrize("diagnostic", [at("a.yaml", 6, 1), at("a.yaml", 60, 1), at("a.yaml", 0, 1), at("missing.yaml", 1, 1)])
def test_a_line_that_is_not_there_is_left_out(diagnostic: Diagnostic) -> None:
    assert shown(diagnostic) == f"error[TJ505] {diagnostic.span}: it is wrong\n"


def test_of_a_long_line_the_part_around_the_span_is_shown() -> None:
    _, line, carets, _ = shown(at("long.yaml", 1, 204, 1, 208)).split("\n")
    assert line == "  1 | ..." + ("x " * 100)[-37:] + "HERE" + (" " + "y " * 100)[:73] + "..."
    assert carets == "    | " + " " * 40 + "^^^^"


def test_a_long_span_is_cut() -> None:
    _, line, carets, _ = shown(at("short.yaml", 1, 4, 1, 204)).split("\n")
    assert line == "  1 | k: " + "x" * 114 + "..."
    assert carets == "    |    " + "^" * 117


def test_colour_carries_nothing_that_the_words_do_not() -> None:
    diagnostic = at("a.yaml", 3, 3)
    coloured = shown(diagnostic, color=True)
    assert coloured.startswith("\033[1;31merror[TJ505]\033[0m a.yaml:3:3: \033[1mit is wrong\033[0m\n")
    plain = coloured
    for code in ("\033[1;31m", "\033[1m", "\033[0m"):
        plain = plain.replace(code, "")
    assert plain == shown(diagnostic)


def test_messages_cannot_write_to_the_terminal() -> None:
    text = shown(Diagnostic("TJ505", "a \x1b[2J b", hint="c\x07", span=Span("d\x1b.yaml", 1, 1, 1, 1), related=(Note("e\x9b"),)))
    assert text == "error[TJ505] d\\x1b.yaml:1:1: a \\x1b[2J b\n  note: e\\x9b\n  hint: c\\x07\n"


def test_messages_of_several_lines_are_indented() -> None:
    assert shown(Diagnostic("TJ900", "one\ntwo", hint="three\nfour")) == "error[TJ900] one\n    two\n  hint: three\n    four\n"


def test_each_file_is_read_once() -> None:
    asked: list[str] = []

    def read(file: str) -> str | None:
        asked.append(file)
        return FILES.get(file)

    render([at("a.yaml", 1, 1), at("a.yaml", 3, 3), at("missing.yaml", 1, 1), at("missing.yaml", 2, 1)], read)
    assert asked == ["a.yaml", "missing.yaml"]


def test_excerpts_are_taken_from_files_that_are_text(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes(b"a: \xff\n")
    assert text_of(str(path)) is None
    path.write_bytes("\ufeffa: é\n".encode("utf-16"))
    assert text_of(str(path)) is not None
    assert render([at(str(path), 1, 4)], text_of).split("\n")[1] == "  1 | a: é"
    assert text_of(str(tmp_path / "none")) is None
    assert text_of(str(tmp_path)) is None
    assert text_of("a\0b") is None


@pytest.mark.parametrize(
    ("severities", "text"),
    [
        ([], ""),
        ([INFO], ""),
        ([ERROR], "1 error"),
        ([WARNING, WARNING, INFO], "2 warnings"),
        ([WARNING, ERROR, ERROR], "2 errors, 1 warning"),
    ],
)
def test_the_summary_counts(severities: list[str], text: str) -> None:
    assert summary([Diagnostic("TJ505", "m", severity=severity) for severity in severities]) == text
