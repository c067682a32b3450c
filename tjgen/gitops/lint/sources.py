"""Where rules of lint have their facts from: the beginnings of URLs, each with the release whose code was read."""

from __future__ import annotations

_GITHUB = "https://github.com"
ARGOCD = f"{_GITHUB}/argoproj/argo-cd/blob/v3.5.1"
ARGOCD_ISSUES = f"{_GITHUB}/argoproj/argo-cd/issues"
ARGOCD_SYNC = f"{ARGOCD}/gitops-engine/pkg/sync"
ARGOCD_HEALTH = f"{ARGOCD}/gitops-engine/pkg/health"
ARGOCD_GUIDE = "https://argo-cd.readthedocs.io/en/stable/user-guide"
ARGOCD_MANUAL = "https://argo-cd.readthedocs.io/en/stable/operator-manual"
FLUX_SSA = f"{_GITHUB}/fluxcd/pkg/blob/ssa/v0.77.0/ssa"
FLUX_KUSTOMIZE = f"{_GITHUB}/fluxcd/pkg/blob/kustomize/v1.39.0/kustomize"
FLUX_CONTROLLER = f"{_GITHUB}/fluxcd/kustomize-controller/blob/v1.9.5"
FLUX_GUIDES = "https://fluxcd.io/flux/guides"
TRAINER = f"{_GITHUB}/kubeflow/trainer/blob/v2.3.0/pkg"
TRAINER_21 = f"{_GITHUB}/kubeflow/trainer/blob/v2.1.0/pkg"
JOBSET = f"{_GITHUB}/kubernetes-sigs/jobset/blob/v0.12.0/pkg"
VOLCANO = f"{_GITHUB}/volcano-sh/volcano/blob/v1.15.0/pkg"
KUEUE = f"{_GITHUB}/kubernetes-sigs/kueue/blob/v0.19.2/pkg"
CONTROLLER_RUNTIME = f"{_GITHUB}/kubernetes-sigs/controller-runtime/blob/8758ead9f6aff9fc5f218f173b80d8127ba354a3"
BATCH_VALIDATION = (
    f"{_GITHUB}/kubernetes/kubernetes/blob/3989b18586203eb366257fa4c8e9c0d605ec41df/pkg/apis/batch/validation/validation.go"
)
CORE_VALIDATION = (
    f"{_GITHUB}/kubernetes/kubernetes/blob/a7264f95ffc8b56377da16e83461aa59467ebb3e/pkg/apis/core/validation/validation.go"
)
KUBECTL_APPLY = (
    f"{_GITHUB}/kubernetes/kubernetes/blob/e93af314d65498d1ef32efc2bc282f682725405d/"
    "staging/src/k8s.io/kubectl/pkg/cmd/apply/apply.go"
)
TTL_CONTROLLER = (
    f"{_GITHUB}/kubernetes/kubernetes/blob/490ffa432a878f5a75e5b5906d820d06e672556e/"
    "pkg/controller/ttlafterfinished/ttlafterfinished_controller.go"
)
MERGE = f"{_GITHUB}/kubernetes-sigs/structured-merge-diff/blob/7666d3d49c8f313e5817c0d1a3b55109d52542f4"
KUBERNETES_DOCS = "https://kubernetes.io/docs/concepts"
