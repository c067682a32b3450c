"""The rules of lint, and their good and bad examples in tests/gitops/lint -> a page for each, their index, and their codes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from docs.generate.markdown import NOTICE, table
from tests.checkout import list_entries
from tjgen.cluster.synctools.table import BY_NAME, TOOLS
from tjgen.gitops.lint.reasons import REASONS
from tjgen.gitops.lint.rule import EVIDENCE, Rule
from tjgen.gitops.lint.table import entries
from tjgen.trees.diagnostics.codes import ACTIVE

ROOT = Path(__file__).parent.parent.parent
EXAMPLES = ROOT / "tests" / "gitops" / "lint"
INTRODUCTION = """\
[`tjgen lint`](../how-to/lint.md) finds these problems, which occur when Argo CD or Flux syncs manifests of training jobs.
A rule is an error if the problem was observed or read in the source, and does harm. Deduced problems are warnings. Rules marked
*against* compare with the objects that are synced now, and need `--against`.
"""
_LINES = 80
_WIDTH = 140
UNRULED = "Problems that manifests and their history do not show, or that another command reports.\n"
CODES = "# The codes of the rules of lint, made from them by `python -m docs.generate`: change the rules.\n"


def pages() -> dict[str, str]:
    """Path in the reference -> text."""
    rules = [entry.rule for entry in entries()]
    return {"rules.md": _index(rules), **{page_of(rule.code): _page(rule) for rule in rules}}


def page_of(code: str) -> str:
    """The page of a rule, from the folder of the reference."""
    return f"rules/{code}.md"


def codes_of_rules() -> set[str]:
    """The codes that have such a page."""
    return {rule.code for rule in _rules()}


def codes() -> str:
    """The file with the codes."""
    parts = [CODES]
    for rule in _rules():
        entry = {
            "name": rule.name,
            "severity": rule.severity,
            "since": rule.since,
            "status": ACTIVE,
            "meaning": f"{rule.title} {rule.why}",
            "remedy": rule.remedy,
        }
        # A string of JSON is a basic string of TOML.
        parts.append("".join([f"[{rule.code}]\n", *(f"{key} = {json.dumps(text)}\n" for key, text in entry.items())]))
    return "\n".join(parts)


def _rules() -> list[Rule]:
    return [entry.rule for entry in entries()]


def _index(rules: list[Rule]) -> str:
    header = ("Rule", "Name", "Severity", "Matters for", "", "What it finds")
    rows = [
        (f"[{rule.code}](rules/{rule.code}.md)", f"`{rule.name}`", rule.severity, _tools(rule), _against(rule), rule.title)
        for rule in rules
    ]
    parts = ["# Rules of lint\n", NOTICE, INTRODUCTION, table(header, rows)]
    if REASONS:
        parts += ["## Pitfalls without a rule\n", UNRULED, table(("Pitfall", "Why no rule covers it"), REASONS)]
    return "\n".join(parts)


def _tools(rule: Rule) -> str:
    return ", ".join(BY_NAME[tool].title for tool in rule.tools) or "all"


def _against(rule: Rule) -> str:
    return ", ".join([*(["against"] if rule.against else []), *([] if rule.by_default else ["off by default"])])


def _page(rule: Rule) -> str:
    facts = (
        f"`{rule.name}`, {rule.severity}, for {_tools(rule)}{', with `--against`' if rule.against else ''}"
        f"{'' if rule.by_default else ', off by default'}, since {rule.since}\n"
    )
    parts = [f"# {rule.code}: {rule.title.rstrip('.')}\n", NOTICE, facts, f"{rule.why}\n", f"**To fix it:** {rule.remedy}\n"]
    parts += [f"**{tool.title}:** {rule.effects[tool.name]}\n" for tool in TOOLS if tool.name in rule.effects]
    if rule.release:
        parts.append(f"**Upstream release:** {rule.release} and later.\n")
    parts.append(f"**How it is known:** {rule.evidence}: {EVIDENCE[rule.evidence]}.\n")
    if rule.upstream:
        parts.append(f"**Upstream:** {rule.upstream}\n")
    parts.append(f"**Source:** <{rule.source}>\n")
    parts += _example(rule, "bad", "Found") + _example(rule, "good", "Not found")
    return "\n".join(parts)


def _example(rule: Rule, name: str, title: str) -> list[str]:
    folder = EXAMPLES / rule.code / name
    parts = [f"## {title}\n"]
    if (folder / "before").is_dir():
        parts += ["Before:\n", *_files(folder / "before"), "After:\n"]
    parts += _files(folder)
    findings = folder / "expected" / "findings.txt"
    if findings.exists():
        parts.append(f"```text\n{findings.read_text(encoding='utf-8')}```\n")
    cure = folder / "expected" / "cured.diff"
    if cure.exists():
        parts += ["Changes of `--fix`:\n", f"```diff\n{cure.read_text(encoding='utf-8')}```\n"]
    return parts


def _files(folder: Path) -> list[str]:
    return [f"```yaml\n{text}```\n" for text in _texts(folder)] or ["Nothing.\n"]


def _texts(folder: Path) -> Iterator[str]:
    for path in list_entries(folder, "**/*.yaml"):
        inner = path.relative_to(folder).parts
        if inner[0] not in ("before", "expected"):
            text = _short(path.read_text(encoding="utf-8"))
            yield text if len(inner) == 1 and len(list_entries(folder, "*.yaml")) == 1 else f"# {'/'.join(inner)}\n{text}"


def _short(text: str) -> str:
    """The text without what a reader would skip: long lines, and the rest of a long file."""
    lines = [line if len(line) <= _WIDTH else f"{line[:_WIDTH]} ..." for line in text.splitlines()]
    more = [f"# ... {len(lines) - _LINES} more lines"] if len(lines) > _LINES else []
    return "".join(f"{line}\n" for line in [*lines[:_LINES], *more])
