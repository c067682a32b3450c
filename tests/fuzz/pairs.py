"""Random TrainJobs with their runtimes, from a seed: odd ones, but such as the API server can decode.

Fields with meaning for the controller are drawn by hand; everything else comes from the table of Go
types, zeros and empties included, so that every field of a pod template is met sooner or later.
"""

from __future__ import annotations

from random import Random
from typing import Any

from tjgen.cluster.releases import POD_SPEC_OVERRIDES, POD_TEMPLATE_OVERRIDES, RUNTIME_PATCHES
from tjgen.cluster.trainer.release import NEWEST, Release

Tree = dict[str, Any]

QUANTITIES = (
    "1",
    2,
    "500m",
    "0.5",
    "1500m",
    "1Gi",
    "1024Mi",
    "1.5Gi",
    "64G",
    "1e3",
    "0",
    0,
    "2000000k",
    "1.500",
    "10Mi",
    "0.1Gi",
    "4",
)
NAMES = (
    "A",
    "B",
    "LR",
    "PET_NNODES",
    "DMLC_TASK_ID",
    "JAX_PROCESS_ID",
    "STORAGE_URI",
    "FLUX_VIEW_IMAGE",
    "OMPI_MCA_plm_rsh_args",
)
GPUS = ("nvidia.com/gpu", "amd.com/gpu", "nvidia.com/mig-1g.10gb", "google.com/tpu")
ANCESTORS = ("trainer", "trainer", "dataset-initializer", "model-initializer", "evaluator")
MOST_DEPTH = 7


