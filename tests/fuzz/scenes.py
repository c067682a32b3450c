"""A number -> an input: a command or a call of the library with mutated seeds. SCENES is the table of what is made how often."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

from tests.fuzz import calls, hostile, hosts, placement, trees, workspaces
from tests.fuzz.corpus import OUTPUT, Corpus
from tests.fuzz.draw import Draw, Files
from tests.fuzz.inputs import PROGRAM, Input
from tests.fuzz.words import odd_words, options

Tree = Any
SETTINGS: Tree = {
    "apiVersion": "tjgen.dev/v1alpha1",
    "kind": "Settings",
    "spec": {
        "trusted": False,
        "strict": True,
        "policies": ["policies"],
        "readable": ["../data"],
        "allow": ["identity-patches"],
        "budgets": {"points": 200, "totalSize": "256Mi", "seconds": 120},
    },
}
POLICIES: tuple[Tree, ...] = (
    {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": "registry"},
        "spec": {
            "matchConstraints": {
                "resourceRules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}]
            },
            "validations": [{"expression": "object.spec.containers.all(one, one.image != '')", "message": "no image"}],
        },
    },
    {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": {"name": "registry"},
        "spec": {"policyName": "registry", "validationActions": ["Deny"]},
    },
)

PLATFORM: Tree = {
    "apiVersion": "tjgen.dev/v1alpha1",
    "kind": "Platform",
    "metadata": {"name": "lab"},
    "spec": {"manifests": ["shared"], "queues": {"ai": {"create": {"volcano": {"weight": 2}}}}},
}
_CLAIMS = {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Ti"}}, "volumeMode": "Filesystem"}
_AMOUNTS = {"coveredResources": ["cpu"], "flavors": [{"name": "a", "resources": [{"name": "cpu", "nominalQuota": 4}]}]}
_SELECTED = {"matchExpressions": [{"key": "kubernetes.io/metadata.name", "operator": "In", "values": ["n"]}]}
_POD: Tree = {
    "containers": [{"name": "main", "image": "a.example.com/b:1", "volumeMounts": [{"name": "data", "mountPath": "/data"}]}],
    "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "corpus"}}],
    "restartPolicy": "Never",
}
NEIGHBORS: tuple[Tree, ...] = (
    {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "metadata": {"name": "eval", "namespace": "n"},
        "spec": {"queue": "ai", "tasks": [{"name": "worker", "replicas": 1, "template": {"spec": _POD}}]},
    },
    {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "corpus", "namespace": "n"}, "spec": _CLAIMS},
    {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings", "namespace": "n"}, "data": {"a.ini": "a=1"}},
    {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "peers", "namespace": "n"}, "spec": {"clusterIP": "None"}},
    {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "token", "namespace": "n"}},
    {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "Queue",
        "metadata": {"name": "ai"},
        "spec": {"weight": 2, "capability": {"cpu": 100}, "guarantee": {"resource": {"cpu": "1"}}},
    },
    {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ResourceFlavor", "metadata": {"name": "a"}, "spec": {}},
    {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "ClusterQueue",
        "metadata": {"name": "team"},
        "spec": {"namespaceSelector": _SELECTED, "resourceGroups": [_AMOUNTS]},
    },
    {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "LocalQueue",
        "metadata": {"name": "team", "namespace": "n"},
        "spec": {"clusterQueue": "team"},
    },
)


def _build(draw: Draw) -> Input:
    seed = draw.experiment()
    return draw.command(
        "build",
        *seed.words,
        *draw.random.choice(((), (), (), ("-o", OUTPUT), ("--expanded",), ("--summary",))),
        files=draw.files(seed),
    )


def _build_project(draw: Draw) -> Input:
    return draw.command(
        "build",
        *draw.random.choice((("-o", "out"), ("-o", OUTPUT), ())),
        files=draw.files(draw.random.choice(draw.corpus.projects)),
    )


def _settings(draw: Draw) -> Input:
    """A build or check under a mutated file of the caller's settings, with a policy that may be mutated."""
    seed = draw.experiment()
    files = draw.files(seed)
    # Most mutated settings are refused before anything is built.
    is_settings = draw.random.random() < 0.4
    files["caller/settings.yaml"] = draw.text(draw.changed([SETTINGS])) if is_settings else trees.written(draw.random, [SETTINGS])
    files["caller/policies/policy.yaml"] = draw.text(draw.changed([*POLICIES]))
    name = draw.random.choice(("build", "build", "check"))
    return draw.command(name, *seed.words, files=files, variables={"TJGEN_SETTINGS": "caller/settings.yaml"})


