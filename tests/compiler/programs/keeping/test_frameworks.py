"""Checkpoints that frameworks really write: each program finds them complete, and incomplete without one of their files.

FRAMEWORKS has the paths of Pythons with frameworks, separated by colons: `FRAMEWORKS=/venv/bin/python .ci/test -m slow -rP`.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from functools import cache
from pathlib import Path
from textwrap import indent

import pytest

from tests.compiler.programs.keeping.completeness import COMPLETE, INCOMPLETE, PROGRAMS, Cleaner, by_program, by_shell
from tests.compiler.programs.keeping.frameworks import FRAMEWORKS, Framework
from tests.compiler.programs.prefetching.cluster import started
from tests.containers import SHELLS

PYTHONS = [path for path in os.environ.get("FRAMEWORKS", "").split(":") if path]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not PYTHONS, reason="set FRAMEWORKS to a Python that has torch and other frameworks"),
]


@cache
def python_with(module: str) -> str | None:
    """A Python that has a module."""
    for path in PYTHONS:
        if is_true(path, f"bool(__import__({module!r}))"):
            return path
    return None


def is_true(python: str, expression: str) -> bool:
    """Whether an expression of Python is true; False if it fails."""
    program = f"import sys; sys.exit(not {expression})"
    return subprocess.run([python, "-c", program], capture_output=True, check=False).returncode == 0


def saved(framework: Framework, folder: Path) -> str:
    """Let a framework save, and return its version."""
    python = python_with(framework.module)
    if python is None:
        pytest.skip(f"no Python of FRAMEWORKS has {framework.module}")
    if framework.needs_gpu and not is_true(python, "__import__('torch').cuda.is_available()"):
        pytest.skip(f"{framework.module} saves only with a GPU")
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = str(listener.getsockname()[1])
    program = folder.parent / "save.py"
    # Some frameworks start processes of their own, which import the program.
    program.write_text(f"if __name__ == '__main__':\n{indent(framework.program, '    ')}")
    ranks = []
    for rank in range(framework.ranks):
        numbers = {"RANK": rank, "LOCAL_RANK": rank, "WORLD_SIZE": framework.ranks, "LOCAL_WORLD_SIZE": framework.ranks}
        told = {
            **os.environ,
            **{key: str(value) for key, value in numbers.items()},
            "MASTER_ADDR": "127.0.0.1",
            "MASTER_PORT": port,
        }
        told |= {"CUDA_VISIBLE_DEVICES": "", "JAX_PLATFORMS": "cpu", "DS_ACCELERATOR": "cpu", "HF_HUB_OFFLINE": "1"}
        words = [python, str(program), str(folder)]
        ranks.append(started(words, told))
    answers = [one.communicate(timeout=540) for one in ranks]
    assert [one.returncode for one in ranks] == [0] * framework.ranks, "\n".join(err[-3000:] for _, err in answers)
    return answers[0][0].splitlines()[-1]


def answers(framework: Framework, folder: Path) -> dict[str, str]:
    """The answer of each program."""
    found = {shell: by_shell(shell, framework.rules, [folder])[0] for shell in SHELLS}
    found["cleaner"] = Cleaner().judge(framework.rules, folder)
    if not framework.rules.files:
        found |= {name: by_program(name, framework.rules, folder) for name in PROGRAMS}
    return found


@pytest.mark.parametrize("framework", FRAMEWORKS, ids=lambda one: one.name)
def test_a_checkpoint_is_complete_with_all_of_its_files(framework: Framework, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    version = saved(framework, folder)
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    print(f"{framework.name} {version}:", *(f"{path.relative_to(folder)} {path.stat().st_size}" for path in files), sep="\n  ")  # noqa: T201
    for path in files:  # a file without a marker counts when it has been there for ten minutes
        os.utime(path, (path.stat().st_mtime - 3600,) * 2)
    assert set(answers(framework, folder).values()) == {COMPLETE}
    place = folder / f"{framework.rules.name}100"
    proofs = [folder / f"{place.name}{ending}" for ending in framework.rules.files] or [place / framework.rules.marker]
    if not framework.rules.files and not place.exists():
        [place] = folder.glob(f"{framework.rules.name}*100")
        proofs = [place / framework.rules.marker]
    for proof in proofs:
        shutil.move(proof, tmp_path / "proof")
        assert set(answers(framework, folder).values()) == {INCOMPLETE}
        shutil.move(tmp_path / "proof", proof)
    assert set(answers(framework, folder).values()) == {COMPLETE}
