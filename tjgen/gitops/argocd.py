"""An environment -> the Application that lets Argo CD sync it.

Waves are in the annotations of the objects (see annotations.py), so one Application syncs all stages.
"""

from __future__ import annotations

from tjgen.fields.path import Tree
from tjgen.gitops.site import Site

NAMESPACE = "argocd"
_HERE = "https://kubernetes.default.svc"


def objects(site: Site) -> list[Tree]:
    """One Application. It has no finalizer: whoever deletes it deletes no training."""
    destination = {"name": site.cluster} if site.cluster is not None else {"server": _HERE}
    return [
        {
            "apiVersion": "argoproj.io/v1alpha1",
            "kind": "Application",
            "metadata": {"name": site.name, "namespace": site.namespace},
            "spec": {
                "project": site.project,
                "source": {
                    "repoURL": site.repository,
                    "targetRevision": site.revision,
                    "path": site.path,
                    "directory": {"recurse": True, "exclude": "gitops/*"},
                },
                "destination": destination,
                "syncPolicy": {
                    # Self-healing would start again what somebody has stopped.
                    "automated": {"prune": True, "selfHeal": False},
                    # PruneLast is left out: it takes away the order in which runs and runtimes are pruned.
                    "syncOptions": ["ApplyOutOfSyncOnly=true", "FailOnSharedResource=true"],
                },
            },
        }
    ]
