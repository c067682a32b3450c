"""What a script starts: one Python program under the launcher, shell text, or another command."""

from __future__ import annotations

import pytest

from tjgen.compiler.script import (
    ScriptProgram,
    interpreter_alone,
    launcher_of,
    launcher_of_one_node,
    program,
    started,
    started_in_shell,
)
from tjgen.trees.diagnostics.model import Diagnostic

TORCH = ["torchrun"]
MPI = ["mpirun", "python"]
PLAIN = ["python"]
TUNE = ["tune", "run"]
PADDLE = ["python", "-m", "paddle.distributed.launch", "--log_dir=/tmp/paddle"]


@pytest.mark.parametrize(
    ("script", "launcher", "command", "args"),
    [
        ("train.py --lr 1", TORCH, ["torchrun"], ["train.py", "--lr", "1"]),
        ("python train.py", TORCH, ["torchrun"], ["train.py"]),
        ("python3 -u train.py", TORCH, ["torchrun"], ["train.py"]),
        ("python -m trainer.main --x", TORCH, ["torchrun"], ["-m", "trainer.main", "--x"]),
        ("train.py \\\n  --lr 1 \\\n  --epochs 3\n", TORCH, ["torchrun"], ["train.py", "--lr", "1", "--epochs", "3"]),
        ("# resumed\n\ntrain.py\n", TORCH, ["torchrun"], ["train.py"]),
        ("torchrun --nproc-per-node 8 train.py", TORCH, ["torchrun"], ["--nproc-per-node", "8", "train.py"]),
        ("python -m torch.distributed.run train.py", TORCH, ["python"], ["-m", "torch.distributed.run", "train.py"]),
        ("nsys profile accelerate launch train.py", TORCH, ["nsys"], ["profile", "accelerate", "launch", "train.py"]),
        ("/opt/conda/bin/torchrun train.py", TORCH, ["/opt/conda/bin/torchrun"], ["train.py"]),
        ("python x.py", MPI, ["mpirun", "python"], ["x.py"]),
        ("python3 -u x.py", MPI, ["mpirun", "python3", "-u"], ["x.py"]),
        ("x.py", MPI, ["mpirun", "python"], ["x.py"]),
        ("-m x", MPI, ["mpirun", "python"], ["-m", "x"]),
        ("lora.py --config c", TUNE, ["tune", "run"], ["lora.py", "--config", "c"]),
        ("train.py --lr 1", PADDLE, PADDLE, ["train.py", "--lr", "1"]),
        ("python3 -u train.py", PADDLE, PADDLE, ["train.py"]),
        ("fleetrun --devices 0,1 train.py", PADDLE, ["fleetrun"], ["--devices", "0,1", "train.py"]),
        ("python -m paddle.distributed.launch train.py", PADDLE, ["python"], ["-m", "paddle.distributed.launch", "train.py"]),
        ("python3.12 train.py", PLAIN, ["python3.12"], ["train.py"]),
        ("python3 train.py", PLAIN, ["python3"], ["train.py"]),
        ("train.py", PLAIN, ["python"], ["train.py"]),
        ("nvidia-smi -L", PLAIN, ["nvidia-smi"], ["-L"]),
        ("train.py", [], ["python"], ["train.py"]),
        ("python -u train.py", [], ["python", "-u"], ["train.py"]),
        ("./run.sh --fast", [], ["./run.sh"], ["--fast"]),
        ("train.py --name 'a|b' --re '^x$'", TORCH, ["torchrun"], ["train.py", "--name", "a|b", "--re", "^x$"]),
        ("train.py --cost \\$5", TORCH, ["torchrun"], ["train.py", "--cost", "$5"]),
        ("train.py --rank $(JOB_COMPLETION_INDEX)", TORCH, ["torchrun"], ["train.py", "--rank", "$(JOB_COMPLETION_INDEX)"]),
        ("train.py {000..146}.tar *.tar", TORCH, ["torchrun"], ["train.py", "{000..146}.tar", "*.tar"]),
        ("train.py --tag a#1", TORCH, ["torchrun"], ["train.py", "--tag", "a#1"]),
    ],
)  # fmt: skip
def test_a_command_starts(script: str, launcher: list[str], command: list[str], args: list[str]) -> None:
    started = program(script, launcher)
    assert isinstance(started, ScriptProgram), started
    assert (started.command, started.args) == (command, args)


