"""Long lists of one experiment, or of experiments."""

from __future__ import annotations

from tests.scaling.case import BUILD, Case, many, sweep
from tests.scaling.inputs import dumped, experiment, one

OF_ENV = 32
"""Variables at first: a TrainJob has at most 128, and one with more is judged a second time, as its webhook would rewrite it."""

CASES = (
    Case("experiments of a file", BUILD, lambda n: {"experiment.yaml": dumped(*[experiment(f"e-{i:05}") for i in range(n)])}, 16),
    Case("copies of one experiment", BUILD, lambda n: {"experiment.yaml": dumped(*[experiment()] * n)}, 32),
    Case(
        "copies of an experiment without a runtime",
        BUILD,
        lambda n: {"experiment.yaml": "---\n".join(["kind: Experiment\nspec: {}\n"] * n)},
        64,
    ),
    Case(
        "files of experiments", ("build", "."), lambda n: {f"e-{i:05}.yaml": dumped(experiment(f"e-{i:05}")) for i in range(n)}, 8
    ),
    Case("files of copies", ("build", "."), lambda n: {f"e-{i:05}.yaml": dumped(experiment()) for i in range(n)}, 16),
    Case("points of one axis", BUILD, lambda n: sweep({"matrix": {"env.LR": list(range(n))}}), 64),
    Case("points that are texts", BUILD, lambda n: sweep({"matrix": {"env.LR": [f"F{i:05}" for i in range(n)]}}), 64),
    Case("points of zip", BUILD, lambda n: sweep({"zip": {"env.A": list(range(n)), "env.B": list(range(n))}}), 16),
    Case("points of include", BUILD, lambda n: sweep({"include": [{"env.A": i} for i in range(n)]}), 16),
    Case(
        "points that include adds to",
        BUILD,
        lambda n: sweep({"matrix": {"env.A": list(range(n))}, "include": [{"env.A": i, "env.B": i} for i in range(n)]}),
        16,
    ),
    Case(
        "points that exclude takes",
        BUILD,
        lambda n: sweep({"matrix": {"env.A": list(range(2 * n))}, "exclude": [{"env.A": i} for i in range(n)]}),
        64,
    ),
    Case(
        "points that exclude does not take",
        BUILD,
        lambda n: sweep({"matrix": {"env.A": list(range(n))}, "exclude": [{"env.A": n + i} for i in range(n)]}),
        16,
    ),
    Case("axes of one value", BUILD, lambda n: sweep({"matrix": {f"env.A{i:05}": [i] for i in range(n)}}), 32),
    Case("axes of zip", BUILD, lambda n: sweep({"zip": {f"env.A{i:05}": [i] for i in range(n)}}), 32),
    Case("keys of a point of include", BUILD, lambda n: sweep({"include": [{f"env.A{i:05}": i for i in range(n)}]}), 32),
    Case("points that are wrong", BUILD, lambda n: sweep({"matrix": {"nodes": [-i for i in range(n)]}}), 64),
    Case("points that stand twice", BUILD, lambda n: sweep({"matrix": {"env.A": [1] * n}}), 64),
    Case("tasks", BUILD, lambda n: one(tasks=many(n, lambda i: {}, "task-{:05}")), 32),
    Case(
        "init containers that wait for each other",
        BUILD,
        lambda n: one(initContainers=many(n, lambda i: {"after": [f"c-{i + 1:05}"] if i + 1 < n else []}, "c-{:05}")),
        16,
    ),
    Case(
        "sidecars that mount volumes",
        BUILD,
        lambda n: one(
            volumes=many(n, lambda i: {"emptyDir": {}, "mountPath": f"/v{i}"}, "v-{:05}"),
            sidecars=many(n, lambda i: {"mounts": {f"v-{i:05}": "/v"}}, "s-{:05}"),
        ),
        16,
    ),
    Case("ports of a container", BUILD, lambda n: one(ports=many(n, lambda i: i + 1, "p-{:05}")), 16),
    Case(
        "tasks with data",
        BUILD,
        lambda n: one(
            volumes={"v": {"pvc": "v", "mountPath": "/v"}},
            data={
                "volume": "v",
                "items": {"pattern": f"x-{{0000..{4 * n - 1:04}}}"},
                "slices": {"by": "round-robin", "over": "tasks"},
            },
            tasks=many(n, lambda i: {"env": {"A": i}}, "task-{:05}"),
        ),
        8,
    ),
    Case(
        "data sets that overlap",
        BUILD,
        lambda n: one(
            volumes={"v": {"pvc": "v", "mountPath": "/v", "readOnly": True}},
            data={"sets": many(n, lambda i: {"volume": "v"}, "s-{:05}")},
        ),
        16,
    ),
    Case(
        "paths of a prefetch that overlap",
        BUILD,
        lambda n: one(
            volumes={"v": {"pvc": "v", "mountPath": "/v", "readOnly": True}},
            prefetch={"volume": "v", "source": {"uri": "s3://b/s", "paths": [f"p{i % (n // 2 + 1)}" for i in range(n)]}},
        ),
        16,
    ),
    Case(
        "paths of a prefetch",
        BUILD,
        lambda n: one(
            volumes={"v": {"pvc": "v", "mountPath": "/v", "readOnly": True}},
            prefetch={"volume": "v", "source": {"uri": "s3://b/s", "paths": [f"p{i}" for i in range(n)]}},
        ),
        32,
    ),
    Case(
        "tasks with volumes",
        BUILD,
        lambda n: one(
            volumes={"v": {"pvc": {"create": {"size": "1Gi"}}, "mountPath": "/v"}},
            tasks=many(n, lambda i: {"volumes": {"own": {"pvc": f"c-{i:05}", "mountPath": "/own"}}}, "task-{:05}"),
        ),
        8,
    ),
    Case("tasks that are wrong", BUILD, lambda n: one(tasks=many(n, lambda i: {"nodes": -1 - i}, "task-{:05}")), 32),
    Case("env", BUILD, lambda n: one(env=many(n, str, "V{:05}")), OF_ENV),
    Case("env of numbers", BUILD, lambda n: one(env=many(n, int, "V{:05}")), OF_ENV),
    Case(
        "env of numbers in one line",
        BUILD,
        lambda n: {"experiment.yaml": dumped(experiment(env=many(n, int, "V{:05}")), flow=True) + "# 1e-3\n"},
        OF_ENV,
    ),
    Case(
        "env of numbers that are written otherwise",
        BUILD,
        lambda n: {"experiment.yaml": dumped(experiment(env=many(n, int, "V{:05}"))) + "# 1e-3\n"},
        OF_ENV,
    ),
    Case("env of secrets", BUILD, lambda n: one(env=many(n, lambda i: {"secret": "s", "key": f"k{i:05}"}, "V{:05}")), 128),
    Case("env that refers to env", BUILD, lambda n: one(env=many(n, lambda i: f"$(V{i - 1:05})", "V{:05}")), 64),
    Case("env that is wrong", BUILD, lambda n: one(env=many(n, lambda i: [i], "V{:05}")), 64),
    Case("names of env that are wrong", BUILD, lambda n: one(env=many(n, str, "bad name {:05}")), OF_ENV),
    Case("envFrom", BUILD, lambda n: one(envFrom=many(n, lambda i: {"secret": f"s-{i:05}"}, "f-{:05}")), 64),
    Case(
        "env with envFrom",
        BUILD,
        lambda n: one(env=many(n, str, "V{:05}"), envFrom=many(n, lambda i: {"secret": f"s-{i:05}"}, "f-{:05}")),
        128,
    ),
    Case(
        "volumes", BUILD, lambda n: one(volumes=many(n, lambda i: {"pvc": f"c-{i:05}", "mountPath": f"/v/{i:05}"}, "v-{:05}")), 32
    ),
    Case(
        "volumes that are created",
        BUILD,
        lambda n: one(volumes=many(n, lambda i: {"pvc": {"create": {"size": "1Gi"}}, "mountPath": f"/v/{i:05}"}, "v-{:05}")),
        32,
    ),
    Case(
        "volumes of one path",
        BUILD,
        lambda n: one(volumes=many(n, lambda i: {"pvc": f"c-{i:05}", "mountPath": "/v"}, "v-{:05}")),
        64,
    ),
    Case(
        "volumes on a volcano job",
        BUILD,
        lambda n: one(target="volcanojob", volumes=many(n, lambda i: {"pvc": f"c-{i:05}", "mountPath": f"/v/{i:05}"}, "v-{:05}")),
        32,
    ),
    Case("mounts", BUILD, lambda n: one(volumes={"v": {"pvc": "c", "mounts": many(n, lambda i: f"sub/{i:05}", "/v/{:05}")}}), 64),
    Case(
        "nested mounts",
        BUILD,
        lambda n: one(volumes={"v": {"pvc": "c", "mounts": {"/v" + "/x" * i: f"sub/{i:05}" for i in range(n)}}}),
        64,
    ),
    Case("roles that the runtime has not", BUILD, lambda n: one(roles=many(n, lambda i: {"cpu": 1}, "role-{:05}")), 64),
    Case(
        "roles of a volcano job",
        BUILD,
        lambda n: one(target="volcanojob", runtime="tjgen-plain", roles=many(n, lambda i: {"replicas": 1}, "role-{:05}")),
        16,
    ),
    Case(
        "labels",
        BUILD,
        lambda n: {
            "experiment.yaml": dumped(
                {
                    **experiment(),
                    "metadata": {"name": "many", "labels": many(n, str, "l-{:05}"), "annotations": many(n, str, "a-{:05}")},
                }
            )
        },
        64,
    ),
    Case(
        "labels that are wrong",
        BUILD,
        lambda n: {"experiment.yaml": dumped({**experiment(), "metadata": {"name": "many", "labels": many(n, str, "l {:05}")}})},
        64,
    ),
    Case(
        "labels of pods",
        BUILD,
        lambda n: one(
            pod={
                "labels": many(n, str, "l-{:05}"),
                "annotations": many(n, str, "a-{:05}"),
                "nodeSelector": many(n, str, "s-{:05}"),
            }
        ),
        64,
    ),
    Case(
        "tolerations",
        BUILD,
        lambda n: one(pod={"tolerations": [{"key": f"t-{i:05}", "operator": "Exists"} for i in range(n)]}),
        128,
    ),
    Case(
        "spread constraints",
        BUILD,
        lambda n: one(
            pod={
                "topologySpreadConstraints": [
                    {"maxSkew": 1, "topologyKey": f"t-{i:05}", "whenUnsatisfiable": "DoNotSchedule"} for i in range(n)
                ]
            }
        ),
        64,
    ),
    Case("resources", BUILD, lambda n: one(resources=many(n, lambda i: 1, "example.com/r-{:05}")), 64),
    Case(
        "args",
        BUILD,
        lambda n: {
            "experiment.yaml": dumped(
                {
                    **experiment(),
                    "spec": {"runtime": "tjgen-torch", "image": "a", "command": ["a"], "args": [f"a-{i:05}" for i in range(n)]},
                }
            )
        },
        128,
    ),
    Case("lines of a script", BUILD, lambda n: one(script="".join(f"echo {i:05} $A{i:05}\n" for i in range(n))), 128),
    Case("words of a script", BUILD, lambda n: one(script="train.py " + " ".join(f"--a{i:05} '{i:05}'" for i in range(n))), 128),
    Case(
        "patches",
        BUILD,
        lambda n: one(
            patches=many(
                n,
                lambda i: {"target": {"kind": "TrainJob"}, "merge": {"metadata": {"annotations": {f"a-{i:05}": "x"}}}},
                "p-{:05}",
            )
        ),
        32,
    ),
    Case(
        "patches of operations",
        BUILD,
        lambda n: one(
            patches={
                "p": {
                    "target": {"kind": "TrainJob"},
                    "json": [{"op": "add", "path": f"/metadata/annotations/a-{i:05}", "value": "x"} for i in range(n)],
                }
            }
        ),
        64,
    ),
    Case(
        "patches that hit nothing",
        BUILD,
        lambda n: one(patches=many(n, lambda i: {"target": {"kind": "Nothing"}, "merge": {"a": {}}}, "p-{:05}")),
        32,
    ),
    Case("pull secrets", BUILD, lambda n: one(imagePullSecrets=[f"s-{i:05}" for i in range(n)]), 64),
    Case("unknown fields", BUILD, lambda n: one(**many(n, int, "field{:05}")), 32),
    Case(
        "items of a list",
        BUILD,
        lambda n: one(
            volumes={"v": {"pvc": "c", "mountPath": "/v"}},
            nodes=4,
            data={"volume": "v", "items": {"list": [f"x-{i:05}" for i in range(n)]}, "slices": {"by": "hash"}},
        ),
        128,
    ),
    Case(
        "items of a pattern",
        BUILD,
        lambda n: one(
            volumes={"v": {"pvc": "c", "mountPath": "/v"}},
            nodes=4,
            data={"volume": "v", "items": {"pattern": f"x-{{00000..{n - 1:05}}}"}, "slices": {"by": "contiguous"}},
        ),
        256,
    ),
    Case(
        "items of a manifest",
        BUILD,
        lambda n: {
            **one(
                volumes={"v": {"pvc": "c", "mountPath": "/v"}},
                nodes=4,
                data={
                    "volume": "v",
                    "items": {"manifest": "items.csv"},
                    "slices": {"by": "lpt", "deliver": "configMap", "mountPath": "/s"},
                },
            ),
            "items.csv": "path,size\n" + "".join(f"x-{i:05},{i + 1}\n" for i in range(n)),
        },
        256,
    ),
    Case(
        "slices",
        BUILD,
        lambda n: one(
            volumes={"v": {"pvc": "c", "mountPath": "/v"}},
            nodes=n,
            data={
                "volume": "v",
                "items": {"pattern": f"x-{{00000..{n - 1:05}}}"},
                "slices": {"by": "round-robin", "deliver": "configMap", "mountPath": "/s"},
            },
        ),
        128,
    ),
    Case(
        "slices with a claim each",
        BUILD,
        lambda n: one(
            target="jobset",
            nodes=n,
            volumes={"v": {"pvc": "v", "mountPath": "/v", "readOnly": True}},
            data={"volume": "v", "slices": {"deliver": "volume", "sources": [f"v-{i:05}" for i in range(n)]}},
        ),
        16,
    ),
    Case(
        "lists of explicit slices",
        BUILD,
        lambda n: one(
            volumes={"v": {"pvc": "c", "mountPath": "/v"}},
            nodes=n,
            data={
                "volume": "v",
                "items": {"pattern": f"x-{{00000..{n - 1:05}}}"},
                "slices": {"by": "explicit", "lists": [[f"x-{i:05}"] for i in range(n)]},
            },
        ),
        64,
    ),
    Case(
        "patterns of explicit slices",
        BUILD,
        lambda n: one(
            volumes={"v": {"pvc": "c", "mountPath": "/v"}},
            nodes=n,
            data={
                "volume": "v",
                "items": {"pattern": f"x-{n}-{{00000..{n - 1:05}}}"},
                "slices": {"by": "explicit", "lists": [[f"x-{n}-{i:05}*"] for i in range(n)]},
            },
        ),
        64,
    ),
    Case(
        "slices by lpt",
        BUILD,
        lambda n: {
            **one(
                volumes={"v": {"pvc": "c", "mountPath": "/v"}},
                nodes=n,
                data={"volume": "v", "items": {"manifest": "items.csv"}, "slices": {"by": "lpt"}},
            ),
            "items.csv": "path,size\n" + "".join(f"x-{i:05},{i + 1}\n" for i in range(2 * n)),
        },
        128,
    ),
    Case(
        "slices by balanced size",
        BUILD,
        lambda n: {
            **one(
                volumes={"v": {"pvc": "c", "mountPath": "/v"}},
                nodes=n,
                data={"volume": "v", "items": {"manifest": "items.csv"}, "slices": {"by": "contiguous-size-balanced"}},
            ),
            "items.csv": "path,size\n" + "".join(f"x-{i:05},{i + 1}\n" for i in range(2 * n)),
        },
        128,
    ),
    Case(
        "slices by rendezvous",
        BUILD,
        lambda n: {
            **one(
                volumes={"v": {"pvc": "c", "mountPath": "/v"}},
                nodes=4,
                data={"volume": "v", "items": {"manifest": "items.csv"}, "slices": {"by": "rendezvous"}},
            ),
            "items.csv": "path,size\n" + "".join(f"x-{i:05},{i + 1}\n" for i in range(2 * n)),
        },
        128,
    ),
    Case(
        "files of code",
        BUILD,
        lambda n: {**one(code={"configMap": {"directory": "code"}}), **{f"code/f{i:05}.py": "pass\n" for i in range(n)}},
        32,
    ),
)
