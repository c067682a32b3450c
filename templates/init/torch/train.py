"""Fits a line with PyTorch, saves its state, and resumes from the newest checkpoint."""

import argparse

import checkpoints
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=1000)
parser.add_argument("--every", type=int, default=200)
options = parser.parse_args()

model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
first = 0
found = checkpoints.latest()
if found:
    first, folder = found
    state = torch.load(folder / "state.pt")
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])

for step in range(first + 1, options.steps + 1):
    x = torch.rand(64, 1)
    loss = torch.nn.functional.mse_loss(model(x), 3 * x + 1)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % options.every == 0:
        print(f"step {step}: loss {loss.item():.6f}", flush=True)
        state = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
        checkpoints.save(step, lambda folder, state=state: torch.save(state, folder / "state.pt"))
