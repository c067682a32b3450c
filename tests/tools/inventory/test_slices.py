"""Slices of DuckDB are those of the strategies in memory, and hostile lists are refused."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.program import Answer, tjgen
from tjgen.language.slicing.division import divide
from tjgen.language.slicing.manifest import read
from tjgen.tools.inventory.division import STRATEGIES
from tjgen.tools.inventory.listing import _BLANKS

duckdb: Any = pytest.importorskip("duckdb", reason="the extra tjgen[inventory] is not installed")
COUNT = 5
PLAIN = "path,size\n" + "".join(f"{'zyxwvu'[n % 6]}/{n * 7919 % 1000:04d},{n * n * 37 % 1000}\n" for n in range(1000))
ODD = 'path,size\n"a, b",1\nä/数据,5\n\'; drop table items; --,5\n"""q""",7\na*b[1]?.tar,5\nx..y,0\n'
EQUAL = "path,size\n" + "".join(f"{n}.tar,10\n" for n in range(300))
FEW = "path,size\na,1\nb,2\n"
LISTS = {"plain": PLAIN, "odd": ODD, "equal": EQUAL, "few": FEW}


def slices(folder: Path, *words: str) -> Answer:
    return tjgen(folder, "slices", *words, "--count", str(COUNT), "--output", "out")


def parquet(file: Path, query: str) -> None:
    duckdb.sql(f"copy ({query}) to '{file}' (format parquet)")


def written(folder: Path, count: int = COUNT) -> list[list[str]]:
    assert sorted(path.name for path in folder.iterdir()) == sorted(
        [".tjgen-slices", *(f"slice-{number}" for number in range(count))]
    )
    return [(folder / f"slice-{number}/items.txt").read_text(encoding="utf-8").split("\n")[:-1] for number in range(count)]


def in_memory(text: str, by: str) -> list[list[str]]:
    items, problems = read(text.encode(), "items.csv")
    assert problems == []
    plan, _ = divide(items, COUNT, by, because=())
    assert plan is not None
    return [[items.paths[index] for index in part] for part in plan]


@pytest.mark.parametrize("by", STRATEGIES)
@pytest.mark.parametrize("name", LISTS)
def test_they_are_those_of_a_build(name: str, by: str, tmp_path: Path) -> None:
    (tmp_path / "items.csv").write_text(LISTS[name], encoding="utf-8")
    answer = slices(tmp_path, "items.csv", "--by", by)
    assert (answer.code, answer.err) == (0, "")
    assert written(tmp_path / "out") == in_memory(LISTS[name], by)


@pytest.mark.parametrize("by", STRATEGIES)
def test_row_groups_and_files_keep_their_order(by: str, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    rows = [(f"{number * 7919 % 200_003:06d}", number * 31 % 977) for number in range(200_000)]
    items = "select printf('%06d', i * 7919 % 200003) as path, i * 31 % 977 as size from range({}, {}) t(i)"
    parquet(tmp_path / "in/a.parquet", items.format(0, 130_000))
    parquet(tmp_path / "in/b.parquet", items.format(130_000, 200_000))
    answer = slices(tmp_path, "in", "--by", by)
    assert (answer.code, answer.err) == (0, "")
    text = "path,size\n" + "".join(f"{path},{size}\n" for path, size in rows)
    assert written(tmp_path / "out") == in_memory(text, by)


def test_parquet_has_the_sizes(tmp_path: Path) -> None:
    (tmp_path / "items.csv").write_text(FEW, encoding="utf-8")
    assert slices(tmp_path, "items.csv", "--as", "parquet").code == 0
    assert duckdb.sql(f"from '{tmp_path}/out/slice-1/items.parquet'").fetchall() == [("b", 2)]
    assert duckdb.sql(f"from '{tmp_path}/out/slice-4/items.parquet'").fetchall() == []


def test_an_inventory_of_s3(tmp_path: Path) -> None:
    text = '"b","data/","0"\n"b","data/a+b%2Bc.tar","5"\n"b","logs/x","9"\n"b","data/d.tar",""\n'
    (tmp_path / "1.csv").write_text(text, encoding="utf-8")
    words = (
        "--columns",
        "Bucket,Key,Size",
        "--path-column",
        "Key",
        "--size-column",
        "Size",
        "--prefix",
        "data/",
        "--url-encoded",
    )
    assert slices(tmp_path, "1.csv", *words).code == 0
    assert written(tmp_path / "out")[:3] == [["a b+c.tar"], ["d.tar"], []]


def test_slices_replace_earlier_ones(tmp_path: Path) -> None:
    (tmp_path / "items.csv").write_text(PLAIN, encoding="utf-8")
    assert tjgen(tmp_path, "slices", "items.csv", "--count", "9", "-o", "out").code == 0
    assert slices(tmp_path, "items.csv").code == 0
    assert written(tmp_path / "out") == in_memory(PLAIN, "contiguous")


@pytest.mark.parametrize(
    ("text", "words", "message"),
    [
        pytest.param("path\n/etc/passwd\n", (), "error[TJ311] the path '/etc/passwd' is absolute", id="absolute"),
        pytest.param("path\na/../b\n", (), "error[TJ311] the path 'a/../b' points outside the folder", id="leads out"),
        pytest.param("path\n a\n", (), "error[TJ311] the path ' a' begins or ends with a space", id="a blank"),
        pytest.param('path\n"a\nb"\n', (), "error[TJ311] the path 'a\\nb' contains a control character", id="a line end"),
        pytest.param("path\nb\na\nb\n", (), "error[TJ312] 'b' is listed twice", id="twice"),
        pytest.param("path,size\na,2Gi\n", (), "error[TJ313] the size of 'a' is '2Gi'", id="no bytes"),
        pytest.param("path,size\na,1\nb,1.5\n", (), "error[TJ313] the size of 'b' is '1.5'", id="a part of a byte"),
        pytest.param("path,size\na,-1\n", (), "error[TJ313] the size of 'a' is '-1'", id="below 0"),
        pytest.param(
            "path,size\na,1\nb,\n", ("--by", "lpt"), "error[TJ314] lpt balances by size, but 'b' has no size", id="unsized"
        ),
        pytest.param("path\n", (), "error[TJ315] the list has no items", id="empty"),
        pytest.param("", (), "error[TJ315] the list has no items", id="no header"),
        pytest.param("path\na\n", ("--prefix", "x'"), 'error[TJ315] no path begins with "x\'"', id="no such prefix"),
        pytest.param('"a"") --",size\na,1\n', (), 'error[TJ572] the list has no column "path"', id="a hostile column"),
        pytest.param(
            "path,size\na,1,2\n",
            (),
            "error[TJ575] DuckDB: items.csv: Invalid Input Error: CSV Error on Line: 2",
            id="a line with too many fields",
        ),
    ],
)
def test_what_cannot_be_divided(text: str, words: Sequence[str], message: str, tmp_path: Path) -> None:
    (tmp_path / "items.csv").write_text(text, encoding="utf-8")
    answer = slices(tmp_path, "items.csv", *words)
    assert answer.code == 1
    assert answer.err.startswith(message)
    assert not (tmp_path / "out").exists()


def test_a_failed_command_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "items.csv").write_text(FEW, encoding="utf-8")
    assert slices(tmp_path, "items.csv").code == 0
    before = written(tmp_path / "out")
    (tmp_path / "items.csv").write_text("path\n/absolute\n", encoding="utf-8")
    assert slices(tmp_path, "items.csv").code == 1
    assert written(tmp_path / "out") == before
    assert tjgen(tmp_path, "slices", "items.csv", "--count", "2", "--output", "new/a/b").code == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["items.csv", "out"]


@pytest.mark.parametrize("form", ["txt", "parquet"])
@pytest.mark.parametrize("by", ["contiguous", "hash"])
@pytest.mark.parametrize("batch", [1, 7, 65_536])
def test_slices_are_read_together(batch: int, by: str, form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tjgen.tools.inventory import writing
    from tjgen.tools.inventory.request import SlicesRequest

    (tmp_path / "items.csv").write_text("path,size\n" + "".join(f"{n:02d},{n}\n" for n in range(50)), encoding="utf-8")
    monkeypatch.setattr(writing, "_BATCH", batch)
    request = SlicesRequest([str(tmp_path / "items.csv")], 40, by, str(tmp_path / "out"), form, "path", "size")
    divided = writing.write(request)
    assert divided.sizes is not None
    for number, (length, size) in enumerate(zip(divided.lengths, divided.sizes, strict=True)):
        file = tmp_path / f"out/slice-{number}/items.{form}"
        paths = file.read_text().split() if form == "txt" else [path for path, _ in duckdb.sql(f"from '{file}'").fetchall()]
        assert (len(paths), sum(map(int, paths))) == (length, size)
    assert (sum(divided.lengths), sum(divided.sizes)) == (50, 1225)


def test_a_size_of_one_slice_is_unknown(tmp_path: Path) -> None:
    (tmp_path / "items.csv").write_text("path,size\na,1\nb,\n", encoding="utf-8")
    answer = slices(tmp_path, "items.csv", "--by", "hash")
    assert (answer.code, "LARGEST" in answer.out) == (0, False)


def test_names_of_columns_and_files_are_no_queries(tmp_path: Path) -> None:
    folder = tmp_path / "a'b\"; --"
    folder.mkdir()
    (folder / "*'[1]?.csv").write_text('"a""b; drop",\'\na,1\nb,2\n', encoding="utf-8")
    (folder / "2.csv").write_text("path\nother\n", encoding="utf-8")
    answer = slices(folder, "*'[1]?.csv", "--path-column", 'a"b; drop', "--size-column", "'", "--by", "lpt")
    assert (answer.code, answer.err) == (0, "")
    assert written(folder / "out")[:3] == [["b"], ["a"], []]


def test_nothing_else_is_read_or_loaded(tmp_path: Path) -> None:
    from tjgen.tools.inventory.database import opened
    from tjgen.tools.inventory.request import InventoryError

    (tmp_path / "items.csv").write_text(FEW, encoding="utf-8")
    secret = tmp_path / "secret.csv"
    secret.write_text("a\nb\n", encoding="utf-8")
    for number, query in enumerate(
        (
            f"from read_csv('{secret}')",
            "from read_parquet('https://registry.example.com/a.parquet')",
            "install httpfs",
            f"copy (select 1) to '{tmp_path / 'new.csv'}'",
            f"attach '{tmp_path / 'new.db'}'",
            "set enable_external_access = true",
        )
    ):
        work = tmp_path / f"work-{number}"
        work.mkdir()
        with (
            pytest.raises(InventoryError, match=r"disabled|locked"),
            opened(str(work), [str(tmp_path / "items.csv")], 1 << 30) as database,
        ):
            database.run(query)
    assert not (tmp_path / "new.csv").exists()


@pytest.mark.parametrize(
    ("kind", "code"), [("pipe", "TJ030"), ("dangling", "TJ033"), ("out", "TJ029"), ("empty", "TJ021"), ("missing", "TJ020")]
)
def test_what_cannot_be_read(kind: str, code: str, tmp_path: Path) -> None:
    (tmp_path / "other.csv").write_text(FEW, encoding="utf-8")
    (tmp_path / "in/.git").mkdir(parents=True)
    match kind:
        case "pipe":
            os.mkfifo(tmp_path / "in/a.csv")
        case "dangling":
            (tmp_path / "in/a.csv").symlink_to("nowhere.csv")
        case "out":
            (tmp_path / "in/a.csv").symlink_to("../other.csv")
    answer = slices(tmp_path / "in", "a.csv" if kind != "empty" else ".")
    assert answer.code == 1
    assert f"[{code}]" in answer.err
    assert not (tmp_path / "in/out").exists()


@pytest.mark.parametrize("name", ["s3://bucket/items.parquet", "https://registry.example.com/items.csv"])
def test_an_address_is_no_file(name: str, tmp_path: Path) -> None:
    answer = slices(tmp_path, name)
    assert answer.code == 1
    assert answer.err.startswith(f"error[TJ020] {name}")


def content(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize(
    "name",
    ["notes.txt", "slice-0/notes.txt", "slice-7/items.txt", "slice-x/a", ".tjgen-slices-mine/a", ".tjgen-slices-0123abcd/a"],
)
def test_a_file_of_a_user_ends_the_command(name: str, tmp_path: Path) -> None:
    (tmp_path / "items.csv").write_text(FEW, encoding="utf-8")
    assert slices(tmp_path, "items.csv").code == 0
    (tmp_path / "out" / name).parent.mkdir(exist_ok=True)
    (tmp_path / "out" / name).write_text("mine", encoding="utf-8")
    before = content(tmp_path / "out")
    answer = slices(tmp_path, "items.csv")
    named = name if name.startswith("slice-") and not name.startswith("slice-x") else name.partition("/")[0]
    assert (answer.code, answer.err.partition("\n")[0]) == (
        1,
        f"error[TJ573] out/{named} was not written by an earlier tjgen slices, or has changed since",
    )
    assert content(tmp_path / "out") == before


def test_what_a_user_changed_or_linked_in_a_slice_ends_the_command(tmp_path: Path) -> None:
    (tmp_path / "items.csv").write_text(FEW, encoding="utf-8")
    (tmp_path / "out/slice-0").mkdir(parents=True)
    (tmp_path / "out/slice-0/items.txt").write_text("a\n", encoding="utf-8")  # without a record
    assert "out/slice-0/items.txt was not written" in slices(tmp_path, "items.csv").err
    (tmp_path / "out/slice-0/items.txt").unlink()
    assert slices(tmp_path, "items.csv").code == 0
    with (tmp_path / "out/slice-1/items.txt").open("a", encoding="utf-8") as stream:
        stream.write("more\n")
    assert "out/slice-1/items.txt was not written" in slices(tmp_path, "items.csv").err
    assert (tmp_path / "out/slice-1/items.txt").read_text() == "b\nmore\n"
    (tmp_path / "out/slice-1").rename(tmp_path / "elsewhere")
    (tmp_path / "out/slice-1").symlink_to(tmp_path / "elsewhere")
    assert "out/slice-1 was not written" in slices(tmp_path, "items.csv").err
    assert (tmp_path / "elsewhere/items.txt").read_text() == "b\nmore\n"


def test_what_a_user_adds_while_the_command_runs_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tjgen.tools.inventory import division, writing

    (tmp_path / "items.csv").write_text(FEW, encoding="utf-8")
    assert slices(tmp_path, "items.csv").code == 0
    divide = division.divide

    def divided_while_a_user_writes(*values: Any) -> Any:
        (tmp_path / "out/slice-0/notes.txt").write_text("mine", encoding="utf-8")
        return divide(*values)

    monkeypatch.setattr(writing, "divide", divided_while_a_user_writes)
    before = content(tmp_path / "out")
    assert "out/slice-0/notes.txt was not written" in slices(tmp_path, "items.csv").err
    assert content(tmp_path / "out") == {**before, "slice-0/notes.txt": "mine"}


class Killed(BaseException):
    """The end of a process at this moment."""


def is_killed(patches: pytest.MonkeyPatch, last: int, command: Callable[[], object]) -> bool:
    """Run a command that is killed at step `last` of what it changes in folders, and does nothing after it."""
    from tjgen.tools.inventory.record import SlicesRecord

    steps = 0

    def counted(function: Callable[..., Any]) -> Callable[..., Any]:
        def run(*values: Any, **named: Any) -> Any:
            nonlocal steps
            steps += 1
            if steps >= last:
                raise Killed
            return function(*values, **named)

        return run

    end = SlicesRecord.end
    for name in ("open", "mkdir", "rmdir", "unlink", "rename", "replace"):
        patches.setattr(os, name, counted(getattr(os, name)))
    patches.setattr(SlicesRecord, "end", lambda record: end(record) if steps < last else None)
    try:
        command()
    except Killed:
        return True
    return False


def test_a_command_continues_after_a_kill_at_any_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tjgen.tools.inventory.record import SlicesRecord

    def write(count: int) -> None:
        record = SlicesRecord(str(tmp_path))
        try:
            record.removable()
            work = Path(record.begin())
            for number in range(count):
                (work / f"new/slice-{number}").mkdir(parents=True)
                (work / f"new/slice-{number}/items.txt").write_text(f"{number} of {count}\n", encoding="utf-8")
            record.replace(str(work / "new"))
        finally:
            record.end()

    write(2)
    for step in range(1, 100):
        with monkeypatch.context() as patches:
            killed = is_killed(patches, step, lambda: write(3))
        write(2)
        assert sorted(content(tmp_path)) == [".tjgen-slices", "slice-0/items.txt", "slice-1/items.txt"]
        assert not list(tmp_path.glob(".tjgen-slices-*"))
        if not killed:
            break
    assert 20 < step < 99


def test_orc_names_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "items.orc").write_bytes(b"ORC")
    answer = slices(tmp_path, "items.orc")
    assert answer.code == 1
    assert "DuckDB does not read ORC: export the inventory as Parquet" in answer.err


def test_lpt_has_a_limit(tmp_path: Path) -> None:
    from tjgen.tools.inventory.division import _owners
    from tjgen.tools.inventory.request import InventoryError

    database: Any = None
    with pytest.raises(InventoryError, match="100000000 items are more than 67108864, the limit with 1024Mi") as caught:
        _owners(database, 100_000_000, 64, str(tmp_path), 1 << 30)
    assert caught.value.diagnostic.hint == "set --memory 1526Mi, or divide by contiguous-size-balanced, which has no limit"


def test_without_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "items.csv").write_text(FEW, encoding="utf-8")
    monkeypatch.setitem(__import__("sys").modules, "duckdb", None)
    answer = slices(tmp_path, "items.csv")
    assert answer.code == 1
    assert answer.err.startswith("error[TJ571] slices of a list are divided by DuckDB, which is not installed\n")
    assert "hint: pip install 'tjgen[inventory]'" in answer.err


def test_every_blank_of_python_is_known() -> None:
    assert set(_BLANKS) == {character for character in map(chr, range(0x110000)) if character.isspace()}
