"""The additions that CONTRIBUTING.md describes, one example of each: what is written where, and what fails without it."""

from __future__ import annotations

import json
from typing import NamedTuple

from tests.checkout import ROOT

Edit = str | tuple[str, ...]
"""The text of a new file, or texts of an existing file, each followed by what it becomes."""

TABLES = "tests/architecture/test_tables.py"
CODES = "tests/architecture/test_codes.py"
KINDS = "tests/cluster/kinds/test_kinds.py"
REFERENCE = "tests/docs/test_reference.py"
GENERATED = "tests/language/spec/test_generated.py"
PASS_PAIRS = "tests/compiler/passes/test_pairs.py"
PROGRAMS = "tests/docs/test_programs.py"
SYNC_TOOLS = "tests/cluster/synctools/test_synctools.py"
STEPS = f"{TABLES}::test_every_step_of_a_run_is_in_a_table_and_on_the_page_of_the_architecture"
MINORS = (
    "tests/cluster/validate/minors/test_minors.py::test_every_minor_has_a_release_recorded_verdicts_and_its_place_on_the_page"
)
OUTCOMES = "tests/cluster/test_outcomes.py"
NAMES = "tests/language/runs/test_run_identity.py"
LAYOUTS = "tests/compiler/programs/keeping/test_completeness.py::test_each_layout_of_the_table_has_a_program_that_writes_it"
SYSTEMS = "tests/architecture/test_files.py::test_the_page_on_installation_names_each_operating_system"
RELEASES_PAGE = "docs/how-to/trainer-releases.md"
RULES = "tests/gitops/lint/test_rules.py"
ENGINES = "tests/cluster/policies/test_engines.py"
GO_TYPES = "tests/cluster/trainer/test_gotypes.py::test_the_table_has_what_the_schema_has"
JOBSETS = "tests/cluster/trainer/test_jobset_webhook.py"
INHERITANCE = "tests/language/spec/test_inheritance.py"
FORMATS = "tests/gitops/verify/test_formats.py"
SPEC = "python -m tjgen.language.spec.generate"
DOCS = "python -m docs.generate"


class Place(NamedTuple):
    """One place of an addition."""

    named: str
    """Words of the table's row that name it."""
    edits: dict[str, Edit]
    """File -> what is written there; for a command that generates files, the files that matter, with no text."""
    checks: tuple[str, ...]
    """Tests of which at least one fails where the place is left out."""


def source(file: str) -> str:
    """The text of a file of the repository."""
    return (ROOT / file).read_text(encoding="utf-8")


def experiment(name: str, runtime: str, *more: str) -> str:
    """An experiment."""
    return "\n".join(
        (
            "apiVersion: tjgen.dev/v1alpha1",
            "kind: Experiment",
            f"metadata: {{name: {name}, namespace: team}}",
            "spec:",
            f"  runtime: {runtime}",
            *(f"  {line}" for line in more),
            f"  image: registry.example/{name}:1",
            "  script: train.py",
            "",
        )
    )


