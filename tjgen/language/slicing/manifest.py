"""The text of a manifest file -> items: `.txt` a path a line, `.jsonl` {"path", "size"} a line, `.csv` with a header."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterator

from tjgen.language.slicing import problems
from tjgen.language.slicing.items import LARGEST, UNKNOWN, Collector, DataItems, size_of
from tjgen.trees.diagnostics.model import Diagnostic

_BATCH = 32_768
"""Bytes of the lines that are read at once, without the last line."""
_PLAIN_DIGITS = 18
_IN_FIELDS = bytes({*range(256)} - {*b",\n"})
_JSON_HINT = 'write {"path": ..., "size": ...}'
_SIZE_HINT = "write bytes, or a quantity such as 2Gi"


def read(content: bytes, file: str) -> tuple[DataItems, list[Diagnostic]]:
    """The items in the order of the file, and what is wrong, each with its line. `file` is its name in diagnostics."""
    collector = Collector(file)
    ending = file.rpartition(".")[2].lower()
    reader = _READERS.get(ending)
    if reader is None:
        collector.refuse(
            problems.UNREADABLE, f"the manifest {file} ends in .{ending}", 1, hint="use the ending .txt, .jsonl or .csv"
        )
        return collector.done()
    if not content.isascii():
        try:
            content.decode()
        except UnicodeDecodeError as problem:
            line = content.count(b"\n", 0, problem.start) + 1
            collector.refuse(problems.UNREADABLE, f"the manifest {file} is not UTF-8", line, hint="save it as UTF-8")
            return collector.done()
    reader(content.removeprefix(BOM_UTF8).replace(b"\r\n", b"\n"), collector)
    del content
    if not collector.items.paths and not collector.diagnostics:
        collector.refuse(problems.NONE, f"the manifest {file} has no items", 1, hint="list at least one item")
    return collector.done()


def _lines(content: bytes, collector: Collector) -> None:
    for first, block in _blocks(content, 0):
        lines = block.split(b"\n")
        places = [place for place, line in enumerate(lines, first) if line]
        paths = [line for line in lines if line]
        collector.extend(paths, [UNKNOWN] * len(paths), places)


def _json_lines(content: bytes, collector: Collector) -> None:
    for first, block in _blocks(content, 0):
        lines = block.decode().split("\n")
        columns = _json_columns(lines)
        if columns is None:
            for place, line in enumerate(lines, first):
                _json_line(line, place, collector)
        else:
            collector.extend(*columns, range(first, first + len(lines)))


def _json_columns(lines: list[str]) -> tuple[list[bytes], list[int]] | None:
    """Return paths and sizes of all lines in one pass, or None if some line requires a closer look."""
    from json import loads

    joined = "\n".join(lines)
    if joined[:1] != "{" or joined[-1:] != "}" or joined.count("}\n{") != len(lines) - 1:
        return None
    one_list = joined.replace("\n", ",")
    try:
        items = loads(f"[{one_list}]")
    except (ValueError, RecursionError):
        return None
    # As many colons as keys: no key occurs twice in an item; otherwise the last one would apply.
    if len(items) != len(lines) or joined.count(":") != sum(map(len, items)):
        return None
    paths = [item.get("path") for item in items]
    sizes = [item.get("size", UNKNOWN) for item in items]
    if set(map(type, paths)) != {str} or set(map(type, sizes)) != {int} or max(sizes) > LARGEST:
        return None
    if min(sizes) < 0 and '"size"' in joined:
        return None
    try:
        return [path.encode() for path in paths], sizes
    except UnicodeEncodeError:  # half of a pair of surrogates
        return None


def _json_line(line: str, place: int, collector: Collector) -> None:
    from json import JSONDecodeError, loads

    if not line.strip():
        return
    try:
        item = loads(line, object_pairs_hook=_pairs)
    except JSONDecodeError as problem:
        collector.refuse(problems.ITEM, f"the line is not valid JSON: {problem.msg.lower()}", place, hint=_JSON_HINT)
    except RecursionError:
        collector.refuse(problems.ITEM, "the line is nested too deeply", place, hint=_JSON_HINT)
    except ValueError as problem:
        collector.refuse(problems.ITEM, str(problem), place, hint=_JSON_HINT)
    else:
        if not isinstance(item, dict) or not isinstance(item.get("path"), str):
            collector.refuse(problems.ITEM, "the line has no path", place, hint=_JSON_HINT)
        elif item.get("size") is None:
            collector.add(item["path"], UNKNOWN, place)
        else:
            _sized(item["path"], item["size"], place, collector)


def _pairs(pairs: list[tuple[str, object]]) -> dict[str, object]:
    item = dict(pairs)
    if len(item) != len(pairs):
        raise ValueError("the item contains a key twice")
    return item


def _table(content: bytes, collector: Collector) -> None:
    header = [name.strip() for name in content.partition(b"\n")[0].decode().split(",")]
    if "path" not in header or len(set(header)) != len(header):
        collector.refuse(problems.UNREADABLE, f"the header is {','.join(header)!r}", 1, hint="begin with the line path,size")
    elif b'"' in content:
        _quoted_rows(content.decode(), header, collector)
    else:
        for first, block in _blocks(content, 1):
            if header != ["path", "size"] or not _plain_rows(block, first, collector):
                for place, line in enumerate(block.decode().split("\n"), first):
                    _row(line.split(",") if line else [], place, header, collector)


def _plain_rows(block: bytes, first: int, collector: Collector) -> bool:
    """Read all lines in one pass; return False, with nothing read, if some line requires a closer look."""
    count = block.count(b"\n") + 1
    if block.translate(None, _IN_FIELDS) != b",\n" * (count - 1) + b",":
        return False
    fields = block.replace(b"\n", b",").split(b",")
    sizes = fields[1::2]
    if b"" in sizes or max(map(len, sizes)) > _PLAIN_DIGITS or not b"".join(sizes).isdigit():
        return False
    collector.extend(fields[::2], map(int, sizes), range(first, first + count))
    return True


def _quoted_rows(text: str, header: list[str], collector: Collector) -> None:
    from csv import Error, reader
    from io import StringIO

    rows = reader(StringIO(text, newline=""), strict=True)
    try:
        next(rows)
        for row in rows:
            _row(row, rows.line_num, header, collector)
    except Error as problem:
        collector.refuse(problems.ITEM, f"the line is not valid CSV: {problem}", rows.line_num)


def _row(row: list[str], place: int, header: list[str], collector: Collector) -> None:
    if not row:
        return
    if len(row) != len(header):
        message = f"the line has {len(row)} fields, but the header has {len(header)}"
        collector.refuse(problems.ITEM, message, place, hint="quote fields that contain a comma")
        return
    path, size = row[header.index("path")], row[header.index("size")] if "size" in header else ""
    if size:
        _sized(path, size, place, collector)
    else:
        collector.add(path, UNKNOWN, place)


def _blocks(content: bytes, skipped: int) -> Iterator[tuple[int, bytes]]:
    """Yield the lines except the first `skipped`, some at a time, each with the number of its first line."""
    # All lines at once would take three times the memory of the text.
    position, end = 0, len(content) - content.endswith(b"\n")
    for _ in range(skipped):
        position = content.find(b"\n", position) + 1 or end
    number = skipped + 1
    while position < end:
        stop = content.find(b"\n", position + _BATCH, end)
        block = content[position : stop if stop >= 0 else end]
        yield number, block
        position += len(block) + 1
        number += block.count(b"\n") + 1


def _sized(path: str, written: object, line: int, collector: Collector) -> None:
    try:
        if written.__class__ not in (str, int, float):
            raise ValueError(f"is {written!r}")
        size = size_of(written)
    except ValueError as problem:
        collector.refuse(problems.SIZE, f"the size of {path!r} {problem}", line, hint=_SIZE_HINT)
    else:
        collector.add(path, size, line)


_READERS = {"txt": _lines, "jsonl": _json_lines, "ndjson": _json_lines, "csv": _table}
