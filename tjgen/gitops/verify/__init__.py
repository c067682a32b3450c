"""A tree and the revision before it -> whether the sources produce the tree, and what merging it does to every run."""
