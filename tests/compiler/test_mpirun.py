"""Command lines that start mpirun, and the same with -x."""

from __future__ import annotations

import pytest

from tjgen.compiler.mpirun import forwarded, forwarding

WORDS = {
    "behind its name": ("mpirun python train.py", "mpirun -x A -x B python train.py"),
    "with a path, behind a wrapper": ("numactl /opt/bin/mpirun -np 2 train", "numactl /opt/bin/mpirun -x A -x B -np 2 train"),
    "next to names that the command has": ("mpiexec -x B=1 -x C train", "mpiexec -x A -x B=1 -x C train"),
    "for each program": ("mpirun -n 1 -x A a : -n 1 b", "mpirun -x B -n 1 -x A a : -x A -x B -n 1 b"),
}
TEXTS = {
    "at the start": ("mpirun python train.py", "mpirun -x A -x B python train.py"),
    "on lines of their own": (
        "set -e\n  mpirun \\\n  -np 2 train\nmpirun eval",
        "set -e\n  mpirun -x A -x B \\\n  -np 2 train\nmpirun -x A -x B eval",
    ),
    "behind words of the shell": (
        "cd /app && exec mpirun train; if true; then time mpirun eval; fi",
        "cd /app && exec mpirun -x A -x B train; if true; then time mpirun -x A -x B eval; fi",
    ),
    "behind variables and timeout": (
        "N=2 timeout -k 5 1h /opt/bin/mpirun -np 2 train",
        "N=2 timeout -k 5 1h /opt/bin/mpirun -x A -x B -np 2 train",
    ),
    "next to names of the same mpirun": ("mpirun -x A=1 a; mpirun -x B b", "mpirun -x B -x A=1 a; mpirun -x A -x B b"),
    "not in what is printed": ("echo mpirun a\nmpirun b", "echo mpirun a\nmpirun -x A -x B b"),
}


@pytest.mark.parametrize(("before", "after"), WORDS.values(), ids=WORDS)
def test_words_get_the_options(before: str, after: str) -> None:
    assert forwarding([], before.split(), ["A", "B"]) == ([], after.split())


def test_each_word_stays_in_its_list() -> None:
    assert forwarding(["mpirun", "python"], ["train.py"], ["A"]) == (["mpirun", "-x", "A", "python"], ["train.py"])


@pytest.mark.parametrize(("before", "after"), TEXTS.values(), ids=TEXTS)
def test_a_shell_text_gets_the_options(before: str, after: str) -> None:
    assert forwarding(["/bin/bash", "-c"], [before], ["A", "B"]) == (["/bin/bash", "-c"], [after])


@pytest.mark.parametrize(
    ("command", "args"),
    [
        ([], []),
        (["bash"], ["run.sh"]),
        (["sh", "-c"], ["echo mpirun"]),
        (["sh", "-c"], ["$(which mpirun) train"]),
        ([], ["train"]),
    ],
)
def test_a_command_that_does_not_show_mpirun_stays(command: list[str], args: list[str]) -> None:
    assert forwarding(command, args, ["A"]) is None


def test_names_behind_x_are_known() -> None:
    words = ["sh", "-c", "mpirun -x A -x B=2 -x \"C=a b\" -np 2 -x 'D' python -x"]
    assert forwarded(words) == {"A", "B", "C", "D"}
