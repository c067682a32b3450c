"""Programs that save a checkpoint with a framework, each run with a Python that has it: `FRAMEWORKS=/venv/bin/python`.

Each saves number 100 into the folder in its first argument, and prints the version of the framework.
"""

from __future__ import annotations

from typing import NamedTuple

from tests.compiler.programs.keeping.completeness import Rules


class Framework(NamedTuple):
    """A framework that writes checkpoints."""

    name: str
    """Its name in layouts.toml."""
    module: str
    rules: Rules
    program: str
    ranks: int = 1
    needs_gpu: bool = False


_RANKS = """
import os, sys, torch, torch.distributed as dist
dist.init_process_group("gloo")
rank = dist.get_rank()
"""
_MODEL = """
import torch
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)
"""

FRAMEWORKS = [
    Framework("any program, `torch.save`", "torch", Rules(), """
import os, sys, torch
folder = os.path.join(sys.argv[1], "step-100")
os.mkdir(folder)
torch.save({"w": torch.ones(3)}, os.path.join(folder, "model.pt"))
open(os.path.join(folder, "_SUCCESS"), "w").close()
print(torch.__version__)
"""),
    Framework("`torch.save`", "torch", Rules(files=(".pt",)), """
import sys, torch
torch.save({"w": torch.ones(3)}, sys.argv[1] + "/step-100.pt")
print(torch.__version__)
"""),
    Framework("torch.distributed.checkpoint", "torch", Rules(marker=".metadata"), _RANKS + """
import torch.distributed.checkpoint as dcp
dcp.save({"w": torch.ones(3)}, checkpoint_id=sys.argv[1] + "/step-100")
if rank == 0: print(torch.__version__)
""", 2),
    Framework("DeepSpeed", "deepspeed", Rules(), _RANKS + """
import deepspeed
model = torch.nn.Linear(4, 4)
config = {"train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": 1}, "zero_allow_untested_optimizer": True}
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
engine, *_ = deepspeed.initialize(model=model, optimizer=optimizer, config=config)
engine.backward(engine(torch.ones(1, 4)).sum())
engine.step()
folder = sys.argv[1] + "/step-100"
engine.save_checkpoint(folder)
if rank == 0:
    open(folder + "/_SUCCESS", "w").close()
    print(deepspeed.__version__)
""", 2),
    Framework("HF Trainer", "transformers", Rules("checkpoint-", "trainer_state.json"), """
import sys, torch, transformers
config = transformers.GPT2Config(n_layer=1, n_head=1, n_embd=8, vocab_size=16, n_positions=8)
words = {"input_ids": torch.ones(4, dtype=torch.long), "labels": torch.ones(4, dtype=torch.long)}
told = dict(output_dir=sys.argv[1], max_steps=100, save_steps=100, report_to=[], use_cpu=True, disable_tqdm=True)
trainer = transformers.Trainer(
    transformers.GPT2LMHeadModel(config), transformers.TrainingArguments(**told), train_dataset=[words] * 8
)
trainer.train()
print(transformers.__version__)
"""),
    Framework("Orbax", "orbax.checkpoint", Rules("step_", "_CHECKPOINT_METADATA"), """
import sys, jax.numpy as jnp, orbax.checkpoint as ocp
options = ocp.CheckpointManagerOptions(step_prefix="step")
with ocp.CheckpointManager(sys.argv[1], options=options) as manager:
    manager.save(100, args=ocp.args.StandardSave({"w": jnp.ones(3), "zero": jnp.zeros(3)}))
    manager.wait_until_finished()
print(ocp.__version__)
"""),
    Framework("TensorFlow, `tf.train.Checkpoint`", "tensorflow", Rules("ckpt-", files=(".index", ".data-00000-of-00001")), """
import sys, tensorflow as tf
saved = tf.train.Checkpoint(w=tf.Variable([1.0]))
tf.train.CheckpointManager(saved, sys.argv[1], max_to_keep=1).save(checkpoint_number=100)
print(tf.__version__)
"""),
    Framework("TensorFlow, SavedModel", "tensorflow", Rules(marker="fingerprint.pb"), """
import sys, tensorflow as tf
class Model(tf.Module):
    def __init__(self):
        self.w = tf.Variable([1.0])
tf.saved_model.save(Model(), sys.argv[1] + "/step-100")
print(tf.__version__)
"""),
    Framework("Megatron, `torch_dist`", "megatron.core", Rules("iter_", "metadata.json"), _RANKS + """
import megatron.core
from megatron.core import dist_checkpointing, parallel_state
from megatron.core.dist_checkpointing import ShardedTensor
parallel_state.initialize_model_parallel()
folder = sys.argv[1] + "/iter_0000100"
if rank == 0: os.mkdir(folder)
dist.barrier()
state = {"w": ShardedTensor.from_rank_offsets("w", torch.ones(4), replica_id=rank), "step": 100}
dist_checkpointing.save(state, folder)
if rank == 0: print(megatron.core.__version__)
""", 2, needs_gpu=True),
    Framework("Lightning", "lightning", Rules(files=(".ckpt",)), _MODEL + """
import sys, lightning as L
from lightning.pytorch.callbacks import ModelCheckpoint
class Module(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)
    def training_step(self, batch, _): return self.layer(batch).sum()
    def configure_optimizers(self): return torch.optim.SGD(self.parameters(), lr=0.1)
name = dict(filename="step-{step}", auto_insert_metric_name=False)
saving = ModelCheckpoint(dirpath=sys.argv[1], every_n_train_steps=100, **name)
trainer = L.Trainer(max_steps=100, accelerator="cpu", logger=False, callbacks=[saving], enable_progress_bar=False)
trainer.fit(Module(), torch.utils.data.DataLoader(torch.ones(100, 4)))
print(L.__version__)
"""),
    Framework("Lightning, FSDP or ModelParallel", "lightning", Rules(marker="meta.pt"), """
import os, sys, torch, lightning
from lightning.fabric.strategies.model_parallel import _distributed_checkpoint_save
import torch.distributed as dist
dist.init_process_group("gloo")
# What ModelParallelStrategy.save_checkpoint writes; the strategy itself needs GPUs.
folder = sys.argv[1] + "/step-100"
os.makedirs(folder, exist_ok=True)
from pathlib import Path
_distributed_checkpoint_save({"w": torch.ones(3)}, Path(folder))
if dist.get_rank() == 0:
    torch.save({"epoch": 1}, folder + "/meta.pt")
    print(lightning.__version__)
""", 2),
]  # fmt: skip
