"""A request -> a folder for each slice, `slice-<index>`, with the paths of its items in `items.parquet` or `items.txt`."""

from __future__ import annotations

import os
from collections.abc import Iterator

from tjgen.tools.inventory.database import Database, opened, quoted
from tjgen.tools.inventory.division import Rows, divide
from tjgen.tools.inventory.listing import load
from tjgen.tools.inventory.record import SlicesRecord
from tjgen.tools.inventory.request import FOLDER, Divided, InventoryError, SlicesRequest
from tjgen.trees.files.folders import missing_folders, remove_empty

_BATCH = 65_536
"""The number of items that one query reads into memory. Queries of their own for slices of a few items take most of the time."""
_FORMS = {"parquet": ("path, size", "format parquet"), "txt": ("path", "format csv, header false, quote ''")}


def write(request: SlicesRequest) -> Divided:
    """Write the slices, which replace those of an earlier command.

    Raises InventoryError, also if the folder contains what the record of an earlier command does not name, or what changed
    since. Only an error while the slices are replaced leaves a part of them, which the record names.
    """
    output = request.output
    created = missing_folders(os.path.abspath(output))
    record = SlicesRecord(output)
    complete = False
    try:
        os.makedirs(output, exist_ok=True)
        record.removable()
        work = record.begin()
        with opened(work, request.files, request.memory) as database:
            total = load(database, request)
            rows = divide(database, request.by, total, request.slices, work, request.memory)
            assert sum(map(len, rows.slices)) == total, "each item is in one slice"
            new = os.path.join(work, "new")
            divided = _write(database, rows, request.form, new)
        record.replace(new)
        complete = True
    except OSError as error:
        message = f"{error.filename or output} cannot be written: {error.strerror}"
        raise InventoryError(FOLDER, message, "name another folder with --output") from error
    finally:
        record.end()
        if not complete:
            remove_empty(created)
    return divided


def _write(database: Database, rows: Rows, form: str, new: str) -> Divided:
    """Write all slices to the folder `new`."""
    columns, options = _FORMS[form]
    sizes: list[int | None] = []
    for batch in _batches(rows.slices):
        start, stop = rows.slices[batch.start].start, rows.slices[batch.stop - 1].stop
        inside = f"from {rows.table} where rowid >= {start} and rowid < {stop}"
        items = database.run(f"select path, size {inside} order by rowid").fetchall() if stop - start <= _BATCH else None
        for number in batch:
            part = rows.slices[number]
            folder = os.path.join(new, f"slice-{number}")
            os.makedirs(folder)
            file = os.path.realpath(os.path.join(folder, f"items.{form}"))
            inside = f"from {rows.table} where rowid >= {part.start} and rowid < {part.stop}"
            if items is None or form == "parquet":
                database.run(f"copy (select {columns} {inside}) to {quoted(file, chr(39))} ({options})")
            if items is None:
                missing, size = database.run(f"select count(*) - count(size), coalesce(sum(size), 0) {inside}").fetchone()
                sizes.append(None if missing else int(size))
                continue
            own = items[part.start - start : part.stop - start]
            sizes.append(None if any(size is None for _, size in own) else sum(size for _, size in own))
            if form == "txt":
                with open(file, "w", encoding="utf-8", newline="") as stream:
                    stream.writelines([f"{path}\n" for path, _ in own])
    known = [size for size in sizes if size is not None]
    return Divided([len(part) for part in rows.slices], known if len(known) == len(sizes) else None)


def _batches(slices: list[range]) -> Iterator[range]:
    """Yield the numbers of slices that are read with one query: of all together at most `_BATCH` items, or a larger one alone."""
    first = 0
    for number in range(1, len(slices) + 1):
        if number == len(slices) or slices[number].stop - slices[first].start > _BATCH:
            yield range(first, number)
            first = number
