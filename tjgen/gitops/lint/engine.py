"""A scene -> the diagnostics of all rules, without those that are silenced, and what is wrong with what silences them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from tjgen.gitops.lint.rule import Finding, Rule
from tjgen.gitops.lint.scene import AppliedObject, Scene
from tjgen.gitops.lint.suppress import Mark, in_annotations, in_text
from tjgen.gitops.lint.table import entries
from tjgen.trees.diagnostics.model import Diagnostic, Note, Span
from tjgen.trees.k8s.nearest import nearest
from tjgen.trees.typing import NamedTuple

UNUSED = "TJ676"
UNREASONED = "TJ677"
UNKNOWN = "TJ678"
FRAMEWORK = (UNUSED, UNREASONED, UNKNOWN)


class LintReport(NamedTuple):
    """A finding with its diagnostic."""

    finding: Finding
    diagnostic: Diagnostic


class Choice(NamedTuple):
    """Return the codes of the active rules: all, or those of `select`, without those of `ignore`."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    every: bool = False
    """Whether rules run that are off by default."""

    def takes(self, code: str) -> bool:
        """Whether findings of a code are wanted."""
        return (not self.select or code in self.select) and code not in self.ignore

    def runs(self, rule: Rule) -> bool:
        """Whether a rule is run."""
        return self.takes(rule.code) and (rule.by_default or self.every or rule.code in self.select)


class Result(NamedTuple):
    """What lint found. `silenced` is what marks took away."""

    reports: list[LintReport]
    diagnostics: list[Diagnostic]
    """Of all that was found, and of the marks, by place."""
    silenced: list[LintReport]


def lint(
    scenes: Sequence[Scene],
    texts: Mapping[str, str],
    choice: Choice = Choice(),  # noqa: B008  # a value
    marks: Sequence[Mark] = (),
) -> Result:
    """Run every rule that applies. `texts` holds the files whose comments may suppress findings: name -> text.

    `marks` are those from other sources, such as a project. A mark that is used in one scene is used.
    """
    every: list[LintReport] = []
    checked: set[str] = set()
    all_marks = [*marks, *(mark for file, text in texts.items() for mark in in_text(text, file))]
    for scene in scenes:
        for rule, check in entries():
            if choice.runs(rule) and applies(rule, scene):
                checked.add(rule.code)
                every += [LintReport(one, _diagnostic(rule, one)) for one in check(scene)]
        all_marks += in_annotations(scene.items)
    used: set[object] = set()
    reports: list[LintReport] = []
    silenced: list[LintReport] = []
    for one in every:
        holding = [mark for mark in all_marks if _silences(mark, one)]
        used.update((mark.span, mark.codes) for mark in holding)
        (silenced if holding else reports).append(one)
    unused = [mark for mark in all_marks if (mark.span, mark.codes) not in used]
    problems = [one for one in [*_wrong(all_marks), *_unused(unused, checked)] if choice.takes(one.code)]
    items = [item for scene in scenes for item in scene.items]
    return Result(reports, _ordered([*(one.diagnostic for one in reports), *problems], items), silenced)


def applies(rule: Rule, scene: Scene) -> bool:
    """Return whether a rule applies to a scene."""
    if rule.against and scene.before is None:
        return False
    return not rule.tools or any(tool in scene.tools for tool in rule.tools)


def unknown_rules(words: Iterable[str], where: str) -> list[Diagnostic]:
    """TJ678 for each word that is not the code of a rule."""
    return [_unknown(word, None, where) for word in words if word not in _known()]


def _diagnostic(rule: Rule, finding: Finding) -> Diagnostic:
    item = finding.item
    return Diagnostic(
        rule.code,
        f"{item}: {finding.message}",
        item.ref,
        finding.path,
        item.locate(finding.path, key=finding.key),
        tuple([Note(f"{one.item}: {one.message}", one.item.locate(one.path)) for one in finding.related]),
        finding.hint or None,
        severity=finding.severity or None,
    )


def _silences(mark: Mark, one: LintReport) -> bool:
    return bool(mark.reason) and one.diagnostic.code in mark.codes and mark.covers(one.diagnostic, one.finding.item)


def _wrong(marks: Sequence[Mark]) -> Iterator[Diagnostic]:
    for mark in marks:
        if not mark.codes:
            hint = "write it like # tjgen: ignore TJ632: reason why it is safe here"
            yield _problem(UNKNOWN, "the suppression names no rule", mark.span, hint)
            continue
        for code in mark.codes:
            if code not in _known():
                yield _unknown(code, mark.span, "the suppression")
        if not mark.reason:
            hint = f"add the reason why it is safe here: {', '.join(mark.codes)}: REASON"
            message = f"the suppression of {', '.join(mark.codes)} gives no reason, so it has no effect"
            yield _problem(UNREASONED, message, mark.span, hint)


def _unused(unused: Iterable[Mark], checked: set[str]) -> Iterator[Diagnostic]:
    """Return the marks that suppress nothing although all rules that they name ran."""
    for mark in unused:
        if mark.reason and mark.codes and all(code in checked for code in mark.codes):
            message = f"the suppression of {', '.join(mark.codes)} matches no finding"
            yield _problem(UNUSED, message, mark.span, "remove the suppression")


def _unknown(word: str, span: Span | None, where: str) -> Diagnostic:
    known = _known()
    near = nearest(word, known)
    hint = f"did you mean {near}?" if near else "run tjgen lint --list to see the rules"
    return _problem(UNKNOWN, f'{where} names "{word}", which is not a lint rule', span, hint)


def _known() -> set[str]:
    return {entry.rule.code for entry in entries()} | set(FRAMEWORK)


def _problem(code: str, message: str, span: Span | None, hint: str) -> Diagnostic:
    return Diagnostic(code, message, span=span, hint=hint)


def _ordered(diagnostics: list[Diagnostic], items: Sequence[AppliedObject]) -> list[Diagnostic]:
    """By file, in the order in which files were given, then by line."""
    order = {file: number for number, file in enumerate(dict.fromkeys(item.file for item in items))}

    def place(one: Diagnostic) -> tuple[int, str, int, int, str]:
        span = one.span
        if span is None:
            return len(order) + 1, "", 0, 0, one.code
        return order.get(span.file, len(order)), span.file, span.line, span.column, one.code

    # A finding of one line in several environments is reported once.
    once: dict[object, Diagnostic] = {}
    for one in diagnostics:
        once.setdefault((one.code, one.message, one.span, one.path) if one.span is not None else one, one)
    return sorted(once.values(), key=place)
