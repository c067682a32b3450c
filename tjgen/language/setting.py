"""Inputs of passes other than the experiment: names, platform, project defaults."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from tjgen.language.platform.devices import Accelerator
from tjgen.language.platform.images import pinned, rewrite
from tjgen.language.platform.security import key_of
from tjgen.language.spec.objects import Flavor, Fluid, Limits, Monitoring, ProgramNetwork, Queue, StorageProfile
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.files.sandbox import Sandbox
from tjgen.trees.session import Session
from tjgen.trees.typing import TYPE_CHECKING, MappingProxyType, NamedTuple

if TYPE_CHECKING:
    from tjgen.cluster.policies.evaluation import Policies


ClaimSizes = Mapping[str, Mapping[str, str | int | float]]
"""Namespace -> name -> size of claims that exist."""


class ClusterSettings(NamedTuple):
    """The Platform's settings for the cluster; a field that is empty or None is unknown."""

    access_modes: Mapping[str, list[str]]
    """StorageClass -> access modes that it offers."""
    kubernetes: int | None
    """Minor release of Kubernetes."""
    image_volumes: bool | None
    """Whether pods can mount images."""
    bandwidth: Mapping[str, int] = MappingProxyType({})
    """StorageClass -> bytes that a volume of it takes in a second."""
    fluid: Fluid | None = None
    """How data sets of Fluid are created."""
    pod_security: Mapping[str, str] = {}
    """Namespace, or `*`, -> level of Pod Security."""

    quotas: Mapping[str, Mapping[str, str | int | float]] = {}
    """Namespace -> what everything in it may take."""
    queues: Mapping[str, Mapping[str, str | int | float]] = {}
    """Queue -> what its runs may take."""
    queue_specs: Mapping[str, Queue] = {}
    """Queue -> its settings in the Platform."""
    profiles: Mapping[str, StorageProfile] = {}
    """Use of storage, as the Platform describes it (see platform/profiles.py)."""
    monitoring: Monitoring | None = None
    """What Prometheus and Grafana look for."""
    drivers: Mapping[str, str] = {}
    """StorageClass -> CSI driver that makes its volumes."""
    limits: Mapping[str, Limits] = {}
    """Namespace -> limits of one container, pod or claim."""
    flavors: Mapping[str, Flavor] = {}
    """ResourceFlavor of Kueue -> its nodes."""
    kueue: str | None = None
    """Release of Kueue."""
    network_topology_aware: bool = False
    """Whether Volcano's scheduler has the plugin network-topology-aware."""
    networks: ProgramNetwork | None = None
    """What NetworkPolicies of programs next to runs allow; None where they get none."""
    claims: ClaimSizes = MappingProxyType({})
    """Sizes of claims that exist."""
    priority_classes: Sequence[str] = ()
    """PriorityClasses of the Platform."""
    storage_classes: Sequence[str] = ()
    """StorageClasses of the cluster, as far as the Platform has them."""

    def security_of(self, namespace: str) -> str | None:
        """The level of Pod Security that a namespace enforces."""
        key = key_of(self.pod_security, namespace)
        return None if key is None else self.pod_security[key]


class Setting(NamedTuple):
    """Where and as what the experiment is compiled."""

    run: str
    """Name of the run: the TrainJob's name."""
    task: str
    """The task that it is; empty where the experiment has none."""
    family: str
    """Name of the experiment."""
    storage: str
    """Name that its claims and checkpoint folders begin with: that of the experiment, or the one that it had before a rename."""
    namespace: str
    directory: str
    """Folder that file names in the experiment are relative to."""
    sandbox: Sandbox
    """What reads those files."""
    slicers: Mapping[str, str]
    """Slicing strategies of the project -> the files that they are in."""
    refused_slicers: Mapping[str, Diagnostic]
    """Those of them whose code may not run -> why."""
    classes: Mapping[str, Accelerator]
    """Device classes of the Platform, over the built-in ones."""
    rewrite: dict[str, str]
    """Image prefixes to rewrite."""
    digest: Callable[[str], str | None] | None
    """What images are pinned to; None where none is."""
    cluster: ClusterSettings
    system: str | None
    """The project's schedule system."""
    launcher: list[str]
    """Words that the runtime puts before a script."""
    labels: dict[str, str]
    """Labels of everything that the environment makes."""
    versions: Mapping[str, str]
    """What the cluster runs, by which manifests are judged: see `schema.store.find`."""
    environment: str | None
    helpers: Mapping[str, str]
    """Purpose -> image of helper containers, if the Platform sets one."""
    demands: Sequence[str]
    """What the project's policy demands."""
    allows: Sequence[str]
    """What the policy of the root project allows."""
    policies: Policies | None
    """What the objects of the run are judged by; None if there are no policies."""
    harmless: Collection[str]
    """Fingerprints of values that are not secrets, by the word of the root project."""
    session: Session
    """The results that the runs of one build share."""
    project_labels: Collection[str] = ()
    """Those of `labels` that the project sets for all environments."""
    committed: tuple[str, str] | None = None
    """For a try, `family` and `storage` of the experiment in Git."""

    def of_run(self, run: str) -> Setting:
        """The setting whose names another run of the experiment has: for a try, that in Git, unless it is an earlier try."""
        if self.committed is None or run.startswith(f"{self.family}-"):
            return self._replace(run=run)
        family, storage = self.committed
        return self._replace(run=run, family=family, storage=storage)

    def emitted(self, image: str) -> str:
        """An image as it is to be pulled: with the digest that it is pinned to, from where the Platform has it."""
        fixed = pinned(image, self.digest(image)) if self.digest is not None else image
        return rewrite(fixed, self.rewrite)
