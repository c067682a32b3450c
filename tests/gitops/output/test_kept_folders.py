"""Which checkpoint folders of pruned runs stay because of runs of other environments."""

from __future__ import annotations

from tjgen.gitops.output.inventory import RunEntry
from tjgen.gitops.output.kept_folders import select
from tjgen.language.runs.lock import ACTIVE, SUPERSEDED, LockedRun, PrunedRun
from tjgen.language.runs.store import LockKey

DEV, PROD = LockKey("dev", "nlp", "llm"), LockKey("prod", "nlp", "llm")


def _pruned(name: str, number: int) -> tuple[LockKey, PrunedRun]:
    return DEV, PrunedRun(name, "v1:x", number, SUPERSEDED, "tjgen runs prune")


def _existing(place: LockKey, name: str, number: int = 1, state: str = ACTIVE, promoted_from: str = "") -> RunEntry:
    return RunEntry(place, LockedRun(name, "v1:x", number, state, "torch", "", "", "", promoted_from=promoted_from))


def test_a_run_of_the_same_name_in_another_environment_stays() -> None:
    removed = [_pruned("llm-a", 1), _pruned("llm-b", 2)]
    selection = select(removed, [_existing(PROD, "llm-a")], ["llm-*"], {}, {})
    assert [run.name for _, run in selection.chosen] == ["llm-b"]
    assert selection.kept == [f"kept: llm-a: a run of that name is current in {PROD.key}"]


def test_a_promoted_run_stays_and_is_an_error_if_it_is_named() -> None:
    removed = [_pruned("llm-a", 1), _pruned("llm-b", 2)]
    existing = [_existing(PROD, "llm-x", promoted_from=f"{DEV.key}/llm-a")]
    assert select(removed, existing, [], {DEV.key: 0}, {}).kept == [f"kept: llm-a: it is promoted to {PROD.key}"]
    [problem] = select(removed, existing, ["llm-a"], {}, {}).problems
    assert (problem.code, problem.message) == (
        "TJ537",
        f'the checkpoint folder of run "llm-a" stays: it is promoted to {PROD.key}',
    )


def test_superseded_runs_of_the_tree_count_as_former_runs() -> None:
    removed = [_pruned("llm-a", 1), _pruned("llm-b", 2)]
    existing = [_existing(DEV, "llm-c", 3, SUPERSEDED), _existing(DEV, "llm-d", 4)]
    for keep, expected in ((0, ["llm-a", "llm-b"]), (1, ["llm-a", "llm-b"]), (2, ["llm-a"]), (9, [])):
        assert [run.name for _, run in select(removed, existing, [], {DEV.key: keep}, {}).chosen] == expected
    assert not select(removed, existing, [], {PROD.key: 0}, {}).chosen, "only experiments with keepRuns"