def _build_again(draw: Draw) -> Input:
    seed = draw.random.choice(draw.corpus.built)
    flags = draw.random.choice(((), ("--check",), ("--prune-runs",), ("--force",), ("--prune-data",)))
    return draw.command("build", *seed.words, "-o", OUTPUT, *flags, files=draw.files(seed))


def _explain(draw: Draw) -> Input:
    seed = draw.experiment()
    kind = draw.random.choice(("TrainJob", "JobSet", "PodGroup", "PersistentVolumeClaim", "ConfigMap/x", "Job", ""))
    fields = (
        "spec",
        "spec.trainer",
        "spec.replicatedJobs[name=node].template",
        "metadata.name",
        "spec[0]",
        "spec[[",
        "a.b.c",
        "",
    )
    words = [seed.words[0], kind, draw.random.choice(fields)][: draw.random.choice((1, 2, 3))]
    return draw.command("explain", *words, files=draw.files(seed))


def _of_experiments(name: str) -> Callable[[Draw], Input]:
    """A command that takes experiments as `build` does."""

    def make(draw: Draw) -> Input:
        seed = draw.experiment()
        return draw.command(name, *seed.words, files=draw.files(seed))

    return make


def _of_trees(name: str, *choices: tuple[str, ...]) -> Callable[[Draw], Input]:
    """A command that works on an output tree."""

    def make(draw: Draw) -> Input:
        seed = draw.random.choice(draw.corpus.built)
        runs = [path.split("/")[-1].partition(".")[0] for path in seed.files if "trainjob" in path.lower()]
        words = [word.replace("RUN", draw.random.choice([*runs, "*", "a-*", "x"])) for word in draw.random.choice(choices)]
        return draw.command(name, *words, files=draw.files(seed))

    return make


def _of_manifests(name: str, *choices: tuple[str, ...]) -> Callable[[Draw], Input]:
    """A command that reads manifests; m.yaml is the file, before/m.yaml and runtimes.yaml are others."""

    def make(draw: Draw) -> Input:
        words = draw.random.choice(choices)
        documents = draw.documents()
        files: Files = {"m.yaml": draw.text(documents)}
        if any(word.startswith("before") for word in words):
            files["before/m.yaml"] = draw.text(draw.changed(documents))
        if "runtimes.yaml" in words:
            files["runtimes.yaml"] = draw.text(draw.documents())
        if draw.random.random() < 0.01:
            files = draw.moved(files, "m.yaml")
        return draw.command(name, *words, files=files, stdin=b"" if "-" not in words else draw.text(documents))

    return make


def _import_neighbors(draw: Draw) -> Input:
    """A job of the corpus next to mutated objects that it may refer to."""
    documents = [*draw.documents(), *draw.changed([*NEIGHBORS])]
    words = draw.random.choice((("import", "m.yaml"), ("import", "m.yaml", "-o", "out"), ("init", "made", "--from", "m.yaml")))
    return draw.command(*words, files={"m.yaml": draw.text(documents)})


def _included_manifests(draw: Draw) -> Input:
    """A Platform that includes mutated manifests."""
    documents = draw.random.choice((lambda: draw.changed([*NEIGHBORS]), draw.documents))()
    files: Files = {"platform.yaml": trees.written(draw.random, [PLATFORM]), "shared/m.yaml": draw.text(documents)}
    words = draw.random.choice(
        (("build", "platform.yaml"), ("explain", "platform.yaml", "Queue", "spec"), ("check", "platform.yaml"))
    )
    return draw.command(*words, files=files)


