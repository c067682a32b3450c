"""One definition of a complete checkpoint: the shell, the cleaner, and the programs for training code give the same answers."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.checkout import ROOT
from tests.compiler.programs.keeping import completeness
from tests.compiler.programs.keeping.completeness import BEGIN, COMPLETE, ERROR, INCOMPLETE, Cleaner, Rules, by_program, by_shell
from tests.compiler.programs.keeping.frameworks import FRAMEWORKS
from tests.containers import OTHER_USER, SHELLS, needs_other_user, open_to_others
from tjgen.compiler.programs.containers import script

FOLDER, DCP, PT = Rules(), Rules(marker=".metadata"), Rules(files=(".pt",))
DAY = 24 * 3600


def answers(rules: Rules, folder: Path) -> set[str]:
    """The answers of all programs."""
    found = {by_shell(shell, rules, [folder])[0] for shell in SHELLS}
    found.add(Cleaner().judge(rules, folder))
    return found if rules.files else found | {by_program(name, rules, folder) for name in completeness.PROGRAMS}


def fill(folder: Path, content: dict[str, str]) -> None:
    """Files with texts, of which "->" makes a link, "/" a folder and "|" a pipe."""
    for name, text in content.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if text.startswith("->"):
            path.symlink_to(text[2:])
        elif text == "/":
            path.mkdir()
        elif text == "|":
            os.mkfifo(path)
        else:
            path.write_text(text)
            os.utime(path, (BEGIN, BEGIN))


CASES: list[tuple[str, Rules, dict[str, str], str]] = [
    ("a folder with its marker", FOLDER, {"step-1/w": "w", "step-1/_SUCCESS": ""}, COMPLETE),
    ("leading zeros", FOLDER, {"step-0001/w": "w", "step-0001/_SUCCESS": ""}, COMPLETE),
    ("an empty folder", FOLDER, {"step-1": "/"}, INCOMPLETE),
    ("no marker", FOLDER, {"step-1/w": "w"}, INCOMPLETE),
    ("only a marker", FOLDER, {"step-1/_SUCCESS": ""}, INCOMPLETE),
    ("flags with content", FOLDER, {"step-1/_SUCCESS": "yes", "step-1/.keep": "best so far"}, INCOMPLETE),
    ("a pin", FOLDER, {"step-1/w": "w", "step-1/_SUCCESS": "", "step-1/.keep": ""}, COMPLETE),
    ("a marker that is all there is", Rules(marker="model.pt"), {"step-1/model.pt": "w"}, COMPLETE),
    ("an empty marker", DCP, {"step-1/w": "w", "step-1/.metadata": ""}, INCOMPLETE),
    ("an empty file", FOLDER, {"step-1/w": "w", "step-1/part": "", "step-1/_SUCCESS": ""}, INCOMPLETE),
    ("an empty file below", FOLDER, {"step-1/w": "w", "step-1/a/b/part": "", "step-1/_SUCCESS": ""}, INCOMPLETE),
    ("a link and its marker", FOLDER, {"x/w": "w", "x/_SUCCESS": "", "step-1": "->x"}, INCOMPLETE),
    ("a marker that is a link", FOLDER, {"step-1/w": "w", "step-1/_SUCCESS": "->w"}, INCOMPLETE),
    ("only a dangling link", FOLDER, {"step-1/_SUCCESS": "", "step-1/w": "->/nowhere"}, INCOMPLETE),
    ("only a link to a file", FOLDER, {"x": "w", "step-1/_SUCCESS": "", "step-1/w": "->../x"}, INCOMPLETE),
    ("a pipe", FOLDER, {"step-1/w": "w", "step-1/pipe": "|", "step-1/_SUCCESS": ""}, INCOMPLETE),
    ("a longer name", FOLDER, {"step-1 copy/w": "w", "step-1 copy/_SUCCESS": ""}, INCOMPLETE),
    ("digits of another script", FOLDER, {"step-٣/w": "w", "step-٣/_SUCCESS": ""}, INCOMPLETE),
    ("nine digits", FOLDER, {"step-999999999/w": "w", "step-999999999/_SUCCESS": ""}, COMPLETE),
    ("ten digits", FOLDER, {"step-1/w": "w", "step-1/_SUCCESS": "", "step-1000000000": "/"}, ERROR),
    ("one file", PT, {"step-1.pt": "w"}, COMPLETE),
    ("one file of ten digits", PT, {"step-1.pt": "w", "step-1000000000.pt": "w"}, ERROR),
    ("an empty one", PT, {"step-1.pt": ""}, INCOMPLETE),
    ("an empty folder with the name of a file", PT, {"step-1.pt": "/"}, INCOMPLETE),
    ("a folder with the name of a file", PT, {"step-1.pt/w": "w"}, INCOMPLETE),
    ("a link with the name of a file", PT, {"x": "w", "step-1.pt": "->x"}, INCOMPLETE),
    ("a file that is still written", PT, {"step-1.pt.tmp": "w"}, INCOMPLETE),
    ("one of two files", Rules(files=(".pt", ".json")), {"step-1.pt": "w"}, INCOMPLETE),
    ("two files", Rules(files=(".pt", ".json")), {"step-1.pt": "w", "step-1.json": "1"}, COMPLETE),
    ("a rank without items", DCP, {"step-1/__0_0.distcp": "w", "step-1/__1_0.distcp": "", "step-1/.metadata": "m"}, COMPLETE),
    ("no rank with items", DCP, {"step-1/__0_0.distcp": "", "step-1/__1_0.distcp": "", "step-1/.metadata": "m"}, INCOMPLETE),
    ("shards with a link for metadata", FOLDER, {
        "step-1/__0_0.distcp": "w", "step-1/__1_0.distcp": "", "step-1/.metadata": "->__0_0.distcp", "step-1/_SUCCESS": "",
    }, INCOMPLETE),
    ("shards next to metadata of another folder", FOLDER, {
        "step-1/a/.metadata": "m", "step-1/b/__0_0.distcp": "w", "step-1/b/__1_0.distcp": "", "step-1/_SUCCESS": "",
    }, INCOMPLETE),
    ("shards of FSDP in a folder of the Trainer", Rules("checkpoint-", "trainer_state.json"), {
        "checkpoint-5/pytorch_model_fsdp_0/__0_0.distcp": "w", "checkpoint-5/pytorch_model_fsdp_0/__1_0.distcp": "",
        "checkpoint-5/pytorch_model_fsdp_0/.metadata": "m", "checkpoint-5/trainer_state.json": "{}",
    }, COMPLETE),
    ("an empty file beside", DCP, {"step-1/__0_0.distcp": "w", "step-1/meta.pt": "", "step-1/.metadata": "m"}, INCOMPLETE),
]  # fmt: skip


@pytest.mark.parametrize(("rules", "content", "wanted"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_all_programs_give_this_answer(rules: Rules, content: dict[str, str], wanted: str, tmp_path: Path) -> None:
    fill(tmp_path, content)
    assert answers(rules, tmp_path) == {wanted}


@pytest.mark.parametrize(("seconds", "wanted"), [(0, COMPLETE), (60, COMPLETE), (61, INCOMPLETE), (DAY, INCOMPLETE)])
def test_an_empty_shard_that_is_newer_than_the_metadata_is_being_written_again(seconds: int, wanted: str, tmp_path: Path) -> None:
    names = (".metadata", "__1_0.distcp")
    fill(tmp_path / "step-1", {"__0_0.distcp": "w", **dict(zip(names, ("m", ""), strict=True))})
    os.utime(tmp_path / "step-1/__1_0.distcp", (BEGIN + seconds,) * 2)
    assert answers(DCP, tmp_path) == {wanted}


def test_random_folders_have_one_answer() -> None:
    """`python -m tests.compiler.programs.keeping.completeness 5000` compares more of them."""
    counts, differences = completeness.compared(range(400))
    assert differences == []
    assert counts[COMPLETE] > 50
    assert counts[ERROR] > 20


SHELL_MUTANTS = {
    '[ -f "$1" ] && [ ! -L "$1" ]; then\n    [ -r': '[ -f "$1" ]; then\n    [ -r',
    '  [ ! -L "$path" ] || continue\n': "",
    '[ -f "$proof" ] && [ ! -L "$proof" ] && [ -s "$proof" ] || return 1': "",
    " -size +0c)": ")",
    '[ "$1" -nt "$proof" ] || return 0': "return 0",
    'if [ ! -f "$path" ] && [ -e "$path" ]; then echo damaged;': 'if [ ! -f "$path" ] && [ -e "$path" ]; then :;',
    '[ "${#1}" -le 9 ]': '[ "${#1}" -le 18 ]',
    "continue 2": "break",
}


@pytest.mark.parametrize("text", list(SHELL_MUTANTS))
def test_the_comparison_notices_another_definition(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program = script("checkpoints.sh")
    assert program.count(text) == 1
    monkeypatch.setattr(completeness, "script", lambda _: program.replace(text, SHELL_MUTANTS[text]))
    _, differences = completeness.compared(range(400), ["dash" if "dash" in SHELLS else next(iter(SHELLS))])
    assert differences


UNREADABLE: dict[str, Callable[[Path], object]] = {
    "the folder of checkpoints": lambda folder: folder.chmod(0o100),
    "a checkpoint": lambda folder: (folder / "step-1").chmod(0),
    "a folder in a checkpoint": lambda folder: (folder / "step-1/sub").chmod(0),
    "a file in a checkpoint": lambda folder: (folder / "step-1/sub/w").chmod(0),
    "a marker": lambda folder: (folder / "step-1/_SUCCESS").chmod(0),
}


@needs_other_user
@pytest.mark.parametrize("shell", list(SHELLS))
@pytest.mark.parametrize("what", list(UNREADABLE))
def test_what_cannot_be_read_is_an_error(what: str, shell: str, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    fill(folder / "step-1", {"w": "w", "sub/w": "w", "_SUCCESS": ""})
    open_to_others(folder)
    assert by_shell(shell, FOLDER, [folder], prefix=OTHER_USER) == [COMPLETE]
    UNREADABLE[what](folder)
    assert by_shell(shell, FOLDER, [folder], prefix=OTHER_USER) == [ERROR]
    if what != "the folder of checkpoints":  # of two checkpoints, the one that can be read may be the older one
        fill(folder / "step-2", {"w": "w", "_SUCCESS": ""})
    child = os.fork()
    if child == 0:
        os.setgroups([])
        os.setresgid(65534, 65534, 65534)
        os.setresuid(65534, 65534, 65534)
        found = {by_program(name, FOLDER, folder) for name in completeness.PROGRAMS}
        os._exit(0 if found == {ERROR} else 1)
    assert os.waitpid(child, 0)[1] == 0


def layouts() -> list[tuple[str, str, str, tuple[str, ...]]]:
    """Framework, name, marker and files of each layout of the table."""
    table = tomllib.loads((ROOT / "scripts/layouts.toml").read_text(encoding="utf-8"))["layouts"]
    return [(one["framework"], one["name"], one.get("marker", "_SUCCESS"), tuple(one.get("files", ()))) for one in table]


def test_each_layout_of_the_table_has_a_program_that_writes_it() -> None:
    assert [(one.name, *one.rules) for one in FRAMEWORKS] == layouts()
