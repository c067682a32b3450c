"""A build by shards is the build of one command: in its files, its messages, their order, and its exit code."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from tests.compiler.building.projects import experiment, write_project, write_random_project
from tests.compiler.building.test_workers import COUNT, damage, different
from tests.gitops.shards.sharding import assert_same, merged, records, whole, write_shards
from tests.laws.built import CASES
from tests.program import arguments
from tjgen.compiler.building import processes as limits
from tjgen.compiler.building.records import KnownRuns
from tjgen.compiler.pipeline import Compiler

FOUR = (3, 1, 4, 2)


@pytest.fixture(autouse=True)
def no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TJGEN_CACHE", "off")


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """For each run of a merge, whether it has a record."""
    known: list[bool] = []
    compiler = KnownRuns.compiler

    def counted(self: KnownRuns, key: str, full: Compiler) -> Compiler:
        one = compiler(self, key, full)
        known.append(one is not full)
        return one

    monkeypatch.setattr(KnownRuns, "compiler", counted)
    return known


@pytest.mark.parametrize(
    "order", [FOUR, (1,), (2, 1), tuple(range(COUNT + 3, 0, -1))], ids=["four", "one", "two", "more than files"]
)
def test_shards_write_the_same_tree(order: tuple[int, ...], tmp_path: Path, compiled: list[bool]) -> None:
    different(tmp_path / "a")

    def change(folder: Path) -> None:
        file = folder / "experiments" / "009.yaml"
        file.write_text(file.read_text(encoding="utf-8").replace("nodes: 10", "nodes: 20"), encoding="utf-8")

    assert assert_same(tmp_path / "a", order, edit=change).code == 0
    assert compiled.count(False) == 0
    assert len(compiled) == 2 * (COUNT + 2)


def test_shards_report_the_same_errors_in_the_same_order(tmp_path: Path, compiled: list[bool]) -> None:
    different(tmp_path / "a")
    damage(tmp_path / "a")
    answer = assert_same(tmp_path / "a", FOUR)
    assert answer.code == 1
    assert answer.err.count("error[") >= 4
    assert True in compiled
    assert not (tmp_path / "a-shards" / "made").exists()


def test_quotas_and_storage_are_compared_over_all_shards(tmp_path: Path) -> None:
    experiments = [experiment(number) for number in range(6)]
    for one in experiments:
        one["spec"]["gpu"] = "h100:4"
        one["spec"]["volumes"] = {"out": {"pvc": "results", "mountPath": "/out"}}
    quota = {experiments[0]["metadata"]["namespace"]: {"requests.nvidia.com/gpu": 16}}
    write_project(tmp_path / "a", experiments, {"quotas": quota})
    answer = assert_same(tmp_path / "a", FOUR)
    assert "TJ326" in answer.err
    assert "TJ384" in answer.err


def test_runs_that_a_lock_has_are_the_same(tmp_path: Path, compiled: list[bool]) -> None:
    """Runs that are superseded, removed, frozen, changed in place, scaled, and archived; and a claim that grows."""
    experiments = [experiment(number) for number in range(8)]
    experiments[1]["spec"] |= {"naming": "fixed", "runtime": "tjgen-plain", "target": "volcanojob"}
    experiments[2]["spec"]["volumes"] = {"out": {"pvc": {"create": {"size": "10Gi"}}, "mountPath": "/out"}}
    write_project(tmp_path / "a", experiments, {"monitoring": {"labels": {"release": "v1"}}})

    def edit(folder: Path) -> None:
        project = folder / "tjgen.yaml"
        labels = "  gitops: {tool: argocd}\n  labels: {stage: test}\n"
        project.write_text(project.read_text(encoding="utf-8") + labels, encoding="utf-8")
        texts = {
            0: ("nodes: 2", "nodes: 3"),
            1: ("nodes: 2", "nodes: 4"),
            2: ("size: 10Gi", "size: 5Gi"),
            3: ("spec:\n", "spec:\n  state: suspended\n"),
        }
        for number, (old, new) in texts.items():
            file = folder / "experiments" / f"{number:03}.yaml"
            text = file.read_text(encoding="utf-8")
            assert old in text
            file.write_text(text.replace(old, new), encoding="utf-8")
        platform = folder / "platform.yaml"
        rewrite = "  images: {rewrite: {'registry.example.com/team/train:1.6': 'registry.example.com/team/train:2'}}\n"
        platform.write_text(platform.read_text(encoding="utf-8") + rewrite, encoding="utf-8")
        (folder / "experiments" / "004.yaml").unlink()
        file = folder / "experiments" / "005.yaml"
        file.write_text(file.read_text(encoding="utf-8").replace("name: ", "name: renamed-", 1), encoding="utf-8")

    answer = assert_same(tmp_path / "a", FOUR, edit=edit)
    assert answer.code == 0
    for words in ("TJ540", "TJ398", "5 kept"):
        assert words in answer.err
    assert False not in compiled


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_case_is_the_same(case: Path, tmp_path: Path) -> None:
    shutil.copytree(case, tmp_path / "a", ignore=shutil.ignore_patterns("expected"))
    words = arguments(case)
    if any(word.startswith(("--set", "--trainer", "--expanded", "--all-pods", "-o")) for word in words):
        pytest.skip("the case has options that a tree cannot have")
    assert_same(tmp_path / "a", (2, 1), words)


def test_random_projects_are_the_same(tmp_path: Path, compiled: list[bool]) -> None:
    for seed in range(2300, 2306):
        words, _ = write_random_project(random.Random(seed), tmp_path / str(seed))
        if "--set" not in words:
            assert_same(tmp_path / str(seed), FOUR, words)
    assert compiled.count(True) > 20


def test_a_shard_has_workers_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    different(tmp_path)
    write_shards(tmp_path, (1,), ())
    alone = (tmp_path / "shards" / "shard-1-of-1.jsonl").read_bytes()
    monkeypatch.setattr(limits, "IN_FULL", 2)
    monkeypatch.setattr(limits, "FILES", 1)
    write_shards(tmp_path, (1,), ("--jobs", "3"))
    assert (tmp_path / "shards" / "shard-1-of-1.jsonl").read_bytes() == alone


def test_a_merge_checks_and_sums_up(tmp_path: Path) -> None:
    different(tmp_path)
    assert whole(tmp_path, ())[0].code == 0
    for options in (("--check",), ("--summary",), ("--renew", "*"), ("--prune-runs",)):
        expected = whole(tmp_path, (), *options)
        assert merged(tmp_path, FOUR, (), *options) == expected
    assert records(tmp_path) == COUNT + 2
