"""`tjgen verify`: a tree and the revision before it -> whether the sources produce the tree, and what merging it does."""

from __future__ import annotations

import os
import sys

from tjgen.cli.command import (
    FOLDER,
    FOR_PROGRAMS,
    FORMATS,
    JSON,
    MARKDOWN,
    OUTPUT,
    POLICY,
    QUIET,
    RESULTS,
    STRICT,
    TRUSTED,
    VALUE,
    Arguments,
    Command,
    Option,
    UsageError,
    enter,
    format_of,
)
from tjgen.cli.reporting import Reporter
from tjgen.cli.runtime_files import RuntimeFiles
from tjgen.compiler.building.plan import Plan, make_plan
from tjgen.compiler.building.projects import is_of_all
from tjgen.compiler.building.request import Request
from tjgen.compiler.building.run import Built
from tjgen.gitops.diff.reference import chosen
from tjgen.gitops.diff.revision import Repository
from tjgen.gitops.output.moves import refused, second_tree
from tjgen.gitops.output.neighbors import neighbors_of
from tjgen.gitops.output.policed import POLICY_FINDINGS
from tjgen.gitops.output.staged import Index
from tjgen.gitops.verify.added import AddedRun, added_runs, superseded
from tjgen.gitops.verify.added import compiled as added_by_build
from tjgen.gitops.verify.evaluate import evaluate
from tjgen.gitops.verify.former import former_projects
from tjgen.gitops.verify.former import problems as former_problems
from tjgen.gitops.verify.policies import RunName, policy_findings
from tjgen.gitops.verify.summary import as_markdown, as_text, as_tree, sections
from tjgen.gitops.verify.verify import verify
from tjgen.language.runs.store import Locks
from tjgen.trees.diagnostics.model import ERROR, WARNING, CompileError, Diagnostic
from tjgen.trees.diagnostics.printable import printable, printable_json

_NOTHING = "Nothing changes: no run starts, stops or changes.\n"
_OUTDATED = "Nothing changes: no run starts, stops or changes, until the output is built from the current sources.\n"
_UNKNOWN = "The sources cannot be built, so the effect on runs is unknown.\n"
_ELSEWHERE = "No manifest of a run changes, but runs start again in another cluster (TJ259).\n"
_OTHER_CLUSTER = "TJ259"
_REMEDIED_BY_BUILD = ("TJ294", "TJ699")
COMMAND = Command(
    "verify",
    "Verify that a change is safe to merge.",
    "Verify that the output tree and the locks contain what the sources produce, and that merging them does not harm "
    "any run. Runs that the base does not have are built again and must be equal, byte for byte. Runs of the base must "
    "be unchanged, or changed as a build or a command changes them. Every removal must be recorded. Then show, for each "
    "environment, which runs start, stop, change in place, or are refused, and what they cost. Without --base, the tree "
    "is compared with the merge base of HEAD and the remote's default branch, or with HEAD. Nothing is written, and no "
    "network is used. Exit code 0: no problems, 1: findings, 2: invalid command line.",
    "tjgen verify --base origin/main",
    "",
    (
        Option(("--base",), "base", "Git revision to compare with: the target of the merge.", VALUE, "REV"),
        Option(("--staged",), "staged", "Verify what Git's index contains, for a pre-commit hook."),
        OUTPUT,
        Option(
            ("--format",),
            "format",
            f"How the summary is written ({', '.join(RESULTS)}), or how findings are written ({', '.join(FOR_PROGRAMS)}).",
            VALUE,
            "FORMAT",
            tuple(FORMATS),
        ),
        FOLDER,
        QUIET,
        STRICT,
        POLICY,
        TRUSTED,
    ),
    most=1,
)


def run(arguments: Arguments) -> int:
    """Verify, report, and answer with the exit code."""
    if arguments["paths"]:
        raise UsageError(f"verify takes no REV: use tjgen verify --base {arguments['paths'][0]}")
    enter(arguments)
    with Reporter(arguments) as reporter:
        plan = make_plan(Request())
        directory = arguments["output"] or plan.output
        index = Index.around(plan, _outputs(plan, directory)) if arguments["staged"] else None
        others = index.others() if index is not None else []
        if index is None or not others:
            _verify_all(plan, directory, arguments, reporter, staged=index is not None)
        else:
            directory = index.named(directory) if directory is not None else None
            with index.instead(others):
                with Reporter(arguments) as inside:
                    _verify_all(make_plan(Request()), directory, arguments, inside, staged=True)
                if inside.failed:
                    inside.add(index.unstaged(others, check=True))
                return inside.close()
    return reporter.close()


