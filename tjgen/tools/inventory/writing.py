"""A request -> a folder for each slice, `slice-<index>`, with the paths of its items in `items.parquet` or `items.txt`."""

from __future__ import annotations

import os
import re
import shutil

from tjgen.tools.inventory.database import Database, opened, quoted
from tjgen.tools.inventory.division import Rows, divide
from tjgen.tools.inventory.listing import load
from tjgen.tools.inventory.request import FOLDER, Divided, InventoryError, SlicesRequest

_WORK = ".tjgen-slices"
_SLICE = re.compile(r"slice-[0-9]+")
_FORMS = {"parquet": ("path, size", "format parquet"), "txt": ("path", "format csv, header false, quote ''")}


def write(request: SlicesRequest) -> Divided:
    """Write the slices, which replace those of an earlier command in the folder. Raises InventoryError."""
    work = os.path.join(request.output, _WORK)
    try:
        os.makedirs(request.output, exist_ok=True)
        others = sorted(name for name in os.listdir(request.output) if name != _WORK and not _SLICE.fullmatch(name))
        if others:
            message = f"{request.output} contains {others[0]}, which is not a slice"
            raise InventoryError(FOLDER, message, "name a new folder with --output")
        shutil.rmtree(work, ignore_errors=True)
        os.mkdir(work)
        try:
            with opened(work, request.files, request.memory) as database:
                total = load(database, request)
                rows = divide(database, request.by, total, request.slices, work, request.memory)
                assert sum(map(len, rows.slices)) == total, "each item is in one slice"
                divided = _divided(database, rows)
                new = _write(database, rows, request.form, work)
            for name in os.listdir(request.output):
                if name != _WORK:
                    shutil.rmtree(os.path.join(request.output, name))
            for name in os.listdir(new):
                os.rename(os.path.join(new, name), os.path.join(request.output, name))
        finally:
            shutil.rmtree(work, ignore_errors=True)
    except OSError as error:
        message = f"{error.filename or request.output} cannot be written: {error.strerror}"
        raise InventoryError(FOLDER, message, "name another folder with --output") from error
    return divided


def _divided(database: Database, rows: Rows) -> Divided:
    sizes: list[int] | None = []
    for part in rows.slices:
        missing, size = database.run(
            f"select count(*) - count(size), coalesce(sum(size), 0) from {rows.table} where rowid >= $1 and rowid < $2",
            part.start,
            part.stop,
        ).fetchone()
        if missing or sizes is None:
            sizes = None
        else:
            sizes.append(int(size))
    return Divided([len(part) for part in rows.slices], sizes)


def _write(database: Database, rows: Rows, form: str, work: str) -> str:
    """Write all slices below the work folder; return the folder."""
    new = os.path.join(work, "new")
    columns, options = _FORMS[form]
    for number, part in enumerate(rows.slices):
        folder = os.path.join(new, f"slice-{number}")
        os.makedirs(folder)
        file = quoted(os.path.realpath(os.path.join(folder, f"items.{form}")), "'")
        chosen = f"select {columns} from {rows.table} where rowid >= {part.start} and rowid < {part.stop}"
        database.run(f"copy ({chosen}) to {file} ({options})")
    return new
