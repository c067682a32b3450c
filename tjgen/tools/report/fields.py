"""Fields and their sources -> HTML: a manifest with a place next to its lines; the whole answer appears on focus."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.gitops.diff.side import Attribution
from tjgen.tools.report.content import ReportPart
from tjgen.tools.report.markup import escape
from tjgen.tools.report.text import lines
from tjgen.tools.report.words import counted


def parts(report_parts: Sequence[ReportPart], source: str, *, own: bool = False) -> Iterator[str]:
    """Each object, closed at first; `own` means that only some of its fields are shown."""
    for one in report_parts:
        number = counted(len(one.fields), "field") + (" of its own" if own else "")
        note = "" if one.file else ", made by a controller"
        yield f'<details class="object"><summary>{title(one)} <span class="count">{number}{note}</span></summary>\n'
        yield from manifest(one, source)
        yield "</details>\n"


def title(one: ReportPart) -> str:
    """Kind and name."""
    return f"{escape(one.ref.kind)} <code>{escape(one.ref.name)}</code>"


def manifest(one: ReportPart, source: str) -> Iterator[str]:
    """The lines of an object, with a comment where the source differs from that of the line before."""
    yield "<pre>"
    who: Attribution | None = None
    for text, field in lines(one.fields):
        if field is None or field.attribution == who:
            yield f"{escape(text)}\n"
            continue
        who = field.attribution
        first, _, rest = text.partition("\n")
        yield f"{escape(first)}  {place(who, source, '# ')}\n" + (f"{escape(rest)}\n" if rest else "")
    yield "</pre>\n"


def place(attribution: Attribution | None, source: str = "", mark: str = "") -> str:
    """Return the line that set a value; the steps to it appear with the pointer or the focus on it.

    For places in `source`, the file of the reader's interest, only the line is shown; `mark` precedes it.
    """
    if attribution is None:
        return ""
    short, words = attribution.words.partition(" ")[0], attribution.words
    if attribution.span is not None:
        # Of what tjgen brings along the name is enough here.
        file = attribution.span.file.rpartition("/")[2] if attribution.span.file.startswith("tjgen:") else attribution.span.file
        short = f"{file}:{attribution.span.line}" if attribution.span.file != source else f"line {attribution.span.line}"
        words = _without(words, str(attribution.span))
    return f"<b tabindex=0>{mark}{escape(short)}<i>{escape(words)}</i></b>"


def with_place(value: str, attribution: Attribution | None, source: str) -> str:
    """Return a value (HTML) with the place that set it."""
    return f"{value} {place(attribution, source)}" if attribution is not None else value


def _without(words: str, place: str) -> str:
    """Return the steps to a place, which is shown next to it already."""
    steps = [step.removesuffix(f" ({place})") for step in words.split(" <- ")]
    # If an overlay set it, the merged experiment is not an interesting step.
    shown = [step for step, after in zip(steps, [*steps[1:], ""], strict=True) if not _repeats(step, after)]
    return " <- ".join(step.removeprefix("experiment ") for step in shown)


def _repeats(step: str, after: str) -> bool:
    path = step.removeprefix("experiment ")
    return path != step and f" spec.experiment.{path.removeprefix('spec.')}" in after
