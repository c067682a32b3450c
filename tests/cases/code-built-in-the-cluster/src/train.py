import torch
import yaml

try:
    import wandb
except ImportError:
    wandb = None
