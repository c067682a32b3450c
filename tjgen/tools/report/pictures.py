"""Pictures of runs -> SVG in a page, where pictures that are alike are drawn once."""

from __future__ import annotations

from tjgen.tools.report.markup import quoted
from tjgen.tools.report.picture import Picture, pod


class Pictures:
    """The pictures of one page."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[str, Picture]] = {}

    def use(self, picture: Picture, title: str) -> str:
        """The element that shows a picture."""
        name, _ = self._known.setdefault(picture.marks, (f"picture-{len(self._known) + 1}", picture))
        size = f'width="{picture.width}" height="{picture.height}" viewBox="0 0 {picture.width} {picture.height}"'
        label = f"{title}. {picture.words}"
        return f'<svg class="picture" {size} role="img" aria-label={quoted(label)}><use href="#{name}"/></svg>'

    def definitions(self) -> str:
        """What those elements refer to."""
        if not self._known:
            return ""
        symbols = [f'<g id="{name}" class="picture">{one.marks}</g>\n' for name, one in self._known.values()]
        pods = sorted({cells for _, one in self._known.values() for cells in one.pods})
        symbols += [f"{pod(cells)}\n" for cells in pods]
        return f'<svg class="symbols" width="0" height="0" aria-hidden="true"><defs>\n{"".join(symbols)}</defs></svg>\n'
