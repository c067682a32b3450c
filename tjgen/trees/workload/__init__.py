"""The tree between the language and the targets: pod templates of every job of a run."""
