"""Tables of named things against the folders that hold them: nothing is half-added."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType
from typing import get_args

import pytest

from tests.checkout import ROOT, list_entries
from tests.cluster.trainer.cases import CORPUS, RECORDED
from tests.program import arguments, cases, tjgen
from tjgen.cli.command import FORMAT, Command
from tjgen.cli.program import COMMANDS
from tjgen.cluster.kinds.table import OF_TRAINER, targets
from tjgen.cluster.trainer.framework import PLUGINS
from tjgen.cluster.validate.builtin import kinds as builtin_kinds
from tjgen.compiler.hops import workload as hops
from tjgen.compiler.passes.table import PASSES, Pass
from tjgen.compiler.pipeline import AFTERWARDS, HOPS
from tjgen.language.setting import Setting
from tjgen.language.slicing.strategies import STRATEGIES
from tjgen.language.spec.models.experiment import ExperimentSpec
from tjgen.language.spec.objects import Experiment
from tjgen.tools.importing import kinds as importers
from tjgen.tools.report.page import SECTIONS
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.workload.contribution import Contribution
from tjgen.trees.workload.workload import Workload

PHASES = ("enforce_ml_policy", "enforce_pod_group_policy", "enforce_pod_spec", "build")


def modules(package: str) -> list[ModuleType]:
    """The modules of a package."""
    folder = ROOT.joinpath(*package.split("."))
    return [import_module(f"{package}.{path.stem}") for path in sorted(folder.glob("*.py")) if path.stem != "__init__"]


def imports(package: str) -> Iterator[ast.ImportFrom]:
    """The statements of the product that import from a package or its modules."""
    for path in list_entries(ROOT / "tjgen", "**/*.py"):
        text = path.read_text(encoding="utf-8")
        if package in text:
            yield from (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom))


def own(module: ModuleType, name: str) -> bool:
    """Whether the module defines a function of this name, rather than importing it."""
    return getattr(getattr(module, name, None), "__module__", None) == module.__name__


def test_every_module_with_a_command_is_in_the_table_under_its_name() -> None:
    with_command = {module.__name__: module.COMMAND.name for module in modules("tjgen.cli") if hasattr(module, "COMMAND")}
    assert {module: name for name, module in COMMANDS.items()} == with_command
    assert [name for name, module in COMMANDS.items() if not module.endswith(f".{name}")] == []


@pytest.mark.parametrize("module", COMMANDS.values(), ids=COMMANDS)
def test_a_command_is_described_and_can_be_run(module: str) -> None:
    loaded = import_module(module)
    command: Command = loaded.COMMAND
    assert own(loaded, "run")
    assert command.summary.endswith(".")
    assert command.description.endswith(".")
    assert f"tjgen {command.name}" in command.example
    names = [option.name for option in command.options]
    assert len(names) == len(set(names))
    assert all(option.help.endswith(".") for option in command.options)


def test_every_pass_is_in_the_table_under_the_name_of_its_module() -> None:
    found = {module.__name__: module for module in modules("tjgen.compiler.passes") if own(module, "contribute")}
    assert {f"tjgen.compiler.passes.{name}": function for name, function in PASSES} == {
        name: module.contribute for name, module in found.items()
    }


def test_every_pass_has_a_case(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each pass contributes or reports something for a case."""
    idle = {name for name, _ in PASSES}

    def noted(name: str, one_pass: Pass) -> Pass:
        def contribute(workload: Workload, experiment: Experiment, setting: Setting) -> Iterator[Contribution | Diagnostic]:
            for one in one_pass(workload, experiment, setting):
                idle.discard(name)
                yield one

        return contribute

    monkeypatch.setattr(hops, "PASSES", tuple((name, noted(name, one_pass)) for name, one_pass in PASSES))
    for case in [*cases("cases"), *cases("rejects")]:
        if idle:
            tjgen(case, "build", *arguments(case))
    assert idle == set()


def test_every_plugin_of_the_twin_is_in_the_table_in_the_order_of_upstream() -> None:
    found = [module for module in modules("tjgen.cluster.trainer.plugins") if any(own(module, phase) for phase in PHASES)]
    # Upstream runs its plugins in the order of a Go map, which is none; by name is an order that stays.
    assert list(PLUGINS) == found


def test_every_plugin_of_the_twin_has_a_recorded_case() -> None:
    names = [case.parent.name for root in (RECORDED, CORPUS) for case in root.glob("*/input.yaml")]
    plugins = [plugin.__name__.rpartition(".")[2] for plugin in PLUGINS]
    # Every TrainJob goes through the plugin for JobSets. The names of cases begin with those of plugins, or with a part of them.
    assert [name for name in plugins if name != "jobset" and not any(case.startswith(name[:5]) for case in names)] == []


