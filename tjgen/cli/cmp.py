"""`tjgen cmp discover|parameters|generate`: the commands of a config management plugin of Argo CD."""

from __future__ import annotations

import json
import os
import sys

from tjgen.cli.command import FORMAT, Arguments, Command, UsageError
from tjgen.cli.reporting import Reporter
from tjgen.language.resolve.project import find
from tjgen.language.resolve.project_file import load_current
from tjgen.tools.hosts import argocd
from tjgen.tools.hosts.rendering import rendered
from tjgen.trees.diagnostics.model import Diagnostic, has_errors
from tjgen.trees.source.writer import dump_all

COMMAND = Command(
    "cmp",
    "Run as an Argo CD plugin.",
    "Run as a config management plugin of Argo CD, in the folder of an Application. The command discover prints the "
    "sources that tjgen would build there, if any. The command parameters prints the parameters of the Application, "
    "with the environments and experiments of the project. The command generate prints the manifests, by the "
    "parameters (ARGOCD_APP_PARAMETERS) and variables (ARGOCD_ENV_TJGEN_...) of the Application. The plugin is in "
    "integrations/argocd of the repository.",
    "tjgen cmp parameters",
    "discover|parameters|generate",
    (FORMAT,),
    least=1,
    most=1,
)


def run(arguments: Arguments) -> int:
    """Run the subcommand; an unknown one is a usage error."""
    (verb,) = arguments["paths"]
    if verb not in ("discover", "parameters", "generate"):
        raise UsageError("write tjgen cmp discover, parameters or generate")
    if verb == "discover":
        sys.stdout.write("".join(f"{name}\n" for name in argocd.discovered(".")))
        return 0
    return _parameters(arguments) if verb == "parameters" else _generate(arguments)


def _parameters(arguments: Arguments) -> int:
    reporter = Reporter(arguments)
    project, problems = load_current()
    reporter.add(problems)
    if not reporter.failed:
        sys.stdout.write(json.dumps(argocd.announcements(project), indent=2) + "\n")
    return reporter.close()


def _generate(arguments: Arguments) -> int:
    request, problems = argocd.request(os.environ)
    reporter = Reporter({**arguments, "strict": request.strict})
    objects, problems_of_build = _built(request, problems)
    reporter.add(problems_of_build)
    if not reporter.failed:
        sys.stdout.write(dump_all(objects))
    return reporter.close()


def _built(request: argocd.PluginRequest, problems: list[Diagnostic]) -> tuple[list[object], list[Diagnostic]]:
    if has_errors(problems):
        return [], problems
    options = request.options
    if find(".") is None and not options.paths:
        # A folder of experiments without a project is built with defaults.
        options = options._replace(paths=argocd.discovered("."))
    result = rendered(options)
    return list(result.objects), [*problems, *result.diagnostics, *argocd.empty(result)]
