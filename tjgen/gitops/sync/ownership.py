"""The sync objects in an output tree -> for each environment, which Application or Kustomization applies which folder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tjgen.cluster.synctools.table import ARGOCD, BY_NAME, FLUX
from tjgen.gitops.sync.applicationset import ENVIRONMENTS, EXPERIMENTS, IN_CLUSTER
from tjgen.trees.fields.path import Tree
from tjgen.trees.manifests.manifest import RUNS, STAGES, SYNC
from tjgen.trees.source.reader import KUBERNETES, read
from tjgen.trees.typing import NamedTuple

ONE = "one"
"""One Application applies all stages. The other values are those of `gitops.applicationSet`."""
_ENDING = ".yaml"
_OF_TOOL = "the cluster of {}"
_IN_CLUSTER = "in-cluster"
"""The name that Argo CD gives its own cluster."""
_DEFAULT_KEY = "value"
"""The key of a Secret that Flux reads first."""
_ORDER = ("ApplicationSet", "Application", "Kustomization")


class OwnedObject(NamedTuple):
    """An object that makes the tool sync."""

    path: str
    """Its file, below the output tree."""
    kind: str
    name: str
    namespace: str


class Layout(NamedTuple):
    """What applies one environment."""

    tool: str
    per: str
    """What has an owner of its own: ONE, EXPERIMENTS or ENVIRONMENTS; always ONE for Flux."""
    name: str
    """Name of its Application, or the name that its Kustomizations begin with; empty if no sync object is in the tree."""
    namespace: str
    path: str
    """Folder of the environment in the repository."""
    bootstrap: str = ""
    """Name of the Application or Kustomization that applies the sync objects; empty if there is none."""
    objects: tuple[OwnedObject, ...] = ()
    """Its sync objects, and those of the whole project."""
    cluster: str = ""
    """The cluster of its objects, as people write it; empty if no sync object is in the tree."""

    @property
    def identity(self) -> tuple[str, str, str, str]:
        """What decides who owns an object. The folder in the repository does not: the same owner reads another folder."""
        return self.tool, self.per, self.name, self.namespace

    def owner(self, stage: str) -> str:
        """The owner of a stage, as people write it."""
        if not self.name:
            return next((f"{kind} NAME (not in the tree)" for _, kind in BY_NAME[self.tool].syncing), "no owner")
        tool = BY_NAME[self.tool]
        if tool.waits_for_units:
            return f"{tool.syncing[0][1]} {self.name}-{stage}"
        if self.per == EXPERIMENTS and stage == RUNS:
            return f"Applications {self.name}.NAMESPACE.EXPERIMENT"
        return f"Application {self.name}"

    def owners(self) -> list[OwnedObject]:
        """The objects that apply others, each before what it applies: it would create again what is deleted before it."""
        known = [one for one in self.objects if one.kind in _ORDER]
        return sorted(known, key=lambda one: (one.name != self.bootstrap, _ORDER.index(one.kind), not one.name.endswith(RUNS)))


class Move(NamedTuple):
    """One environment that gets another layout. Folders are those of the working directory, with `/`."""

    old: Layout
    new: Layout
    stages: Mapping[str, str]
    """Stage -> its folder, for stages that hold manifests."""
    experiments: tuple[tuple[str, str], ...]
    """Namespace and folder name of each experiment that has runs in the tree."""

    @property
    def moved(self) -> list[str]:
        """The folders whose objects get another owner."""
        return [self.stages[stage] for stage in STAGES if stage in self.stages and self.old.owner(stage) != self.new.owner(stage)]


def unknown(tool: str) -> Layout:
    """The layout of an environment without sync objects in the tree: those exist outside the project."""
    kind = next((kind for _, kind in BY_NAME[tool].syncing), "")
    namespace = BY_NAME[tool].namespace
    return Layout(tool, ONE, "", namespace, "", objects=(OwnedObject("", kind, kind.upper(), namespace),) if kind else ())


def layouts(files: Mapping[str, str]) -> dict[str, Layout]:
    """Environment ("" without environments) -> its layout; `files`: path in the output tree -> text of a sync object."""
    folders: dict[str, dict[str, Tree]] = {}
    for path, text in sorted(files.items()):
        environment, _, rest = path.rpartition(f"{SYNC}/")
        if path.endswith(_ENDING) and rest.count("/") == 0:
            for document in read(text, path, KUBERNETES)[0][:1]:
                if isinstance(document.value, dict):
                    folders.setdefault(environment.rstrip("/"), {})[path] = document.value
    shared = folders.get("", {})
    layouts_by_environment = {environment: _layout(trees, shared) for environment, trees in folders.items()}
    return {environment: layout for environment, layout in layouts_by_environment.items() if layout is not None}


def _layout(own: Mapping[str, Tree], shared: Mapping[str, Tree]) -> Layout | None:
    trees = {**shared, **own}
    applied = tuple(
        OwnedObject(path, str(tree["kind"]), *_name(tree)) for path, tree in trees.items() if tree["kind"] != "ConfigMap"
    )
    for tree in own.values():
        path = str(_at(tree, "spec", "path"))
        if tree.get("kind") == "Kustomization" and path.endswith(f"/{RUNS}"):
            name, namespace = _name(tree)
            name = name.removesuffix(f"-{RUNS}")
            path = path.removeprefix("./").removesuffix(f"/{RUNS}")
            return Layout(FLUX, ONE, name, namespace, path, _bootstrap(trees.values()), applied, _cluster_of_flux(tree))
    sets = [_generator(tree) for tree in trees.values() if tree.get("kind") == "ApplicationSet"]
    for tree in own.values():
        if tree.get("kind") == "Application" and _is_for_stages(tree):
            name, namespace = _name(tree)
            per = EXPERIMENTS if EXPERIMENTS in sets else ONE
            path = str(_at(tree, "spec", "source", "path"))
            cluster = _cluster_of_argocd(_at(tree, "spec", "destination", "name"), _at(tree, "spec", "destination", "server"))
            return Layout(ARGOCD, per, name, namespace, path, _bootstrap(trees.values()), applied, cluster)
        data = tree.get("data")
        if tree.get("kind") == "ConfigMap" and isinstance(data, dict) and "path" in data:
            namespace = _name(tree)[1]
            name, path = str(data.get("name")), str(data["path"])
            cluster = _cluster_of_argocd(data.get("cluster", ""), data.get("server", ""))
            return Layout(ARGOCD, ENVIRONMENTS, name, namespace, path, _bootstrap(trees.values()), applied, cluster)
    return None


def _is_for_stages(tree: Tree) -> bool:
    """Whether an Application applies runs or what they need: not sync objects, and not a platform."""
    directory = _at(tree, "spec", "source", "directory")
    if not isinstance(directory, dict):
        return False
    include = str(directory.get("include", ""))
    return ("exclude" in directory and not include) or any(f"{stage}/*" in include for stage in STAGES)


def _bootstrap(trees: Iterable[Tree]) -> str:
    for tree in trees:
        include = str(_at(tree, "spec", "source", "directory", "include"))
        if tree.get("kind") == "Application" and f"{SYNC}/*" in include:
            return _name(tree)[0]
        if tree.get("kind") == "Kustomization" and str(_at(tree, "spec", "path")).endswith(f"/{SYNC}"):
            return _name(tree)[0]
    return ""


def _cluster_of_argocd(name: Tree, server: Tree) -> str:
    if (name or server) in (_IN_CLUSTER, IN_CLUSTER):
        return _OF_TOOL.format(BY_NAME[ARGOCD].title)
    return f"cluster {name or server}" if name or server else ""


def _cluster_of_flux(tree: Tree) -> str:
    access = _at(tree, "spec", "kubeConfig")
    if not access:
        return _OF_TOOL.format(BY_NAME[FLUX].title)
    name, key = _at(access, "secretRef", "name"), _at(access, "secretRef", "key")
    if name:
        return f"the cluster of Secret {name}" + (f" (key {key})" if key not in ("", _DEFAULT_KEY) else "")
    return f"the cluster of ConfigMap {_at(access, 'configMapRef', 'name')}"


def _generator(tree: Tree) -> str:
    generators = _at(tree, "spec", "generators")
    return EXPERIMENTS if "directories" in str(generators) else ENVIRONMENTS


def _name(tree: Tree) -> tuple[str, str]:
    return str(_at(tree, "metadata", "name")), str(_at(tree, "metadata", "namespace"))


def _at(tree: Tree, *path: str) -> Tree:
    for key in path:
        tree = tree.get(key, "") if isinstance(tree, dict) else ""
    return tree
