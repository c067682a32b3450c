"""Fields and who asked for them -> HTML: a manifest with a place beside its lines; the whole answer comes with the focus."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.gitops.diff.side import Attribution
from tjgen.tools.report.content import Part
from tjgen.tools.report.markup import escape
from tjgen.tools.report.text import lines
from tjgen.tools.report.words import counted


def parts(found: Sequence[Part], source: str, *, own: bool = False) -> Iterator[str]:
    """Each object, closed at first; `own` says that only some of its fields are there."""
    for one in found:
        number = counted(len(one.fields), "field") + (" of its own" if own else "")
        made = "" if one.file else ", made by a controller"
        yield f'<details class="object"><summary>{title(one)} <span class="count">{number}{made}</span></summary>\n'
        yield from manifest(one, source)
        yield "</details>\n"


def title(one: Part) -> str:
    """Kind and name."""
    return f"{escape(one.ref.kind)} <code>{escape(one.ref.name)}</code>"


def manifest(one: Part, source: str) -> Iterator[str]:
    """The lines of an object, with a comment where the source differs from that of the line before."""
    yield "<pre>"
    who: Attribution | None = None
    for text, field in lines(one.fields):
        if field is None or field.said == who:
            yield f"{escape(text)}\n"
            continue
        who = field.said
        first, _, rest = text.partition("\n")
        yield f"{escape(first)}  {place(who, source, '# ')}\n" + (f"{escape(rest)}\n" if rest else "")
    yield "</pre>\n"


def place(said: Attribution | None, source: str = "", mark: str = "") -> str:
    """The line that asked for something; the way to it is shown with the pointer or the focus on it.

    Of `source`, the file that the reader has in mind, only the line is told; `mark` goes before it.
    """
    if said is None:
        return ""
    short, words = said.words.partition(" ")[0], said.words
    if said.span is not None:
        # Of what tjgen brings along the name is enough here.
        file = said.span.file.rpartition("/")[2] if said.span.file.startswith("tjgen:") else said.span.file
        short = f"{file}:{said.span.line}" if said.span.file != source else f"line {said.span.line}"
        words = _without(words, str(said.span))
    return f"<b tabindex=0>{mark}{escape(short)}<i>{escape(words)}</i></b>"


def asked(value: str, said: Attribution | None, source: str) -> str:
    """A value (HTML) with the place that asked for it."""
    return f"{value} {place(said, source)}" if said is not None else value


def _without(words: str, place: str) -> str:
    """The way to a place, which stands beside it already."""
    steps = [step.removesuffix(f" ({place})") for step in words.split(" <- ")]
    # Where an overlay said it, the merged experiment is no step of interest.
    shown = [step for step, after in zip(steps, [*steps[1:], ""], strict=True) if not _repeats(step, after)]
    return " <- ".join(step.removeprefix("experiment ") for step in shown)


def _repeats(step: str, after: str) -> bool:
    path = step.removeprefix("experiment ")
    return path != step and f" spec.experiment.{path.removeprefix('spec.')}" in after
