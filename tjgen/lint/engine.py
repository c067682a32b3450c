"""A scene -> the diagnostics of all rules, without those that are silenced, and what is wrong with what silences them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tjgen.diagnostics.model import ERROR, WARNING, Diagnostic, Note, Span
from tjgen.k8s.nearest import nearest
from tjgen.lint.rule import ARGOCD, FLUX, Finding, Rule
from tjgen.lint.scene import Item, Scene
from tjgen.lint.suppress import Mark, in_annotations, in_text
from tjgen.lint.table import entries
from tjgen.typing import NamedTuple

UNUSED = ("TJ676", "unused-suppression")
UNREASONED = ("TJ677", "suppression-without-reason")
UNKNOWN = ("TJ678", "unknown-rule")
FRAMEWORK = (UNUSED[0], UNREASONED[0], UNKNOWN[0])


class Found(NamedTuple):
    """A finding with its diagnostic."""

    finding: Finding
    diagnostic: Diagnostic


class Choice(NamedTuple):
    """Which rules are asked: all, or those of `select`, without those of `ignore`. Codes."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()

    def takes(self, code: str) -> bool:
        """Whether a rule is asked."""
        return (not self.select or code in self.select) and code not in self.ignore


class Result(NamedTuple):
    """What lint found. `silenced` is what marks took away."""

    found: list[Found]
    diagnostics: list[Diagnostic]
    """Of all that was found, and of the marks, by place."""
    silenced: list[Found]


def lint(scene: Scene, texts: Mapping[str, str], choice: Choice = Choice()) -> Result:  # noqa: B008  # a value
    """Ask every rule that applies. `texts` holds the files whose comments may silence something: name -> text."""
    asked = [entry for entry in entries() if choice.takes(entry.rule.code) and applies(entry.rule, scene)]
    every = [Found(one, _diagnostic(entry.rule, one)) for entry in asked for one in entry.check(scene)]
    marks = [*(mark for file, text in texts.items() for mark in in_text(text, file)), *in_annotations(scene.items)]
    used: set[int] = set()
    found: list[Found] = []
    silenced: list[Found] = []
    for one in every:
        holding = [number for number, mark in enumerate(marks) if _silences(mark, one)]
        used.update(holding)
        (silenced if holding else found).append(one)
    wrong = [*_wrong(marks), *_unused(marks, used, {entry.rule.code for entry in asked})]
    problems = [one for one in wrong if choice.takes(one.code)]
    return Result(found, _ordered([*(one.diagnostic for one in found), *problems], scene.items), silenced)


def applies(rule: Rule, scene: Scene) -> bool:
    """Whether a rule can say anything of a scene."""
    if rule.against and scene.before is None:
        return False
    return not rule.tools or any(tool in scene.tools for tool in rule.tools)


def unknown_rules(words: Iterable[str], where: str) -> list[Diagnostic]:
    """TJ678 for each word that is no code of a rule."""
    return [_unknown(word, None, where) for word in words if word not in _known()]


def _diagnostic(rule: Rule, finding: Finding) -> Diagnostic:
    item = finding.item
    return Diagnostic(
        rule.code,
        finding.severity or rule.severity,
        f"{item}: {finding.message}",
        item.ref,
        finding.path,
        item.locate(finding.path, key=finding.key),
        tuple([Note(f"{one.item}: {one.message}", one.item.locate(one.path)) for one in finding.related]),
        finding.hint or None,
        rule.name,
    )


def _silences(mark: Mark, one: Found) -> bool:
    return bool(mark.reason) and one.diagnostic.code in mark.codes and mark.covers(one.diagnostic, one.finding.item)


def _wrong(marks: Sequence[Mark]) -> Iterable[Diagnostic]:
    for mark in marks:
        if not mark.codes:
            hint = "write it like # tjgen: ignore TJ632: why it does no harm here"
            yield _problem(UNKNOWN, ERROR, "the suppression names no rule", mark.span, hint)
            continue
        for code in mark.codes:
            if code not in _known():
                yield _unknown(code, mark.span, "the suppression")
        if not mark.reason:
            hint = f"say why it does no harm here: {', '.join(mark.codes)}: REASON"
            message = f"the suppression of {', '.join(mark.codes)} gives no reason, so it silences nothing"
            yield _problem(UNREASONED, ERROR, message, mark.span, hint)


def _unused(marks: Sequence[Mark], used: set[int], asked: set[str]) -> Iterable[Diagnostic]:
    """Marks that silence nothing, though all that they name was asked."""
    for number, mark in enumerate(marks):
        if number not in used and mark.reason and mark.codes and all(code in asked for code in mark.codes):
            message = f"nothing is found here that {', '.join(mark.codes)} would report"
            yield _problem(UNUSED, WARNING, message, mark.span, "remove the suppression")


def _unknown(word: str, span: Span | None, where: str) -> Diagnostic:
    known = _known()
    near = f"TJ6{word[1:]}" if word[:1] in "Gg" and f"TJ6{word[1:]}" in known else nearest(word, known)
    hint = f"did you mean {near}?" if near else "tjgen lint --list names the rules"
    return _problem(UNKNOWN, ERROR, f'{where} names "{word}", which is no rule of lint', span, hint)


def _known() -> set[str]:
    return {entry.rule.code for entry in entries()} | set(FRAMEWORK)


def _problem(rule: tuple[str, str], severity: str, message: str, span: Span | None, hint: str) -> Diagnostic:
    return Diagnostic(rule[0], severity, message, span=span, hint=hint, name=rule[1])


def _ordered(diagnostics: list[Diagnostic], items: Sequence[Item]) -> list[Diagnostic]:
    """By file, in the order in which files were given, then by line."""
    order = {file: number for number, file in enumerate(dict.fromkeys(item.file for item in items))}

    def place(one: Diagnostic) -> tuple[int, str, int, int, str]:
        span = one.span
        if span is None:
            return len(order) + 1, "", 0, 0, one.code
        return order.get(span.file, len(order)), span.file, span.line, span.column, one.code

    return sorted(dict.fromkeys(diagnostics), key=place)


__all__ = ["ARGOCD", "FLUX", "Choice", "Found", "Result", "applies", "lint", "unknown_rules"]
