"""The bodies of the files that stand in a run's folder."""

from __future__ import annotations

from pathlib import Path

from tests.gitops.emit.folders import build, output
from tjgen.gitops.emit.ondisk import bodies


def test_they_are_what_was_put_and_nothing_else(tmp_path: Path) -> None:
    build(
        tmp_path,
        [output("a/run/x.yaml", "x: 1\n"), output("a/run/y.yaml", "y: 1\n"), output("a/run/deeper/z.yaml"), output("a/b.yaml")],
    )
    (tmp_path / "a/run/mine.yaml").write_text("mine\n")
    (tmp_path / "a/run/.hidden").write_text("mine\n")
    (tmp_path / "a/run/link.yaml").symlink_to("x.yaml")
    assert bodies(str(tmp_path), "a/run") == {"x.yaml": "x: 1\n", "y.yaml": "y: 1\n"}


def test_line_ends_of_a_checkout_play_no_part(tmp_path: Path) -> None:
    build(tmp_path, [output("run/x.yaml", "x: 1\ny: 2\n")])
    path = tmp_path / "run/x.yaml"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert bodies(str(tmp_path), "run") == {"x.yaml": "x: 1\ny: 2\n"}


def test_a_hand_edit_shows(tmp_path: Path) -> None:
    build(tmp_path, [output("run/x.yaml", "x: 1\n")])
    path = tmp_path / "run/x.yaml"
    path.write_bytes(path.read_bytes() + b"y: 2\n")
    assert bodies(str(tmp_path), "run") == {"x.yaml": "x: 1\ny: 2\n"}


def test_where_there_is_no_folder_there_are_none(tmp_path: Path) -> None:
    assert bodies(str(tmp_path), "run") == {}
    (tmp_path / "run").symlink_to("/")
    assert bodies(str(tmp_path), "run") == {}
