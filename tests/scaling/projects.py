"""Long lists of a project: overlays, environments, platforms, catalogs, locks."""

from __future__ import annotations

from tests.scaling.case import Case, many, overlay, sweep
from tests.scaling.inputs import document, dumped, experiment, one, project, runtime

CASES = (
    Case(
        "overlays",
        ("build",),
        lambda n: project(
            {"overlays": ["overlays.yaml"]},
            experiment("a"),
            overlays=dumped(*[overlay(f"o-{i:05}", env={f"V{i:05}": "x"}) for i in range(n)]),
        ),
        32,
    ),
    Case(
        "overlays that match nothing",
        ("build",),
        lambda n: project(
            {"overlays": ["overlays.yaml"]},
            experiment("a"),
            overlays=dumped(*[overlay(f"o-{i:05}", {"names": [f"x-{i:05}"]}, env={f"V{i:05}": "x"}) for i in range(n)]),
        ),
        32,
    ),
    Case(
        "overlays that contradict",
        ("build",),
        lambda n: project(
            {"overlays": ["overlays.yaml"]},
            experiment("a"),
            overlays=dumped(*[overlay(f"o-{i:05}", env={"V": str(i)}) for i in range(n)]),
        ),
        32,
    ),
    Case(
        "overlays of one name",
        ("build",),
        lambda n: project(
            {"overlays": ["overlays.yaml"]},
            experiment("a"),
            overlays=dumped(*[overlay("o", env={f"V{i:05}": "x"}) for i in range(n)]),
        ),
        32,
    ),
    Case(
        "overlays that are wrong",
        ("build",),
        lambda n: project(
            {"overlays": ["overlays.yaml"]}, experiment("a"), overlays=dumped(*[overlay(f"o-{i:05}", nodes=-1) for i in range(n)])
        ),
        32,
    ),
    Case(
        "files of overlays",
        ("build",),
        lambda n: {
            **project({"overlays": ["overlays"]}, experiment("a")),
            **{f"overlays/o-{i:05}.yaml": dumped(overlay(f"o-{i:05}", env={f"V{i:05}": "x"})) for i in range(n)},
        },
        32,
    ),
    Case(
        "names of a match",
        ("build",),
        lambda n: project(
            {"overlays": ["overlays.yaml"]},
            experiment("a"),
            overlays=dumped(overlay("o", {"names": [f"x-{n}-{i:05}*" for i in range(n)]}, nodes=2)),
        ),
        64,
    ),
    Case(
        "environments",
        ("build", "-o", "out"),
        lambda n: project({"environments": many(n, lambda i: {"namespace": f"ns-{i:05}"}, "env-{:05}")}, experiment("a")),
        4,
    ),
    Case(
        "environments with platforms",
        ("build",),
        lambda n: project(
            {"platforms": ["platforms.yaml"], "environments": many(n, lambda i: {"platform": f"p-{i:05}"}, "env-{:05}")},
            experiment("a"),
            platforms=dumped(*[document("Platform", f"p-{i:05}", {"queues": {f"q-{i:05}": {}}}) for i in range(n)]),
        ),
        16,
    ),
    Case(
        "environments with overlays",
        ("build",),
        lambda n: {
            **project(
                {"environments": many(n, lambda i: {"overlays": [f"overlays/o-{i:05}.yaml"]}, "env-{:05}")}, experiment("a")
            ),
            **{f"overlays/o-{i:05}.yaml": dumped(overlay(f"o-{i:05}", env={f"V{i:05}": "x"})) for i in range(n)},
        },
        8,
    ),
    Case(
        "experiments of a project", ("build", "-o", "out"), lambda n: project({}, *[experiment(f"e-{i:05}") for i in range(n)]), 8
    ),
    Case(
        "experiments with a queue that has a quota",
        ("build",),
        lambda n: project(
            {"platforms": ["platforms.yaml"]},
            *[experiment(f"e-{i:05}", cpu=1, schedule={"queue": "q"}) for i in range(n)],
            platforms=dumped(
                document("Platform", "p", {"queues": {"q": {"capability": {"cpu": 1}}}, "quotas": {"team": {"cpu": 1}}})
            ),
        ),
        16,
    ),
    Case(
        "experiments on one claim",
        ("build",),
        lambda n: project({}, *[experiment(f"e-{i:05}", volumes={"v": {"pvc": "shared", "mountPath": "/v"}}) for i in range(n)]),
        8,
    ),
    Case(
        "experiments on one created claim",
        ("build",),
        lambda n: project(
            {},
            *[
                experiment(
                    f"e-{i:05}", volumes={"v": {"pvc": {"create": {"size": "1Gi", "scope": "project"}}, "mountPath": "/v"}}
                )
                for i in range(n)
            ],
        ),
        8,
    ),
    Case(
        "entries of experiments",
        ("build",),
        lambda n: project(
            {"experiments": [f"experiments/e-{i:05}.yaml" for i in range(n)]}, *[experiment(f"e-{i:05}") for i in range(n)]
        ),
        8,
    ),
    Case(
        "entries of experiments that are not there",
        ("build",),
        lambda n: project({"experiments": ["experiments", *[f"no-{i:05}.yaml" for i in range(n)]]}, experiment("e")),
        64,
    ),
    Case(
        "runtimes of a catalog",
        ("build",),
        lambda n: project(
            {"catalogs": ["catalog.yaml"]},
            experiment("e", runtime="r-0"),
            catalog=dumped(*[runtime(f"r-{i:05}") for i in range(n)]),
        ),
        16,
    ),
    Case(
        "files of a catalog",
        ("build",),
        lambda n: {
            **project({"catalogs": ["catalog"]}, experiment("e", runtime="r-0")),
            **{f"catalog/r-{i:05}.yaml": dumped(runtime(f"r-{i:05}")) for i in range(n)},
        },
        16,
    ),
    Case(
        "runtimes of one name",
        ("build",),
        lambda n: project(
            {"catalogs": ["catalog.yaml"]}, experiment("e", runtime="r"), catalog=dumped(*[runtime("r") for i in range(n)])
        ),
        16,
    ),
    Case(
        "jobs of a runtime",
        ("build",),
        lambda n: project(
            {"catalogs": ["catalog.yaml"]}, experiment("e", runtime="r", env={"A": 1}), catalog=dumped(runtime("r", n))
        ),
        8,
    ),
    Case(
        "experiments with a runtime of their own",
        ("build",),
        lambda n: project(
            {"catalogs": ["catalog.yaml"]},
            *[experiment(f"e-{i:05}", runtime=f"r-{i:05}") for i in range(n)],
            catalog=dumped(*[runtime(f"r-{i:05}") for i in range(n)]),
        ),
        8,
    ),
    Case(
        "device classes",
        ("build",),
        lambda n: project(
            {"platforms": ["platforms.yaml"]},
            experiment("e", gpu="c-0:1"),
            platforms=dumped(
                document(
                    "Platform",
                    "p",
                    {
                        "deviceClasses": many(
                            n, lambda i: {"resource": f"example.com/r-{i:05}", "memory": f"{i + 1}Gi"}, "c-{:05}"
                        )
                    },
                )
            ),
        ),
        64,
    ),
    Case(
        "device classes to choose from",
        ("build",),
        lambda n: project(
            {"platforms": ["platforms.yaml"]},
            experiment("e", gpu={"minMemory": "1Gi"}),
            platforms=dumped(
                document(
                    "Platform",
                    "p",
                    {
                        "deviceClasses": many(
                            n, lambda i: {"resource": f"example.com/r-{i:05}", "memory": f"{i + 1}Gi"}, "c-{:05}"
                        )
                    },
                )
            ),
        ),
        32,
    ),
    Case(
        "queues that a platform makes",
        ("build", "platforms.yaml"),
        lambda n: project(
            {"platforms": ["platforms.yaml"]},
            experiment("e"),
            platforms=dumped(
                document("Platform", "p", {"queues": many(n, lambda i: {"create": {"volcano": {"weight": 1}}}, "q-{:05}")})
            ),
        ),
        32,
    ),
    Case(
        "patches of objects that a platform makes",
        ("build", "platforms.yaml"),
        lambda n: project(
            {"platforms": ["platforms.yaml"]},
            experiment("e"),
            platforms=dumped(
                document(
                    "Platform",
                    "p",
                    {
                        "queues": many(n, lambda i: {"create": {"volcano": {"weight": 1}}}, "q-{:05}"),
                        "patches": many(
                            n,
                            lambda i: {"target": {"kind": "Queue", "name": f"q-{i:05}"}, "merge": {"spec": {"type": "a"}}},
                            "p-{:05}",
                        ),
                    },
                )
            ),
        ),
        32,
    ),
    Case(
        "namespaces that a platform makes",
        ("build", "platforms.yaml"),
        lambda n: project(
            {"platforms": ["platforms.yaml"]},
            experiment("e"),
            platforms=dumped(
                document(
                    "Platform",
                    "p",
                    {
                        "namespaces": many(n, lambda i: {"create": True}, "ns-{:05}"),
                        "podSecurity": many(n, lambda i: "baseline", "ns-{:05}"),
                        "quotas": many(n, lambda i: {"cpu": 1}, "ns-{:05}"),
                    },
                )
            ),
        ),
        32,
    ),
    Case(
        "priority classes that a platform makes",
        ("build", "platforms.yaml"),
        lambda n: project(
            {"platforms": ["platforms.yaml"]},
            experiment("e"),
            platforms=dumped(document("Platform", "p", {"priorityClasses": many(n, lambda i: {"value": i}, "pc-{:05}")})),
        ),
        32,
    ),
    Case(
        "image rewrites",
        ("build",),
        lambda n: project(
            {"platforms": ["platforms.yaml"]},
            experiment("e"),
            platforms=dumped(
                document(
                    "Platform", "p", {"images": {"rewrite": many(n, lambda i: f"mirror.example/{i:05}", "registry-{}.example")}}
                )
            ),
        ),
        64,
    ),
    Case(
        "severities of a policy",
        ("build",),
        lambda n: project({"policy": {"severity": many(n, lambda i: "ignore", "s{:05}")}}, experiment("e")),
        16,
    ),
    Case(
        "locked experiments",
        ("build", "-o", "out"),
        lambda n: project({}, *[experiment(f"e-{i:05}") for i in range(n)]),
        8,
        (("build", "-o", "out"),),
    ),
    Case(
        "locked experiments, listed",
        ("runs", "list", "-o", "out"),
        lambda n: project({}, *[experiment(f"e-{i:05}") for i in range(n)]),
        8,
        (("build", "-o", "out"),),
    ),
    Case(
        "locked experiments, compared",
        ("diff", "-o", "out"),
        lambda n: project({}, *[experiment(f"e-{i:05}") for i in range(n)]),
        8,
        (("build", "-o", "out"),),
    ),
    Case(
        "locked experiments, linted",
        ("lint", "--gitops", "both"),
        lambda n: project({"output": {"directory": "out"}}, *[experiment(f"e-{i:05}") for i in range(n)]),
        8,
        (("build", "-o", "out"),),
    ),
    Case(
        "locked experiments, archived",
        ("runs", "archive", "e-*", "-o", "out"),
        lambda n: project({}, *[experiment(f"e-{i:05}") for i in range(n)]),
        8,
        (("build", "-o", "out"),),
    ),
    Case(
        "locked experiments, run again",
        ("runs", "rerun", "e-*", "-o", "out"),
        lambda n: project({}, *[experiment(f"e-{i:05}") for i in range(n)]),
        8,
        (("build", "-o", "out"),),
    ),
    Case(
        "locked points",
        ("build", "-o", "out"),
        lambda n: project({}, experiment("e", sweep={"matrix": {"env.A": list(range(n))}, "max": 100_000})),
        16,
        (("build", "-o", "out"),),
    ),
    Case("report", ("report", "-o", "report.html"), lambda n: project({}, *[experiment(f"e-{i:05}") for i in range(n)]), 4),
    Case("summary", ("build", "--summary"), lambda n: project({}, *[experiment(f"e-{i:05}") for i in range(n)]), 8),
    Case("expanded", ("build", "--expanded"), lambda n: project({}, *[experiment(f"e-{i:05}") for i in range(n)]), 8),
    Case("explained", ("explain", "experiment.yaml"), lambda n: one(env=many(n, str, "V{:05}")), 64),
    Case(
        "explained sweep",
        ("explain", "experiment.yaml"),
        lambda n: sweep(
            {
                "matrix": {
                    "env.LR": list(range(n)),
                },
                "max": 1000,
            }
        ),
        64,
    ),
    Case(
        "pins of images",
        ("pin", "--check"),
        lambda n: project({}, *[experiment(f"e-{i:05}", image=f"registry.example/i-{i:05}:1") for i in range(n)]),
        8,
    ),
    Case(
        "devices",
        ("devices",),
        lambda n: project(
            {"platforms": ["platforms.yaml"]},
            experiment("e"),
            platforms=dumped(
                document("Platform", "p", {"deviceClasses": many(n, lambda i: {"resource": f"example.com/r-{i:05}"}, "c-{:05}")})
            ),
        ),
        64,
    ),
    Case(
        "silenced rules",
        ("lint", "--gitops", "both"),
        lambda n: {
            "experiment.yaml": "",
            **project({}, experiment("e")),
            "experiments/e.yaml": "".join(f"# tjgen: ignore TJ632 reason {i:05}\n" for i in range(n)) + dumped(experiment("e")),
        },
        16,
    ),
)