def _outputs(plan: Plan, directory: str | None) -> list[str]:
    """The output folder, and in a workspace also the output and the locks of each project."""
    own = [directory] if directory is not None else []
    if not is_of_all(plan):
        return own
    others = list(neighbors_of(plan))
    return [*own, *(one.tree for one in others if one.tree is not None), *(Locks(one.directory).folder for one in others)]


def _verify_all(plan: Plan, directory: str | None, arguments: Arguments, reporter: Reporter, *, staged: bool) -> None:
    """Verify a project, or each project of a workspace."""
    if is_of_all(plan):
        from tjgen.cli.projects import for_each, refuse_for_all  # few projects are in a workspace

        refuse_for_all(arguments, ("output", "format json"))

        def act(one: Plan, part: Reporter) -> None:
            if one.output is not None:
                reporter.print_line(f"project {one.project.directory or '.'}:")
                _verify(one, one.output, arguments, part, staged=staged)

        for_each(plan, arguments, reporter, act)
    elif directory is None:
        raise UsageError("there is no output to verify: use -o DIR, or set spec.output.directory in tjgen.yaml")
    else:
        _verify(plan, directory, arguments, reporter, staged=staged)
    if plan.project.workspace is None or plan.project.is_workspace:
        _verify_former(plan, arguments, reporter)


def _verify_former(plan: Plan, arguments: Arguments, reporter: Reporter) -> None:
    """Verify that projects of the base that the workspace does not have any more leave no runs and no output."""
    repository = Repository.around(plan.project.directory or ".")
    base = chosen(repository, arguments["base"])
    for one in former_projects(plan, repository, base):
        if not one.is_renamed:
            reporter.print_line(f"project {one.folder}:")
            sys.stdout.write(printable(as_text(sections(one.entries, {}), _NOTHING)))
            sys.stdout.flush()
        reporter.add(list(former_problems(plan, repository, base, one)))


def _verify(plan: Plan, directory: str, arguments: Arguments, reporter: Reporter, *, staged: bool) -> None:
    repository = Repository.around(plan.project.directory or ".")
    base = chosen(repository, arguments["base"])
    if not staged or base.name != "HEAD":  # what is staged is compared with HEAD
        reporter.add(list(base.notes))
    known: dict[RunName, AddedRun] = {}
    compiled: dict[RunName, list[Diagnostic]] = {}

    def seen(built: Built) -> None:
        for one in built.runs:
            run_findings = [finding for finding in one.compiled.diagnostics if finding.code in POLICY_FINDINGS]
            compiled[built.unit.environment or "", one.name] = run_findings
            if (added := added_by_build(one, plan)) is not None:
                known[built.unit.key, one.name] = added

    second = second_tree(plan, directory)
    if second:
        raise CompileError(second)
    verified = verify(plan, repository, base, os.path.normpath(directory), staged=staged, seen=seen)
    refusals = refused(plan, directory) if not verified.incomplete else []
    # A refused build does not repair the tree.
    reporter.add([*refusals, *(one for one in verified.diagnostics if not refusals or one.code not in _REMEDIED_BY_BUILD)])
    catalogs = plan.project.catalogs
    findings = policy_findings(plan, verified.snapshot.tree, compiled, lambda versions: RuntimeFiles(catalogs, versions))
    reporter.add(list(dict.fromkeys(findings)))
    from tjgen.cli.rulings import marks_of, ruled

    marks = marks_of(plan.project, reporter) if plan.project.document is not None else []
    evaluation = evaluate(plan, verified, marks, base.name)
    reporter.add(ruled(evaluation.diagnostics, plan.project, whole=False))
    added = added_runs(plan, verified.snapshot.new, evaluation.entries, known)
    reporter.add(ruled(superseded(added, base.name), plan.project, whole=False))
    problems = sum(one.severity in (ERROR, WARNING) for one in dict.fromkeys(reporter.diagnostics))
    runs = sum(entry.place.run != "" for entry in evaluation.entries)
    count = "1 problem" if problems == 1 else f"{problems} problems"
    verdict = f"verified {runs} run{'s' * (runs != 1)} against {base.name}: {verified.compiled} built again, {count}"
    report_sections = sections(evaluation.entries, added)
    nothing = _UNKNOWN if verified.incomplete else _OUTDATED if verified.outdated else _NOTHING
    if any(one.code == _OTHER_CLUSTER for one in evaluation.diagnostics):
        nothing = _ELSEWHERE
    form = format_of(arguments).result
    if form == JSON:
        import json

        data = {"base": base.name, "runs": runs, "environments": as_tree(report_sections, base.name)}
        sys.stdout.write(printable_json(json.dumps(data, indent=2) + "\n"))
    elif form == MARKDOWN:
        sys.stdout.write(printable(as_markdown(report_sections, verdict, nothing)))
    else:
        sys.stdout.write(printable(as_text(report_sections, nothing)))
    sys.stdout.flush()
    reporter.print_line(verdict)
