"""The pages in docs/ -> what mkdocs makes a site of: their order, and a page for each folder of the repository that they link to.

docs/navigation.toml orders the pages by what a reader wants to do.
mkdocs calls the functions that are called `on_...` (see `hooks` in mkdocs.yml).
"""

from __future__ import annotations

import os
import re
import tomllib
from pathlib import Path
from typing import Any

from tests.checkout import list_entries

DOCS = Path(__file__).parent.parent
ROOT = DOCS.parent
NAVIGATION = DOCS / "navigation.toml"
ALL_PAGES = "## All pages\n"
LONGEST_LIST = 40
SOURCES = "sources"
"""Where the site has the pages of folders."""
_LINK = re.compile(r"(?<!!)(\[[^\]\n]*\]\()([^)\s#]+)((?:#[^)\s]*)?\))")
_LONGEST = 20_000

Entry = str | dict[str, Any]


def sections() -> dict[str, list[str]]:
    """Title of a section -> its pages, relative to docs/, as navigation.toml lists them."""
    listed = tomllib.loads(NAVIGATION.read_text(encoding="utf-8"))["section"]
    return {section["title"]: [page for entry in section["pages"] for page in _pages(entry)] for section in listed}


def navigation() -> list[Entry]:
    """The entries of the navigation: the name of each section with its pages."""
    return [{name: list(pages)} for name, pages in sections().items()]


def index() -> str:
    """docs/index.md with its list of pages, which ends the page, made from the navigation."""
    page = DOCS / "index.md"
    lines = [page.read_text(encoding="utf-8").partition(ALL_PAGES)[0] + ALL_PAGES]
    for name, pages in sections().items():
        if len(pages) > LONGEST_LIST:
            continue  # the rules of lint have a page that lists them
        lines.append(f"\n### {name}\n")
        lines += [f"- [{title(DOCS / one)}]({one})" for one in pages if one != page.name]
    return "\n".join(lines) + "\n"


def _pages(entry: str) -> list[str]:
    if not entry.endswith("/*"):
        return [entry]
    found = sorted(list_entries(DOCS.joinpath(entry[:-2]), "*.md"), key=lambda page: title(page).casefold())
    return [str(page.relative_to(DOCS)) for page in found]


def title(page: Path) -> str:
    """The first heading of a page."""
    found = re.search(r"^# (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return found[1] if found else page.stem


def folders() -> list[str]:
    """The folders that pages link to and that the site would lack, relative to the repository."""
    found = set()
    for page in list_entries(DOCS, "**/*.md"):
        for _, target, _ in _LINK.findall(page.read_text(encoding="utf-8")):
            place = _outside(page.parent, target)
            if place is not None:
                found.add(place)
    return sorted(found)


def _outside(folder: Path, target: str) -> str | None:
    """A folder, or a file outside of docs/, that a link leads to."""
    if ":" in target:
        return None
    place = Path(os.path.normpath(folder / target))
    is_page = place.suffix == ".md" and place.is_relative_to(DOCS)
    return None if is_page or not place.exists() else str(place.relative_to(ROOT))


def listing(place: str) -> str:
    """A page with the files below a place: their text, or for pages of the site links to them."""
    path = ROOT / place
    files = [one for one in list_entries(path, "**/*") if one.is_file()] if path.is_dir() else [path]
    lines = [f"# {place}\n"]
    for file in files:
        name = file.relative_to(path) if path.is_dir() else file.name
        if file.is_relative_to(DOCS) and file.suffix == ".md":
            lines.append(f"- [{title(file)}]({os.path.relpath(file.relative_to(DOCS), Path(SOURCES) / place / '..')})")
            continue
        text = file.read_text(encoding="utf-8", errors="replace")
        shown = text if len(text) <= _LONGEST else text[:_LONGEST] + "...\n"
        # A fence that is longer than any in the text.
        lines.append(f"## {name}\n\n``````{file.suffix[1:]}\n{shown.rstrip()}\n``````\n")
    return "\n".join(lines) + "\n"


def linked(markdown: str, page: str) -> str:
    """The text of a page (its path in docs/) with links to folders turned to their pages."""

    def turned(found: re.Match[str]) -> str:
        place = _outside((DOCS / page).parent, found[2])
        if place is None:
            return found[0]
        return f"{found[1]}{os.path.relpath(f'{SOURCES}/{place}.md', Path(page).parent)}{found[3]}"

    return _LINK.sub(turned, markdown)


def on_config(config: Any) -> Any:
    """The navigation, and anchors as everywhere else."""
    from docs.generate.markdown import anchor

    config.nav = navigation()
    config.mdx_configs.setdefault("toc", {})["slugify"] = lambda heading, _: anchor(heading)[1:]
    return config


def on_files(files: Any, config: Any) -> Any:
    """The pages of folders join the others."""
    from mkdocs.structure.files import File

    for place in folders():
        files.append(File.generated(config, f"{SOURCES}/{place}.md", content=listing(place)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Links to folders lead to their pages."""
    return linked(markdown, page.file.src_uri) if not page.file.src_uri.startswith(f"{SOURCES}/") else markdown
