"""`tjgen slices`: divide a list of items that is larger than memory, and write the slices to a folder."""

from __future__ import annotations

import json
import os
import sys

from tjgen.cli.command import COMMON, VALUE, Arguments, Command, Option, UsageError, prints_json
from tjgen.cli.inputs import sandbox_for
from tjgen.cli.reporting import Reporter
from tjgen.language.slicing.division import MOST_SLICES
from tjgen.tools.inventory.request import LISTING, InventoryError, SlicesRequest
from tjgen.trees.diagnostics.model import CompileError, Diagnostic
from tjgen.trees.files.sandbox import Sandbox
from tjgen.trees.files.search import below
from tjgen.trees.k8s.quantity import parse

_ENDINGS = (".parquet", ".csv", ".csv.gz", ".csv.zst")
_STRATEGIES = ("contiguous", "contiguous-size-balanced", "hash", "lpt", "round-robin")
COMMAND = Command(
    "slices",
    "Divide a list of items that is larger than memory.",
    "Read the items from Parquet or CSV files, such as an inventory of an object store, and write a folder with a list of "
    "paths for each slice. The files of a folder are read in the order of their names. The slices are equal to those of a "
    "build of the same items. DuckDB divides the items: install it with pip install 'tjgen[inventory]'.",
    "tjgen slices inventory/ --count 64 --by hash --output slices",
    "FILE...",
    (
        Option(("--count",), "count", "Number of slices, usually the number of nodes.", VALUE, "N"),
        Option(("--by",), "by", "Strategy; the default is contiguous.", VALUE, "STRATEGY", _STRATEGIES),
        Option(("-o", "--output"), "output", "Folder of the slices.", VALUE, "DIR"),
        Option(("--as",), "form", "Format of the lists; the default is txt.", VALUE, "FORMAT", ("txt", "parquet")),
        Option(("--path-column",), "path_column", "Column with the paths; the default is path.", VALUE, "NAME"),
        Option(("--size-column",), "size_column", "Column with the bytes; the default is size.", VALUE, "NAME"),
        Option(("--columns",), "columns", "Columns of CSV files without a header, with commas between them.", VALUE, "NAMES"),
        Option(("--prefix",), "prefix", "Divide only paths that begin with TEXT, and write them without it.", VALUE, "TEXT"),
        Option(("--url-encoded",), "url_encoded", "Decode the paths, as in a CSV inventory of S3."),
        Option(("--memory",), "memory", "Memory of the process; the default is 1Gi, at least 256Mi.", VALUE, "QUANTITY"),
        *COMMON,
    ),
    least=1,
)
_LEAST_MEMORY = 256 << 20


def run(arguments: Arguments) -> int:
    """Write the slices, print how even they are, and return the exit code. Raises UsageError for missing options."""
    if arguments["output"] is None or arguments["count"] is None:
        raise UsageError("write tjgen slices FILE... --count N --output DIR")
    reporter = Reporter(arguments)
    with reporter:
        request = SlicesRequest(
            files=_files(arguments["paths"]),
            slices=_number(arguments["count"]),
            by=arguments["by"] or "contiguous",
            output=arguments["output"],
            form=arguments["form"] or "txt",
            path_column=arguments["path_column"] or "path",
            size_column=arguments["size_column"] or "size",
            columns=arguments["columns"].split(",") if arguments["columns"] else (),
            prefix=arguments["prefix"] or "",
            url_encoded=arguments["url_encoded"],
            memory=_memory(arguments["memory"] or "1Gi"),
        )
        from tjgen.tools.inventory import writing

        try:
            divided = writing.write(request)
        except InventoryError as problem:
            raise CompileError([problem.diagnostic]) from None
        _print(request, divided.lengths, divided.sizes, as_json=prints_json(arguments))
    return reporter.close()


def _print(request: SlicesRequest, lengths: list[int], sizes: list[int] | None, *, as_json: bool) -> None:
    even = {"by": request.by, "count": len(lengths), "items": sum(lengths), "fewest": min(lengths), "most": max(lengths)}
    if sizes is not None:
        even |= {"smallest": min(sizes), "largest": max(sizes)}
    if as_json:
        sys.stdout.write(json.dumps(even) + "\n")
        return
    heads = [name.upper() for name in even]
    cells = [str(value) for value in even.values()]
    widths = [max(map(len, pair)) for pair in zip(heads, cells, strict=True)]
    for row in (heads, cells):
        sys.stdout.write("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)).rstrip() + "\n")


def _files(paths: list[str]) -> list[str]:
    """Return the files of the list. Raises CompileError for those that cannot be read."""
    sandbox = sandbox_for(paths)
    paths_of_list = [file for path in paths for file in _below(path, sandbox)]
    problems = [one for one in paths_of_list if isinstance(one, Diagnostic)]
    files = [one for one in paths_of_list if not isinstance(one, Diagnostic)]
    sizes = [(file, sandbox.size(file)) for file in files]
    problems += [size for _, size in sizes if isinstance(size, Diagnostic)]
    for file in files:
        if not file.lower().endswith(_ENDINGS):
            hint = f"use a file that ends in {', '.join(_ENDINGS)}; DuckDB does not read ORC: export the inventory as Parquet"
            problems.append(Diagnostic(LISTING, f"{file} is neither Parquet nor CSV", hint=hint))
    if not problems and len({file.lower().endswith(".parquet") for file in files}) > 1:
        problems.append(Diagnostic(LISTING, "the list has Parquet and CSV files", hint="use files of one format"))
    if problems:
        raise CompileError(problems)
    return files


def _below(path: str, sandbox: Sandbox) -> list[str | Diagnostic]:
    if not os.path.isdir(path):
        return [path]
    paths_of_list = list(below(sandbox, path, lambda name: name.lower().endswith(_ENDINGS)))
    return paths_of_list or [
        Diagnostic("TJ021", f"{path} contains no file that ends in {' or '.join(_ENDINGS)}", hint="name the files")
    ]


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10 and 1 <= int(text) <= MOST_SLICES):
        raise UsageError(f"--count {text}: use a number from 1 to {MOST_SLICES}")
    return int(text)


def _memory(text: str) -> int:
    try:
        memory = int(parse(text).value)
    except ValueError:
        memory = 0
    if not _LEAST_MEMORY <= memory <= 1 << 50:
        raise UsageError(f"--memory {text}: use a quantity of at least 256Mi, such as 4Gi")
    return memory
