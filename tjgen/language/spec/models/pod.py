"""`pod`: fields of the pod, as in Kubernetes."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from tjgen.language.spec.models.identity import Counts
from tjgen.language.spec.models.shape import Shape, Subtree, Text, Whole


class Pod(Shape):
    """Fields of the pod and its main container that have no shorter form."""

    labels: Counts[dict[str, str]] = {}
    """Labels of the pods."""
    annotations: Counts[dict[str, str]] = {}
    """Annotations of the pods."""
    node_selector: Counts[dict[str, str]] = {}
    """Labels that a node must have."""
    tolerations: Counts[list[Subtree]] = []
    """Taints that the pods tolerate (core/v1 Toleration)."""
    affinity: Counts[Subtree | None] = None
    """Scheduling constraints (core/v1 Affinity)."""
    security_context: Counts[Subtree | None] = None
    """Security settings of the pod (core/v1 PodSecurityContext)."""
    container_security_context: Counts[Subtree | None] = None
    """Security settings of the main container (core/v1 SecurityContext)."""
    termination_grace_period_seconds: Counts[Whole | None] = None
    """Seconds between the request to stop and the kill, for a last checkpoint."""
    host_network: Counts[bool | None] = None
    """Whether the pods use the network of the node."""
    host_ipc: Counts[bool | None] = Field(None, alias="hostIPC")
    """Whether the pods share the node's IPC namespace."""
    dns_policy: Counts[Literal["ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"] | None] = None
    """DNS policy of the pods."""
    scheduler_name: Counts[Text | None] = None
    """Scheduler of the pods. `schedule.system` sets it, too."""
    runtime_class_name: Counts[Text | None] = None
    """RuntimeClass of the pods."""
    topology_spread_constraints: Counts[list[Subtree]] = []
    """Topology spread constraints (core/v1 TopologySpreadConstraint)."""
    restart_policy: Counts[Literal["Never", "OnFailure"] | None] = None
    """Whether the kubelet restarts a failed container in its pod."""
