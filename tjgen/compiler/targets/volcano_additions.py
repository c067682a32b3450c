"""What the way in which pods find each other adds to a Volcano Job."""

from __future__ import annotations

from tjgen.trees.fields.managed import Origin
from tjgen.trees.fields.path import FieldPath, Tree, named
from tjgen.trees.fields.writer import Writer
from tjgen.trees.k8s.references import references
from tjgen.trees.manifests.manifest import Manifest
from tjgen.trees.workload.workload import PodSet, Workload

PORT = 23456
"""The default of the plugin pytorch; others get the same."""
_EARLY = "--publish-not-ready-addresses"
"""Host names are looked up before pods are ready."""


def host(workload: Workload, role: str, index: int = 0) -> str:
    """The name under which other pods find one: that of the pod below the Service of the Job."""
    return f"{workload.name}-{role}-{index}.{workload.name}"


class Rendezvous:
    """Additions to a Job: plugins, variables by role, words before a command, and more objects."""

    def __init__(self, policy: str) -> None:
        self.because = Origin("target:volcanojob", "runtime", ("spec", "mlPolicy", policy) if policy else ("spec", "mlPolicy"))
        self.plugins: dict[str, list[str]] = {"svc": [_EARLY] if policy else []}
        self.variables: dict[str, list[Tree]] = {}
        self.reasons: dict[str, Origin] = {}
        """Variable -> its cause, if it is not the runtime."""
        self.words: dict[str, list[str]] = {}
        """Role -> variables that the command sets, since they depend on variables of a plugin."""
        self.volumes: dict[str, tuple[Tree, Tree]] = {}
        """Role -> a volume and its mount."""
        self.init: dict[str, Tree] = {}
        """Role -> a container that runs before the others."""
        self.objects: list[Manifest] = []

    def into(self, writer: Writer, podset: PodSet, task: FieldPath, main: FieldPath) -> None:
        """Write what is for the pods of a role into its task."""
        for variable in self.variables.get(podset.name, ()):
            at: FieldPath = (*main, "env", named(variable["name"]))
            if writer.get(at) is None:  # an existing value stays
                writer.put(at, variable, self.reasons.get(variable["name"], self.because))
        self._order(writer, (*main, "env"), [one["name"] for one in self.variables.get(podset.name, ())])
        words = self.words.get(podset.name)
        if words:
            command = writer.get((*main, "command"), [])
            owners = writer.done().origins((*main, "command"))
            writer.graft((*main, "command"), ["env", *words, *command], {(): (*owners, self.because)})
        if podset.name in self.init:
            container = self.init[podset.name]
            writer.put((*task, "template", "spec", "initContainers", named(container["name"])), container, self.because)
        if podset.name in self.volumes:
            volume, mount = self.volumes[podset.name]
            writer.put((*task, "template", "spec", "volumes", named(volume["name"])), volume, self.because)
            writer.put((*main, "volumeMounts", (("mountPath", mount["mountPath"]),)), mount, self.because)

    def _order(self, writer: Writer, env: FieldPath, added: list[str]) -> None:
        """Move variables that refer to an added one behind it: a container replaces references to earlier variables only."""
        behind = set(added)
        for variable in list(writer.get(env, None) or ()):
            if variable["name"] not in added and behind.intersection(references(variable.get("value"))):
                behind.add(variable["name"])
                at: FieldPath = (*env, named(variable["name"]))
                origins = writer.done().origins(at)
                writer.put(at, None, self.because)
                writer.graft(at, variable, {(): origins})
