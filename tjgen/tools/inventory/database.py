"""A work folder -> a DuckDB database in it that reads the files of the list, and nothing else: no network, no extension."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from tjgen.tools.inventory.request import ENGINE, MISSING, InventoryError
from tjgen.trees.typing import Any

_SHARE = 0.55
"""The part of the memory of the process that DuckDB manages. Buffers of its readers and writers are not in this number."""


class Database:
    """Runs queries. Texts of users are parameters of queries, or `quoted`."""

    def __init__(self, connection: Any, links: Sequence[str]) -> None:
        self._connection = connection
        self.links = links
        """The files of the list, by paths in the work folder that contain no characters of patterns or URLs."""

    def run(self, query: str, *values: object) -> Any:
        """Return the result of a query."""
        return self._connection.execute(query, list(values))

    def one(self, query: str, *values: object) -> Any:
        """Return the first value of the first row."""
        return self.run(query, *values).fetchone()[0]


def quoted(text: str, mark: str = '"') -> str:
    """Return a name for a query, or with `'` a text."""
    return mark + text.replace(mark, mark * 2) + mark


@contextmanager
def opened(work: str, files: Sequence[str], memory: int) -> Iterator[Database]:
    """Open a database in the folder `work`. Raises InventoryError, also for errors of DuckDB in the context."""
    try:
        import duckdb
    except ImportError:
        message = "slices of a list are divided by DuckDB, which is not installed"
        raise InventoryError(MISSING, message, "pip install 'tjgen[inventory]'") from None
    work = os.path.realpath(work)
    real = [os.path.realpath(file) for file in files]
    settings: dict[str, Any] = {
        "allow_community_extensions": False,
        "allow_persistent_secrets": False,
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "memory_limit": f"{int(memory * _SHARE) >> 20}MiB",
        "temp_directory": os.path.join(work, "spill"),
        "threads": min(os.cpu_count() or 1, 4),
    }
    links: list[str] = []
    try:
        for number, file in enumerate(real):
            links.append(os.path.join(work, f"{number:06d}{''.join(_endings(file))}"))
            os.symlink(file, links[-1])
        with duckdb.connect(os.path.join(work, "items.duckdb"), config=settings) as connection:
            connection.execute(f"set allowed_paths = [{', '.join(quoted(file, chr(39)) for file in real)}]")
            connection.execute(f"set allowed_directories = [{quoted(work, chr(39))}]")
            connection.execute("set enable_external_access = false")
            connection.execute("set enable_progress_bar = false")
            connection.execute("set lock_configuration = true")
            yield Database(connection, links)
    except duckdb.Error as error:
        message = f"DuckDB: {_named(str(error), work, links, files)}"
        hint = "correct the file, raise --memory, or free disk space in the folder of the slices"
        raise InventoryError(ENGINE, message, hint) from error


def _named(error: str, work: str, links: Sequence[str], files: Sequence[str]) -> str:
    """Return the first line of an error, with the file that the error names by its link."""
    line = error.strip().splitlines()[0]
    for link, file in zip(links, files, strict=False):
        if link in error or f"'{os.path.basename(link)}'" in error:
            line = line.replace(link, file).replace(os.path.basename(link), os.path.basename(file))
            return line if os.path.basename(file) in line else f"{os.path.basename(file)}: {line}"
    return line.replace(work + os.sep, "")


def _endings(file: str) -> list[str]:
    """Return the endings that select the format and the compression."""
    return [
        ending for ending in (".parquet", ".csv", ".gz", ".zst") if ending[1:] in os.path.basename(file).lower().split(".")[1:]
    ]
