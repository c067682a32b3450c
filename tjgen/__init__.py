"""tjgen: a compiler for training jobs that live in Git."""

__version__ = "0.1.0"
