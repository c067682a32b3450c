"""Options of `accelerate launch` against the nodes of the run."""

from __future__ import annotations

import pytest

from tjgen.compiler.accelerate import contradiction


@pytest.mark.parametrize(
    ("command", "begins"),
    [
        ("accelerate launch --num_machines 4 --machine_rank 0 train.py", "--machine_rank 0"),
        ("/opt/venv/bin/accelerate launch --machine-rank=1 train.py", "--machine_rank 1"),
        ("/bin/sh -c pip install x\nexec accelerate launch --num_machines 2 train.py", "--num_machines 2"),
        ("python -m accelerate.commands.launch --main_process_ip localhost train.py", "--main_process_ip localhost"),
        ("accelerate launch --config_file a.yaml train.py", "--config_file a.yaml"),
        ("accelerate launch --config_file a.yaml --machine_rank $(PET_NODE_RANK) train.py", None),
        ("accelerate launch --num_machines 4 --main_process_ip $(PET_MASTER_ADDR) train.py", None),
        ("accelerate launch train.py", None),
        ("torchrun train.py --machine_rank 0", None),
    ],
)
def test_options_that_do_not_fit_four_nodes(command: str, begins: str | None) -> None:
    message = contradiction(command.split(" "), 4)
    assert (message is None) if begins is None else (message or "").startswith(begins + " ")
