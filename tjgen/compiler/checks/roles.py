"""The roles of an experiment -> those with a misspelled name, and fields of the experiment that every role replaces."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.compiler.container import amounts
from tjgen.compiler.lower import SPEC
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Experiment, ExperimentSpec, Role
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, render
from tjgen.trees.k8s.nearest import nearest
from tjgen.trees.workload.roles import members, programs, workers
from tjgen.trees.workload.workload import Workload


def check(workload: Workload, experiment: Experiment, setting: Setting) -> Iterator[Diagnostic]:
    """TJ337 for a misspelled task of TensorFlow; TJ183 for each field that the roles of all its pods replace."""
    spec = experiment.spec
    if not spec.roles:
        return
    yield from _misspelled(spec)
    fields = (
        ("image", spec.image, members),
        ("workingDir", spec.working_dir, members),
        ("command", spec.command, programs),
        ("args", spec.args, programs),
    )
    own = {name: _own(role) for name, role in spec.roles.items()}
    for field, value, pods in fields:
        if value:
            yield from _replaced((*SPEC, field), field, [one.name for one in pods(workload)], own)
    computing = [one.name for one in workers(workload)]
    for resource, _, at in amounts(spec, SPEC):
        yield from _replaced(at, resource, computing, own)
    if spec.gpu is not None and workload.is_direct:  # otherwise it also sets the processes of a node
        yield from _replaced((*SPEC, "gpu"), "gpu", computing, own)


def _misspelled(spec: ExperimentSpec) -> Iterator[Diagnostic]:
    from tjgen.compiler.passes import tf_config  # few experiments have roles

    if not any(f"$({tf_config.NAME})" in str(one.value) for one in spec.env.values()):
        return
    for name in spec.roles:
        near = nearest(name, tf_config.TYPES) if name not in tf_config.TYPES else None
        if near is not None and near not in spec.roles:
            message = f"TensorFlow has no task {name}, so {tf_config.NAME} does not contain the pods of this role"
            yield Diagnostic("TJ337", message, path=(*SPEC, "roles", name), hint=f'did you mean "{near}"?')


def _own(role: Role) -> dict[str, FieldPath]:
    """What a role sets itself -> the field that sets it."""
    fields = {"image": role.image, "workingDir": role.working_dir, "command": role.command, "args": role.args, "gpu": role.gpu}
    return {
        **{name: (name,) for name, value in fields.items() if value},
        **{resource: at for resource, _, at in amounts(role, ())},
    }


def _replaced(at: FieldPath, what: str, names: list[str], own: dict[str, dict[str, FieldPath]]) -> Iterator[Diagnostic]:
    """TJ183 if each of the roles `names` sets what the field `at` of the experiment sets."""
    places = [render(("roles", name, *own[name][what])) for name in names if what in own.get(name, {})]
    if places and len(places) == len(names):
        message = f"{render(at[1:])} has no effect: {' and '.join(places)} replace{'s' if len(places) == 1 else ''} it"
        yield Diagnostic("TJ183", message, path=at, hint=f"change {places[0]} instead, and remove {render(at[1:])}")
