"""Files at the top of a repository that several projects share -> the file with the part of one more project."""

from __future__ import annotations

from tjgen.trees.source.reader import CORE, read
from tjgen.trees.typing import Any, NamedTuple


class Shared(NamedTuple):
    """A YAML file that `tjgen init` writes for the first project and extends for others: a list under one key."""

    head: str
    """What the file begins with if `tjgen init` wrote it; its last line is the key."""
    part: str
    """Items of the list for one project."""
    key: str

    @property
    def text(self) -> str:
        """The file with one project."""
        return self.head + self.part

    def extended(self, text: str) -> str | None:
        """The file `text` with the part of this project; None if it cannot be appended to, or is not from `tjgen init`."""
        if not text.startswith(self.head):
            return None
        longer = text + ("" if text.endswith("\n") else "\n") + self.part
        before, mine, after = _tree(text), _tree(self.text), _tree(longer)
        if before is None or mine is None or not isinstance(before.get(self.key), list):
            return None
        if all(item in before[self.key] for item in mine[self.key]):
            return text
        # What people appended may end in another key: then the part would land there.
        return longer if after == {**before, self.key: [*before[self.key], *mine[self.key]]} else None


def _tree(text: str) -> dict[str, Any] | None:
    documents, _ = read(text, "", CORE)
    tree = documents[0].value if len(documents) == 1 else None
    return tree if isinstance(tree, dict) else None
