"""Files to a folder: the tree that tjgen owns, its journal, and its cache."""
