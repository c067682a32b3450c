"""The table `items` and a strategy -> for each slice a range of rows of a table, by the same rules as in memory."""

from __future__ import annotations

import mmap
import os
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence

from tjgen.language.slicing import contiguous_size_balanced, lpt, problems, ranges
from tjgen.tools.inventory.database import Database, quoted
from tjgen.tools.inventory.request import STRATEGY, InventoryError
from tjgen.trees.typing import NamedTuple

_ROWS = 65_536
"""The number of rows that are fetched at once."""
_OWNER = array("I").itemsize
_PART_OF_MEMORY = 4
"""The numbers of slices may take a quarter of the memory of the process."""

_EXPRESSIONS: Mapping[str, str] = {
    "hash": "('0x' || substr(sha256(path), 1, 16))::ubigint % {count}",
    "round-robin": "items.rowid % {count}",
}
_BY_SIZE = ("contiguous-size-balanced", "lpt")
STRATEGIES = ("contiguous", *sorted(_EXPRESSIONS), *_BY_SIZE)


class Rows(NamedTuple):
    """The slices: ranges of the rows of a table that has a path and a size in each row."""

    table: str
    slices: list[range]


class _Sums(Sequence[int]):
    """The sums of sizes, from 0 on, in a file whose lines have the same length. It is not read into memory."""

    def __init__(self, content: mmap.mmap, width: int) -> None:
        self._content, self._line = content, width + 1

    def __len__(self) -> int:
        return len(self._content) // self._line

    def __getitem__(self, index: int) -> int:  # type: ignore[override]  # sums are read by index only
        return int(self._content[index * self._line : (index + 1) * self._line])


def divide(database: Database, by: str, total: int, count: int, work: str, memory: int) -> Rows:
    """Return the slices of `total` items. Raises InventoryError if the strategy cannot divide them."""
    unsized = (
        database.run("select path from items where size is null order by rowid limit 1").fetchone() if by in _BY_SIZE else None
    )
    if unsized is not None:
        hint = "name the column of sizes with --size-column, or divide by hash, contiguous or round-robin"
        raise InventoryError(problems.UNSIZED, f"{by} balances by size, but {unsized[0]!r} has no size", hint)
    if by == "contiguous":
        return Rows("items", ranges.divided(by, total, count, {}))
    if by == "contiguous-size-balanced":
        return Rows("items", _balanced_runs(database, count, work))
    if by == "lpt":
        return _sorted(database, "owner", count, f"items positional join {_owners(database, total, count, work, memory)}")
    return _sorted(database, _EXPRESSIONS[by].format(count=count), count, "items")


def _sorted(database: Database, slice_of: str, count: int, source: str) -> Rows:
    """Sort the items by their slice; within a slice they keep their order."""
    database.run(
        f"create table divided as select ({slice_of})::uinteger as slice, path, size from {source} order by slice, items.rowid"
    )
    lengths = dict(database.run("select slice, count(*) from divided group by slice").fetchall())
    slices, start = [], 0
    for number in range(count):
        slices.append(range(start, start + lengths.get(number, 0)))
        start = slices[-1].stop
    return Rows("divided", slices)


def _balanced_runs(database: Database, count: int, work: str) -> list[range]:
    file = os.path.join(work, "sums.csv")
    total, largest = database.run("select sum(size), max(size) from items").fetchone()
    width = len(str(total))
    sums = "select 0 as bytes union all select sum(size) over (rows unbounded preceding) as bytes from items"
    options = "format csv, header false, quote ''"
    database.run(f"copy (select lpad(bytes::varchar, {width}, '0') from ({sums})) to {quoted(file, chr(39))} ({options})")
    with open(file, "rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return contiguous_size_balanced.runs(_Sums(content, width), int(largest), count)


def _owners(database: Database, total: int, count: int, work: str, memory: int) -> str:
    """Write the slice of each item to a file; return the query that reads it."""
    most = memory // _PART_OF_MEMORY // _OWNER
    if total > most:
        needed = -(-total * _OWNER * _PART_OF_MEMORY >> 20)
        message = (
            f"lpt keeps the slice of each item in memory, and {total} items are more than {most}, the limit with {memory >> 20}Mi"
        )
        hint = f"set --memory {needed}Mi, or divide by contiguous-size-balanced, which has no limit"
        raise InventoryError(STRATEGY, message, hint)
    result = database.run("select rowid, size from items order by size desc, path")
    owners = lpt.owners_of(_fetched(lambda: result.fetchmany(_ROWS)), total, count)
    file = os.path.join(work, "owners.csv")
    with open(file, "w", encoding="ascii") as stream:
        for start in range(0, total, _ROWS):
            stream.writelines([f"{owner}\n" for owner in owners[start : start + _ROWS]])
    return f"read_csv({quoted(file, chr(39))}, auto_detect = false, header = false, columns = {{owner: 'UINTEGER'}})"


def _fetched(fetch: Callable[[], list[tuple[int, int]]]) -> Iterator[tuple[int, int]]:
    while rows := fetch():
        yield from rows