def _lint(draw: Draw) -> Input:
    seed = draw.random.choice(draw.corpus.linted)
    return draw.command("lint", *seed.words, files=draw.files(seed))


def _schemas(draw: Draw) -> Input:
    random = draw.random
    found = [trees.mutated(random, random.choice(draw.corpus.definitions), draw.corpus.vocabulary)]
    words = random.choice((("import", "d.yaml", "--to", "own"), ("import", "-", "--to", "own"), ("list",)))
    content = draw.text(found)
    return draw.command("schemas", *words, files={"d.yaml": content}, stdin=content)


def _own_schemas(draw: Draw) -> Input:
    """Manifests that are checked by an imported folder of schemas."""
    content = draw.text(draw.changed(draw.documents()))
    index = trees.written(
        draw.random,
        [trees.mutated(draw.random, {"kinds": {"example.com/v1/Widget": "widget.json"}, "files": []}, draw.corpus.vocabulary)],
    )
    return draw.command(
        "check", "m.yaml", "--schemas", "own", files={"m.yaml": content, "own/index.json": index, "own/widget.json": b"{}"}
    )


def _runtimes(draw: Draw) -> Input:
    kinds = ("ClusterTrainingRuntime", "TrainingRuntime")
    found = [draw.random.choice(draw.corpus.manifests[draw.random.choice(kinds)])]
    content = draw.text(draw.changed(found))
    words = draw.random.choice(
        (("import", "r.yaml", "--to", "catalog"), ("import", "-"), ("show", "tjgen-torch"), ("list",), ("show", "x"))
    )
    return draw.command("runtimes", *words, files={"r.yaml": content, "catalog/r.yaml": content}, stdin=content)


def _init(draw: Draw) -> Input:
    words = draw.random.choice(((), ("new",), ("new", "--gitops", "flux", "--repository", "https://git.example.com/a.git")))
    return draw.command("init", *words, files=draw.files(draw.experiment()))


def _lines(draw: Draw) -> Input:
    """Command lines alone: every command, with words that nobody expects."""
    from tjgen.cli.program import COMMANDS

    name = draw.random.choice([*COMMANDS, "explain", "schema"])
    words = [draw.random.choice(("a.yaml", "TJ101", "experiment", "project", "list", "show", "import", ".", "-", "x"))]
    return Input(PROGRAM, tuple(odd_words(draw.random, [name, *words, *options(draw.random, name)])), {"a.yaml": b"a: 1\n"})


class Scene(NamedTuple):
    """A way to make inputs, and its share."""

    name: str
    weight: float
    make: Callable[[Draw], Input]


