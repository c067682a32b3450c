"""The lock of an experiment's runs: its text, and reading what we and others made of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tjgen.language.runs import lockfile
from tjgen.language.runs.identity import Identity
from tjgen.language.runs.lock import COMMENT, EARLIER_COMMENT, STATES, Lock, LockedRun, path_of, write
from tjgen.trees.diagnostics.model import CompileError
from tjgen.trees.source.reader import CORE
from tjgen.trees.source.reader import read as read_yaml

A = "a" * 64
B = "b" * 64


def run(name: str, **fields: object) -> LockedRun:
    return LockedRun(
        name=name,
        identity=f"v1:{A}",
        number=1,
        state="active",
        runtime="tjgen-torch",
        runtime_digest=f"sha256:{A}",
        content=f"sha256:{B}",
        settings=f"sha256:{A}",
    )._replace(**fields)  # type: ignore[arg-type]  # the fields of a run


ONE = run("a-5k25scfv", images=("ghcr.io/x/train:1.4", "train"), uses=("prod/runtimes/ns/tjgen-torch-1a2b3c4d.yaml",))
OTHER = run("a-zzzzzzzz", number=2, renewal=1, state="suspended", archived=True, promoted_from="dev/vision/a/a-xxxxxxxx")
LOCK = Lock("prod/vision/a", {OTHER.name: OTHER, ONE.name: ONE})
TEXT = f"""\
# Written by tjgen: the record of a run. Commit it: without this file, a build does not recognize the run.
apiVersion: tjgen.dev/v1alpha1
kind: LockedRun
experiment: prod/vision/a
run: a-5k25scfv
identity: v1:{A}
number: 1
state: active
runtime: tjgen-torch
runtimeDigest: sha256:{A}
settings: sha256:{A}
images:
- ghcr.io/x/train:1.4
- train
uses:
- prod/runtimes/ns/tjgen-torch-1a2b3c4d.yaml
content: sha256:{B}
"""
OTHER_TEXT = f"""\
# Written by tjgen: the record of a run. Commit it: without this file, a build does not recognize the run.
apiVersion: tjgen.dev/v1alpha1
kind: LockedRun
experiment: prod/vision/a
run: a-zzzzzzzz
identity: v1:{A}
renewal: 1
promotedFrom: dev/vision/a/a-xxxxxxxx
number: 2
state: suspended
runtime: tjgen-torch
runtimeDigest: sha256:{A}
settings: sha256:{A}
content: sha256:{B}
archived: true
"""


def read_one(text: str) -> LockedRun:
    entry = lockfile.read(text, "lock.yaml")
    assert entry.experiment == "prod/vision/a"
    assert isinstance(entry.run, LockedRun)
    return entry.run


def test_the_text_of_a_run() -> None:
    assert write("prod/vision/a", ONE) == TEXT
    assert write("prod/vision/a", OTHER) == OTHER_TEXT


def test_each_environment_has_a_folder_also_where_there_is_none() -> None:
    assert path_of("prod", "vision", "a") == "prod/vision/a"
    assert path_of(None, "vision", "a") == "default/vision/a"


WORDS = st.from_regex(r"[a-z][a-z0-9]{0,3}(-[a-z0-9]{1,3}){0,2}", fullmatch=True) | st.sampled_from(
    ["null", "true", "no", "y", "e1"]
)
TEXTS = WORDS | st.text(alphabet=st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
TEXTS |= st.sampled_from(["1e3", "a:", "a: b", "- a", "12:30", "~", "x #y", "h/i:1.2@sha256:ab", "A", "null", "", " a", "a\n"])
DIGESTS = st.sampled_from([A, B])
RUNS = st.builds(
    LockedRun,
    name=WORDS,
    identity=DIGESTS.map("v1:{}".format),
    number=st.integers(1, 99),
    state=st.sampled_from(STATES),
    runtime=TEXTS.filter(lambda text: text.strip("\n") != ""),
    runtime_digest=DIGESTS.map("sha256:{}".format),
    content=DIGESTS.map("sha256:{}".format),
    settings=DIGESTS.map("sha256:{}".format),
    images=st.lists(TEXTS, max_size=2).map(tuple),
    uses=st.lists(TEXTS, max_size=2).map(tuple),
    renewal=st.integers(0, 2),
    archived=st.booleans(),
)


@given(TEXTS, RUNS)
def test_what_is_written_is_read_back(experiment: str, one: LockedRun) -> None:
    entry = lockfile.read(write(experiment, one), "lock.yaml")
    assert (entry.experiment, entry.run) == (experiment, one)


PLAIN = st.from_regex(r"[a-z]x[a-z0-9]{0,5}", fullmatch=True)


@given(st.builds(run, PLAIN), st.data())
def test_the_fast_way_never_sees_anything_else_than_the_reader_of_yaml(one: LockedRun, data: st.DataObject) -> None:
    text = write("ns/a", one._replace(images=("x/y:1", "z")))
    assert lockfile._as_written(text) is not None
    # Spoil a few characters: where the fast way still answers, it answers as the other does.
    for _ in range(data.draw(st.integers(0, 2))):
        at = data.draw(st.integers(0, len(text)))
        text = (
            text[:at]
            + data.draw(st.sampled_from(["", " ", ":", "#", "'", "\n", "~", "1", "null", "true", "- "]))
            + text[at + 1 :]
        )
    seen = lockfile._as_written(text)
    if seen is not None:
        documents, problems = read_yaml(text, "lock.yaml", CORE)
        assert [problem for problem in problems if problem.severity == "error"] == []
        assert lockfile._by_hand(text, "lock.yaml")[:2] == seen[:2]
        assert len(documents) == 1


def test_our_own_text_takes_the_fast_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lockfile, "_by_hand", None)
    assert read_one(TEXT) == ONE
    assert read_one(OTHER_TEXT) == OTHER


def test_an_edit_that_keeps_the_meaning_is_understood() -> None:
    edited = TEXT.replace("# Written by tjgen", "# Touched").replace(
        "images:\n- ghcr.io/x/train:1.4\n- train", "images: [ghcr.io/x/train:1.4, 'train']"
    )
    assert read_one(edited) == ONE
    assert read_one(TEXT.replace("\n", "\r\n")) == ONE


def refused(text: str) -> list[tuple[str, str, str]]:
    with pytest.raises(CompileError) as error:
        lockfile.read(text, "a-5k25scfv.yaml")
    return [(found.code, str(found.span), found.message) for found in error.value.diagnostics]


def test_a_merge_conflict_is_shown_where_it_begins() -> None:
    conflict = TEXT.replace("state: active\n", "<<<<<<< HEAD\nstate: active\n=======\nstate: superseded\n>>>>>>> theirs\n")
    (found,) = refused(conflict)
    assert found[:2] == ("TJ070", "a-5k25scfv.yaml:8:1")


@pytest.mark.parametrize(
    ("old", "new", "place", "words"),
    [
        pytest.param("kind: LockedRun", "kind: Experiment", "3:7", "kind is 'Experiment'", id="another kind"),
        pytest.param("tjgen.dev/v1alpha1", "v9", "2:13", "apiVersion is 'v9'", id="no version of ours"),
        pytest.param("state: active", "state: paused", "8:8", "state is 'paused'", id="an unknown state"),
        pytest.param("state: active", "state: active\ndate: 2024", "9:7", "date is not a field", id="an unknown field"),
        pytest.param(f"content: sha256:{B}\n", "", "2:1", "content is None", id="no digest"),
        pytest.param("state: active", "state: active\narchived: 1", "9:11", "archived is 1, not true", id="no flag"),
        pytest.param("state: active", "state: active\npromotedFrom: 1", "9:15", "promotedFrom is 1, not a string", id="no text"),
        pytest.param("number: 1", "number: one", "7:9", "number is 'one'", id="no number"),
        pytest.param("- train\n", "- 3\n", "13:1", "images is not a list of strings", id="no text in a list"),
        pytest.param("experiment: prod/vision/a\n", "", "2:1", "experiment is missing", id="no experiment"),
        pytest.param("run: a-5k25scfv\n", "", "2:1", "run is missing", id="no name"),
    ],
)
def test_a_lock_of_another_form_is_refused_with_its_place(old: str, new: str, place: str, words: str) -> None:
    assert old in TEXT
    code, where, message = refused(TEXT.replace(old, new, 1))[0]
    assert code == "TJ071"
    assert words in message
    assert where == f"a-5k25scfv.yaml:{place}"


@pytest.mark.parametrize("text", ["", "null\n", "[]\n", "runs: 3\n", "a: {\n", "\x00", "--- 1\n--- 2\n", TEXT[:300]])
def test_other_text_is_refused_without_a_traceback(text: str) -> None:
    assert refused(text)


class TestRuns:
    """What a lock answers and how it changes."""

    def test_the_current_run_of_an_identity_is_the_one_renewed_last(self) -> None:
        found = LOCK.current(Identity(A))
        assert found is not None
        assert found.name == "a-zzzzzzzz"
        assert LOCK.current(Identity(B)) is None
        assert LOCK.current(Identity(A, form="v2")) is None

    def test_runs_that_nobody_asks_for_are_superseded(self) -> None:
        states = {name: run.state for name, run in LOCK.superseding(["a-5k25scfv"]).runs.items()}
        assert states == {"a-5k25scfv": "active", "a-zzzzzzzz": "superseded"}

    def test_superseded_runs_are_listed_by_age(self) -> None:
        runs = {name: run(name, number=number, state="superseded") for name, number in (("a-x", 3), ("a-y", 1), ("a-z", 2))}
        lock = Lock("ns/a", {**runs, "a-now": run("a-now", number=4)})
        assert lock.superseded() == ["a-y", "a-z", "a-x"]
        assert lock.superseded(keep=2) == ["a-y"]
        assert lock.superseded(keep=5) == []
        assert lock.next_number == 5

    def test_changes_leave_the_lock_as_it_was(self) -> None:
        before = dict(LOCK.runs)
        LOCK.with_runs([run("a-new")])
        LOCK.superseding([])
        LOCK.without(["a-zzzzzzzz"])
        assert LOCK.runs == before


def test_the_comment_of_an_earlier_build_stays_until_the_run_changes() -> None:
    earlier = TEXT.replace(COMMENT, EARLIER_COMMENT)
    assert earlier != TEXT
    entry = lockfile.read(earlier, "lock.yaml")
    assert (entry.run, entry.as_written) == (ONE, True)
