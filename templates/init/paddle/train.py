"""Fits a line with PaddlePaddle, saves its state, and resumes from the newest checkpoint."""

import argparse

import checkpoints
import paddle

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=1000)
parser.add_argument("--every", type=int, default=checkpoints.every(200))
options = parser.parse_args()

model = paddle.nn.Linear(1, 1)
optimizer = paddle.optimizer.SGD(0.1, parameters=model.parameters())
first = 0
found = checkpoints.latest()
if found:
    first, folder = found
    state = paddle.load(str(folder / "state.pdparams"))
    model.set_state_dict(state["model"])
    optimizer.set_state_dict(state["optimizer"])

for step in range(first + 1, options.steps + 1):
    x = paddle.rand([64, 1])
    loss = paddle.nn.functional.mse_loss(model(x), 3 * x + 1)
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
    if step % options.every == 0:
        print(f"step {step}: loss {loss.item():.6f}", flush=True)
        state = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
        checkpoints.save(step, lambda folder, state=state: paddle.save(state, str(folder / "state.pdparams")))
