"""Policies of a cluster: ValidatingAdmissionPolicies and Pod Security, on objects and the pods that controllers create."""
