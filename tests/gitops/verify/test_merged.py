"""Two branches that change one experiment are merged without a build: `verify` names the build, and no removal of runs."""

from __future__ import annotations

from pathlib import Path

from tests.gitops.verify.repository import build, commit, git, start, verify


def test_runs_of_two_merged_branches_need_a_build(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    start(folder)
    (folder / "catalog/.gitkeep").touch()  # Git does not keep an empty folder
    source = folder / "experiments/letters.yaml"
    source.write_text(source.read_text(encoding="utf-8") + "  # Tries.\n  env: {RATE: low}\n", encoding="utf-8")
    build(folder)
    commit(folder)
    for branch, old, new in (("one", "image: train:1", "image: train:2"), ("two", "RATE: low", "RATE: high")):
        git(folder, "switch", "--quiet", "--create", branch, "main")
        source.write_text(source.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
        build(folder)
        commit(folder)
    git(folder, "switch", "--quiet", "main")
    # The former run is superseded in both branches in the same way.
    git(folder, "merge", "--quiet", "--no-ff", "-m", "Merge", "one")
    git(folder, "merge", "--quiet", "--no-ff", "-m", "Merge", "two")
    answer = verify(folder)
    assert answer.code == 1
    assert "error[TJ699]" in answer.err
    assert "hint: use tjgen build, and commit the result" in answer.err
    assert answer.err.count("error[") == 1, answer.err
    assert "discard" not in answer.err
    build(folder)
    git(folder, "add", "--all")
    assert verify(folder, "--staged").code == 0
    commit(folder)
    assert verify(folder).code == 0