@pytest.mark.parametrize(
    ("script", "launcher", "command"),
    [
        ("set -e\ntorchrun train.py --lr $LR && echo done\n", TORCH, ["/bin/sh", "-c"]),
        ("#!/bin/sh\ntorchrun train.py --lr $LR\n", TORCH, ["/bin/sh", "-c"]),
        ("#!/bin/bash -eu\nexec /usr/bin/torchrun train.py\n", TORCH, ["/bin/bash", "-eu", "-c"]),
        ("cd /x\npython -m torch.distributed.run train.py\n", TORCH, ["/bin/sh", "-c"]),
        ("cd /x\npython -m paddle.distributed.launch train.py\n", PADDLE, ["/bin/sh", "-c"]),
        ("cd /x\nmpirun python train.py\n", MPI, ["/bin/sh", "-c"]),
        ("cd /x\npython train.py\n", PLAIN, ["/bin/sh", "-c"]),
        ("cd /x\npython train.py\n", [], ["/bin/sh", "-c"]),
    ],
)
def test_shell_text_is_passed_as_it_is(script: str, launcher: list[str], command: list[str]) -> None:
    assert program(script, launcher) == ScriptProgram(command, [script])


@pytest.mark.parametrize(
    ("script", "launcher", "code"),
    [
        ("pip install x\npython train.py\n", TORCH, "TJ130"),
        ("pip install x\ntrain.py --deepspeed --torchrun_log x\n", TORCH, "TJ130"),
        ("bash run.sh", TORCH, "TJ130"),
        ("python -O train.py", TORCH, "TJ130"),
        ("python3.12 train.py", TORCH, "TJ130"),
        ("/opt/venv/bin/python train.py", MPI, "TJ130"),
        ("pip install x\npython train.py\n", MPI, "TJ130"),
        ("python -c 'print(1)'", TUNE, "TJ130"),
        ("bash run.sh", PADDLE, "TJ130"),
        ("bash run.sh", ["python", "-m", "torch.distributed.run"], "TJ130"),
        ("pip install x\npython train.py\n", PADDLE, "TJ130"),
        ("-m package.train", PADDLE, "TJ134"),
        ("python -m package.train", PADDLE, "TJ134"),
        ("   \n", TORCH, "TJ105"),
        ("# nothing\n", PLAIN, "TJ105"),
        ("-m", TORCH, "TJ136"),
        ("python -m train.py", PLAIN, "TJ136"),
        ("-m pkg/train", TORCH, "TJ136"),
        ("#!/usr/bin/env python3\nprint('torchrun')\n", TORCH, "TJ130"),
        ("train.py --name x \\", TORCH, "TJ304"),
        ("train.py --lr $LR", TORCH, "TJ131"),
        ('train.py --lr "$LR"', PLAIN, "TJ131"),
        ('train.py --lr "${LR:-1}"', PLAIN, "TJ131"),
        ("train.py && echo done", PLAIN, "TJ131"),
        ("train.py --out /x/`date`", PLAIN, "TJ131"),
        ("train.py --out /x/$(date +%s)", PLAIN, "TJ131"),
        ("train.py > log", PLAIN, "TJ131"),
        ("train.py --url http://x?a=1&b=2", PLAIN, "TJ131"),
        ("train.py # once more", PLAIN, "TJ131"),
        ("LR=1 train.py", TORCH, "TJ131"),
        ("train.py --name 'a", TORCH, "TJ304"),
    ],
)
def test_a_script_is_refused(script: str, launcher: list[str], code: str) -> None:
    found = program(script, launcher)
    assert isinstance(found, Diagnostic), found
    assert found.code == code


