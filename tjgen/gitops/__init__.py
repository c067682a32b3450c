"""A repository that a sync applies: the output tree and its lock, sync objects, what changes, what a sync would trip over."""
