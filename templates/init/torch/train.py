"""Fits a line with all processes of PyTorch, saves its state, and resumes from the newest checkpoint."""

import argparse
import os

import checkpoints
import torch
import torch.distributed as dist

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=1000)
parser.add_argument("--every", type=int, default=checkpoints.every(200))
options = parser.parse_args()

# torchrun starts one process for each device of each node, or one process for each node without devices.
device = torch.device("cpu")
if torch.cuda.is_available():
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
dist.init_process_group("nccl" if device.type == "cuda" else "gloo")
torch.manual_seed(dist.get_rank())  # Each process has its own samples.

model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(1, 1).to(device))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
first = 0
found = [checkpoints.latest() if dist.get_rank() == 0 else None]
dist.broadcast_object_list(found, src=0)  # All processes resume from the same checkpoint.
if found[0]:
    first, folder = found[0]
    state = torch.load(folder / "state.pt", map_location=device)
    model.module.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])

for step in range(first + 1, options.steps + 1):
    x = torch.rand(64, 1, device=device)
    loss = torch.nn.functional.mse_loss(model(x), 3 * x + 1)
    optimizer.zero_grad()
    loss.backward()  # Averages the gradients of all processes.
    optimizer.step()
    if step % options.every == 0 and dist.get_rank() == 0:
        print(f"step {step}: loss {loss.item():.6f} on {device}", flush=True)
        state = {"model": model.module.state_dict(), "optimizer": optimizer.state_dict()}
        checkpoints.save(step, lambda folder, state=state: torch.save(state, folder / "state.pt"))
dist.destroy_process_group()
