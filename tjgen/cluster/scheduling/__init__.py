"""The filters of kube-scheduler, on nodes and pods -> the node of each pod, or the sentence that the scheduler writes."""
