"""A shard is input: what is wrong with it is a diagnostic, and nothing of it reaches the output tree."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.compiler.building.projects import experiment, write_project
from tests.fuzz import trees
from tests.gitops.shards.sharding import SHARDS, TREE, files_of, lines_of, merged, rewrite, whole, write_shards
from tests.program import tjgen
from tjgen.gitops.emit import program

COUNT = 5
SEEDS = int(os.environ.get("TJGEN_TEST_SEEDS", "40"))
PLATFORM = {"quotas": {"team": {"requests.nvidia.com/gpu": 400}}, "queues": {"team": {"capability": {"cpu": 1000}}}}


@pytest.fixture(autouse=True)
def no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TJGEN_CACHE", "off")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with two shards."""
    experiments = [experiment(number) for number in range(COUNT)]
    for one in experiments:
        one["metadata"]["namespace"] = "team"
        one["spec"] |= {"gpu": "h100:4", "schedule": {"queue": "team"}}
        one["spec"]["volumes"] = {"out": {"pvc": "results", "mountPath": "/out", "subPath": one["metadata"]["name"]}}
    write_project(tmp_path / "a", experiments, PLATFORM)
    assert write_shards(tmp_path / "a", (1, 2), ()) is None
    return tmp_path / "a"


def first(project: Path) -> Path:
    return project / SHARDS / "shard-1-of-2.jsonl"


def merge(project: Path, *words: str) -> str:
    """Merge, which must fail; the messages."""
    before = files_of(project)
    answer = tjgen(project, "build", *TREE, *(words or ("--from-shards", SHARDS)))
    assert answer.code == 1, answer.err
    assert files_of(project) == before
    return answer.err


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-10])


def without_line(path: Path) -> None:
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-2]))


def edited(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"image: registry", b"image: elsewhere", 1))


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def link(path: Path) -> None:
    content = path.with_name("content")
    path.rename(content)
    path.symlink_to(content)


def sparse(path: Path) -> None:
    path.write_bytes(b"")
    os.truncate(path, 1 << 40)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (cut, "is damaged"),
        (without_line, "is damaged"),
        (edited, "is damaged"),
        (lambda path: path.write_bytes(b""), "is not a shard"),
        (lambda path: path.write_bytes(b"\xff\n"), "is not a shard"),
        (lambda path: path.write_bytes(b"[" * 100_000), "is not a shard"),
        (lambda path: path.write_bytes(b'{"format": NaN}\n'), "is not a shard"),
        (pipe, "cannot be read: it is not a regular file"),
        (link, "cannot be read: it is not a regular file"),
        (sparse, "is not a shard"),
    ],
    ids=["cut off", "without a line", "edited", "empty", "not UTF-8", "deep", "NaN", "a pipe", "a link", "a sparse file"],
)
def test_a_damaged_shard_is_refused(damage: Callable[[Path], None], message: str, project: Path) -> None:
    damage(first(project))
    err = merge(project)
    assert "error[TJ240] " in err
    assert f"{SHARDS}/shard-1-of-2.jsonl" in err
    assert message in err
    assert "hint: " in err


def test_a_shard_is_refused_after_a_change_of_any_byte(project: Path) -> None:
    content = first(project).read_bytes()
    for seed in range(SEEDS):
        random_ = random.Random(seed)
        at = random_.randrange(len(content))
        changed = bytes([random_.choice([*{*range(256)} - {content[at]}])])
        first(project).write_bytes(content[:at] + changed + content[at + 1 :])
        assert "error[TJ24" in merge(project), (seed, at, changed)


def test_a_path_that_does_not_exist_is_reported(project: Path) -> None:
    assert "error[TJ240] nowhere cannot be read: No such file or directory" in merge(project, "--from-shards", "nowhere")


def test_missing_shards_are_named(project: Path) -> None:
    first(project).unlink()
    assert "error[TJ241] shard 1/2 is missing in shards" in merge(project)
    (project / SHARDS / "shard-2-of-2.jsonl").unlink()
    assert "error[TJ241] shards contains no shard" in merge(project)


def test_a_folder_in_place_of_a_shard_is_searched(project: Path) -> None:
    """CI systems give each artifact a folder of its own."""
    for path in [*(project / SHARDS).iterdir()]:
        content = path.read_bytes()
        folder(path)
        (path / path.name).write_bytes(content)
    assert tjgen(project, "build", *TREE, "--from-shards", SHARDS).code == 0


def test_shards_may_be_named_one_by_one(project: Path) -> None:
    files = [word for path in sorted((project / SHARDS).iterdir()) for word in ("--from-shards", str(path))]
    assert tjgen(project, "build", *TREE, *files).code == 0


def test_repeated_shards_are_refused(project: Path) -> None:
    shutil.copytree(project / SHARDS, project / SHARDS / "again")
    err = merge(project)
    assert err.count("error[TJ241]") == 2
    assert "shard 1/2 exists twice: shards/again/shard-1-of-2.jsonl and shards/shard-1-of-2.jsonl" in err


