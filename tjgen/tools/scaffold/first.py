"""Options -> the first experiments of a framework with their programs, and an overlay for each environment."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.tools.scaffold.options import Options
from tjgen.trees import data

FRAMEWORKS = ("torch", "jax", "tensorflow", "mpi", "xgboost", "paddle")
HELLO = "hello"
"""The experiment that needs no device."""
"""The folders of `templates/init`: each has two experiments, and a program for each of them."""

_OVERLAY = """\
# {purpose}
apiVersion: tjgen.dev/v1alpha1
kind: Overlay
metadata: {{name: {name}}}
spec:
  match: {{environments: [{environment}]{names}}}
  experiment:
{fields}"""


def files(options: Options) -> Iterator[tuple[str, str]]:
    """Path and text of each file."""
    if not options.imports:
        yield from hello(options)
        yield from _experiment(options, "train")
        yield "experiments/train/checkpoints.py", _template("checkpoints.py")
    for environment in options.environments:
        yield f"overlays/{environment}.yaml", _overlay(environment, is_last=environment == options.environments[-1])


def hello(options: Options) -> Iterator[tuple[str, str]]:
    """Path and text of the experiment that needs no device, and of its program."""
    return _experiment(options, HELLO)


def _experiment(options: Options, name: str) -> Iterator[tuple[str, str]]:
    yield f"experiments/{name}.yaml", _template(options.framework, f"{name}.yaml")
    yield f"experiments/{name}/{name}.py", _template(options.framework, f"{name}.py")


def _template(*parts: str) -> str:
    with open(data.path("templates", "init", *parts), encoding="utf-8") as file:
        return file.read()


def _overlay(environment: str, *, is_last: bool) -> str:
    """An overlay that changes the size of the first experiment only, or one that sets a variable of all experiments."""
    purpose = f"Runs {HELLO} on one node in {environment}. Without `names`, this sets the nodes of all experiments."
    names, fields = f", names: [{HELLO}]", "    nodes: 1\n"
    if is_last:
        purpose = f"Fields that differ in {environment}. An overlay can set any field of an experiment."
        names, fields = "", f"    env: {{STAGE: {environment}}}\n"
    return _OVERLAY.format(purpose=purpose, name=environment.lower(), environment=environment, names=names, fields=fields)
