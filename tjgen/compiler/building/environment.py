"""An environment of a project -> what passes know of it, worked out once for all its runs."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from tjgen.cluster.schema.store import BUILT_IN, OWN
from tjgen.cluster.trainer.release import Release, chosen
from tjgen.compiler.building.inputs import refused_slicers
from tjgen.compiler.building.policies import policies_of
from tjgen.compiler.building.run import DigestOf, Unit
from tjgen.language.platform.devices import Accelerator, classes
from tjgen.language.platform.prices import PricedDevices
from tjgen.language.platform.tools import PURPOSES
from tjgen.language.resolve.project import LoadedProject, PlatformDocument
from tjgen.language.setting import ClusterSettings, Setting
from tjgen.language.spec.objects import PlatformSpec, Queue
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath
from tjgen.trees.k8s.quantity import parse, total
from tjgen.trees.session import Session
from tjgen.trees.typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tjgen.compiler.fit.verdicts import FitCluster


_TRAINER: FieldPath = ("spec", "trainer")


def release(project: LoadedProject, environment: str | None, requested: str | None) -> Release:
    """The release of Trainer: that of the command line, of the environment or of the project. Raises CompileError."""
    if requested is not None:
        return chosen(requested)
    own = project.environment(environment)
    configured = own.trainer if own is not None and own.trainer is not None else project.spec.trainer
    path = trainer_path(project, environment)
    return chosen(configured, project.document.locate(path) if project.document is not None else None)


def trainer_path(project: LoadedProject, environment: str | None) -> FieldPath:
    """The field of the project file that sets the release of an environment."""
    own = project.environment(environment)
    return ("spec", "environments", environment or "", "trainer") if own is not None and own.trainer is not None else _TRAINER


def different_trainers(project: LoadedProject, releases: Mapping[str, Release]) -> Iterator[Diagnostic]:
    """TJ228 for environments of one cluster that are built for different releases of Trainer."""
    first: dict[str, str] = {}
    for name, own in releases.items():
        cluster = project.cluster(name)
        other = first.setdefault(cluster, name)
        if releases[other].name != own.name and project.document is not None:
            message = f"environment {name} is built for Trainer {own.name}, but {other} for {releases[other].name}: "
            message += f"both are in cluster {cluster}, which runs one release"
            hint = f"set the same trainer for {other} and {name}"
            yield Diagnostic("TJ228", message, span=project.document.locate(trainer_path(project, name)), hint=hint)


def priced_devices(project: LoadedProject, environment: str | None) -> PricedDevices:
    """The devices of the cluster of an environment, and their prices."""
    platform = project.platform(environment)
    if platform is None:
        return PricedDevices(project.cluster(environment), classes(), None)
    spec = platform.platform.spec
    return PricedDevices(project.cluster(environment), classes(spec.device_classes), spec.prices)


class EnvironmentSettings:
    """What passes know of an environment, worked out once."""

    def __init__(self, project: LoadedProject, name: str | None, trainer: str | None) -> None:
        platform = project.platform(name)
        spec = platform.platform.spec if platform is not None else None
        own = project.environment(name)
        self.release = release(project, name, trainer)
        self._spec = spec
        self.project = project
        self.platform = platform.document if platform is not None else None
        self.devices = priced_devices(project, name)
        self.classes = self.devices.classes
        self.rewrite = dict(spec.images.rewrite) if spec is not None else {}
        self.helpers = _helpers(spec) if spec is not None else {}
        self.cluster = _cluster(spec) if spec is not None else ClusterSettings({}, None, None)
        of_environment = own.labels if own is not None else {}
        self.labels = {**project.spec.labels, **of_environment}
        self._project_labels = tuple(key for key in project.spec.labels if key not in of_environment)
        self.versions = {**({OWN: project.schemas} if project.schemas is not None else {}), **_kubernetes(spec)}
        self._refused_slicers = refused_slicers(project)
        versions = {**self.release.versions, **self.versions}
        self.policies, self.policy_problems = policies_of(project, platform, versions)
        self.nodes, self.node_problems = _nodes(project, platform, self.classes)

    def misfits(self) -> Iterator[Diagnostic]:
        """Yield what is wrong with names and releases of the Platform.

        These are features of the cluster that the release of Trainer does not support (TJ410), prices of unknown classes
        (TJ767), misspelled resources (TJ244), and rules that make no valid image (TJ275).
        """
        if self._spec is None or self.platform is None:
            return
        cluster = self._spec.cluster
        if self._spec.quotas or self._spec.queues:
            from tjgen.language.platform.resources import misspelled_in_platform  # few platforms limit resources

            yield from misspelled_in_platform(self._spec, self.classes, self.platform)
        if self.rewrite:
            from tjgen.compiler.checks.images import wrong_rules  # few platforms rewrite images

            yield from wrong_rules(self.rewrite, self.platform)
        if self._spec.prices is not None:
            from tjgen.language.platform.prices import unknown_classes  # few platforms have prices

            used = (self._spec.new_claims.storage_class_name, *(one.storage_class_name for one in self._spec.profiles.values()))
            storage_classes = [*self._spec.storage_classes, *(name for name in used if name)]
            yield from unknown_classes(self._spec.prices, self.classes, storage_classes, self.platform)
        if cluster.kubernetes is not None:
            from tjgen.cluster.schema import minors  # few platforms have so much

            yield from minors.substitutes(cluster.kubernetes, self.platform.locate(("spec", "cluster", "kubernetes")))
        if cluster.jobset is None and cluster.kueue is None:
            return
        from tjgen.cluster.trainer.version_skew import misfits  # few platforms set these fields

        for one in misfits(self.release, jobset=cluster.jobset, kueue=cluster.kueue):
            span = self.platform.locate(("spec", "cluster", one.project))
            yield Diagnostic("TJ410", one.message, span=span, hint=one.hint)

    def setting(
        self,
        unit: Unit,
        run: str,
        task: str,
        launcher: list[str],
        digest_of: DigestOf | None,
        session: Session,
        *,
        storage: str = "",
    ) -> Setting:
        """What passes know of a run of this environment; `storage`: the name that its claims have, if not the experiment's."""
        return Setting(
            run=run,
            task=task,
            family=unit.name,
            storage=storage or unit.name,
            namespace=unit.namespace,
            directory=os.path.dirname(unit.document.file),
            sandbox=self.project.sandbox,
            slicers=self.project.slicers,
            refused_slicers=self._refused_slicers,
            classes=self.classes,
            rewrite=self.rewrite,
            digest=digest_of,
            cluster=self.cluster,
            system=self.project.spec.schedule.system,
            launcher=launcher,
            labels=self.labels,
            project_labels=self._project_labels,
            versions=self.versions,
            environment=unit.environment,
            helpers=self.helpers,
            policies=self.policies,
            demands=self.project.spec.policy.demand,
            allows=self.project.allowances,
            harmless=self.project.spec.policy.harmless if self.project.sets_limits else (),
            session=session,
        )


