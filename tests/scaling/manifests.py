"""Long lists of manifests that people write."""

from __future__ import annotations

from tests.scaling.case import CHECK, LINT, Case, manifests, many
from tests.scaling.inputs import configmap, dumped, experiment, jobset, pod, runtime, trainjob

CASES = (
    Case("documents", CHECK, lambda n: manifests(*[configmap(f"c-{i:05}") for i in range(n)]), 256),
    Case("documents of one name", CHECK, lambda n: manifests(*[configmap("c")] * n), 64),
    Case(
        "documents of an unknown kind",
        CHECK,
        lambda n: manifests(*[{"apiVersion": "x.example/v1", "kind": "X", "metadata": {"name": f"x-{i:05}"}} for i in range(n)]),
        64,
    ),
    Case(
        "documents that are wrong",
        CHECK,
        lambda n: manifests(*[{**configmap(f"c-{i:05}"), "data": {"a": 1}} for i in range(n)]),
        256,
    ),
    Case("documents that are empty", CHECK, lambda n: {"manifests.yaml": "---\n" * n}, 256),
    Case("documents that are scalars", CHECK, lambda n: {"manifests.yaml": "--- a\n" * n}, 256),
    Case(
        "documents of a List",
        CHECK,
        lambda n: manifests({"apiVersion": "v1", "kind": "List", "items": [configmap(f"c-{i:05}") for i in range(n)]}),
        64,
    ),
    Case(
        "files to check",
        ("check", ".", "--no-cache"),
        lambda n: {f"c-{i:05}.yaml": dumped(configmap(f"c-{i:05}")) for i in range(n)},
        32,
    ),
    Case(
        "files to check with the cache",
        ("check", "."),
        lambda n: {f"c-{i:05}.yaml": dumped(configmap(f"c-{i:05}")) for i in range(n)},
        32,
    ),
    Case("TrainJobs to check", CHECK, lambda n: manifests(*[trainjob(f"j-{i:05}") for i in range(n)]), 16),
    Case(
        "TrainJobs with runtimes to check",
        CHECK,
        lambda n: manifests(
            *[{**runtime(f"r-{i:05}")} for i in range(n)],
            *[trainjob(f"j-{i:05}", runtimeRef={"name": f"r-{i:05}"}) for i in range(n)],
        ),
        8,
    ),
    Case("JobSets to check", CHECK, lambda n: manifests(*[jobset(f"j-{i:05}") for i in range(n)]), 16),
    Case(
        "JobSets with priorities to check",
        CHECK,
        lambda n: manifests(*[jobset(f"j-{i:05}", 1, priorityClassName=f"p-{i:05}") for i in range(n)]),
        16,
    ),
    Case("jobs of a JobSet to check", CHECK, lambda n: manifests(jobset("j", n)), 8),
    Case(
        "tasks of a volcano Job to check",
        CHECK,
        lambda n: manifests(
            {
                "apiVersion": "batch.volcano.sh/v1alpha1",
                "kind": "Job",
                "metadata": {"name": "j", "namespace": "team"},
                "spec": {
                    "minAvailable": 1,
                    "schedulerName": "volcano",
                    "tasks": [
                        {
                            "name": f"t-{i:05}",
                            "replicas": 1,
                            "template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}},
                        }
                        for i in range(n)
                    ],
                },
            }
        ),
        16,
    ),
    Case(
        "volcano Queues to check",
        CHECK,
        lambda n: manifests(
            *[
                {
                    "apiVersion": "scheduling.volcano.sh/v1beta1",
                    "kind": "Queue",
                    "metadata": {"name": f"q-{i:05}"},
                    "spec": {"weight": 1, "parent": f"q-{i - 1:05}" if i else "root"},
                }
                for i in range(n)
            ]
        ),
        16,
    ),
    Case(
        "containers to check",
        CHECK,
        lambda n: manifests(pod(containers=[{"name": f"c-{i:05}", "image": "i"} for i in range(n)])),
        64,
    ),
    Case(
        "containers of one name to check",
        CHECK,
        lambda n: manifests(pod(containers=[{"name": "c", "image": "i"} for i in range(n)])),
        32,
    ),
    Case(
        "volumes to check",
        CHECK,
        lambda n: manifests(
            pod(
                containers=[
                    {
                        "name": "c",
                        "image": "i",
                        "volumeMounts": [{"name": f"v-{i:05}", "mountPath": f"/{i:05}"} for i in range(n)],
                    }
                ],
                volumes=[{"name": f"v-{i:05}", "emptyDir": {}} for i in range(n)],
            )
        ),
        32,
    ),
    Case(
        "env to check",
        CHECK,
        lambda n: manifests(
            pod(containers=[{"name": "c", "image": "i", "env": [{"name": f"V{i:05}", "value": "x"} for i in range(n)]}])
        ),
        128,
    ),
    Case(
        "ports to check",
        CHECK,
        lambda n: manifests(
            pod(
                containers=[{"name": "c", "image": "i", "ports": [{"containerPort": i + 1, "hostPort": i + 1} for i in range(n)]}]
            )
        ),
        64,
    ),
    Case(
        "tolerations to check",
        CHECK,
        lambda n: manifests(pod(tolerations=[{"key": f"k-{i:05}", "operator": "Exists"} for i in range(n)])),
        128,
    ),
    Case("unknown fields to check", CHECK, lambda n: manifests(pod(**many(n, int, "field{:05}"))), 32),
    Case(
        "labels to check",
        CHECK,
        lambda n: manifests({**configmap("c"), "metadata": {"name": "c", "labels": many(n, str), "annotations": many(n, str)}}),
        128,
    ),
    Case(
        "finalizers and owners to check",
        CHECK,
        lambda n: manifests(
            {
                **configmap("c"),
                "metadata": {
                    "name": "c",
                    "finalizers": [f"x.example/{i:05}" for i in range(n)],
                    "ownerReferences": [
                        {"apiVersion": "v1", "kind": "Pod", "name": f"p-{i:05}", "uid": str(i)} for i in range(n)
                    ],
                },
            }
        ),
        64,
    ),
    Case(
        "keys of a ConfigMap to check", CHECK, lambda n: manifests({**configmap("c"), "data": many(n, str, "entry-{:05}")}), 256
    ),
    Case(
        "runtime patches to check",
        CHECK,
        lambda n: manifests(
            trainjob(
                "j",
                runtimePatches=[
                    {
                        "manager": f"x.example/{i:05}",
                        "trainingRuntimeSpec": {
                            "template": {
                                "spec": {
                                    "replicatedJobs": [
                                        {
                                            "name": "node",
                                            "template": {"spec": {"template": {"spec": {"nodeSelector": {f"a-{i:05}": "b"}}}}},
                                        }
                                    ]
                                }
                            }
                        },
                    }
                    for i in range(n)
                ],
            )
        ),
        64,
    ),
    Case(
        "checked against a folder",
        (*CHECK, "--against", "old"),
        lambda n: {
            **manifests(*[configmap(f"c-{i:05}") for i in range(n)]),
            "old/manifests.yaml": dumped(*[configmap(f"c-{i:05}") for i in range(n)]),
        },
        32,
    ),
    Case(
        "JobSets checked against a folder",
        (*CHECK, "--against", "old"),
        lambda n: {
            **manifests(*[jobset(f"c-{i:05}") for i in range(n)]),
            "old/manifests.yaml": dumped(*[jobset(f"c-{i:05}") for i in range(n)]),
        },
        16,
    ),
    Case("documents to lint", LINT, lambda n: manifests(*[configmap(f"c-{i:05}") for i in range(n)]), 256),
    Case("documents of one name to lint", LINT, lambda n: manifests(*[configmap("c")] * n), 64),
    Case("JobSets to lint", LINT, lambda n: manifests(*[jobset(f"j-{i:05}") for i in range(n)]), 16),
    Case("TrainJobs to lint", LINT, lambda n: manifests(*[trainjob(f"j-{i:05}") for i in range(n)]), 16),
    Case(
        "TrainJobs with runtimes to lint",
        LINT,
        lambda n: manifests(
            *[runtime(f"r-{i:05}") for i in range(n)],
            *[trainjob(f"j-{i:05}", runtimeRef={"name": f"r-{i:05}"}) for i in range(n)],
        ),
        8,
    ),
    Case(
        "claims and pods to lint",
        LINT,
        lambda n: manifests(
            *[
                {
                    "apiVersion": "v1",
                    "kind": "PersistentVolumeClaim",
                    "metadata": {"name": f"c-{i:05}", "namespace": "team"},
                    "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
                }
                for i in range(n)
            ],
            *[
                jobset(f"j-{i:05}", 1, volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": f"c-{i:05}"}}])
                for i in range(n)
            ],
        ),
        8,
    ),
    Case(
        "Applications to lint",
        LINT,
        lambda n: manifests(
            *[
                {
                    "apiVersion": "argoproj.io/v1alpha1",
                    "kind": "Application",
                    "metadata": {"name": f"a-{i:05}", "namespace": "argocd"},
                    "spec": {
                        "project": "default",
                        "destination": {"namespace": "team", "server": "https://kubernetes.default.svc"},
                        "source": {"repoURL": "https://git.example/r", "path": f"p-{i:05}"},
                    },
                }
                for i in range(n)
            ]
        ),
        32,
    ),
    Case(
        "Kustomizations to lint",
        LINT,
        lambda n: manifests(
            *[
                {
                    "apiVersion": "kustomize.toolkit.fluxcd.io/v1",
                    "kind": "Kustomization",
                    "metadata": {"name": f"a-{i:05}", "namespace": "flux-system"},
                    "spec": {
                        "interval": "1m",
                        "prune": True,
                        "path": f"p-{i:05}",
                        "sourceRef": {"kind": "GitRepository", "name": "r"},
                        "dependsOn": [{"name": f"a-{i - 1:05}"}] if i else [],
                    },
                }
                for i in range(n)
            ]
        ),
        32,
    ),
    Case(
        "linted against a folder",
        (*LINT, "--against", "old"),
        lambda n: {
            **manifests(*[jobset(f"c-{i:05}") for i in range(n)]),
            "old/manifests.yaml": dumped(*[jobset(f"c-{i:05}") for i in range(n)]),
        },
        16,
    ),
    Case("fixed by lint", (*LINT, "--fix", "--diff"), lambda n: manifests(*[jobset(f"j-{i:05}") for i in range(n)]), 8),
    Case(
        "TrainJobs to expand", ("expand", "manifests.yaml"), lambda n: manifests(*[trainjob(f"j-{i:05}") for i in range(n)]), 16
    ),
    Case(
        "TrainJobs with runtimes to expand",
        ("expand", "manifests.yaml"),
        lambda n: manifests(
            *[runtime(f"r-{i:05}") for i in range(n)],
            *[trainjob(f"j-{i:05}", runtimeRef={"name": f"r-{i:05}"}) for i in range(n)],
        ),
        16,
    ),
    Case(
        "TrainJobs to convert",
        ("convert", "manifests.yaml", "--trainer", "2.1"),
        lambda n: manifests(*[trainjob(f"j-{i:05}") for i in range(n)]),
        8,
    ),
    Case(
        "experiments to convert",
        ("convert", "experiment.yaml", "--target", "jobset"),
        lambda n: {"experiment.yaml": dumped(*[experiment(f"e-{i:05}") for i in range(n)])},
        4,
    ),
    Case("JobSets to import", ("import", "manifests.yaml"), lambda n: manifests(*[jobset(f"j-{i:05}") for i in range(n)]), 4),
    Case(
        "TrainJobs to import",
        ("import", "manifests.yaml", "-o", "made"),
        lambda n: manifests(*[trainjob(f"j-{i:05}") for i in range(n)]),
        16,
    ),
    Case(
        "env to import",
        ("import", "manifests.yaml"),
        lambda n: manifests(trainjob("j", trainer={"image": "i", "env": [{"name": f"V{i:05}", "value": "x"} for i in range(n)]})),
        64,
    ),
    Case(
        "objects of krm",
        ("krm",),
        lambda n: {
            "list.yaml": dumped(
                {
                    "apiVersion": "config.kubernetes.io/v1",
                    "kind": "ResourceList",
                    "items": [configmap(f"c-{i:05}") for i in range(n)],
                }
            )
        },
        64,
        (),
        "list.yaml",
    ),
    Case(
        "experiments of krm",
        ("krm",),
        lambda n: {
            "list.yaml": dumped(
                {
                    "apiVersion": "config.kubernetes.io/v1",
                    "kind": "ResourceList",
                    "items": [experiment(f"c-{i:05}") for i in range(n)],
                }
            )
        },
        32,
        (),
        "list.yaml",
    ),
    Case(
        "objects of postrender",
        ("postrender",),
        lambda n: {"list.yaml": dumped(*[configmap(f"c-{i:05}") for i in range(n)])},
        64,
        (),
        "list.yaml",
    ),
    Case(
        "experiments of postrender",
        ("postrender",),
        lambda n: {"list.yaml": dumped(*[experiment(f"c-{i:05}") for i in range(n)])},
        32,
        (),
        "list.yaml",
    ),
    Case(
        "kinds to import",
        ("schemas", "import", "crds.yaml", "--to", "schemas"),
        lambda n: {
            "crds.yaml": dumped(
                *[
                    {
                        "apiVersion": "apiextensions.k8s.io/v1",
                        "kind": "CustomResourceDefinition",
                        "metadata": {"name": f"x{i:05}s.x.example"},
                        "spec": {
                            "group": "x.example",
                            "names": {"kind": f"X{i:05}", "plural": f"x{i:05}s"},
                            "scope": "Namespaced",
                            "versions": [
                                {
                                    "name": "v1",
                                    "served": True,
                                    "storage": True,
                                    "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object"}}}},
                                }
                            ],
                        },
                    }
                    for i in range(n)
                ]
            )
        },
        32,
    ),
    Case(
        "Pods of PyTorchJobs to check",
        CHECK,
        lambda n: manifests(
            *[
                {
                    "apiVersion": "kubeflow.org/v1",
                    "kind": "PyTorchJob",
                    "metadata": {"name": f"p-{i:05}", "namespace": "team"},
                    "spec": {
                        "pytorchReplicaSpecs": {
                            "Master": {"replicas": 1, "template": {"spec": {"containers": [{"name": "pytorch", "image": "i"}]}}}
                        }
                    },
                }
                for i in range(n)
            ]
        ),
        32,
    ),
)
