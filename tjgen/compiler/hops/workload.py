"""An experiment and a runtime -> the Workload: pod templates with all settings of the experiment."""

from __future__ import annotations

from tjgen.compiler import lower as direct_fields
from tjgen.compiler.checks.table import checked
from tjgen.compiler.hops.draft import Draft, Job
from tjgen.compiler.passes import identity
from tjgen.compiler.passes.table import PASSES
from tjgen.compiler.targets.table import direct
from tjgen.language.catalog.runtime import BUNDLED
from tjgen.language.spec.objects import ExperimentSpec
from tjgen.trees.diagnostics.model import has_errors
from tjgen.trees.workload.contribution import EXPERIMENT
from tjgen.trees.workload.contribution import contribute as apply

_OF_ROLES = ("$(TJGEN_RUN)", "$(TJGEN_HOSTS_", "$(TJGEN_TF_CONFIG)")
"""References that `passes/new_roles.py` resolves."""


def arrange(job: Job, draft: Draft) -> Draft:
    """The jobs of the runtime as the roles of a target without Trainer, or with a job for each role that Trainer starts."""
    spec = job.experiment.spec
    target = direct(spec.target)
    if target is None:
        return _with_roles(job, draft)
    from tjgen.compiler.targets.direct import RequestedSize

    replicas = {name: role.replicas for name, role in spec.roles.items()}
    size = RequestedSize(spec.nodes, replicas, spec.elastic is not None)
    if any(gpu is not None and gpu.topology is not None for gpu in (spec.gpu, *(role.gpu for role in spec.roles.values()))):
        from tjgen.compiler.hops import sizes  # devices that span nodes are rare

        size = sizes.sized(size, spec)
    workload, diagnostics = target.arranged(draft.workload, size)
    draft = draft._replace(workload=workload)
    return draft.refused(diagnostics) if has_errors(diagnostics) else draft.reporting(diagnostics)


def _with_roles(job: Job, draft: Draft) -> Draft:
    spec = job.experiment.spec
    if not spec.roles and not _refers_to_roles(spec):
        return draft
    from tjgen.compiler.passes import new_roles  # few runs have roles or refer to addresses

    workload, diagnostics = new_roles.with_roles(draft.workload, spec)
    return draft._replace(workload=workload).reporting(diagnostics)


def _refers_to_roles(spec: ExperimentSpec) -> bool:
    """Whether a variable or the command line may refer to an address: of the nodes, too."""
    texts = (spec.script, *spec.command, *spec.args, *(variable.value for variable in spec.env.values()))
    return any(text is not None and reference in str(text) for text in texts for reference in _OF_ROLES)


def initialize(job: Job, draft: Draft) -> Draft:
    """The initializers of Trainer that the experiment names."""
    if job.experiment.spec.initializer is None:
        return draft
    from tjgen.compiler.passes import initializers  # few runs fetch anything by themselves

    workload, diagnostics = initializers.prepared(draft.workload, job.experiment, job.setting)
    draft = draft._replace(workload=workload)
    return draft.refused(diagnostics) if has_errors(diagnostics) else draft.reporting(diagnostics)


def lower(job: Job, draft: Draft) -> Draft:
    """The fields of the experiment that have a direct place in the Workload."""
    experiment, setting = job.experiment, job.setting
    workload, diagnostics = apply(draft.workload, EXPERIMENT, direct_fields.contribute(draft.workload, experiment, setting))
    diagnostics = [*diagnostics, *identity.reserved(experiment.metadata.labels, setting.allows)]
    return draft._replace(workload=workload).reporting(diagnostics)


def contribute(job: Job, draft: Draft) -> Draft:
    """Everything that has to be arranged: devices, volumes, data, gangs, images."""
    workload, diagnostics = draft.workload, draft.diagnostics
    for name, one_pass in PASSES:
        workload, problems = apply(workload, f"pass:{name}", one_pass(workload, job.experiment, job.setting))
        diagnostics = [*diagnostics, *problems] if problems else diagnostics
    return draft._replace(workload=workload, diagnostics=diagnostics, is_refused=has_errors(diagnostics))


def check(job: Job, draft: Draft) -> Draft:
    """The rules on the whole Workload."""
    diagnostics = checked(draft.workload, job.experiment, job.setting)
    spec = job.experiment.spec
    if job.runtime.origin == BUNDLED and spec.image is None and spec.code is None:
        from tjgen.compiler.checks import start  # most experiments have both

        diagnostics = [*diagnostics, *start.check(draft.workload, job.experiment, job.setting, job.runtime.name)]
    return draft.refused(diagnostics) if has_errors(diagnostics) else draft.reporting(diagnostics)
