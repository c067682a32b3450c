"""Data that is brought before training starts: by a Job or by Fluid; and caches of the nodes."""
