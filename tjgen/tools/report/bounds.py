"""How far quotas and queues are filled -> a picture with a bar for each bound."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from tjgen.tools.report.canvas import Canvas
from tjgen.tools.report.content import Bar
from tjgen.tools.report.picture import WIDTH, Picture


def bounds(bars: Sequence[Bar]) -> Picture:
    """The picture."""
    canvas = Canvas(WIDTH)
    canvas.y = 12
    for (environment, holder), group in groupby(bars, lambda bar: (bar.environment, bar.holder)):
        canvas.text(0, f"{holder} in {environment}" if environment else holder, "head", max_width=WIDTH)
        canvas.y += 20
        for bar in group:
            amount = f"{bar.used} of {bar.allowed}  {percent(bar)}"
            canvas.text(0, bar.key, "mono", max_width=WIDTH - len(amount) * 6.6 - 12)
            canvas.text(WIDTH, amount, "end", max_width=WIDTH)
            canvas.box(0, canvas.y + 6, WIDTH, 6, "track", radius=2)
            if bar.share > 0:
                canvas.box(0, canvas.y + 6, WIDTH * min(bar.share, 1), 6, "full" if bar.share > 1 else "fill", radius=2)
            canvas.y += 32
        canvas.y += 10
    sentences = [f"{bar.holder}: {bar.used} of {bar.allowed} {bar.key}, {percent(bar)}" for bar in bars]
    return Picture(WIDTH, int(canvas.y), canvas.marks, ". ".join(sentences) + ".")


def percent(bar: Bar) -> str:
    """How much of what is allowed is used."""
    return "over" if bar.share == float("inf") else f"{bar.share:.0%}"
