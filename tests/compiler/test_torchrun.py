"""Options of torchrun against the nodes of the run."""

from __future__ import annotations

import pytest

from tjgen.compiler.torchrun import contradiction


@pytest.mark.parametrize(
    ("command", "begins"),
    [
        ("torchrun --nnodes=2 train.py", "--nnodes=2"),
        ("torchrun --standalone train.py", "torchrun --standalone"),
        ("torchrun --nnodes=4 --node-rank=0 --master-addr=10.0.0.1 --master-port=29500 train.py", "--node-rank=0"),
        ("torchrun --node_rank 0 train.py", "--node_rank 0"),
        ("torchrun --master_addr=foo train.py", "--master_addr=foo"),
        ("torchrun --master-addr 10.0.0.1 train.py", "--master-addr 10.0.0.1"),
        ("torchrun --rdzv_backend=c10d --rdzv_endpoint=localhost:29500 train.py", "--rdzv_endpoint=localhost:29500"),
        ("python -m torch.distributed.run --rdzv-endpoint [::1]:29500 -m train", "--rdzv-endpoint [::1]:29500"),
        ("torchrun --rdzv-backend=c10d train.py", "--rdzv-backend=c10d"),
        ("torchrun --rdzv-backend=c10d --rdzv-endpoint=$(PET_MASTER_ADDR):29500 --node-rank=0 train.py", None),
        ("torchrun --node-rank=$(PET_NODE_RANK) --master-addr=$MASTER_ADDR train.py", None),
        ("torchrun --master-addr=train-node-0-0.train train.py", None),
        ("torchrun --rdzv-backend=static --rdzv-endpoint=train-node-0-0.train:29500 train.py", None),
        ("torchrun train.py --master-addr=foo --node-rank=0 --nnodes=2", None),
        ("torchrun -m train --nnodes=2", None),
        ("torchrun --nproc_per_node=8 train.py", None),
        ("other --nnodes=2 train.py", None),
    ],
)
def test_options_that_do_not_fit_four_nodes(command: str, begins: str | None) -> None:
    message = contradiction(command.split(" "), 4)
    assert (message is None) if begins is None else (message or "").startswith(begins + " ")
