"""Local files and clones -> what a run needs to know and to carry of the code that it runs."""