def test_every_strategy_is_in_the_table_under_its_name() -> None:
    found = [module.__name__ for module in modules("tjgen.language.slicing") if own(module, "plan")]
    assert {f"tjgen.language.slicing.{name.replace('-', '_')}": module for name, module in STRATEGIES.items()} == {
        name: name for name in found
    }


def test_every_target_is_in_the_language_and_has_a_module_and_a_case() -> None:
    assert get_args(ExperimentSpec.model_fields["target"].annotation) == targets()
    said = {
        text
        for path in list_entries(ROOT / "tests" / "cases", "**/experiment.yaml")
        for text in path.read_text("utf-8").split("\n")
    }
    assert [name for name in targets() if name != "trainjob" and f"  target: {name}" not in said] == []
    own_functions = ("arranged", "lower", "find_warnings", "budget")
    direct = [name for name in targets() if name not in OF_TRAINER]
    assert [
        name for name in direct if not all(own(import_module(f"tjgen.compiler.targets.{name}"), one) for one in own_functions)
    ] == []


def test_the_type_checker_sees_every_module_that_is_imported_by_name() -> None:
    assert checked("tjgen/compiler/targets/table.py", "DIRECT") == [name for name in targets() if name not in OF_TRAINER]
    names = sorted({*importers._IMPORTERS.values(), importers._OF_OPERATORS})
    assert checked("tjgen/tools/importing/kinds.py", "IMPORTERS") == names


def checked(file: str, constant: str) -> list[str]:
    """The names in the tuple `constant` of a file, which only the type checker reads."""
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    (found,) = [node.value for node in ast.walk(tree) if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == constant]
    assert isinstance(found, ast.Tuple)
    return [ast.unparse(element) for element in found.elts]


def test_every_step_of_a_run_is_in_a_table_and_on_the_page_of_the_architecture() -> None:
    found = {
        f"{module.__name__}.{name}"
        for module in modules("tjgen.compiler.hops")
        for name, value in vars(module).items()
        if own(module, name) and list(getattr(value, "__annotations__", ())) == ["job", "draft", "return"] and name[0] != "_"
    }
    steps = [*HOPS, *AFTERWARDS]
    assert {f"{hop.__module__}.{hop.__name__}" for _, hop in steps} == found
    assert [hop.__name__ for _, hop in steps] == [name for name, _ in steps]
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8").partition("| hop |")[2].partition("\n\n")[0]
    rows = [line.split("|")[1].strip() for line in page.splitlines()[2:]]
    assert rows == ["read, resolve", *(name for name, _ in steps), "emit"]


def test_every_check_of_a_built_in_kind_is_called() -> None:
    package = "tjgen.cluster.validate.builtin"
    called = {check.partition(":")[0] for check in builtin_kinds._CHECKS.values()}
    for module, function in (check.split(":") for check in builtin_kinds._CHECKS.values()):
        assert own(import_module(f"{package}.{module}"), function), f"{module}:{function}"
    for node in imports(package):
        if node.module == package:
            called |= {one.name for one in node.names}
        elif (node.module or "").startswith(f"{package}."):
            called.add((node.module or "").removeprefix(f"{package}."))
    assert {module.__name__.removeprefix(f"{package}.") for module in modules(package)} - called == set()


def test_every_section_of_a_report_is_on_the_page() -> None:
    found = [module for module in modules("tjgen.tools.report") if own(module, "section")]
    assert {module.__name__ for module in found} == {"tjgen.tools.report.runs", *(one.__module__ for one in SECTIONS)}


def test_only_the_lock_of_a_file_depends_on_the_operating_system() -> None:
    of_one_system = {"fcntl", "grp", "msvcrt", "nt", "posix", "pwd", "resource", "termios", "tty", "winreg"}
    imported = re.compile(rf"^ *(?:import|from) (?:{'|'.join(sorted(of_one_system))})\b", re.MULTILINE)
    files = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in list_entries(ROOT / "tjgen", "**/*.py")}
    assert [file for file, text in files.items() if imported.search(text)] == ["tjgen/gitops/emit/filelock.py"]


def test_every_format_has_its_renderer() -> None:
    found = {module.__name__.rpartition(".")[2] for module in modules("tjgen.trees.diagnostics.render") if own(module, "render")}
    assert set(FORMAT.choices) == found


@pytest.mark.parametrize("runtime", list_entries(ROOT / "runtimes", "*.yaml"), ids=lambda path: path.stem)
def test_every_bundled_runtime_is_used_by_a_case_or_an_example(runtime: object) -> None:
    name = getattr(runtime, "stem", "")
    written = [*list_entries(ROOT / "tests" / "cases", "**/experiment.yaml"), *list_entries(ROOT / "examples", "**/*.yaml")]
    assert any(f"runtime: {name}\n" in path.read_text(encoding="utf-8") for path in written), f"add a case with runtime: {name}"
