"""Labels and annotations that tjgen writes."""

from __future__ import annotations

MANAGED_BY = "app.kubernetes.io/managed-by"
EXPERIMENT_LABEL = "tjgen.dev/experiment"
RUN_LABEL = "tjgen.dev/run"
TASK_LABEL = "tjgen.dev/task"
RUNTIME_ANNOTATION = "tjgen.dev/runtime"
MULTI_KUEUE = "kueue.x-k8s.io/multikueue"
"""Manager of a run that Kueue sends to another cluster."""
