"""Pages, and comments of YAML files for users, are in plain English, as far as a program can check it.

CONTRIBUTING.md has the rules, and wording.toml the word list.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tests.checkout import ROOT, tracked

RULES: dict[str, Any] = tomllib.loads((Path(__file__).parent / "wording.toml").read_text(encoding="utf-8"))
LEFT_OUT = {
    "CONTRIBUTING.md#English": "the table of this section quotes what not to write",
}
"""Pages and sections that are not checked, with the reason."""

COMMENTED = ("examples/", "runtimes/", "overlays/", "platforms/", "templates/", "integrations/", "action.yml")
"""Folders of YAML files whose comments users read."""
GENERATED = ("/deploy/", "/tjgen.lock.d/")
"""Folders of YAML files whose comments come from code."""

IGNORED = re.compile(r"^( *)```.*?^ *```$|<!--.*?-->", re.M | re.S)
CODE = re.compile(r"`[^`]*`")
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
ITEM = re.compile(r"^ *(?:[-*]|\d+\.) +")
END = re.compile(r"(?<=[.!?])[*)\]]*\s+(?=[A-Z`*(\[@]|tjgen\b)")


class Text(NamedTuple):
    """A heading, paragraph, list item or table cell, without code."""

    line: int
    text: str
    is_prose: bool
    """Whether it consists of sentences: a paragraph or a list item."""


def texts(page: str) -> Iterator[Text]:
    """Return the texts of a page. Fenced blocks, comments and the targets of links are left out; code is one word, `@`."""
    page = IGNORED.sub(lambda found: "\n" * found[0].count("\n"), page)
    lines: list[str] = []
    begin = 0
    for number, line in enumerate([*page.split("\n"), ""], 1):
        is_cell, is_heading = line.startswith("|"), line.startswith("#")
        if lines and (not line.strip() or is_cell or is_heading or ITEM.match(line)):
            yield Text(begin, plain(" ".join(lines)), is_prose=True)
            lines = []
        if is_cell:
            for cell in line.strip("|").split(" | "):
                yield Text(number, plain(cell), is_prose=False)
        elif is_heading:
            yield Text(number, plain(line.lstrip("#")), is_prose=False)
        elif line.strip():
            begin = begin if lines else number
            lines.append(ITEM.sub("", line).strip())


def comments(file: str) -> str:
    """Return the comments of a YAML file as a page. Lines that are indented within a comment show commands."""
    return "\n".join(found[1] if (found := re.match(r" *# (\S.*)", line)) else "" for line in file.split("\n"))


def plain(text: str) -> str:
    return LINK.sub(r"[\1]", CODE.sub("@", text)).replace("**", "").strip()


def violations(page: str) -> Iterator[tuple[int, str, str]]:
    """Return the line, the text and the failed rule of each violation."""
    for line, text, is_prose in texts(page):
        for rule in RULES["word"]:
            for found in re.finditer(rule["find"], text, re.I):
                yield line, text, f'"{found[0]}": write {rule["use"]}'
        for sentence in END.split(text):
            words = sum(bool(re.search(r"[\w@]", word)) for word in sentence.split())
            if words > RULES["most-words"]:
                yield line, sentence, f"a sentence of {words} words: at most {RULES['most-words']}"
            for rule in RULES["start"] if is_prose else ():
                if start := re.match(rule["find"], sentence):
                    yield line, sentence, f'starts with "{start[0]}": {rule["use"]}'


def without(page: str, section: str) -> str:
    """Return a page in which the lines of a section are empty."""
    return re.sub(rf"^## {section}$.*?(?=^## )", lambda found: "\n" * found[0].count("\n"), page, flags=re.M | re.S)


def checked() -> Iterator[tuple[str, str]]:
    """Return the name of each page and of each commented file, with the text to check."""
    for name in tracked():
        if name.endswith(".md") and not name.startswith((*LEFT_OUT, "tests/")):
            text = (ROOT / name).read_text(encoding="utf-8")
            for section in (key.partition("#")[2] for key in LEFT_OUT if key.startswith(f"{name}#")):
                text = without(text, section)
            yield name, text
        elif name.startswith(COMMENTED) and name.endswith((".yaml", ".yml")) and not any(part in name for part in GENERATED):
            yield name, comments((ROOT / name).read_text(encoding="utf-8"))


def test_pages_are_in_plain_english() -> None:
    """One test for all pages: the message lists every violation. Exceptions need a reason in wording.toml."""
    exceptions = RULES.get("exception", [])
    wrong, used = [], []
    for name, page in checked():
        for line, text, problem in violations(page):
            excused = [one for one in exceptions if one["page"] == name and one["text"] in text]
            used += excused
            if not excused:
                wrong.append(f"{name}:{line}: {problem}\n    {text[:160]}")
    assert wrong == [], "\n".join(["", *wrong])
    assert [one for one in exceptions if one not in used] == [], "exceptions in wording.toml that are not needed"
    assert all(one["reason"] for one in exceptions)


def test_comments_of_yaml_are_checked() -> None:
    file = "# A run\n# that nobody needs.\n#   tjgen tells nothing\nkind: X  # said\nspec:\n  # It lies here.\n"
    assert [(line, problem.split(":")[0]) for line, _, problem in violations(comments(file))] == [(1, '"nobody"'), (6, '"lies"')]


def test_the_example_of_each_rule_violates_it() -> None:
    for rule in (*RULES["word"], *RULES["start"]):
        assert [problem for _, _, problem in violations(rule["example"]) if rule["use"] in problem], rule["find"]


def test_a_planted_sentence_is_found_at_its_line() -> None:
    head = "# Title\n\n```sh\nnobody says this\n```\n\nA [link](nobody.md) and `nobody`.\nTwo lines.\n\n"
    page = head + "- An item\n- Somebody is told.\n"
    assert [(line, problem.split(":")[0]) for line, _, problem in violations(page)] == [
        (11, '"told"'),
        (11, '"Somebody"'),
        (11, 'starts with "Somebody"'),
    ]
    assert list(violations(f"One {'word ' * 28}ends. Next.")) == []
    assert [problem for _, _, problem in violations(f"One {'word ' * 29}ends.")] == ["a sentence of 31 words: at most 30"]
    assert [problem for _, _, problem in violations("| `beside` | kept beside |")] == [
        '"beside": write ' + RULES["word"][6]["use"]
    ]


REPORTING = ("Diagnostic", "Finding", "Note", "diagnostic", "refused")
"""Functions whose arguments are messages and hints."""


def messages(source: str) -> Iterator[tuple[int, str]]:
    """Return the line and the text of each message and hint of a module; values in it are `@`."""
    for node in ast.walk(ast.parse(source)):
        texts: list[ast.AST] = []
        if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) in REPORTING:
            texts = [*node.args, *[keyword.value for keyword in node.keywords]]
        elif isinstance(node, ast.Assign) and {"message", "hint"} & {
            one.id for one in ast.walk(node) if isinstance(one, ast.Name)
        }:
            texts = [node.value]
        for text in texts:
            if isinstance(text, ast.Constant) and isinstance(text.value, str):
                yield text.lineno, text.value
            elif isinstance(text, ast.JoinedStr):
                yield text.lineno, "".join(str(one.value) if isinstance(one, ast.Constant) else "@" for one in text.values)


def test_messages_are_in_plain_english() -> None:
    """Messages and hints in code follow the same rules as pages."""
    wrong = {
        f"{name}:{line}: {problem}\n    {text[:160]}"
        for name in tracked()
        if name.startswith("tjgen/") and name.endswith(".py")
        for line, text in messages((ROOT / name).read_text(encoding="utf-8"))
        for _, _, problem in violations(text)
    }
    assert not wrong, "\n".join(["", *sorted(wrong)])


MIRRORED = ("tjgen/cluster/validate/", "tjgen/cluster/webhooks/", "tjgen/cluster/scheduling/", "tjgen/cluster/queueing/")
"""Packages that repeat sentences of the API server, webhooks and schedulers word for word."""
TEXT_ONLY = re.compile(
    r"^(say|ask|leave [\w.@-]+ out)\b|\bleave (it|one of them|all) out\b|, too\b(?! )|\bleads? out of\b|\bexclude each other\b"
    r"|\bin its way\b|\b(is|are) not known\b|\bcannot say\b|\bcame before\b|\bgives? none\b|\bso (much|many)$|\botherwise now\b",
    re.I,
)
"""Words of former messages that pages may use: write set, remove, also, points outside, are mutually exclusive, unknown."""


def strings(source: str) -> Iterator[tuple[int, str]]:
    """Return the line and text of each one-line string of at least three words, except docstrings and texts of assertions."""
    tree = ast.parse(source)
    skipped: set[ast.AST] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=docstring):
                skipped.add(docstring)
            case ast.JoinedStr(values=parts):
                skipped.update(parts)
            case ast.Assert(msg=ast.AST() as message):
                skipped.update(ast.walk(message))
            case ast.Call(func=ast.Name(id="AssertionError")):
                skipped.update(ast.walk(node))
    for node in ast.walk(tree):
        if node in skipped:
            continue
        match node:
            case ast.Constant(value=str(text), lineno=line):
                pass
            case ast.JoinedStr(values=parts, lineno=line):
                text = "".join(str(one.value) if isinstance(one, ast.Constant) else "@" for one in parts)
            case _:
                continue
        if len(text.split()) >= 3 and "\n" not in text:
            yield line, text


def string_violations(source: str) -> Iterator[tuple[int, str, str]]:
    """Return the line, the word and the text of each violation in the strings of a module."""
    rules = [TEXT_ONLY, *(re.compile(rule["find"], re.I) for rule in RULES["word"])]
    for line, text in strings(source):
        for rule in rules:
            for found in rule.finditer(text):
                yield line, found[0], text


def test_strings_of_programs_are_in_plain_english() -> None:
    """Texts that reach a user through tables, constants and raised errors follow the rules of messages."""
    wrong = [
        f'{name}:{line}: "{word}": {text[:160]}'
        for name in tracked()
        if name.startswith("tjgen/") and name.endswith(".py") and not name.startswith(MIRRORED)
        for line, word, text in string_violations((ROOT / name).read_text(encoding="utf-8"))
    ]
    assert wrong == [], "\n".join(["", *wrong])


def test_a_planted_string_is_found() -> None:
    source = (
        '"""Nobody says it."""\nHINTS = {"a": "say gitops.tool: argocd or flux", "b": f"leave {1} out, or remove it"}\n'
        'raise E(f"path {2} leads out of the volume")\nassert x, "a rule tells it"\ny = "it is gone, too"\n'
    )
    assert sorted((line, word) for line, word, _ in string_violations(source)) == [
        (2, "leave @ out"),
        (2, "say"),
        (2, "say"),
        (3, "leads out of"),
        (5, ", too"),
        (5, "is gone"),
    ]


def test_a_planted_message_is_found() -> None:
    source = 'def f():\n    message = f"nobody knows {1}"\n    yield Diagnostic("TJ101", message, hint="say it")\n'
    assert [(line, problem.split(":")[0]) for line, text in messages(source) for _, _, problem in violations(text)] == [
        (2, '"knows"'),
        (2, '"nobody"'),
        (3, '"say"'),
    ]


UNCHECKED_IN_CODE = ("(judge|judges|",)
"""Beginnings of the word rules for pages that code does not follow: docs/architecture.md defines `judge` and `verdict`."""
CODE_ONLY = re.compile(r"\b(held|made|gone|asking|becomes? of|tells? apart|not there|are there|is there)\b", re.I)
"""Words of former comments that pages may use: write stored, created, removed, exist."""


def prose(source: str) -> Iterator[tuple[int, str]]:
    """Return the line and the text of each line of docstrings, and of each comment, of a module; code in it is `@`."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text), lineno=begin)):
                for number, line in enumerate(text.split("\n"), begin):
                    yield number, CODE.sub("@", line).strip()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], CODE.sub("@", token.string).lstrip("# ")