@pytest.mark.parametrize(
    ("command", "entry"),
    [
        ("torchrun train.py --x 1", ("train.py",)),
        ("torchrun --nproc_per_node 8 -m pkg.train --lr 1", ("-m", "pkg.train")),
        ("accelerate launch --module pkg.train", ("-m", "pkg.train")),
        ("python -m torch.distributed.run -m pkg.train", ("-m", "pkg.train")),
        ("python -m torch.distributed.launch --nnodes 2 train.py", ("train.py",)),
        ("/opt/venv/bin/python3.12 -W ignore train.py", ("train.py",)),
        ("python -m a.b", ("-m", "a.b")),
        ("mpirun -np 8 bash -x run.sh", ("run.sh",)),
        ("torchrun --no-python ./run", ("./run",)),
        ("sh -e run.sh", ("run.sh",)),
        ("bash -o pipefail scripts/run", ("scripts/run",)),
        ("./run.sh --python x.py", ("./run.sh",)),
        ("nvidia-smi x.py", ()),
        ("tool --config x.py", ()),
        ("python -c print(1)", ()),
        ("sh -c ./run.sh", ()),
    ],
)
def test_a_command_line_starts_a_program(command: str, entry: tuple[str, ...]) -> None:
    assert started(command.split(" "), TORCH) == entry


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        ("pip install x\ntorchrun train.py --lr $LR && echo x.py\n", [("train.py",)]),
        ("# python a.py\nexec torchrun \\\n  train.py", [("train.py",)]),
        ("if ./check.sh; then torchrun train.py; fi", [("train.py",)]),
        ("cd src\ntorchrun train.py\n", []),
        ("torchrun $ARGS train.py", []),
        ("torchrun train.py 'a; python b.py'", []),
    ],
)
def test_a_shell_text_starts_programs(text: str, entries: list[tuple[str, ...]]) -> None:
    assert started_in_shell(text, TORCH) == entries


def test_the_experiment_can_replace_the_launcher() -> None:
    assert launcher_of(None, TORCH) == TORCH
    assert launcher_of("none", TORCH) == []
    assert launcher_of("accelerate launch --mixed_precision bf16", TORCH) == ["accelerate", "launch", "--mixed_precision", "bf16"]


@pytest.mark.parametrize(
    ("command", "launcher", "interpreter"),
    [
        ("deepspeed --num_gpus 8 train.py", "deepspeed", None),
        ("/opt/bin/mpirun -np 8 python train.py", "/opt/bin/mpirun", None),
        ("colossalai run --nproc_per_node 8 train.py", "colossalai run", None),
        ("/bin/sh -c pip install x\nexec deepspeed train.py", "deepspeed", None),
        ("/bin/sh -c deepspeed train.py", "deepspeed", None),
        ("deepspeed --hostfile /etc/hosts.txt train.py", None, None),
        ("deepspeed --no_ssh --node_rank $(PET_NODE_RANK) train.py", None, None),
        ("torchrun train.py --strategy deepspeed", None, None),
        ("train.py --launcher composer", None, None),
        ("python train.py", None, "python"),
        ("/opt/venv/bin/python3.12 -u train.py --lr 1", None, "/opt/venv/bin/python3.12 -u"),
        ("python -m package.train", None, "python"),
        ("python -m torch.distributed.run train.py", None, None),
        ("python -m paddle.distributed.launch train.py", None, None),
        ("python train.py --rank $(PET_NODE_RANK)", None, None),
        ("python -c print(1)", None, None),
        ("tune run lora", None, None),
    ],
)
def test_a_command_line_of_one_node(command: str, launcher: str | None, interpreter: str | None) -> None:
    words = command.split(" ")
    assert (launcher_of_one_node(words), interpreter_alone(words)) == (launcher, interpreter)
