"""Files of a list -> the table `items` with `path` and `size`, in the order of the files, checked as a manifest is."""

from __future__ import annotations

from csv import reader

from tjgen.language.slicing import problems
from tjgen.language.slicing.items import fault_of
from tjgen.tools.inventory.database import Database, quoted
from tjgen.tools.inventory.request import LISTING, InventoryError, SlicesRequest

_BLANKS = "".join(character for character in map(chr, range(0x3001)) if character.isspace())
_SUSPICIOUS = rf"^$|^/|(^|/)\.\.(/|$)|[\x00-\x1f\x7f]|^[{_BLANKS}]|[{_BLANKS}]$"


def load(database: Database, request: SlicesRequest) -> int:
    """Create the table; return the number of items. Raises InventoryError."""
    source, columns = _source(database, request)
    if request.path_column not in columns:
        hint = f"name one of these with --path-column: {', '.join(columns)}"
        raise InventoryError(LISTING, f'the list has no column "{request.path_column}"', hint)
    path = f"{quoted(request.path_column)}::varchar"
    if request.url_encoded:
        path = f"url_decode(replace({path}, '+', ' '))"
    has_size = request.size_column in columns
    written = quoted(request.size_column) if has_size else "null"
    database.run(
        f"create table items as select path[length($2) + 1:] as path, try_cast(written as bigint) as size, "
        f"written::varchar as written from (select {path} as path, {written} as written from {source}) "
        f"where $2 = '' or (starts_with(path, $2) and path != $2) or path is null",
        database.links,
        request.prefix,
    )
    count: int = database.one("select count(*) from items")
    if not count:
        message = f'no path begins with "{request.prefix}"' if request.prefix else "the list has no items"
        raise InventoryError(problems.NONE, message, "list at least one item")
    _check(database)
    database.run("alter table items drop column written")
    return count


def _source(database: Database, request: SlicesRequest) -> tuple[str, list[str]]:
    """Return what reads the files, for a query whose first parameter they are, and their columns."""
    if database.links[0].endswith(".parquet"):
        described = database.run("select column_name from (describe select * from read_parquet($1))", database.links).fetchall()
        return "read_parquet($1)", [name for (name,) in described]
    columns = list(request.columns)
    if not columns:
        headers = {_header(database, link) for link in database.links}
        if len(headers) > 1:
            message = "the files of the list have different headers"
            raise InventoryError(LISTING, message, "use files of one inventory, or name their columns with --columns")
        columns = next(reader(headers), [])
        if not columns:
            raise InventoryError(problems.NONE, "the list has no items", "list at least one item")
    if len(set(columns)) < len(columns):
        raise InventoryError(LISTING, "two columns of the list have one name", "name the columns with --columns")
    names = ", ".join(f"{quoted(name, chr(39))}: 'VARCHAR'" for name in columns)
    # Without detection, no line is left out because it does not look like the others.
    options = f"auto_detect = false, delim = ',', quote = '\"', escape = '\"', nullstr = '', columns = {{{names}}}"
    return f"read_csv($1, {options}, header = {not request.columns})", columns


def _header(database: Database, link: str) -> str:
    options = "auto_detect = false, delim = '\x01', quote = '', escape = '', header = false, columns = {line: 'VARCHAR'}"
    row = database.run(f"select line from read_csv($1, {options}) limit 1", link).fetchone()
    return "" if row is None or row[0] is None else str(row[0]).removeprefix("\ufeff")


def _check(database: Database) -> None:
    """Raise InventoryError for the first item that a manifest could not have, and for a path that repeats."""
    query = "select path from items where path is null or regexp_matches(path, $1) order by rowid limit 1"
    row = database.run(query, _SUSPICIOUS).fetchone()
    if row is not None:
        path = row[0]
        message = "an item has no path" if path is None else f"the path {path!r} {fault_of(path)}"
        raise InventoryError(problems.ITEM, message, "write it relative to the folder of the data, or set --prefix")
    # A cast to a whole number rounds.
    wrong = "(size is null and written != '') or size < 0 or try_cast(written as double) != size::double"
    row = database.run(f"select path, written from items where {wrong} order by rowid limit 1").fetchone()
    if row is not None:
        raise InventoryError(problems.SIZE, f"the size of {row[0]!r} is {row[1]!r}", "write a number of bytes, without a unit")
    ascending = "select count(*) from (select path, lag(path) over () as before from items) where path <= before"
    if not database.one(ascending):
        return
    repeated = "select hash(path) from items group by hash(path) having count(*) > 1"
    again = f"select path from items where hash(path) in ({repeated}) group by path having count(*) > 1 order by path limit 1"
    row = database.run(again).fetchone()
    if row is not None:
        hint = "remove one of them; a listing of versions must have only the current one"
        raise InventoryError(problems.DUPLICATE, f"{row[0]!r} is listed twice", hint)
