"""An output tree: what a build writes, leaves, removes and refuses."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.gitops.emit.folders import build, files, folders, output
from tjgen.gitops.emit.plan import OutputFile
from tjgen.gitops.emit.tree import OutputTree
from tjgen.trees.diagnostics.model import CompileError

RUN = "prod/runs/vision/a/a-1/trainjob.yaml"
OTHER = "prod/runs/vision/b/b-1/trainjob.yaml"


@pytest.fixture
def deploy(tmp_path: Path) -> Path:
    return tmp_path / "deploy"


def codes(error: pytest.ExceptionInfo[CompileError]) -> list[str]:
    return [diagnostic.code for diagnostic in error.value.diagnostics]


def test_a_first_build_makes_the_directory_and_leaves_no_trace_of_itself(deploy: Path) -> None:
    result = build(deploy, [output(RUN), output(OTHER)])
    assert (result.created, result.updated, result.unchanged, result.removed) == ([RUN, OTHER], [], [], [])
    assert sorted(files(deploy)) == [RUN, OTHER]


def test_an_unchanged_file_is_not_touched(deploy: Path) -> None:
    build(deploy, [output(RUN), output(OTHER)])
    before = (deploy / RUN).stat()
    result = build(deploy, [output(RUN), output(OTHER, "kind: JobSet\n")])
    after = (deploy / RUN).stat()
    assert (result.created, result.updated, result.unchanged) == ([], [OTHER], [RUN])
    assert (before.st_mtime_ns, before.st_ino) == (after.st_mtime_ns, after.st_ino)


def test_what_a_build_does_not_mention_stays(deploy: Path) -> None:
    build(deploy, [output(RUN), output(OTHER)])
    assert build(deploy, [output(RUN)]).removed == []
    assert sorted(files(deploy)) == [RUN, OTHER]


def test_a_claimed_folder_loses_what_is_not_put_again_and_empty_folders_go(deploy: Path) -> None:
    build(deploy, [output(RUN), output(OTHER)])
    assert build(deploy, [output(RUN)], claims=["prod/runs/vision/b"]).removed == [OTHER]
    assert sorted(files(deploy)) == [RUN]
    assert "prod/runs/vision/b" not in folders(deploy)


def test_an_empty_directory_stays_when_the_last_file_goes(deploy: Path) -> None:
    build(deploy, [output(RUN)])
    build(deploy, [], claims=[""])
    assert deploy.is_dir()
    assert folders(deploy) == set()


def test_what_is_kept_stays_in_a_claimed_folder(deploy: Path) -> None:
    old = "prod/runs/vision/a/a-0/trainjob.yaml"
    older = "prod/runs/vision/a/a-00/trainjob.yaml"
    build(deploy, [output(RUN), output(old), output(older), output(OTHER)])
    result = build(deploy, [output(RUN)], claims=["prod"], keeps=["prod/runs/vision/a/a-0", older])
    assert result.removed == [OTHER]


def test_a_claim_for_an_owner_takes_only_its_files(deploy: Path) -> None:
    mine, theirs = (
        output("prod/data/vision/mine.yaml", owner="prod/vision/a"),
        output("prod/data/vision/x.yaml", owner="prod/vision/b"),
    )
    build(deploy, [mine, theirs])
    with OutputTree(str(deploy)) as tree:
        tree.claim("prod/data", owner="prod/vision/a")
        assert tree.commit().removed == [mine.path]


def test_overlapping_claims_remove_a_file_once(deploy: Path) -> None:
    build(deploy, [output(RUN)])
    assert build(deploy, [], claims=["", "prod", "prod/runs"]).removed == [RUN]


def test_nothing_happens_without_commit(deploy: Path) -> None:
    build(deploy, [output(RUN)])
    before = files(deploy)
    with OutputTree(str(deploy)) as tree:
        tree.put(output(RUN, "kind: JobSet\n"))
        tree.put(output(OTHER))
        tree.claim("")
    assert files(deploy) == before
    assert not (deploy / ".tjgen").exists()


def test_a_directory_made_for_a_build_that_gives_up_goes_again(tmp_path: Path) -> None:
    with OutputTree(str(tmp_path / "a" / "b")) as tree:
        tree.put(output(RUN))
    assert files(tmp_path) == {}
    assert folders(tmp_path) == set()


def test_foreign_files_are_never_touched_not_even_by_force(deploy: Path) -> None:
    build(deploy, [output(RUN)])
    (deploy / "prod/runs/vision/a/notes.yaml").write_text("mine: true\n")
    (deploy / OTHER).parent.mkdir(parents=True)
    (deploy / OTHER).write_text("mine: true\n")
    before = files(deploy)
    with pytest.raises(CompileError) as error:
        build(deploy, [output(OTHER), output(RUN, "changed: true\n")], force=True)
    assert codes(error) == ["TJ050"]
    assert OTHER in error.value.diagnostics[0].message
    assert files(deploy) == before
    build(deploy, [], claims=[""], force=True)
    assert sorted(files(deploy)) == ["prod/runs/vision/a/notes.yaml", OTHER]


def test_hand_edits_are_refused_without_force(deploy: Path) -> None:
    build(deploy, [output(RUN), output(OTHER)])
    for path in (RUN, OTHER):
        with (deploy / path).open("a") as file:
            file.write("edited: true\n")
    before = files(deploy)
    with pytest.raises(CompileError) as error:
        build(deploy, [output(RUN)], claims=[""])
    assert codes(error) == ["TJ051", "TJ051"]
    assert "experiments/a.yaml" in str(error.value.diagnostics[0].hint)
    assert files(deploy) == before
    result = build(deploy, [output(RUN)], claims=[""], force=True)
    assert (result.updated, result.removed) == ([RUN], [OTHER])


def test_a_hand_edit_of_a_file_that_is_kept_is_none_of_our_business(deploy: Path) -> None:
    build(deploy, [output(RUN)])
    (deploy / RUN).write_bytes((deploy / RUN).read_bytes() + b"edited: true\n")
    before = files(deploy)
    build(deploy, [], claims=[""], keeps=[RUN])
    assert files(deploy) == before


def test_a_header_alone_that_changes_is_written(deploy: Path) -> None:
    build(deploy, [output(RUN)])
    assert build(deploy, [output(RUN)._replace(source="moved/a.yaml")]).updated == [RUN]


def test_permissions_of_a_file_stay(deploy: Path) -> None:
    build(deploy, [output(RUN)])
    (deploy / RUN).chmod(0o640)
    build(deploy, [output(RUN, "kind: JobSet\n")])
    assert (deploy / RUN).stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("a/b.yaml", "a/b.yaml", id="one path twice"),
        pytest.param("a/b.yaml", "a/B.yaml", id="case of a file"),
        pytest.param("a/b.yaml", "A/c.yaml", id="case of a folder"),
        pytest.param("a/x", "a/x/b.yaml", id="a file where a folder is wanted"),
        pytest.param("a/x/b.yaml", "a/x", id="a folder where a file is wanted"),
        pytest.param("a/STRASSE.yaml", "a/straße.yaml", id="letters that fold into two"),
    ],
)
def test_paths_that_cannot_stand_together_are_refused_naming_both(deploy: Path, one: str, other: str) -> None:
    with pytest.raises(CompileError) as error:
        build(deploy, [output(one, owner="prod/ns/one"), output(other, owner="prod/ns/other")])
    assert codes(error) == ["TJ052"]
    message = error.value.diagnostics[0].message
    assert all(word in message for word in (one, other, "prod/ns/one", "prod/ns/other"))
    assert not deploy.exists()


@pytest.mark.parametrize(
    "path",
    [
        "",
        ".",
        "..",
        "../a.yaml",
        "a/../../b",
        "/etc/passwd",
        "a//b",
        "a/",
        ".tjgen/journal",
        "a/.hidden",
        "a\nb",
        "a\0b",
        "\udcff",
    ],
)
def test_paths_that_leave_the_tree_or_hide_are_refused(deploy: Path, path: str) -> None:
    with pytest.raises(CompileError) as error:
        build(deploy, [OutputFile(path, "", "a.yaml")])
    assert codes(error) == ["TJ053"]
    assert not deploy.exists()


def test_all_problems_are_told_at_once(deploy: Path) -> None:
    with pytest.raises(CompileError) as error:
        build(deploy, [output("../x"), output("a"), output("A"), output("b/.c")])
    assert sorted(codes(error)) == ["TJ052", "TJ053", "TJ053"]


class TestThingsInTheWay:
    """What is no plain file or folder is not written through."""

    def test_a_folder_that_is_a_link_to_outside(self, deploy: Path, tmp_path: Path) -> None:
        (tmp_path / "outside").mkdir()
        deploy.mkdir()
        (deploy / "prod").symlink_to(tmp_path / "outside")
        with pytest.raises(CompileError) as error:
            build(deploy, [output(RUN)], force=True)
        assert codes(error) == ["TJ054"]
        assert files(tmp_path / "outside") == {}

    def test_a_file_that_is_a_link_to_outside(self, deploy: Path, tmp_path: Path) -> None:
        build(deploy, [output(RUN)])
        (deploy / RUN).rename(tmp_path / "outside.yaml")
        (deploy / RUN).symlink_to(tmp_path / "outside.yaml")
        before = (tmp_path / "outside.yaml").read_bytes()
        with pytest.raises(CompileError) as error:
            build(deploy, [output(RUN, "kind: JobSet\n")], force=True)
        assert codes(error) == ["TJ054"]
        assert (tmp_path / "outside.yaml").read_bytes() == before

    def test_links_are_not_followed_for_removal(self, deploy: Path, tmp_path: Path) -> None:
        build(tmp_path / "other", [output(RUN)])
        deploy.mkdir()
        (deploy / "linked").symlink_to(tmp_path / "other")
        (deploy / "dangling").symlink_to("nowhere")
        build(deploy, [], claims=["", "linked"])
        assert sorted(files(tmp_path / "other")) == [RUN]
        assert (deploy / "linked").is_symlink()

    def test_a_folder_where_a_file_must_be(self, deploy: Path) -> None:
        (deploy / RUN).mkdir(parents=True)
        with pytest.raises(CompileError) as error:
            build(deploy, [output(RUN)])
        assert codes(error) == ["TJ054"]

    def test_a_file_where_a_folder_must_be(self, deploy: Path) -> None:
        deploy.mkdir()
        (deploy / "prod").write_text("")
        with pytest.raises(CompileError) as error:
            build(deploy, [output(RUN)])
        assert codes(error) == ["TJ054"]

    def test_a_named_pipe(self, deploy: Path) -> None:
        (deploy / RUN).parent.mkdir(parents=True)
        os.mkfifo(deploy / RUN)
        with pytest.raises(CompileError) as error:
            build(deploy, [output(RUN)])
        assert codes(error) == ["TJ054"]

    def test_the_directory_is_a_file(self, deploy: Path) -> None:
        deploy.write_text("mine\n")
        with pytest.raises(CompileError) as error:
            build(deploy, [output(RUN)])
        assert codes(error) == ["TJ057"]
        assert deploy.read_text() == "mine\n"

    def test_the_directory_itself_may_be_a_link(self, deploy: Path, tmp_path: Path) -> None:
        (tmp_path / "real").mkdir()
        deploy.symlink_to("real")
        build(deploy, [output(RUN)])
        assert sorted(files(tmp_path / "real")) == [RUN]


class TestRecords:
    """Files outside the directory that change together with it."""

    def build(self, deploy: Path, run: str, lock: str | None) -> None:
        with OutputTree(str(deploy), records=str(deploy.parent / "locks")) as tree:
            tree.put(output(RUN, run))
            tree.record("prod/vision/a.yaml", lock)
            tree.commit()

    def test_they_are_written_without_a_header(self, deploy: Path) -> None:
        self.build(deploy, "kind: TrainJob\n", "runs: {}\n")
        assert files(deploy.parent / "locks") == {"prod/vision/a.yaml": b"runs: {}\n"}

    def test_they_stay_when_the_tree_is_refused(self, deploy: Path) -> None:
        self.build(deploy, "kind: TrainJob\n", "runs: {}\n")
        (deploy / RUN).write_text("mine\n")
        with pytest.raises(CompileError):
            self.build(deploy, "kind: JobSet\n", "runs: {a: 1}\n")
        assert files(deploy.parent / "locks") == {"prod/vision/a.yaml": b"runs: {}\n"}

    def test_an_unchanged_one_is_not_touched(self, deploy: Path) -> None:
        self.build(deploy, "kind: TrainJob\n", "runs: {}\n")
        before = (deploy.parent / "locks/prod/vision/a.yaml").stat().st_mtime_ns
        self.build(deploy, "kind: JobSet\n", "runs: {}\n")
        assert (deploy.parent / "locks/prod/vision/a.yaml").stat().st_mtime_ns == before

    def test_one_is_removed_with_its_folders(self, deploy: Path) -> None:
        self.build(deploy, "kind: TrainJob\n", "runs: {}\n")
        self.build(deploy, "kind: TrainJob\n", None)
        assert files(deploy.parent / "locks") == {}
        assert folders(deploy.parent / "locks") == set()

    def test_an_empty_text_is_a_file(self, deploy: Path) -> None:
        self.build(deploy, "kind: TrainJob\n", "runs: {}\n")
        self.build(deploy, "kind: TrainJob\n", "")
        assert files(deploy.parent / "locks") == {"prod/vision/a.yaml": b""}

    def test_the_folder_may_be_inside_the_directory_or_be_it(self, deploy: Path) -> None:
        for records in (deploy, deploy / "locks"):
            with OutputTree(str(deploy), records=str(records), wait=0.0) as tree:
                tree.record("prod/a.yaml", "runs: {}\n")
                tree.commit()
        assert sorted(files(deploy)) == ["locks/prod/a.yaml", "prod/a.yaml"]


def test_another_file_system_below_the_directory_is_served_by_copying(deploy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rename = os.rename

    def across(source: str, target: str) -> None:
        if "/.tjgen/" in source and "/.tjgen/" not in target:
            raise OSError(18, "Invalid cross-device link")
        rename(source, target)

    monkeypatch.setattr(os, "rename", across)
    build(deploy, [output(RUN)])
    build(deploy, [output(RUN, "kind: JobSet\n")])
    assert sorted(files(deploy)) == [RUN]
    assert b"JobSet" in (deploy / RUN).read_bytes()