def code_violations(source: str) -> Iterator[tuple[int, str, str]]:
    """Return the line, the text and the word of each violation in the comments and docstrings of a module."""
    for number, text in prose(source):
        for rule in CODE_RULES:
            for match in rule.finditer(text):
                yield number, text, match[0]


CODE_RULES = [
    CODE_ONLY,
    *(re.compile(rule["find"], re.I) for rule in RULES["word"] if not any(part in rule["find"] for part in UNCHECKED_IN_CODE)),
]


def test_comments_and_docstrings_are_in_plain_english() -> None:
    wrong = [
        f'{name}:{line}: "{word}": {text[:160]}'
        for name in tracked()
        if name.startswith("tjgen/") and name.endswith(".py")
        for line, text, word in code_violations((ROOT / name).read_text(encoding="utf-8"))
    ]
    assert wrong == [], "\n".join(["", *wrong])


def test_each_rule_that_code_does_not_follow_is_a_rule() -> None:
    for part in UNCHECKED_IN_CODE:
        assert [rule for rule in RULES["word"] if part in rule["find"]], part


def test_a_planted_comment_or_docstring_is_found() -> None:
    source = '"""The build\nsays it."""\nx = 1  # nobody asked\ny = 2  # `said`\n# It was made here.\n'
    assert [(line, word) for line, _, word in code_violations(source)] == [(2, "says"), (3, "asked"), (3, "nobody"), (5, "made")]