PASS = '''\
"""Runs of one image -> a label on their pods."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Experiment
from tjgen.trees.workload.contribution import Contribution
from tjgen.trees.workload.roles import workers
from tjgen.trees.workload.workload import Workload

IMAGE = "registry.example/added-pass:1"


def contribute(workload: Workload, experiment: Experiment, setting: Setting) -> Iterator[Contribution]:
    """A label on each training pod."""
    if experiment.spec.image == IMAGE:
        for podset in workers(workload):
            at = (*podset.path, "template", "metadata", "annotations", "example.com/added")
            yield Contribution(at, "yes", ("spec", "image"))
'''
PAIRS = """\
pair: another image
given:
  experiment: {}
yields: []
---
pair: the image
given:
  experiment: {image: registry.example/added-pass:1}
yields:
- {put: 'job(node).template.metadata.annotations["example.com/added"]', value: 'yes', because: spec.image}
"""
KIND = '''\
"""CronJob of Volcano."""

from __future__ import annotations

from tjgen.cluster.kinds.protocol import UNLISTED, Kind, takes_effect

VOLCANO_CRON_JOB = Kind(
    api_version="batch.volcano.sh/v1alpha1",
    name="CronJob",
    plural="cronjobs",
    changeable=None,
    effect=takes_effect,
    access=UNLISTED,
    status=None,
    run=None,
    controller="",
)
'''
PLUGIN = '''\
"""Nothing of upstream: a plugin that sets the count."""

from __future__ import annotations

from tjgen.cluster.trainer.info import Info
from tjgen.cluster.trainer.job import DecodedTrainJob


def enforce_ml_policy(info: Info, job: DecodedTrainJob) -> None:
    """Nothing."""
'''
RULES_OF_NAMES = '''\
"""The rules of a release, as an example: each field counts."""

from __future__ import annotations

from tjgen.language.spec.identity import COUNTS, Rule

SPEC: Rule = (COUNTS, None, {})
'''
STRATEGY = source("tjgen/language/slicing/contiguous.py")
COMMAND = '''\
"""`tjgen added`: an example of a command."""

from __future__ import annotations

from tjgen.cli.command import Arguments, Command

COMMAND = Command(
    "added",
    "Print nothing.",
    "Print nothing, as an example.",
    "tjgen added x",
    "WORD",
    least=1,
    most=1,
)


def run(arguments: Arguments) -> int:
    """Nothing is printed."""
    return 0
'''
RULE = (
    source("tjgen/gitops/lint/rules/preparation_runs_again.py")
    .replace("TJ633", "TJ677")
    .replace("preparation-runs-again", "preparation-added")
)
BAD, GOOD = (source(f"tests/gitops/lint/TJ633/{name}/{file}") for name, file in (("bad", "job.yaml"), ("good", "job.yaml")))
FINDINGS = source("tests/gitops/lint/TJ633/bad/expected/findings.txt").replace("TJ633", "TJ677")
STEP = '''\
"""The draft of a run -> the same: an example of a step."""

from __future__ import annotations

from tjgen.compiler.hops.draft import Draft, Job


def added(job: Job, draft: Draft) -> Draft:
    """Nothing is changed."""
    return draft
'''
PROGRAM = '''\
"""A run -> the objects of an example of a program."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.compiler.programs.containers import script
from tjgen.language.setting import Setting
from tjgen.trees.workload.contribution import Contribution
from tjgen.trees.workload.workload import Workload


def objects(workload: Workload, setting: Setting) -> Iterator[Contribution]:
    """Nothing."""
    assert script("adding.sh")
    yield from ()
'''
SECTION = """\
## `adding.sh`

| | |
| --- | --- |
| Enabled by | nothing |
"""
VENDOR = """\
apiVersion: tjgen.dev/v1alpha1
kind: Platform
metadata: {name: added}
spec: {deviceClasses: {added1: {resource: added.example/device, most: 8}}}
"""
CHECK = '''\
"""ServiceAccounts -> what the API server has against them."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.validate.fault import Fault
from tjgen.trees.typing import Any


def service_account(tree: dict[str, Any]) -> Iterator[Fault]:
    """Nothing."""
    yield from ()
'''
PANEL = '''\
"""A report -> an example of a section."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.tools.report.content import Report


def section(report: Report) -> Iterator[str]:
    """Nothing."""
    yield from ()
'''
ENGINE = source("tjgen/cluster/policies/kyverno.py").replace('PolicyEngine("Kyverno"', 'PolicyEngine("Added"')
_KYVERNO = "schemas/kyverno/v1.19.1"
_POLICY_SCHEMA = "policies.kyverno.io_v1_validatingpolicy.json"
_JOBSET_SCHEMAS = (
    "schemas/jobset/v0.12.0/jobset.x-k8s.io_v1alpha2_jobset.json",
    *(
        f"schemas/trainer/v2.3.0/trainer.kubeflow.org_v1alpha1_{kind}.json"
        for kind in ("clustertrainingruntime", "trainingruntime")
    ),
)
_COORDINATOR = '"coordinator":{\n'
_ADDED_FIELD = '"added":{"properties":{"mode":{"type":"string"}},"type":"object"},\n'
_JOBSET = {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {"name": "js", "namespace": "ns"}}
_FIRST_JOBSET = source("tests/cluster/trainer/recorded_jobsets.jsonl").splitlines()[0]
_STORED = json.loads(_FIRST_JOBSET)["live"]["spec"] | {"added": {"mode": "Always"}}
NEW_JOBSET = json.dumps({"errors": [], "live": {**_JOBSET, "spec": _STORED}, "manifest": {**_JOBSET, "spec": {"added": {}}}})
RENDERED = source("tjgen/trees/diagnostics/render/github.py")
TARGET = (
    source("tjgen/compiler/targets/xgboostjob.py")
    .replace("tjgen.cluster.kinds.xgboostjob import XGBOOSTJOB", "tjgen.cluster.kinds.ray import RAYCLUSTER")
    .replace("XGBOOSTJOB", "RAYCLUSTER")
)
RUN = """\
    changeable=SUSPENDABLE,
    effect=takes_effect,
    access=MANAGED,
    status=Phases("ready", ("failed",), parent=""),
    run=RunFacts(
        target="raycluster",
        needs="",
        starter="KubeRay",
        page="[RayJobs](../how-to/rayjob.md)",
        framework="",
        processes=ONE,
        finds_container_by_name=False,
        scheduler="",
        is_preview=False,
        job_owner="",
        pods=_pods,
        replicas="",
        pod_label="ray.io/cluster",
    ),
"""
SYNC_TOOL = (
    source("tjgen/cluster/synctools/flux.py").replace('name="flux"', 'name="added"').replace("toolkit.fluxcd", "added.example")
)
SYNC_OBJECTS = source("tjgen/gitops/sync/flux.py").replace("table import FLUX", "table import ADDED").replace("FLUX)", "ADDED)")
_VERDICTS = source("tests/cluster/validate/minors/recorded.jsonl").splitlines()[-1]
_VERDICT = json.loads(_VERDICTS)
NEW_VERDICTS = json.dumps(_VERDICT | {"verdicts": _VERDICT["verdicts"] | {"1.38": {"allowed": True}}})
CODE = """
[TJ998]
name = "an-example"
severity = "warning"
since = "0.1.0"
status = "active"
meaning = "An example of a diagnostic."
remedy = "Do nothing."
"""


