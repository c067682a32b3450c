"""The program: it finds its own modules beside it."""

from __future__ import annotations

import argparse

import torch
from model import digits

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=1)
epochs = parser.parse_args().epochs
network = torch.nn.Linear(*digits.SHAPE)
