"""One module for each filter of kube-scheduler, under the name and in the order of upstream (`table.py`)."""
