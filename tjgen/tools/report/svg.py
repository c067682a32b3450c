"""Pictures -> standalone SVG, with its title, its description, and colours for light and dark."""

from __future__ import annotations

from tjgen.tools.report.assets import asset
from tjgen.tools.report.markup import escape
from tjgen.tools.report.picture import Picture, pod

_MARGIN = 16
_HEAD = 50


def document(picture: Picture, title: str, *, caption: str = "") -> str:
    """One SVG file; `caption` is written below the title."""
    width, height = picture.width + 2 * _MARGIN, picture.height + 2 * _MARGIN + _HEAD
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    style = f"{asset('colors.css')}{asset('picture.css')}svg {{ background: var(--page); }}\n.name {{ font-weight: 600; }}\n"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-labelledby="title description" class="picture">',
        f'<title id="title">{escape(title)}</title>',
        f'<desc id="description">{escape(picture.words)}</desc>',
        f"<style>\n{style}</style>",
        f"<defs>{''.join(map(pod, picture.pods))}</defs>",
        f'<text x="{_MARGIN}" y="{_MARGIN + 14}" class="name m">{_cut(title, picture.width)}</text>',
        f'<text x="{_MARGIN}" y="{_MARGIN + 32}" class="s">{_cut(caption, picture.width)}</text>',
        f'<g transform="translate({_MARGIN} {_MARGIN + _HEAD})">{picture.marks}</g>',
        "</svg>\n",
    ]
    return "\n".join(lines)


def _cut(text: str, width: int) -> str:
    most = int(width / 7.3)
    return escape(text if len(text) <= most else text[: most - 1] + "…")