SCENES = (
    Scene("admit", 22, calls.admit),
    Scene("library expand", 10, calls.expand),
    Scene("library build", 2, calls.library_build),
    Scene("read", 14, calls.read),
    Scene("texts", 8, calls.parsers),
    Scene("build", 8, _build),
    Scene("build a project", 1, _build_project),
    Scene("build again", 1, _build_again),
    Scene("settings", 1, _settings),
    Scene(
        "check",
        9,
        _of_manifests("check", ("m.yaml", "--no-cache"), ("-", "--no-cache"), ("m.yaml", "--catalog", "runtimes.yaml"), (".",)),
    ),
    Scene("check against", 5, _of_manifests("check", ("m.yaml", "--no-cache", "--against", "before"))),
    Scene("check schemas", 1, _own_schemas),
    Scene(
        "expand", 4, _of_manifests("expand", ("m.yaml",), ("-",), ("m.yaml", "--live"), ("m.yaml", "--catalog", "runtimes.yaml"))
    ),
    Scene("expand to pods", 6, _of_manifests("expand", ("m.yaml", "--expanded"), ("m.yaml", "--expanded", "--all-pods"))),
    Scene(
        "convert",
        4,
        _of_manifests(
            "convert", ("m.yaml",), ("--in-place", "m.yaml"), ("--trainer", "2.0", "m.yaml"), ("--target", "volcanojob", "m.yaml")
        ),
    ),
    Scene(
        "convert experiments",
        0.5,
        lambda draw: draw.command(
            "convert", "--target", "jobset", *(seed := draw.experiment()).words[:1], files=draw.files(seed)
        ),
    ),
    Scene(
        "import",
        3,
        _of_manifests("import", ("m.yaml",), ("m.yaml", "-o", "out"), ("-",), ("m.yaml", "--catalog", "runtimes.yaml")),
    ),
    Scene("import neighbors", 2, _import_neighbors),
    Scene("included manifests", 1, _included_manifests),
    Scene("lint", 4, _lint),
    Scene("lint manifests", 1, _of_manifests("lint", (".",), (".", "--fix"), ("m.yaml", "--against", "before"))),
    Scene("diff manifests", 0.5, _of_manifests("diff", ("before", "-o", "."))),
    Scene("explain", 2, _explain),
    Scene("diagnose", 0.7, _of_experiments("diagnose")),
    Scene("report", 0.5, _of_experiments("report")),
    Scene("devices", 0.5, lambda draw: draw.command("devices", files=draw.files(draw.random.choice(draw.corpus.projects)))),
    Scene("diff", 0.7, _of_trees("diff", ("-o", OUTPUT), (OUTPUT,), ("-o", OUTPUT, "--format", "markdown"))),
    Scene(
        "runs",
        1,
        _of_trees(
            "runs",
            ("list", "-o", OUTPUT),
            ("archive", "RUN", "-o", OUTPUT),
            ("rerun", "RUN", "-o", OUTPUT),
            ("prune", "RUN", "-o", OUTPUT),
            ("unarchive", "RUN", "-o", OUTPUT),
            ("clean", "RUN", "-o", OUTPUT, "--from", "tjgen.yaml"),
        ),
    ),
    Scene("promote", 0.5, _of_trees("promote", ("RUN", "-o", OUTPUT), ("RUN", "--env", "prod", "-o", OUTPUT))),
    Scene("report of a tree", 0.3, _of_trees("report", ("--tree", OUTPUT), ("--tree", OUTPUT, "-o", "r.html"))),
    Scene("lint of a tree", 0.5, _of_trees("lint", (OUTPUT,), (OUTPUT, "--fix"))),
    Scene("check of a tree", 0.5, _of_trees("check", (OUTPUT,))),
    Scene("fit", 1, placement.fit),
    Scene("nodes import", 1, placement.nodes_import),
    Scene("krm", 2, hosts.krm),
    Scene("postrender", 2, hosts.postrender),
    Scene("cmp", 2, hosts.cmp),
    Scene("pin", 1, hosts.pin),
    Scene("runtimes", 1, _runtimes),
    Scene("schemas", 2, _schemas),
    Scene("init", 0.3, _init),
    Scene("workspace", 1, workspaces.workspace),
    Scene("new workspace", 0.1, workspaces.init),
    Scene("git", 0.1, hosts.git),
    Scene("slices", 0.2, hosts.slices),
    Scene("shards", 1, hosts.shards),
    Scene("command lines", 5, _lines),
    Scene("policies", 4, hostile.policies),
    Scene("kubectl", 2, hostile.kubectl),
    Scene("damaged tree", 3, hostile.damaged_tree),
)
"""The shares follow the time that inputs take: a second is spent on what is cheap and on what is dear alike."""
_SHARES = [scene.weight for scene in SCENES]
BY_NAME = {scene.name: scene for scene in SCENES}


def scene_of(seed: int, number: int) -> tuple[Scene, Random]:
    """The scene of an input, and the source that the rest of it is drawn from."""
    random = Random(seed * 1_000_000_007 + number)
    return random.choices(SCENES, _SHARES)[0], random


def make(seed: int, number: int, corpus: Corpus) -> Input:
    """The input of a seed and a number; the same for every process."""
    scene, random = scene_of(seed, number)
    return scene.make(Draw(random, corpus))
