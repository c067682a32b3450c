"""The share of one CI job in a large build, as a file; and the files of all jobs, for the build that writes the tree."""