def test_shards_of_builds_of_other_sizes_are_refused(project: Path) -> None:
    answer = tjgen(project, "build", "--shard", "3/3", "-o", SHARDS, "--expanded", "preview")
    assert (answer.code, "shard 3/3: 1 run of 1 file in" in answer.err) == (0, True), answer.err
    assert "the shards are of builds with 2 and 3 shards" in merge(project)


def test_another_text_of_an_experiment_is_refused(project: Path) -> None:
    file = project / "experiments" / "001.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace("lr=0.1", "lr=0.2"), encoding="utf-8")
    err = merge(project)
    assert (
        "error[TJ242] shards/shard-2-of-2.jsonl:2:1: shard 2/2 was built from a different version of experiments/001.yaml" in err
    )


def test_other_inputs_are_refused(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shards = ("--from-shards", SHARDS)
    assert "shard 1/2 was built with other values of --expanded" in merge(project, *shards, "--all-pods")
    assert "shard 1/2 was built with another value of --trusted" in merge(project, *shards, "--trusted")
    assert "shard 1/2 was built with other values of --env" in merge_with(project, "environments")
    assert "shard 1/2 was built from other experiments" in merge(project, *shards, "experiments/000.yaml")
    assert "shard 1/2 was built by another version of tjgen" in merge_with(project, "version")
    with monkeypatch.context() as patched:
        patched.setattr(program, "content_digest", lambda: "other")
        assert "shard 1/2 was built by another installation of tjgen" in merge(project)
    platform = project / "platform.yaml"
    platform.write_text(platform.read_text(encoding="utf-8").replace("400", "500"), encoding="utf-8")
    err = merge(project)
    assert "error[TJ242] shards/shard-1-of-2.jsonl:1:1: shard 1/2 was built from another project file, overlay" in err


def merge_with(project: Path, field: str) -> str:
    """Merge with a shard that has another value of a field of its inputs."""
    content = first(project).read_bytes()

    def change(lines: list[Any]) -> None:
        lines[0]["inputs"][field] = "other"

    rewrite(first(project), change)
    err = merge(project)
    first(project).write_bytes(content)
    return err


def test_a_shard_that_its_sources_do_not_make_is_refused(project: Path) -> None:
    """Whoever writes a checksum can forge it, but the first run of each shard is compiled again."""

    def change(lines: list[Any]) -> None:
        records = lines[1]["runs"]
        record = next(iter(records.values()))
        record[0][-1][2] = record[0][-1][2].replace("image: registry", "image: elsewhere")

    rewrite(first(project), change)
    assert 'error[TJ243] shards/shard-1-of-2.jsonl:2:1: shard 1/2 has objects for run "study-000-' in merge(project)


FORGED: dict[str, Callable[[Any], None]] = {
    "a path as a name": lambda record: record[0][-1][0]["metadata"].update(name="../../x"),
    "a path as a namespace": lambda record: record[0][-1][0]["metadata"].update(namespace=".."),
    "a kind with a slash": lambda record: record[0][-1][0].update(kind="a/b"),
    "an unknown stage": lambda record: record[0][-1].__setitem__(1, "../runs"),
    "a second document": lambda record: record[0][-1].__setitem__(2, record[0][-1][2] + "---\nkind: Secret\n"),
    "a text of another object": lambda record: record[0][-1].__setitem__(
        2, record[0][-1][2].replace("name: study", "name: other", 1)
    ),
    "half of a surrogate pair": lambda record: record[0][-1].__setitem__(2, record[0][-1][2] + "# \ud800\n"),
    "an error as a warning": lambda record: record[3].append(["TJ101", "error", "x", None, None, None, [], None]),
    "an unknown code": lambda record: record[3].append(["TJ000", "warning", "x", None, None, None, [], None]),
    "a line of another file": lambda record: record[3].append(
        ["TJ101", "warning", "x", None, None, ["/etc/hostname", 1, 1, 1, 2], [], None]
    ),
    "an unknown quota": lambda record: record[4].append(["takes", "west", "team", "a", "cpu", "", 1]),
    "an unknown environment": lambda record: record[4].append(["takes", "east", "team", "a", "cpu", "", 1]),
    "a number with many digits": lambda record: record[4].append(["queued", "west", "team", "a", "cpu", "", 10**4000]),
    "a gang without a number of fields": lambda record: record[5].append(["gang", "west", None, ["a", "b", "c", "d"], True]),
}


@pytest.mark.parametrize("forge", FORGED.values(), ids=FORGED)
def test_a_forged_record_is_refused(forge: Callable[[Any], None], project: Path) -> None:
    """Also in a run that is not compiled again: the last one of its shard."""

    def change(lines: list[Any]) -> None:
        forge(next(iter(lines[-1]["runs"].values())))

    rewrite(first(project), change)
    assert f"error[TJ240] shards/shard-1-of-2.jsonl:{COUNT // 2 + 2}:1: line " in merge(project)


def test_random_changes_never_end_in_a_traceback(project: Path) -> None:
    original = first(project).read_bytes()
    unchanged = whole(project, ())[1]
    codes: dict[int, int] = {}
    vocabulary = trees.Vocabulary()
    for line in lines_of(original):
        vocabulary.learn(line)
    for seed in range(SEEDS):
        random_ = random.Random(seed)

        def change(lines: list[Any], random_: random.Random = random_) -> None:
            at = random_.randrange(len(lines))
            tree = lines[at]
            if at and random_.random() < 0.9:
                tree = next(iter(tree["runs"].values()))
                part = random_.choice([number for number, one in enumerate(tree) if one and isinstance(one, list)])
                tree[part] = trees.mutated(random_, tree[part], vocabulary)
            else:
                lines[at] = trees.mutated(random_, tree, vocabulary)

        first(project).write_bytes(original)
        rewrite(first(project), change)
        answer = tjgen(project, "build", *TREE, "--from-shards", SHARDS)
        assert answer.code in (0, 1), (seed, answer.err)
        assert "error[TJ24" in answer.err or answer.code == 0, (seed, answer.err)
        codes[answer.code] = codes.get(answer.code, 0) + 1
        if answer.code:
            assert files_of(project) == unchanged, seed
        else:
            shutil.rmtree(project / "made")
            shutil.rmtree(project / "preview")
            shutil.rmtree(project / "tjgen.lock.d")
            assert whole(project, ())[0].code == 0
    assert codes[1] > SEEDS / 2


def test_a_merge_uses_the_cache_of_an_earlier_build(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TJGEN_CACHE", "on")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert whole(project, ())[0].err == f"runs: {COUNT} new, 0 unchanged, 0 kept, 0 removed\n"
    answer, _ = merged(project, (1, 2), ())
    assert answer.err == f"runs: 0 new, {COUNT} unchanged, 0 kept, 0 removed\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--shard", "0/2", "-o", "s"), "--shard needs I/N"),
        (("--shard", "3/2", "-o", "s"), "--shard needs I/N"),
        (("--shard", "1", "-o", "s"), "--shard needs I/N"),
        (("--shard", "1/1001", "-o", "s"), "--shard needs I/N"),
        (("--shard", "\u00b2/2", "-o", "s"), "--shard needs I/N"),
        (("--shard", "1/" + "9" * 5000, "-o", "s"), "--shard needs I/N"),
        (("--shard", "1/2"), "--shard needs -o DIR"),
        (("--shard", "1/2", "-o", "s.yaml"), "--shard needs -o DIR"),
        (("--shard", "1/2", "-o", "s", "--check"), "--shard cannot be used with --check"),
        (("--shard", "1/2", "-o", "s", "--prune-runs"), "--shard cannot be used with --prune-runs"),
        (("--shard", "1/2", "-o", "s", "--from-shards", "s"), "--shard cannot be used with --from-shards"),
        (("--from-shards", "s", "-o", "a.yaml"), "--from-shards needs -o DIR"),
        (("--from-shards", "s"), "--from-shards needs -o DIR"),
        (("--from-shards", "s", "-o", "made", "--staged"), "--from-shards cannot be used with --staged"),
    ],
)
def test_a_wrong_use_is_refused(words: tuple[str, ...], message: str, project: Path) -> None:
    answer = tjgen(project, "build", *words)
    assert answer.code == 2
    assert message in answer.err
    assert not (project / "s").exists()


def test_a_shard_is_not_written_into_the_output_tree(project: Path) -> None:
    file = project / "tjgen.yaml"
    file.write_text(file.read_text(encoding="utf-8") + "  output: {directory: made}\n", encoding="utf-8")
    answer = tjgen(project, "build", "--shard", "1/2", "-o", "made")
    assert answer.code == 2
    assert not (project / "made").exists()


def test_a_shard_that_cannot_be_written_is_reported(project: Path) -> None:
    (project / "file").write_text("", encoding="utf-8")
    answer = tjgen(project, "build", "--shard", "1/2", "-o", "file/s")
    assert answer.code == 1
    assert "error[TJ" in answer.err


def test_the_digest_of_the_program_does_not_depend_on_times(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "tjgen"
    package.mkdir()
    (package / "__init__.py").write_text("", encoding="utf-8")
    monkeypatch.setattr("tjgen.gitops.emit.program.tjgen.__file__", str(package / "__init__.py"))
    before = program.content_digest()
    os.utime(package / "__init__.py", (1, 1))
    assert program.content_digest() == before
    (package / "__init__.py").write_text("x = 1\n", encoding="utf-8")
    assert program.content_digest() != before