def _nodes(
    project: LoadedProject, platform: PlatformDocument | None, known: Mapping[str, Accelerator]
) -> tuple[FitCluster | None, list[Diagnostic]]:
    """The empty nodes and queues of the Platform, None if it describes no nodes, and what is wrong with them."""
    spec = platform.platform.spec if platform is not None else None
    if platform is None or spec is None or not (spec.node_pools or spec.nodes):
        return None, []
    from tjgen.compiler.fit.nodes import nodes_of  # few platforms describe nodes
    from tjgen.compiler.fit.shared_cluster import shared_cluster
    from tjgen.compiler.fit.topologies import topology_problems

    manifests, problems = nodes_of(project, platform, known)
    shared = shared_cluster(manifests, platform.platform) if not problems else None
    if shared is None or not shared.cluster.nodes:
        return None, problems
    return shared, list(topology_problems(platform, shared.cluster.nodes))


def _helpers(platform: PlatformSpec) -> dict[str, str]:
    """Purpose -> image of helper containers, of those that the Platform names."""
    helpers = platform.images.helpers
    named = {purpose: helpers.copy_ if purpose == "copy" else getattr(helpers, purpose) for purpose in PURPOSES}
    return {purpose: image for purpose, image in named.items() if image is not None}


def _kubernetes(platform: PlatformSpec | None) -> dict[str, str]:
    """The release of Kubernetes by which built-in kinds are judged, if the Platform has one."""
    release = platform.cluster.kubernetes if platform is not None else None
    return {BUILT_IN: release} if release is not None else {}


def _cluster(platform: PlatformSpec) -> ClusterSettings:
    modes = {name: list(one.access_modes) for name, one in platform.storage_classes.items() if one.access_modes}
    release = platform.cluster.kubernetes
    minor = int(release.partition(".")[2]) if release is not None else None
    bandwidth = {name: parse(one.bandwidth).value for name, one in platform.storage_classes.items() if one.bandwidth is not None}
    capability = {name: capacity for name, one in platform.queues.items() if (capacity := one.capability or _of_flavors(one))}
    return ClusterSettings(
        modes,
        minor,
        platform.cluster.image_volumes,
        bandwidth,
        platform.fluid,
        platform.pod_security,
        platform.quotas,
        capability,
        platform.queues,
        platform.profiles,
        platform.monitoring,
        {name: one.create.provisioner for name, one in platform.storage_classes.items() if one.create is not None},
        {name: one.limits for name, one in platform.namespaces.items() if one.limits is not None},
        platform.flavors,
        platform.cluster.kueue,
        platform.cluster.network_topology_aware,
        platform.programs.network_policies,
        platform.claims,
        list(platform.priority_classes),
        list(platform.storage_classes),
    )


def _of_flavors(queue: Queue) -> dict[str, str]:
    """What a queue of Kueue has of all its flavors together."""
    create = queue.create.kueue if queue.create is not None else None
    shares = [{name: parse(amount) for name, amount in one.quota.items()} for one in create.flavors] if create else []
    return {name: str(amount) for name, amount in total(shares).items()}
