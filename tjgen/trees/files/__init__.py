"""The sandbox that reads every file that an input names."""