class Pairs:
    """A source of pairs; the same seed gives the same ones."""

    def __init__(self, seed: int, release: Release = NEWEST) -> None:
        self.random = Random(seed)
        self.release = release
        self.types = release.types
        self.is_sane = self.random.random() < 0.5
        """Whether to stay with what the schemas allow, so that the webhooks are asked."""

    def pair(self) -> list[Tree]:
        """The documents of one case: runtime, TrainJob and, now and then, a PriorityClass."""
        random = self.random
        cluster = random.random() < 0.8
        name = random.choice(("rt", "rt", "torchtune-llama3.2-1b", "torchtune-qwen2.5-1.5b", "torchtune-llama3.3-70b", "tt-a-b"))
        runtime = self.runtime(name, cluster)
        documents = [runtime, self.trainjob(name, cluster, runtime)]
        if self.rarely():
            documents.append(
                {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 1}
            )
        return documents

    def stored(self, documents: list[Tree]) -> list[Tree]:
        """What the cluster held before, where the case is an update: the TrainJob with other patches, and its JobSet."""
        random = self.random
        if not self.rarely(0.2):
            return []
        runtime, trainjob = documents[:2]
        old = {**trainjob, "spec": dict(trainjob["spec"])}
        if self.often(0.7):
            old["spec"][self.release.overrides] = self.overrides(runtime)
        old["spec"]["suspend"] = self.often()
        metadata = {"name": trainjob["metadata"]["name"], "namespace": trainjob["metadata"].get("namespace", "default")}
        counts = {
            "name": "node",
            **dict.fromkeys(("ready", "succeeded", "failed", "suspended"), 0),
            "active": random.choice((0, 1)),
        }
        jobset: Tree = {
            "apiVersion": "jobset.x-k8s.io/v1alpha2",
            "kind": "JobSet",
            "metadata": metadata,
            "spec": {},
            "status": {"restarts": 0, "replicatedJobsStatus": [counts]},
        }
        return [old, *([jobset] if self.often() else []), *([runtime] if self.often() else [])]

    def rarely(self, chance: float = 0.12) -> bool:
        return self.random.random() < chance

    def often(self, chance: float = 0.5) -> bool:
        return self.random.random() < chance

    def runtime(self, name: str, cluster: bool) -> Tree:
        random = self.random
        metadata: Tree = {"name": name}
        if not cluster:
            metadata["namespace"] = "team"
        if self.rarely():
            metadata["labels"] = {"trainer.kubeflow.org/support": "deprecated"}
        spec: Tree = {"template": self.template()}
        if not self.rarely():
            spec["mlPolicy"] = self.ml_policy()
        if self.often(0.3):
            spec["podGroupPolicy"] = self.pod_group_policy()
        kind = "ClusterTrainingRuntime" if cluster else "TrainingRuntime"
        tree: Tree = {"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": kind, "metadata": metadata, "spec": spec}
        if self.rarely(0.02):
            random.choice((tree, spec)).pop("spec" if random.random() < 0.2 else "template", None)
        return tree

    def ml_policy(self) -> Tree:
        random = self.random
        policy: Tree = {}
        if self.often():
            policy["numNodes"] = random.choice((0, 1, 2, 5))
        kind = random.choice(("torch", "torch", "mpi", "jax", "xgboost", "flux", "none"))
        if kind not in (*(name for name, _ in self.types.fields("MLPolicy")), "none"):
            kind = "torch"
        if kind == "torch":
            policy["torch"] = self.injection() if self.rarely(0.2) and self.release is NEWEST else {}
            if not self.release.numbers_processes and self.often():
                policy["torch"]["numProcPerNode"] = random.choice(("auto", "cpu", "gpu", 2, "3"))
        elif kind == "mpi":
            choices = {
                "numProcPerNode": random.choice((1, 2)),
                "mpiImplementation": random.choice(("OpenMPI", "OpenMPI", "OpenMPI", "")),
                "sshAuthMountPath": "/ssh",
                "runLauncherAsNode": self.often(0.6),
            }
            policy["mpi"] = {key: value for key, value in choices.items() if self.often()}
        elif kind == "flux":
            policy["flux"] = {"numProcPerNode": random.choice((1, 3, 0))} if self.often() else {}
        elif kind != "none":
            policy[kind] = {}
        if self.rarely(0.03):
            policy[random.choice(("mpi", "torch", "jax", "xgboost"))] = {}
        return policy

    def injection(self) -> Tree:
        random = self.random
        targets = [
            {"jobName": random.choice(("node", "aux")), "containerNames": [random.choice(("side", "pre", "zz"))]}
            for _ in range(random.choice((0, 1, 2)))
        ]
        return {"envInjection": {"targets": targets} if targets or self.often() else {}}

    def pod_group_policy(self) -> Tree:
        random = self.random
        policy: Tree = {}
        if self.often():
            policy["coscheduling"] = {"scheduleTimeoutSeconds": random.choice((0, 30))} if self.often() else {}
        if self.often(0.6) and "NetworkTopologySpec" in self.types:
            topology = random.choice(({}, {"mode": "soft"}, {"highestTierAllowed": 0}, {"mode": "hard", "highestTierAllowed": 3}))
            policy["volcano"] = {"networkTopology": topology} if self.often() else {}
        return policy

    def template(self) -> Tree:
        random = self.random
        spec = self.decorated("JobSetSpec", {"replicatedJobs": self.jobs()}, 0.06, ("successPolicy", "coordinator"))
        if self.rarely():
            spec["network"] = random.choice(({}, {"subdomain": "sub"}, {"subdomain": ""}, {"enableDNSHostnames": False}))
        if self.rarely(0.03):
            del spec["replicatedJobs"]
        metadata: Tree = {}
        if self.often(0.3):
            metadata["labels"] = self.strings("l")
        if self.often(0.3):
            metadata["annotations"] = self.strings("a")
        if self.rarely():
            metadata.setdefault("annotations", {})["scheduling.volcano.sh/queue-name"] = random.choice(("q", ""))
        return {"metadata": metadata, "spec": spec} if metadata or self.rarely() else {"spec": spec}

    def strings(self, prefix: str) -> dict[str, str]:
        return {f"{prefix}{number}": self.random.choice(("x", "")) for number in range(self.random.choice((0, 1, 2)))}

    def jobs(self) -> list[Tree]:
        random = self.random
        names = ["node"] if not self.rarely() else ["work"]
        names += random.sample(("launcher", "dataset-initializer", "model-initializer", "aux"), random.choice((0, 0, 1, 1, 2)))
        random.shuffle(names)
        if self.rarely(0.03):
            names.append(random.choice(names))
        return [self.job(name) for name in names]

    def job(self, name: str) -> Tree:
        random = self.random
        job: Tree = {"name": name}
        if self.often(0.3):
            job["replicas"] = random.choice((1, 1, 2, 0))
        if self.rarely():
            job["groupName"] = random.choice(("g", ""))
        if self.rarely():
            job["dependsOn"] = random.choice(([], [{"name": "node", "status": "Ready"}]))
        metadata: Tree = {}
        if self.often(0.2):
            metadata["annotations"] = self.strings("ja")
        if self.often(0.85):
            ancestor = (
                name if name.endswith("initializer") else "trainer" if name in ("node", "work") else random.choice(ANCESTORS)
            )
            if self.rarely():
                ancestor = random.choice(ANCESTORS)
            if name != "aux" or self.rarely():
                metadata["labels"] = {"trainer.kubeflow.org/trainjob-ancestor-step": ancestor}
        spec = self.decorated("JobSpec", {"template": self.pod_template(name)}, 0.05, ())
        for field in ("parallelism", "completions"):
            if self.often(0.2):
                spec[field] = random.choice((0, 1, 3))
        job["template"] = {"metadata": metadata, "spec": spec} if metadata or self.rarely() else {"spec": spec}
        return job

    def pod_template(self, job: str) -> Tree:
        random = self.random
        main = job if job.endswith("initializer") else "node"
        if self.rarely():
            main = random.choice(("main", "launcher"))
        spec: Tree = {"containers": [self.container(main)]}
        if self.often(0.3):
            spec["containers"].insert(random.choice((0, 1)), self.container("side"))
        if self.rarely(0.03):
            spec["containers"].append(self.container(main))
        if self.rarely(0.03):
            spec["containers"] = []
        if self.often(0.25):
            spec["initContainers"] = [self.container(name) for name in random.sample(("pre", "prep", "flux-installer"), 2)]
            for container in spec["initContainers"]:
                if self.often(0.3):
                    container["restartPolicy"] = "Always"
        if self.often(0.4):
            spec["volumes"] = [self.volume() for _ in range(random.choice((0, 1, 2, 3)))]
        if self.rarely():
            spec["overhead"] = {"cpu": random.choice(QUANTITIES)}
        if self.rarely():
            spec["resources"] = self.resources()
        if self.rarely():
            spec["priorityClassName"] = random.choice(("high", "low", "", "system-node-critical"))
        spec = self.decorated("PodSpec", spec, 0.05, ("ephemeralContainers",))
        metadata: Tree = {}
        if self.often(0.2):
            metadata["labels"] = {**self.strings("pl"), "scheduling.x-k8s.io/pod-group": "other"}
        if self.rarely():
            metadata["annotations"] = self.strings("pa")
        return {"metadata": metadata, "spec": spec} if metadata or self.rarely() else {"spec": spec}

    def container(self, name: str) -> Tree:
        random = self.random
        container: Tree = {"name": name, "image": random.choice(("img:1", "img:2", ""))}
        if self.often(0.4):
            words = ("run", "tune", "output_dir=/o", "tokenizer.path=/t=x", "x=y", "")
            container["command"] = random.sample(words, random.choice((0, 2, 3)))
        if self.often(0.2):
            container["args"] = random.choice(([], ["a"], ["output_dir=/z", "b"]))
        if self.often():
            container["env"] = self.env()
        if self.often(0.25):
            container["ports"] = [self.port() for _ in range(random.choice((0, 1, 2, 3)))]
        if self.often(0.3):
            container["volumeMounts"] = [self.mount() for _ in range(random.choice((0, 1, 2)))]
        if self.often():
            container["resources"] = self.resources()
        return self.decorated("Container", container, 0.05, ("restartPolicy",))

    def env(self) -> list[Tree]:
        random = self.random
        names = [random.choice(NAMES) for _ in range(4)] if self.rarely(0.06) else list(NAMES)
        return [self.variable(name) for name in random.sample(names, random.choice((0, 1, 2, 3)))]

    def variable(self, name: str) -> Tree:
        random = self.random
        kind = random.random()
        if kind < 0.6:
            return {"name": name, "value": random.choice(("1", "", "x y"))}
        if kind < 0.65:
            return {"name": name}
        if self.is_sane:
            sources: tuple[Tree, ...] = (
                {"fieldRef": {"fieldPath": "metadata.name", "apiVersion": "v1"}},
                {"secretKeyRef": {"key": "k", "name": "s", "optional": False}},
                {"configMapKeyRef": {"key": "k"}},
                {"resourceFieldRef": {"resource": "limits.cpu", "divisor": "1000m"}},
            )
            return {"name": name, "valueFrom": random.choice(sources)}
        return {"name": name, "valueFrom": self.typed("EnvVarSource", 0.35)}

    def port(self) -> Tree:
        random = self.random
        port: Tree = {"containerPort": random.choice((80, 2222, 8080, 29500))}
        if self.often(0.4):
            port["name"] = random.choice(("a", "b", "c", ""))
        if self.often(0.3):
            port["protocol"] = random.choice(("TCP", "UDP"))
        return port

    def mount(self) -> Tree:
        random = self.random
        mount = {"name": random.choice(("v1", "v2", "initializer")), "mountPath": random.choice(("/a", "/b", "/etc/mpi"))}
        return self.decorated("VolumeMount", mount, 0.1, ())

    def resources(self) -> Tree:
        random = self.random
        resources: Tree = {}
        for kind in ("limits", "requests"):
            if self.often(0.6):
                amounts = {name: random.choice(QUANTITIES) for name in random.sample(("cpu", "memory"), random.choice((0, 1, 2)))}
                if self.often(0.4):
                    amounts[random.choice(GPUS)] = random.choice((0, 1, 2, "4"))
                resources[kind] = amounts
        if self.rarely():
            resources["claims"] = [{"name": "c"}]
        return resources

    def volume(self) -> Tree:
        random = self.random
        name = random.choice(("v1", "v2", "v3", "v4", "mpi-ssh-auth", "shared-memory"))
        if self.is_sane:
            plain: tuple[Tree, ...] = (
                {"emptyDir": {}},
                {"emptyDir": {"sizeLimit": "1024Mi"}},
                {"persistentVolumeClaim": {"claimName": "c"}},
            )
            return {"name": name, **random.choice(plain)}
        sources = self.types.entries("Volume")[1:]
        field, notation = random.choice(sources)
        return {"name": name, field: self.value(notation, 0.4, 1)}

    def trainjob(self, runtime: str, cluster: bool, tree: Tree) -> Tree:
        random = self.random
        metadata: Tree = {"name": random.choice(("tj", "tj", "a-rather-long-name-for-a-job-that-may-not-fit-63"))}
        if not cluster or self.often():
            metadata["namespace"] = "team"
        reference: Tree = {"name": runtime}
        if not cluster or self.often(0.2):
            reference["kind"] = "ClusterTrainingRuntime" if cluster else "TrainingRuntime"
        if self.rarely(0.03):
            reference[random.choice(("name", "kind", "apiGroup"))] = "other"
        spec: Tree = {"runtimeRef": reference}
        if self.often(0.85):
            spec["trainer"] = self.trainer()
        if self.often(0.3):
            spec["initializer"] = self.initializer()
        if self.often(0.35):
            spec[self.release.overrides] = self.overrides(tree)
        if self.release.propagates_metadata and self.rarely(0.3):
            spec.update(labels=self.strings("l"), annotations=self.strings("a"))
        if self.rarely():
            spec["suspend"] = random.choice((True, False, None))
        if self.rarely():
            spec["activeDeadlineSeconds"] = 60
        if self.rarely(0.02):
            spec["managedBy"] = "kueue.x-k8s.io/multikueue"
        return {"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainJob", "metadata": metadata, "spec": spec}

    def trainer(self) -> Tree:
        random = self.random
        args: tuple[list[str], ...] = (
            [],
            ["--x"],
            ["model.lora_attn_modules=[q]"],
            ["model.quantize_base=True", "model.use_dora= FALSE"],
            ["model.use_dora=true", "model.lora_attn_modules=[]", "model.quantize_base=true"],
            ["output_dir=/x", "tokenizer.path"],
        )
        choices: Tree = {
            "image": random.choice(("own:1", "")),
            "command": random.choice(([], ["a", "b"], ["tune", "run"], ["tune", "run"])),
            "args": random.choice(args),
            "numNodes": random.choice((0, 1, 1, 2, 4, 12, -1)),
            "numProcPerNode": random.choice(
                (0, 1, 2, 8) if self.release.numbers_processes else (0, 1, 8, "auto", "cpu", "gpu", "2", "x")
            ),
            "env": self.env(),
            "resourcesPerNode": self.resources(),
        }
        trainer = {key: value for key, value in choices.items() if self.often(0.45)}
        if self.rarely(0.05):
            trainer[random.choice(tuple(choices))] = None
        if self.rarely(0.01):
            trainer[random.choice(tuple(choices))] = random.choice((True, "x", 2.5, 3_000_000_000, [1], {"a": {}}))
        return trainer

    def initializer(self) -> Tree:
        random = self.random
        result: Tree = {}
        for kind in ("dataset", "model"):
            if self.often(0.6):
                choices = {
                    "storageUri": random.choice(("hf://a/b", "", "s3://x")),
                    "env": self.env(),
                    "secretRef": random.choice(({}, {"name": "s"})),
                }
                result[kind] = {key: value for key, value in choices.items() if self.often()}
        return result

    def overrides(self, runtime: Tree) -> list[Tree]:
        """What goes into the field of the release for changes of the runtime."""
        if self.release.overrides == RUNTIME_PATCHES:
            return self.patches(runtime)
        jobs = runtime.get("spec", {}).get("template", {}).get("spec", {}).get("replicatedJobs", [])
        names = [*(job["name"] for job in jobs), *(["ghost"] if self.rarely(0.08) or not jobs else [])]
        return [self.override(names) for _ in range(self.random.choice((1, 1, 2)))]

    def override(self, names: list[str]) -> Tree:
        targets = self.random.sample(names, self.random.choice((1, min(2, len(names)))))
        result: Tree = {"targetJobs": [{"name": name} for name in targets]}
        if self.release.overrides == POD_SPEC_OVERRIDES:
            return {**result, **self.pod_patch("PodSpecOverride", "targetJobs")}
        assert self.release.overrides == POD_TEMPLATE_OVERRIDES
        if self.often(0.3):
            result["metadata"] = self.metadata()
        if self.often(0.9):
            result["spec"] = self.pod_patch("PodTemplateSpecOverride")
        return result

    def patches(self, runtime: Tree) -> list[Tree]:
        random = self.random
        managers = random.sample(
            ("acme.io/a", "acme.io/b", "x", "UP.io/é", "kueue.x-k8s.io/manager"), random.choice((1, 1, 2, 3))
        )
        result = []
        for manager in managers:
            template: Tree = {}
            if self.often(0.3):
                template["metadata"] = self.metadata()
            if self.often(0.85):
                template["spec"] = {"replicatedJobs": self.job_patches(runtime)}
            if self.rarely(0.05):
                template = {"spec": {}} if self.often() else {}
            patch: Tree = {"manager": manager, "trainingRuntimeSpec": {"template": template}}
            if self.rarely(0.05):
                patch.pop("trainingRuntimeSpec")
            result.append(patch)
        return result

    def metadata(self) -> Tree:
        metadata: Tree = {"labels": self.strings("l"), "annotations": self.strings("a")}
        if self.rarely():
            metadata["finalizers"] = self.random.sample(("f/a", "f/b", "f/c"), 2)
        if self.rarely():
            metadata["labels"] = {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}
        return {key: value for key, value in metadata.items() if self.often(0.7)}

    def job_patches(self, runtime: Tree) -> list[Tree]:
        random = self.random
        jobs = runtime.get("spec", {}).get("template", {}).get("spec", {}).get("replicatedJobs", [])
        names = [job["name"] for job in jobs]
        if self.rarely(0.08) or not names:
            names.append("ghost")
        result = []
        for name in dict.fromkeys(random.sample(names, random.choice((1, min(2, len(names)))))):
            template: Tree = {}
            if self.often(0.3):
                template["metadata"] = self.metadata()
            pod: Tree = {"spec": self.pod_patch()} if self.often(0.9) else {}
            if self.often(0.3):
                pod["metadata"] = self.metadata()
            if pod or self.rarely():
                template["spec"] = {"template": pod}
            result.append({"name": name, "template": template})
        return result

    def pod_patch(self, name: str = "PodSpecPatch", *skipped: str) -> Tree:
        random = self.random
        patch: Tree = {}
        if self.often(0.5):
            names = ("node", "side", "launcher", "dataset-initializer", "ghost")
            patch["containers"] = [self.container_patch(name) for name in random.sample(names, random.choice((0, 1, 2)))]
        if self.often(0.2):
            patch["initContainers"] = [self.container_patch(name) for name in random.sample(("pre", "prep", "ghost"), 2)]
        if self.often(0.4):
            volumes = {volume["name"]: volume for volume in (self.volume() for _ in range(3))}
            patch["volumes"] = list(volumes.values())
        has_secrets = any(field == "imagePullSecrets" for field, _ in self.types.fields(name))
        if self.often(0.2) and has_secrets:
            patch["imagePullSecrets"] = [{"name": name} for name in random.sample(("s1", "s2", "s3"), 2)]
        if self.rarely(0.02) and has_secrets:
            patch["imagePullSecrets"] = [{}]
        return self.decorated(name, patch, 0.15, ("containers", "initContainers", *skipped))

    def container_patch(self, name: str) -> Tree:
        patch: Tree = {"name": name}
        if self.often(0.4):
            patch["env"] = self.env()
        if self.often(0.4):
            mounts = {mount["mountPath"]: mount for mount in (self.mount() for _ in range(2))}
            patch["volumeMounts"] = list(mounts.values())
        if self.often(0.2) and self.release.overrides == RUNTIME_PATCHES:
            patch["securityContext"] = {"runAsUser": 0} if self.is_sane else self.typed("SecurityContext", 0.2)
        return patch

    def decorated(self, name: str, tree: Tree, chance: float, skipped: tuple[str, ...]) -> Tree:
        """`tree` with other fields of the Go type `name`, each with a small chance."""
        for field, notation in () if self.is_sane else self.types.entries(name):
            if field not in tree and field not in skipped and self.random.random() < chance:
                tree[field] = self.value(notation, 0.3, 1)
        return tree

    def typed(self, name: str, chance: float, depth: int = 0) -> Tree:
        """A random value of a Go type: some of its fields, the required ones nearly always."""
        result: Tree = {}
        for field, notation in self.types.entries(name):
            if self.random.random() < (0.95 if notation.endswith("!") else chance):
                result[field] = self.value(notation, chance, depth + 1)
        return result

    def value(self, notation: str, chance: float, depth: int) -> Any:
        random = self.random
        go_type = notation.partition("=")[0].rstrip("!?").partition("@")[0].lstrip("*")
        if random.random() < 0.02:
            return None
        if go_type.startswith("[]"):
            count = random.choice((0, 1, 2)) if depth < MOST_DEPTH else 0
            return [item for item in (self.value(go_type[2:], chance, depth + 1) for _ in range(count)) if item is not None]
        if go_type.startswith("map["):
            return {
                key: self.value(go_type.partition("]")[2], 0.3, depth + 1)
                for key in random.sample("abc", random.choice((0, 1, 2)))
            }
        if go_type in self.types:
            return self.typed(go_type, chance * 0.8 if depth < MOST_DEPTH else 0, depth)
        if go_type == "Quantity":
            return random.choice(QUANTITIES)
        if go_type == "bool":
            return random.random() < 0.5
        if go_type == "IntOrString":
            return random.choice((0, 80, "http", "10%"))
        if go_type.startswith("int"):
            return random.choice((0, 1, 3, 420))
        if go_type == "Time":
            return "2025-01-02T03:04:05Z"
        return random.choice(("", "x", "name", "/p"))
