"""The plugin settings of an Application of Argo CD -> what to build; and a project -> its supported parameters.

Argo CD hands parameters over as JSON in ARGOCD_APP_PARAMETERS (v3.5, pkg/apis/application/v1alpha1
`ApplicationSourcePluginParameters.Environ`), and variables that users set with the prefix ARGOCD_ENV_
(reposerver/repository `getPluginParamEnvs`). Defaults that are announced are not sent.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence

from tjgen.compiler.building.request import NAMESPACE
from tjgen.language.resolve.files import named
from tjgen.language.resolve.project import FILE, LoadedProject
from tjgen.tools.hosts.rendering import Rendered, RenderRequest
from tjgen.trees.diagnostics.model import ERROR, Diagnostic
from tjgen.trees.fields.path import Tree
from tjgen.trees.files.sandbox import Sandbox, around
from tjgen.trees.k8s.nearest import nearest
from tjgen.trees.source.reader import CORE, read
from tjgen.trees.typing import NamedTuple

_JSON = "ARGOCD_APP_PARAMETERS"
_NAMESPACE = "ARGOCD_APP_NAMESPACE"
_VARIABLE = "ARGOCD_ENV_TJGEN_"
_CHOOSE = "set the parameter environment, or the variable TJGEN_ENVIRONMENT, of the Application's plugin"


class Parameter(NamedTuple):
    """A parameter of an Application. `shape` is string, array or map, the terms of Argo CD."""

    name: str
    title: str
    shape: str
    tooltip: str

    @property
    def variable(self) -> str:
        """The variable that sets it if an Application has no parameters."""
        return _VARIABLE + self.name.upper()


PARAMETERS = (
    Parameter("environment", "Environment", "string", "Environment of the project to build for"),
    Parameter("experiments", "Experiments", "array", "Files or folders of experiments; all of the project where none is named"),
    Parameter("set", "Fields", "map", "Fields of every experiment, such as spec.nodes: 2"),
    Parameter("trainer", "Trainer", "string", "Release of Kubeflow Trainer in the cluster, where it is not that of the project"),
    Parameter("strict", "Strict", "string", "true: warnings are errors"),
)
_BY_NAME = {one.name: one for one in PARAMETERS}


class PluginRequest(NamedTuple):
    """The settings of an Application."""

    options: RenderRequest
    strict: bool


def request(variables: Mapping[str, str]) -> tuple[PluginRequest, list[Diagnostic]]:
    """Return the settings in the variables of the generate command; TJ763 for an unknown parameter, or a wrong shape."""
    values, problems = _parameters(variables.get(_JSON, ""))
    for name in sorted(variables):
        if not name.startswith(_VARIABLE):
            continue
        parameter = _BY_NAME.get(name[len(_VARIABLE) :].lower())
        if parameter is None or parameter.variable != name:
            problems.append(
                _unknown(f"variable {name[len('ARGOCD_ENV_') :]}", name.lower(), [one.variable for one in PARAMETERS])
            )
        else:
            values.setdefault(parameter.name, _of_variable(parameter, variables[name]))
    strict = values.get("strict", "") or "false"
    if strict not in ("true", "false"):
        problems.append(_wrong(f'strict is "{strict}"', "set it to true or false"))
    options = RenderRequest(
        paths=values.get("experiments", []),
        environment=values.get("environment") or None,
        set_values=[f"{path}={value}" for path, value in sorted(values.get("set", {}).items())],
        trainer=values.get("trainer") or None,
        namespace=variables.get(_NAMESPACE) or NAMESPACE,
        choose_environment=_CHOOSE,
    )
    return PluginRequest(options, strict == "true"), problems


def announcements(project: LoadedProject) -> list[Tree]:
    """The parameters as Argo CD shows them in its form (reposerver/apiclient `ParameterAnnouncement`)."""
    environments = list(project.spec.environments)
    parameter_announcements = []
    for parameter in PARAMETERS:
        announced: Tree = {
            "name": parameter.name,
            "title": parameter.title,
            "tooltip": parameter.tooltip,
            "collectionType": parameter.shape,
        }
        if parameter.name == "environment" and environments:
            announced["tooltip"] = f"{parameter.tooltip}: {', '.join(environments)}"
            announced["required"] = len(environments) > 1
            announced["string"] = environments[0] if len(environments) == 1 else ""
        elif parameter.name == "experiments":
            # From the folder of the Application, where generate runs, which may be in that of the project.
            announced["array"] = [os.path.relpath(file) for file in project.files(project.spec.experiments)]
        elif parameter.name == "trainer":
            announced["string"] = project.spec.trainer
        elif parameter.name == "strict":
            announced["itemType"] = "boolean"
            announced["string"] = "false"
        parameter_announcements.append(announced)
    return parameter_announcements


def discovered(folder: str) -> list[str]:
    """What makes a folder one that tjgen builds: a project file, or files in it that hold experiments."""
    if os.path.lexists(os.path.join(folder, FILE)):
        return [FILE]
    sandbox = around(start=folder)
    sandbox.allow(folder)
    return [os.path.relpath(file, folder) for file in named(sandbox, "", folder)[0] if _holds_experiment(file, sandbox)]


def empty(rendered: Rendered) -> list[Diagnostic]:
    """TJ764 if the output is empty: Argo CD would prune all existing objects."""
    if rendered.objects or any(one.severity == ERROR for one in rendered.diagnostics):
        return []
    message = "nothing is generated, and a sync would remove all objects"
    hint = "name experiments that exist, or delete the Application"
    return [Diagnostic("TJ764", message, hint=hint)]


def _parameters(text: str) -> tuple[dict[str, Tree], list[Diagnostic]]:
    try:
        parameters = json.loads(text) if text else []
    except ValueError as error:
        return {}, [_wrong(f"{_JSON} is not JSON: {error}", "let Argo CD set it")]
    if not isinstance(parameters, list | None) or not all(isinstance(one, dict) for one in parameters or ()):
        return {}, [_wrong(f"{_JSON} is not a list of parameters", "let Argo CD set it")]
    values: dict[str, Tree] = {}
    problems = []
    for one in parameters or ():
        name = str(one.get("name", ""))
        parameter = _BY_NAME.get(name)
        if parameter is None:
            problems.append(_unknown(f'parameter "{name}"', name, list(_BY_NAME)))
        elif parameter.shape not in one:
            shapes = ", ".join(key for key in ("string", "array", "map") if key in one) or "nothing"
            problems.append(_wrong(f"parameter {name} is given as {shapes}", f"give it as {parameter.shape}"))
        elif not _fits(one[parameter.shape], parameter.shape):
            problems.append(_wrong(f"parameter {name} is not {_SHAPES[parameter.shape]}", "let Argo CD set it"))
        elif one[parameter.shape] is not None:
            values[name] = one[parameter.shape]
    return values, problems


_SHAPES = {"string": "a string", "array": "a list of strings", "map": "a mapping of strings"}


def _fits(value: Tree, shape: str) -> bool:
    """Return whether a value has the shape, with strings in it. Null represents a parameter without a value."""
    if value is None:
        return True
    if shape == "string":
        return isinstance(value, str)
    if shape == "array":
        return isinstance(value, list) and all(isinstance(one, str) for one in value)
    return isinstance(value, dict) and all(isinstance(one, str) for one in value.values())


def _of_variable(parameter: Parameter, text: str) -> Tree:
    """The value of a variable: lists and maps are written a line each."""
    if parameter.shape == "string":
        return text.strip()
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if parameter.shape == "array":
        return lines
    return {path.strip(): value.strip() for path, _, value in (line.partition("=") for line in lines)}


def _holds_experiment(file: str, sandbox: Sandbox) -> bool:
    content = sandbox.content(file)
    if isinstance(content, Diagnostic) or b"tjgen.dev/" not in content:
        return False
    documents, _ = read(content, file, CORE)
    return any(one.value.__class__ is dict and one.value.get("kind") == "Experiment" for one in documents)


def _unknown(what: str, name: str, known: Sequence[str]) -> Diagnostic:
    near = nearest(name, known)
    return _wrong(f"unknown {what}", f'did you mean "{near}"?' if near else f"use one of {', '.join(_BY_NAME)}")


def _wrong(message: str, hint: str) -> Diagnostic:
    return Diagnostic("TJ763", message, hint=hint)
