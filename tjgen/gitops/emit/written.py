"""The files that a commit has just put in place -> their digests, without reading them again."""

from __future__ import annotations

import stat
from collections.abc import Mapping

from tjgen.gitops.emit.journal import FileState
from tjgen.trees.typing import MappingProxyType, NamedTuple


class CommittedFiles(NamedTuple):
    """Files of one folder that a commit has written."""

    files: Mapping[str, FileState] = MappingProxyType({})
    """Path -> digest of its content, and the time at which that was written."""
    until: int = 0
    """Time (ns) at which the last of them was in its place."""

    def digest(self, path: str, state: tuple[int, ...]) -> bytes | None:
        """The digest of the file with this state (see `states.state_of`); None if it must be read.

        A file gets its content first, and its place later. The content of an edited file is newer, and an edit that sets
        the time of the content back shows in the time of the file, after the commit.
        """
        known = self.files.get(path)
        mode, *_, modified, changed = state
        if known is None or not stat.S_ISREG(mode):
            return None
        is_ours = known.modified == modified < changed <= self.until
        return bytes.fromhex(known.digest) if is_ours else None
