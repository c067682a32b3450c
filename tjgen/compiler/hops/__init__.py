"""The steps of a run: each takes a job and the draft of the step before, and returns the next draft."""
