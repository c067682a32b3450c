"""Two trees of manifests to what a sync changes, and what that does to each run."""