_FIRST_GROUP = source("tests/hints/unapplied.toml").partition("[[group]]")[0]
_LAST_CODE = source("tjgen/trees/diagnostics/codes.toml")[-200:]


_OUTCOME = '    EventOutcome("Job", KUBERNETES, DEADLINE, ON_TIME),\n'
_SCENARIO = '    Scenario("TrainJob", _TRAINER, DEADLINE),\n'
_HEAD = "# `imitated` names what the scenario itself did in place of a kubelet.\n"
_RECORD = f"""\
{_HEAD}- kind: Job
  controller: Kubernetes 1.36.3
  event: it is added
  means: ''
  result: nothing starts again
  date: 2026-11-28
  seen:
    starts:
    - [1, 1]

"""
"""A record in front of the others."""


def generated(named: str, *files: str, checks: tuple[str, ...]) -> Place:
    """What a command writes."""
    return Place(named, dict.fromkeys(files, ""), checks)


def pages(*names: str) -> Place:
    """Pages of the reference, and tables of codes."""
    checks = (f"{REFERENCE}::test_a_page_is_what_the_code_says", f"{CODES}::test_the_generated_tables_are_fresh")
    return Place(DOCS, dict.fromkeys(names, ""), checks)


ADDITIONS: dict[str, tuple[Place, ...]] = {
    "a pass": (
        Place(
            "tjgen/compiler/passes/<noun>.py",
            {"tjgen/compiler/passes/added.py": PASS},
            (f"{TABLES}::test_every_pass_is_in_the_table_under_the_name_of_its_module",),
        ),
        Place(
            "PASSES",
            {
                "tjgen/compiler/passes/table.py": (
                    *("import (\n", "import (\n    added,\n"),
                    *("] = (\n", '] = (\n    ("added", added.contribute),\n'),
                ),
            },
            (f"{TABLES}::test_every_pass_is_in_the_table_under_the_name_of_its_module",),
        ),
        Place(
            "tests/compiler/passes/pairs/<noun>.yaml",
            {"tests/compiler/passes/pairs/added.yaml": PAIRS},
            (f"{PASS_PAIRS}::test_every_pass_has_pairs_and_no_other_name_has",),
        ),
        Place(
            "a case",
            {"tests/cases/added-pass/experiment.yaml": experiment("added-pass", "tjgen-plain")},
            (f"{TABLES}::test_every_pass_has_a_case",),
        ),
    ),
    "a kind of run": (
        Place(
            "tjgen/cluster/kinds/<kind>.py",
            {"tjgen/cluster/kinds/volcano_cron_job.py": KIND},
            (KINDS,),
        ),
        Place(
            "tjgen/cluster/kinds/table.py",
            {
                "tjgen/cluster/kinds/table.py": (
                    """    ("batch.volcano.sh", "Job"):""",
                    """    ("batch.volcano.sh", "CronJob"): ("volcano_cron_job", "VOLCANO_CRON_JOB"),\n"""
                    """    ("batch.volcano.sh", "Job"):""",
                )
            },
            (f"{KINDS}::test_the_table_has_every_kind_of_the_package_under_its_own_name",),
        ),
    ),
    "a target": (
        Place(
            "tjgen/compiler/targets/<kind>.py",
            {"tjgen/compiler/targets/raycluster.py": TARGET},
            (f"{TABLES}::test_every_target_is_in_the_language_and_has_a_module_and_a_case",),
        ),
        Place(
            "its kind",
            {
                "tjgen/cluster/kinds/ray.py": (
                    "    changeable=None,\n    effect=takes_effect,\n    access=UNLISTED,\n    status=None,\n    run=None,\n",
                    RUN,
                )
            },
            (f"{TABLES}::test_every_target_is_in_the_language_and_has_a_module_and_a_case",),
        ),
        Place(
            "DIRECT",
            {"tjgen/compiler/targets/table.py": ("paddlejob, rayjob)", "paddlejob, rayjob, raycluster)")},
            (f"{TABLES}::test_the_type_checker_sees_every_module_that_is_imported_by_name",),
        ),
        Place(
            "`target` of the language",
            {
                "tjgen/language/spec/models/experiment.py": (
                    """            "rayjob",\n""",
                    """            "rayjob",\n            "raycluster",\n""",
                )
            },
            (f"{TABLES}::test_every_target_is_in_the_language_and_has_a_module_and_a_case",),
        ),
        generated(SPEC, "tjgen/language/spec/compact.py", checks=(GENERATED,)),
        pages("docs/reference/targets.md"),
        Place(
            "a case",
            {"tests/cases/added-target/experiment.yaml": experiment("added-target", "tjgen-xgboost", "target: raycluster")},
            (f"{TABLES}::test_every_target_is_in_the_language_and_has_a_module_and_a_case",),
        ),
    ),
    "a GitOps tool": (
        Place(
            "tjgen/cluster/synctools/<tool>.py",
            {"tjgen/cluster/synctools/added.py": SYNC_TOOL},
            (f"{SYNC_TOOLS}::test_the_table_has_the_tool_of_every_module_under_its_name",),
        ),
        Place(
            "tjgen/gitops/sync/<tool>.py",
            {"tjgen/gitops/sync/added.py": SYNC_OBJECTS},
            (f"{SYNC_TOOLS}::test_the_language_has_the_same_tools_and_what_syncs_is_everywhere",),
        ),
        Place(
            "tjgen/cluster/synctools/table.py",
            {
                "tjgen/cluster/synctools/table.py": (
                    *("synctools import argocd, flux, none", "synctools import added, argocd, flux, none"),
                    *("FLUX = flux.TOOL.name\n", "FLUX = flux.TOOL.name\nADDED = added.TOOL.name\n"),
                    *("(argocd.TOOL, flux.TOOL)", "(argocd.TOOL, flux.TOOL, added.TOOL)"),
                )
            },
            (f"{SYNC_TOOLS}::test_the_table_has_the_tool_of_every_module_under_its_name",),
        ),
        Place(
            "SYNCING",
            {
                "tjgen/gitops/sync/table.py": (
                    *("table import ARGOCD, FLUX", "table import ADDED, ARGOCD, FLUX"),
                    *("sync import argocd, flux", "sync import added, argocd, flux"),
                    "    FLUX: Syncing(",
                    "    ADDED: Syncing(added.objects, added.shared, added.kept_folders, added.release),\n    FLUX: Syncing(",
                )
            },
            (f"{SYNC_TOOLS}::test_the_language_has_the_same_tools_and_what_syncs_is_everywhere",),
        ),
        Place(
            "`Tool` of the language",
            {"tjgen/language/spec/models/gitops.py": ('"argocd", "flux", "none"', '"argocd", "flux", "added", "none"')},
            (f"{SYNC_TOOLS}::test_the_language_has_the_same_tools_and_what_syncs_is_everywhere",),
        ),
        generated(SPEC, "tjgen/language/spec/compact.py", checks=(GENERATED,)),
        pages("docs/reference/project.md"),
    ),
    "a plugin of the Trainer twin": (
        Place(
            "tjgen/cluster/trainer/plugins/<upstream name>.py",
            {"tjgen/cluster/trainer/plugins/added.py": PLUGIN},
            (f"{TABLES}::test_every_plugin_of_the_twin_is_in_the_table_in_the_order_of_upstream",),
        ),
        Place(
            "PLUGINS",
            {
                "tjgen/cluster/trainer/framework.py": (
                    *("import coscheduling,", "import added, coscheduling,"),
                    *("= (coscheduling,", "= (added, coscheduling,"),
                )
            },
            (f"{TABLES}::test_every_plugin_of_the_twin_is_in_the_table_in_the_order_of_upstream",),
        ),
        Place(
            "tests/cluster/trainer/recorded/",
            {"tests/cluster/trainer/recorded/added/input.yaml": "{}\n"},
            (f"{TABLES}::test_every_plugin_of_the_twin_has_a_recorded_case",),
        ),
    ),
    "a slicing strategy": (
        Place(
            "tjgen/language/slicing/<name>.py",
            {"tjgen/language/slicing/added.py": STRATEGY},
            (f"{TABLES}::test_every_strategy_is_in_the_table_under_its_name",),
        ),
        Place(
            "STRATEGIES",
            {
                "tjgen/language/slicing/strategies.py": (
                    """    "contiguous":""",
                    """    "added": "tjgen.language.slicing.added",\n    "contiguous":""",
                )
            },
            (f"{TABLES}::test_every_strategy_is_in_the_table_under_its_name",),
        ),
    ),
    "a runtime": (
        Place(
            "runtimes/<name>.yaml",
            {"runtimes/tjgen-added.yaml": source("runtimes/tjgen-plain.yaml").replace("name: tjgen-plain", "name: tjgen-added")},
            (f"{REFERENCE}::test_a_page_is_what_the_code_says",),
        ),
        Place(
            "a case that uses it",
            {"tests/cases/added-runtime/experiment.yaml": experiment("added-runtime", "tjgen-added")},
            (f"{TABLES}::test_every_bundled_runtime_is_used_by_a_case_or_an_example",),
        ),
        pages("docs/reference/runtimes.md"),
    ),
    "a field of the language": (
        Place(
            "tjgen/language/spec/models/",
            {
                "tjgen/language/spec/models/experiment.py": (
                    "    rdma: Counts[bool] = False\n",
                    '    added: Counts[bool] = False\n    """An example of a field."""\n    rdma: Counts[bool] = False\n',
                )
            },
            (GENERATED,),
        ),
        Place(
            "its type as `Counts`, `Present`, `Excluded` or `Setting`",
            {"tjgen/language/spec/models/experiment.py": ("    added: bool = False\n", "    added: Counts[bool] = False\n")},
            (GENERATED,),
        ),
        generated(
            SPEC,
            "tjgen/language/spec/compact.py",
            "tjgen/language/spec/objects.py",
            "tjgen/language/spec/identity.py",
            checks=(GENERATED,),
        ),
        pages("docs/reference/experiment.md"),
    ),
    "a setting of an environment": (
        Place(
            "a field of `Environment`",
            {
                "tjgen/language/spec/models/project.py": (
                    '    runs: Literal["all", "promoted"] = "all"\n',
                    '    example_setting: bool = False\n    """An example of a setting."""\n'
                    '    runs: Literal["all", "promoted"] = "all"\n',
                )
            },
            (f"{INHERITANCE}::test_each_entry_of_the_tables_is_a_field",),
        ),
        Place(
            "the module that reads it",
            {
                "tjgen/compiler/building/environment.py": (
                    "        self.release = release(project, name, trainer)\n",
                    "        self.release = release(project, name, trainer)\n"
                    "        self.example = own is not None and own.example_setting\n",
                )
            },
            (f"{INHERITANCE}::test_each_setting_of_an_environment_is_read",),
        ),
        Place(
            "WAYS",
            {
                "tjgen/language/spec/inheritance.py": (
                    '    "environments.*.platform": FIXED,\n',
                    '    "environments.*.platform": FIXED,\n    "environments.*.exampleSetting": FIXED,\n',
                )
            },
            (f"{INHERITANCE}::test_each_field_of_a_project_is_in_the_table",),
        ),
        generated(SPEC, "tjgen/language/spec/compact.py", "tjgen/language/spec/objects.py", checks=(GENERATED,)),
        pages("docs/reference/project.md"),
    ),
    "a command": (
        Place(
            "tjgen/cli/<verb>.py",
            {"tjgen/cli/added.py": COMMAND},
            (f"{TABLES}::test_every_module_with_a_command_is_in_the_table_under_its_name",),
        ),
        Place(
            "GROUPS",
            {
                "tjgen/cli/program.py": ('"build", ', '"build", "added", '),
            },
            (f"{TABLES}::test_every_module_with_a_command_is_in_the_table_under_its_name",),
        ),
        pages("docs/reference/cli.md"),
    ),
    "a rule of lint": (
        Place(
            "tjgen/gitops/lint/rules/<what_it_finds>.py",
            {"tjgen/gitops/lint/rules/preparation_added.py": RULE},
            (f"{RULES}::test_every_case_is_good_or_bad_and_of_a_rule",),
        ),
        Place(
            "tests/gitops/lint/TJ6NN/{bad,good}/",
            {
                "tests/gitops/lint/TJ677/bad/job.yaml": BAD,
                "tests/gitops/lint/TJ677/bad/expected/findings.txt": FINDINGS,
                "tests/gitops/lint/TJ677/good/job.yaml": GOOD,
            },
            (f"{RULES}::test_every_case_is_good_or_bad_and_of_a_rule",),
        ),
        pages("docs/reference/rules.md", "tjgen/trees/diagnostics/rulecodes.toml"),
    ),
    "a diagnostic": (
        Place(
            "the code where it is reported",
            {
                "tjgen/compiler/passes/checkpoints.py": (
                    "    if experiment.spec.checkpoints is not None:\n",
                    '    if experiment.metadata.name == "wrong":\n        yield Diagnostic("TJ998", "a message")\n'
                    "    if experiment.spec.checkpoints is not None:\n",
                )
            },
            (f"{CODES}::test_every_active_code_is_in_the_source_and_no_retired_one",),
        ),
        Place(
            "tjgen/trees/diagnostics/codes.toml",
            {"tjgen/trees/diagnostics/codes.toml": (_LAST_CODE, _LAST_CODE + CODE)},
            (f"{CODES}::test_every_code_in_the_source_is_in_the_table",),
        ),
        pages("docs/reference/diagnostics.md", "tjgen/trees/diagnostics/table.py"),
        Place(
            "tests/hints/unapplied.toml",
            {
                "tests/hints/unapplied.toml": (
                    _FIRST_GROUP,
                    f'{_FIRST_GROUP}[[group]]\nreason = "An example."\ncodes = ["TJ998"]\n\n',
                )
            },
            ("tests/hints/test_hints.py::test_each_code_is_applied_or_listed_with_a_reason",),
        ),
    ),
    "a step of every run": (
        Place(
            "tjgen/compiler/hops/<what>.py",
            {"tjgen/compiler/hops/added.py": STEP},
            (STEPS,),
        ),
        Place(
            "HOPS",
            {
                "tjgen/compiler/pipeline.py": (
                    *("hops import afterwards", "hops import added, afterwards"),
                    *("""    ("judge", verdict.judge),\n""", """    ("judge", verdict.judge),\n    ("added", added.added),\n"""),
                )
            },
            (STEPS,),
        ),
        Place(
            "a row in docs/architecture.md",
            {"docs/architecture.md": ("| police |", "| added | nothing | `hops` |\n| police |")},
            (STEPS,),
        ),
    ),
    "a program next to runs": (
        Place(
            "tjgen/compiler/programs/<concern>/",
            {
                "tjgen/compiler/programs/adding/__init__.py": '"""An example of a concern."""\n',
                "tjgen/compiler/programs/adding/added.py": PROGRAM,
            },
            (f"{PROGRAMS}::test_every_program_is_used_and_every_module_of_programs_is_imported",),
        ),
        Place(
            "scripts/<program>",
            {"scripts/adding.sh": "exit 0\n"},
            (f"{PROGRAMS}::test_every_program_has_a_section_and_every_section_a_program",),
        ),
        Place(
            "the pass that yields its objects",
            {
                "tjgen/compiler/passes/programs.py": (
                    "    from tjgen.compiler.passes import program_network",
                    "    from tjgen.compiler.programs.adding import added\n\n    yield from added.objects(workload, setting)\n"
                    "    from tjgen.compiler.passes import program_network",
                )
            },
            (f"{PROGRAMS}::test_every_program_is_used_and_every_module_of_programs_is_imported",),
        ),
        Place(
            "a section of `docs/explanation/in-cluster-programs.md`",
            {"docs/explanation/in-cluster-programs.md": ("## `backup.sh`\n", f"{SECTION}\n## `backup.sh`\n")},
            (f"{PROGRAMS}::test_every_program_has_a_section_and_every_section_a_program",),
        ),
    ),
    "a layout of checkpoints": (
        Place(
            "scripts/layouts.toml",
            {
                "scripts/layouts.toml": (
                    '[[layouts]]\nframework = "Orbax"\n',
                    '[[layouts]]\nframework = "Added"\nsave = "Rename `added.json` into place"\nname = "step-"\n'
                    'marker = "added.json"\n\n[[layouts]]\nframework = "Orbax"\n',
                )
            },
            (LAYOUTS,),
        ),
        Place(
            "tests/compiler/programs/keeping/frameworks.py",
            {
                "tests/compiler/programs/keeping/frameworks.py": (
                    '    Framework("Orbax", ',
                    '    Framework("Added", "added", Rules(marker="added.json"), ""),\n    Framework("Orbax", ',
                )
            },
            (LAYOUTS,),
        ),
        pages("docs/how-to/checkpoints.md"),
    ),
    "a device vendor": (
        Place("platforms/<vendor>.yaml", {"platforms/added.yaml": VENDOR}, (GENERATED,)),
        generated(SPEC, "tjgen/language/platform/builtin.py", checks=(GENERATED,)),
    ),
    "a policy engine": (
        Place(
            "tjgen/cluster/policies/<engine>.py",
            {"tjgen/cluster/policies/added.py": ENGINE},
            (f"{ENGINES}::test_every_module_of_an_engine_is_in_the_table",),
        ),
        Place(
            "ENGINES",
            {
                "tjgen/cluster/policies/table.py": (
                    """"ValidatingPolicy"): "kyverno"}""",
                    """"ValidatingPolicy"): "kyverno", ("policies.added.example", "ValidatingPolicy"): "added"}""",
                )
            },
            (f"{ENGINES}::test_every_module_of_an_engine_is_in_the_table",),
        ),
        Place(
            "its kinds in `schemas/sets.yaml`",
            {
                "schemas/index.json": (
                    *('{\n "kinds":{\n', '{\n "kinds":{\n  "policies.added.example/v1/ValidatingPolicy":"added",\n'),
                    *('  "kyverno":"v1.19.1",\n', '  "added":"v1.0.0",\n  "kyverno":"v1.19.1",\n'),
                    *('  "kyverno":["v1.19.1"],\n', '  "added":["v1.0.0"],\n  "kyverno":["v1.19.1"],\n'),
                ),
                "schemas/added/v1.0.0/SOURCE": source(f"{_KYVERNO}/SOURCE"),
                "schemas/added/v1.0.0/policies.added.example_v1_validatingpolicy.json": source(f"{_KYVERNO}/{_POLICY_SCHEMA}"),
            },
            (f"{ENGINES}::test_a_policy_of_an_engine_is_known_by_its_kind",),
        ),
        Place(
            "tests/cluster/policies/recorded_<engine>.json.xz",
            {"tests/cluster/policies/recorded_added.json.xz": "{}\n"},
            (f"{ENGINES}::test_an_engine_has_recorded_decisions_and_its_section_of_the_page",),
        ),
        Place(
            "a section of `docs/how-to/policies.md`",
            {
                "docs/how-to/policies.md": (
                    "## Policies of Kyverno\n",
                    "## Policies of Added\nAn example.\n\n## Policies of Kyverno\n",
                )
            },
            (f"{ENGINES}::test_an_engine_has_recorded_decisions_and_its_section_of_the_page",),
        ),
        pages("docs/reference/schemas.md"),
    ),
    "a check of a built-in kind": (
        Place(
            "tjgen/cluster/validate/builtin/<noun>.py",
            {"tjgen/cluster/validate/builtin/added.py": CHECK},
            (f"{TABLES}::test_every_check_of_a_built_in_kind_is_called",),
        ),
        Place(
            "tjgen/cluster/validate/builtin/kinds.py",
            {
                "tjgen/cluster/validate/builtin/kinds.py": (
                    '_PLAIN = ("v1/ServiceAccount",)',
                    '_PLAIN = ()\n_CHECKS["v1/ServiceAccount"] = "added:service_account"',
                )
            },
            (f"{TABLES}::test_every_check_of_a_built_in_kind_is_called",),
        ),
    ),
    "a section of the report": (
        Place(
            "tjgen/tools/report/<noun>.py",
            {"tjgen/tools/report/added.py": PANEL},
            (f"{TABLES}::test_every_section_of_a_report_is_on_the_page",),
        ),
        Place(
            "SECTIONS",
            {
                "tjgen/tools/report/page.py": (
                    *("report import changes", "report import added, changes"),
                    *("    totals.section,\n", "    added.section,\n    totals.section,\n"),
                )
            },
            (f"{TABLES}::test_every_section_of_a_report_is_on_the_page",),
        ),
    ),
    "a field of JobSet": (
        Place(
            "python schemas/generate.py",
            dict.fromkeys(_JOBSET_SCHEMAS, (_COORDINATOR, _ADDED_FIELD + _COORDINATOR)),
            (GO_TYPES,),
        ),
        Place(
            "python schemas/gotypes/table.py",
            {
                "tjgen/cluster/trainer/gotypes.py": (
                    *(" suspend:*bool coordinator:*Coordinator", " suspend:*bool added:*Added coordinator:*Coordinator"),
                    *('    "Affinity": ', '    "Added": "mode:string",\n    "Affinity": '),
                )
            },
            (GO_TYPES,),
        ),
        Place(
            "tjgen/cluster/trainer/live.py",
            {
                "tjgen/cluster/trainer/live.py": (
                    '    if "volumeClaimPolicies" in spec:\n',
                    '    if "added" in spec:\n        result["added"] = {"mode": "Always", **spec["added"]}\n'
                    '    if "volumeClaimPolicies" in spec:\n',
                )
            },
            (f"{JOBSETS}::test_defaults_are_those_of_the_webhook",),
        ),
        Place(
            "tests/cluster/trainer/recorded_jobsets.jsonl",
            {"tests/cluster/trainer/recorded_jobsets.jsonl": (f"{_FIRST_JOBSET}\n", f"{NEW_JOBSET}\n{_FIRST_JOBSET}\n")},
            (f"{JOBSETS}::test_every_field_of_the_spec_is_in_a_recorded_jobset",),
        ),
    ),
    "an output format": (
        Place(
            "tjgen/trees/diagnostics/render/<format>.py",
            {"tjgen/trees/diagnostics/render/added.py": RENDERED},
            (f"{TABLES}::test_every_format_has_its_renderer",),
        ),
        Place(
            "FORMATS",
            {"tjgen/cli/command.py": ('        Format("github"),\n', '        Format("added"),\n        Format("github"),\n')},
            (f"{TABLES}::test_every_format_has_its_renderer",),
        ),
        Place(
            "python -m tests.gitops.verify.test_formats",
            {"tests/gitops/verify/formats/added.txt": source("tests/gitops/verify/formats/github.txt")},
            (f"{FORMATS}::test_every_format_is_recorded", f"{FORMATS}::test_a_format_is_as_recorded"),
        ),
        pages("docs/reference/cli.md"),
    ),
    "a scheme of run names": (
        Place(
            "tjgen/language/runs/identity_v<number>.py",
            {"tjgen/language/runs/identity_v9.py": RULES_OF_NAMES},
            (f"{NAMES}::test_every_module_of_earlier_rules_is_in_the_table_and_has_recorded_identities",),
        ),
        Place(
            "EARLIER",
            {
                "tjgen/language/runs/earlier.py": (
                    *("import identity_v1, identity_v2\n", "import identity_v1, identity_v2, identity_v9\n"),
                    *('    "identity_v2":', '    "identity_v9": identity_v9.SPEC,\n    "identity_v2":'),
                )
            },
            (f"{NAMES}::test_every_module_of_earlier_rules_is_in_the_table_and_has_recorded_identities",),
        ),
        Place(
            "tests/language/runs/identity_v<number>.jsonl",
            {"tests/language/runs/identity_v9.jsonl": source("tests/language/runs/identity_v1.jsonl")},
            (f"{NAMES}::test_every_module_of_earlier_rules_is_in_the_table_and_has_recorded_identities",),
        ),
    ),
    "a minor of Kubernetes": (
        Place("VERSIONS", {"schemas/minors.py": ('37: "v0.37.2"}', '37: "v0.37.2", 38: "v0.38.0"}')}, (MINORS,)),
        Place("NEWEST", {"tjgen/cluster/schema/minors.py": ("OLDEST, NEWEST = 31, 37", "OLDEST, NEWEST = 31, 38")}, (MINORS,)),
        Place(
            "tests/cluster/validate/minors/recorded.jsonl",
            {"tests/cluster/validate/minors/recorded.jsonl": (_VERDICTS, NEW_VERDICTS)},
            (MINORS,),
        ),
        Place(
            "docs/how-to/trainer-releases.md", {"docs/how-to/trainer-releases.md": ("1.31 to 1.37", "1.31 to 1.38")}, (MINORS,)
        ),
    ),
    "an event in the life of a run": (
        Place(
            "OUTCOMES",
            {
                "tjgen/cluster/outcomes.py": (
                    _OUTCOME,
                    f'{_OUTCOME}    EventOutcome("Job", KUBERNETES, "it is added", STAYS),\n',
                )
            },
            (OUTCOMES,),
        ),
        Place(
            "tests/e2e/lifecycle/scenarios.py",
            {
                "tests/e2e/lifecycle/scenarios.py": (
                    _SCENARIO,
                    f'{_SCENARIO}    Scenario("Job", KUBERNETES, "it is added"),\n',
                )
            },
            (OUTCOMES,),
        ),
        Place("python -m tests.e2e.lifecycle", {"tests/e2e/lifecycle/results.yaml": (_HEAD, _RECORD)}, (OUTCOMES,)),
        pages("docs/reference/outcomes.md"),
    ),
    "an operating system": (
        Place(
            "LINK_ERRORS",
            {"tjgen/trees/system.py": ('    "NetBSD":', '    "Added": (errno.ELOOP,),\n    "NetBSD":')},
            (SYSTEMS,),
        ),
        Place("docs/how-to/install.md", {"docs/how-to/install.md": ("FreeBSD, and", "FreeBSD, Added, and")}, (SYSTEMS,)),
    ),
}
"""First column of a row -> its places."""
LEFT_OUT = {
    "a volume source": "tests/compiler/volumes/test_adding.py makes this addition",
    "a release of Trainer": "tests/cluster/test_new_release.py makes this addition",
}
"""Rows whose additions are not made here, and what stands in their place."""
