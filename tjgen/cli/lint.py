"""`tjgen lint`: experiments, or handwritten manifests -> problems that a GitOps sync would have, with the line."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from tjgen.cli.command import (
    CATALOG,
    COMMON,
    ENVIRONMENTS,
    FOLDER,
    KUBERNETES,
    MANY,
    POLICY,
    TRAINER,
    TRUSTED,
    VALUE,
    Arguments,
    Command,
    Option,
    UsageError,
    enter,
)
from tjgen.cli.counts import CheckCounts
from tjgen.cli.inputs import absent
from tjgen.cli.reporting import Reporter
from tjgen.cluster.synctools import table
from tjgen.trees.budgets import DEFAULT
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tjgen.cluster.policies.judgment import Judge
    from tjgen.cluster.trainer.placed import Placed
    from tjgen.compiler.building.plan import Plan
    from tjgen.gitops.lint.engine import Choice, Result
    from tjgen.gitops.lint.reading import Read
    from tjgen.gitops.lint.suppress import Mark
    from tjgen.language.resolve.project import LoadedProject
    from tjgen.trees.fields.path import Tree

_LEFT_OUT = "TJ547"
TOOLS = (*[tool.name for tool in table.TOOLS], "both")
COMMAND = Command(
    "lint",
    "Find GitOps pitfalls in manifests.",
    "Check built experiments (by default, the whole project), and manifests in files and folders (- is standard input),"
    " for problems with Argo CD and Flux. Examples are hooks that delete runs, TTLs that repeat runs, and unprotected "
    "claims. docs/reference/rules lists the rules. With --against, also report changes that the server refuses, and "
    "removals that lose something. Without findings, the last line states how many objects were checked. With --fix, "
    "correct the manifests if a correction is known.",
    "tjgen lint deploy/ --gitops argocd",
    "[PATH...]",
    (
        Option(
            ("--gitops",), "gitops", "Tool that syncs the manifests; the default is that of the project.", VALUE, "TOOL", TOOLS
        ),
        Option(
            ("--against",),
            "against",
            "The manifests that are synced now: a folder, or a Git revision of the same paths.",
            VALUE,
            "DIR|REV",
        ),
        Option(("--select",), "select", "Check only this rule; may be repeated.", MANY, "TJ6nn"),
        Option(("--ignore",), "ignore", "Skip this rule; may be repeated.", MANY, "TJ6nn"),
        Option(
            ("--all",), "all", "Check all rules, including those that are off by default, and show repeated findings one by one."
        ),
        Option(("--list",), "list", "List the rules, and check none."),
        Option(("--fix",), "fix", "Write corrections into the manifests, and report the remaining findings."),
        Option(("--diff",), "diff", "With --fix, show the corrections, and write nothing."),
        ENVIRONMENTS,
        CATALOG,
        TRAINER,
        KUBERNETES,
        FOLDER,
        POLICY,
        TRUSTED,
        *COMMON,
    ),
)


def run(arguments: Arguments) -> int:
    """Lint every scene, report, and answer with the exit code."""
    # The rules are many modules: load them on demand.
    from tjgen.gitops.lint.engine import unknown_rules

    if arguments["list"]:
        return _listed()
    if arguments["diff"] and not arguments["fix"]:
        raise UsageError("--diff shows what --fix would write: give both")
    enter(arguments)
    reporter = Reporter(arguments)
    counts = CheckCounts()
    for option in ("select", "ignore"):
        reporter.add(unknown_rules(arguments[option], f"--{option}"))
    reporter.add(absent(arguments["catalog"]))
    if not reporter.failed:
        with reporter:
            _lint(arguments, _choice(arguments), counts, reporter)
    # Findings end with their number. What was left out is not a finding.
    has_findings = any(one.code != _LEFT_OUT for one in reporter.diagnostics)
    return reporter.close("" if has_findings else f"{counts}")


def _lint(arguments: Arguments, choice: Choice, counts: CheckCounts, reporter: Reporter, known: Plan | None = None) -> None:
    """Lint what the arguments name, and count its objects; `known`: the plan of a project of a workspace."""
    from tjgen.cli.scenes import Looked, inputs, taken, written
    from tjgen.gitops.lint.engine import lint

    lint_inputs = inputs(arguments["paths"], reporter)
    looked: list[Looked] = []
    project: LoadedProject | None = None
    if lint_inputs.experiments or not arguments["paths"]:
        from tjgen.cli.built import built
        from tjgen.compiler.building.plan import make_plan
        from tjgen.compiler.building.projects import is_of_all
        from tjgen.compiler.building.request import Request

        request = Request(lint_inputs.experiments, environments=arguments["env"], trainer=arguments["trainer"])
        plan = known or make_plan(request)
        if known is None and is_of_all(plan):
            from tjgen.cli.projects import for_each  # few projects are in a workspace

            for_each(plan, arguments, reporter, lambda one, part: _lint(arguments, choice, counts, part, one))
            return
        project = plan.project
        looked.append(built(plan, arguments, reporter))
    elif lint_inputs.manifests:
        from tjgen.cli.rulings import project_of

        project = project_of(arguments["paths"], reporter)
    marks = _marks(project, reporter)
    manifests = lint_inputs.manifests
    if arguments["fix"] and not reporter.failed:
        from tjgen.cli.fixing import cured

        def lint_contents(files: dict[str, bytes]) -> Result:
            one = written(files.items(), arguments, project, Reporter(arguments))
            return lint(one.scenes, one.texts, choice, marks)

        manifests = cured(manifests, lint_contents, show=arguments["diff"], reporter=reporter)
    if manifests:
        looked.append(written(taken(manifests), arguments, project, reporter))
    if reporter.failed:
        return
    scenes = [scene for one in looked for scene in one.scenes]
    for scene in scenes:
        counts.add(one.tree for one in scene.items)
    texts = {file: text for one in looked for file, text in one.texts.items()}
    diagnostics_of_scenes = lint(scenes, texts, choice, marks).diagnostics
    before = [one.tree for scene in scenes for one in scene.before or ()]
    files = [file for one in looked for file in one.files]
    diagnostics = [*_about_objects(files, project, arguments, reporter, before), *diagnostics_of_scenes]
    if arguments["against"] is not None and not arguments["select"]:
        from tjgen.gitops.lint.objects import refused_updates

        diagnostics += dict.fromkeys(refused_updates(scenes))
    if project is not None:
        from tjgen.cli.rulings import ruled

        diagnostics = ruled(diagnostics, project, whole=not arguments["paths"])
    reporter.groups = not arguments["all"]
    reporter.add(diagnostics)


def _choice(arguments: Arguments) -> Choice:
    from tjgen.gitops.lint.engine import Choice

    return Choice(tuple(arguments["select"]), tuple(arguments["ignore"]), arguments["all"])


def _about_objects(
    files: Sequence[Read],
    project: LoadedProject | None,
    arguments: Arguments,
    reporter: Reporter,
    before: Sequence[Tree],
) -> list[Diagnostic]:
    """What the rules about objects report, for any tool that applies them; nothing if rules of lint are selected."""
    if arguments["select"] or not files:
        return []
    from tjgen.cli.releases import kubernetes_for, release_for
    from tjgen.cli.runtime_files import RuntimeFiles
    from tjgen.cluster.schema.store import OWN
    from tjgen.gitops.lint.objects import about_objects
    from tjgen.trees.manifests.identity import identity_of

    folder = project.schemas if project is not None else None
    kubernetes = kubernetes_for(arguments["kubernetes"], project.platforms if project is not None else (), reporter)
    versions = {**release_for(arguments["trainer"]).versions, **kubernetes, **({OWN: folder} if folder else {})}
    catalogs = [*arguments["catalog"], *(project.catalogs if project is not None else ())]
    harmless = project.spec.policy.harmless if project is not None and project.sets_limits else ()

    def policies(accepted: Sequence[Placed]) -> tuple[Judge | None, list[Diagnostic]]:
        from tjgen.cli.policing import judge_for

        return judge_for(accepted, project, versions, project.sandbox.budgets if project is not None else DEFAULT)

    earlier = {identity_of(tree): tree for tree in before}
    return about_objects(files, RuntimeFiles(catalogs, versions), versions, harmless, policies, earlier)


def _marks(project: LoadedProject | None, reporter: Reporter) -> Sequence[Mark]:
    if project is None or project.document is None:
        return ()
    from tjgen.cli.rulings import marks_of

    return marks_of(project, reporter)


def _listed() -> int:
    from tjgen.gitops.lint.table import entries

    for rule, _ in entries():
        note = "" if rule.by_default else " (off by default)"
        sys.stdout.write(f"{rule.code}  {rule.severity:7}  {rule.name:32}  {rule.title}{note}\n")
    return 0
