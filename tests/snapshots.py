"""Expected files of a case: syrupy's comparison and update, with the files in the case's own folder."""

from __future__ import annotations

from pathlib import Path

from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode
from syrupy.location import PyTestLocation
from syrupy.types import SnapshotIndex

FOLDER = "expected"


class ExpectedFile(SingleFileSnapshotExtension):
    """`assert text == expected(name="applied.yaml")` compares with `<case>/expected/applied.yaml`, byte for byte.

    The test has a parameter `case`, a folder. There is no file extension of the snapshots' own: the name of
    a snapshot is the whole name of its file, since an update removes the files whose names it does not know.
    """

    _write_mode = WriteMode.TEXT
    file_extension = ""

    @classmethod
    def dirname(cls, *, test_location: PyTestLocation) -> str:
        """The folder of the case's expected files."""
        # syrupy asks for every test of the session, also for those without a case.
        parameters = getattr(getattr(test_location.item, "callspec", None), "params", {})
        case = parameters.get("case")
        return str((case if isinstance(case, Path) else Path(test_location.filepath).parent / "no-case") / FOLDER)

    @classmethod
    def get_snapshot_name(cls, *, test_location: PyTestLocation, index: SnapshotIndex = 0) -> str:
        """The file's name, which the test gives."""
        return str(index)

    def read_snapshot_data_from_location(self, *, snapshot_location: str, snapshot_name: str, session_id: str) -> str | None:
        """The text as it stands there: without Python's translation of line ends."""
        try:
            return Path(snapshot_location).read_bytes().decode()
        except FileNotFoundError:
            return None
