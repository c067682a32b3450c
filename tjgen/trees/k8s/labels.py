"""Labels and annotations that tjgen writes."""

from __future__ import annotations

MANAGED_BY = "app.kubernetes.io/managed-by"
EXPERIMENT_LABEL = "tjgen.dev/experiment"
RUN_LABEL = "tjgen.dev/run"
PROGRAM_LABEL = "tjgen.dev/program"
"""Label of the pods of a program that tjgen runs next to runs: its value is the program, such as `backup`."""
TRY_LABEL = "tjgen.dev/try"
"""Label of the objects of `tjgen try`: its value is the name of the experiment with its suffix."""
TASK_LABEL = "tjgen.dev/task"
TEAM_LABEL = "team"
"""The label by which totals are grouped."""
KUEUE_QUEUE = "kueue.x-k8s.io/queue-name"
"""The LocalQueue of Kueue that admits a run."""
KUEUE_PRIORITY = "kueue.x-k8s.io/priority-class"
"""The WorkloadPriorityClass of a run."""
POD_SECURITY = "pod-security.kubernetes.io/"
"""Prefix of the labels by which a namespace sets its levels of Pod Security."""
POD_SECURITY_MODES = ("enforce", "audit", "warn")
MULTI_KUEUE = "kueue.x-k8s.io/multikueue"
"""Manager of a run that Kueue sends to another cluster."""
