"""The runs of a report -> their section: a filter, a line for each run, and behind it the run in full."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from tjgen.compiler.totals.table import STORAGE
from tjgen.gitops.diff.effect import UNCHANGED
from tjgen.gitops.diff.words import meaning
from tjgen.tools.report import fields
from tjgen.tools.report.content import Report, Shown
from tjgen.tools.report.markup import escape, slug
from tjgen.tools.report.parts import common
from tjgen.tools.report.picture import picture
from tjgen.tools.report.pictures import Pictures
from tjgen.tools.report.states import STATES
from tjgen.tools.report.words import counted
from tjgen.trees.diagnostics.model import ERROR, WARNING
from tjgen.trees.k8s.quantity import multiply, total


def section(report: Report, pictures: Pictures) -> Iterator[str]:
    """The section."""
    yield '<section id="runs" aria-labelledby="runs-title">\n<h2 id="runs-title">Runs</h2>\n'
    if not report.runs:
        yield '<p class="none">There are no runs.</p>\n</section>\n'
        return
    yield from _filter(report.runs)
    names: dict[str, int] = {}
    for place, group in groupby(report.runs, lambda run: (run.project, run.place.environment or "", run.place.namespace)):
        entries = list(group)
        where = " / ".join(part for part in place if part)
        yield f'<div class="place"><h3>{escape(where)} <span class="count">{counted(len(entries), "run")}</span></h3>\n'
        for _, family in groupby(entries, lambda run: run.place.name):
            yield from _family(list(family), report, pictures, names)
        yield "</div>\n"
    yield '<p class="none" id="nothing" hidden>No run fits.</p>\n</section>\n'


def _filter(runs: Sequence[Shown]) -> Iterator[str]:
    """Boxes for states work by style alone; the field for text needs the script, which shows it."""
    yield '<form class="filter" role="search" aria-label="Filter runs">\n<fieldset><legend>State</legend>\n'
    for state in STATES:
        number = sum(run.state == state for run in runs)
        if number:
            name = slug(state)
            box = f'<input type="checkbox" id="show-{name}" checked>'
            yield f'<label class="state {name}">{box} {state} <b>{number}</b></label>\n'
    yield "</fieldset>\n"
    field = '<input type="search" id="search" autocomplete="off" aria-describedby="hits">'
    yield f'<label class="search" hidden>Search {field} <kbd>/</kbd></label>\n'
    yield '<output id="hits" for="search"></output>\n'
    yield '<button type="button" id="open" hidden>Open all</button>\n</form>\n'


def _family(runs: list[Shown], report: Report, pictures: Pictures, names: dict[str, int]) -> Iterator[str]:
    shared_parts = common(runs)
    classes = " ".join(dict.fromkeys(slug(run.state) for run in runs))
    several = len(runs) > 1
    if several:
        number = f'<span class="count">{counted(len(runs), "run")}</span>'
        yield f'<div class="family {classes}">\n<h4>{escape(runs[0].place.name)} {number}</h4>\n'
    for run, parts in zip(runs, shared_parts.own, strict=True):
        yield from _run(run, pictures, _identify(run, names))
        yield from fields.parts(parts, run.written_in, own=several)
        yield from _uses(run, report)
        yield "</div></div></div></details>\n"
    if several:
        yield '<details class="common"><summary>Fields that all of them have</summary><div class="body">\n'
        yield from fields.parts(shared_parts.parts, runs[0].written_in)
        yield "</div></details>\n</div>\n"


def _identify(run: Shown, names: dict[str, int]) -> str:
    wanted = "-".join(slug(part) for part in ("run", run.project, run.place.environment or "", run.name) if part)
    names[wanted] = names.get(wanted, 0) + 1
    return wanted if names[wanted] == 1 else f"{wanted}-{names[wanted]}"


def _run(run: Shown, pictures: Pictures, name: str) -> Iterator[str]:
    """Return the run, except its fields and its end."""
    yield f'<details class="run {slug(run.state)}" id="{name}"><summary>'
    yield f'<span class="name">{escape(run.name)}</span> <span class="state {slug(run.state)}">{run.state}</span>'
    yield f'<span class="takes">{_takes(run)}</span>'
    marks = _marks(run)
    yield (f'<span class="marks">{marks}</span>' if marks else "") + '</summary>\n<div class="body">\n'
    drawn = picture(run.structure)
    yield '<div class="sides">'
    if drawn.marks:
        yield f"<figure>{pictures.use(drawn, f'Picture of {run.name}')}</figure>\n"
    yield '<div class="words">\n'
    if run.change is not None and run.change.kind != UNCHANGED:
        yield f'<p class="becomes">What becomes of it: <a href="#changes">{escape(meaning(run.change))}</a></p>\n'
    yield '<dl class="facts">\n'
    hourly, at_most = run.cost.texts
    cost = f"{hourly} per hour" + (f", at most {at_most}" if at_most != "-" else "") if hourly != "-" else ""
    stored = f"{run.cost.monthly_text} per month" if run.cost.monthly else ""
    facts = (("Source", run.source), ("Files", run.folder), ("Class", run.device_class), ("Cost", cost), ("Storage cost", stored))
    for label, value in facts:
        if value:
            yield f"<div><dt>{label}<dd>{escape(value)}</div>\n"
    for fact in run.facts:
        value = fields.with_place(escape(fact.value), fact.attribution, run.written_in)
        yield f"<div><dt>{escape(fact.label)}<dd>{value}</div>\n"
    yield "</dl>\n"


def _uses(run: Shown, report: Report) -> Iterator[str]:
    links = [
        f'<a href="#shared-{slug(path)}">{fields.title(report.shared[path].part)}</a>'
        for path in run.uses
        if path in report.shared
    ]
    if links:
        yield f'<p class="uses">Shared with other runs: {", ".join(links)}</p>\n'


def _takes(run: Shown) -> str:
    """What it takes, each with its unit, so that a line can be read without a head."""
    totals = run.totals
    cells = [counted(totals.pods, "pod") if totals.pods else ""]
    cells.append(", ".join(f"{number} {name}" for name, number in run.structure.devices.items()))
    for key, unit in (("cpu", "CPU"), ("memory", "memory")):
        amount = totals.resources.get(key)
        cells.append(f"{amount} {unit}" if amount is not None else "")
    storage = total({STORAGE: multiply(one.size, one.number)} for one in totals.claims.values()).get(STORAGE)
    cells += [f"{storage} storage" if storage is not None else "", run.queue]
    return "".join(f"<i>{escape(text)}</i> " for text in cells)


def _marks(run: Shown) -> str:
    marks = []
    for severity, name in ((ERROR, "bad"), (WARNING, "warn")):
        number = sum(one.severity == severity for one in run.problems)
        if number:
            marks.append(f'<b class="{name}">{counted(number, severity)}</b>')
    if run.change is not None and run.change.kind not in (UNCHANGED, run.state):
        marks.append(f'<b class="change">{escape(run.change.kind)}</b>')
    return " ".join(marks)
