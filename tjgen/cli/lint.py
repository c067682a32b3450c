"""`tjgen lint`: experiments, or manifests made by hand -> what a GitOps sync would trip over, with the line."""

from __future__ import annotations

import sys

from tjgen.cli.command import COMMON, MANY, TRAINER, VALUE, Arguments, Command, Option
from tjgen.cli.reporting import Reporter
from tjgen.diagnostics.model import CompileError

COMMAND = Command(
    "lint",
    "Say what a GitOps sync would trip over.",
    "Look at what experiments build to (the whole project where no path is given), and at manifests in files and folders "
    "(- is standard input), for what Argo CD and Flux would stumble over or do harm with: hooks that delete runs, TTLs "
    "that train again, claims that nothing protects, and the rest of the rules in docs/reference/rules. With --against, "
    "also for changes that the server refuses, and removals that cost something.",
    "tjgen lint deploy/ --gitops argocd",
    "[PATH...]",
    (
        Option(
            ("--gitops",), "gitops", "What syncs the manifests; the project's tool.", VALUE, "TOOL", ("argocd", "flux", "both")
        ),
        Option(("--against",), "against", "What is synced now: a folder, or a Git revision of the same paths.", VALUE, "DIR|REV"),
        Option(("--select",), "select", "Ask this rule alone; may be repeated.", MANY, "TJ6nn"),
        Option(("--ignore",), "ignore", "Leave this rule out; may be repeated.", MANY, "TJ6nn"),
        Option(("--list",), "list", "Name the rules, and ask none."),
        Option(("--env",), "env", "Environment of the project; may be repeated.", MANY, "NAME"),
        Option(("--catalog",), "catalog", "File or folder with runtimes; may be repeated.", MANY, "PATH"),
        TRAINER,
        *COMMON,
    ),
)


def run(arguments: Arguments) -> int:
    """Lint every scene, report, and answer with the exit code."""
    # The rules are many modules: loaded where they are asked.
    from tjgen.cli.scenes import scenes
    from tjgen.lint.engine import Choice, lint, unknown_rules

    if arguments["list"]:
        return _listed()
    reporter = Reporter(arguments)
    for option in ("select", "ignore"):
        reporter.add(unknown_rules(arguments[option], f"--{option}"))
    if reporter.failed:
        return reporter.close()
    choice = Choice(tuple(arguments["select"]), tuple(arguments["ignore"]))
    try:
        for stage in scenes(arguments, reporter):
            if not reporter.failed:
                reporter.add(lint(stage.scene, stage.texts, choice).diagnostics)
    except CompileError as error:
        reporter.add(error.diagnostics)
    return reporter.close()


def _listed() -> int:
    from tjgen.lint.table import entries

    for rule, _ in entries():
        sys.stdout.write(f"{rule.code}  {rule.severity:7}  {rule.name:32}  {rule.title}\n")
    return 0
