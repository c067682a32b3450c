"""Boosts trees on random data, saves the model, and resumes from the newest checkpoint."""

import argparse

import checkpoints
import numpy as np
import xgboost

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=100)
parser.add_argument("--every", type=int, default=checkpoints.every(20))
options = parser.parse_args()

random = np.random.default_rng(0)
x = random.random((1000, 4))
data = xgboost.DMatrix(x, label=x @ np.array([1.0, 2.0, 3.0, 4.0]))
model, first = None, 0
found = checkpoints.latest()
if found:
    first, folder = found
    model = xgboost.Booster(model_file=str(folder / "model.json"))

for step in range(first, options.steps, options.every):
    model = xgboost.train({"max_depth": 3}, data, num_boost_round=options.every, xgb_model=model)
    done = step + options.every
    print(f"{done} rounds: {model.eval(data)}", flush=True)
    checkpoints.save(done, lambda folder, model=model: model.save_model(str(folder / "model.json")))
