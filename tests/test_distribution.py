"""The wheel and the source distribution: built, installed, and used away from the checkout."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml

from tests.checkout import ROOT, copy_shipped
from tests.program import tjgen

PYTHONS = ("3.11", "3.12", "3.13", "3.14")
FRAMEWORKS = ("torch", "jax", "tensorflow", "mpi", "xgboost", "paddle")
SHELLS = ("bash", "zsh", "fish")


def run(*words: object, cwd: Path, **environment: str) -> str:
    command = [str(word) for word in words]
    found = subprocess.run(
        command, cwd=cwd, env={**os.environ, **environment}, capture_output=True, text=True, check=False, timeout=600
    )
    assert found.returncode == 0, found.stdout + found.stderr
    return found.stdout


def interpreter_of(python: str) -> Path | None:
    """An interpreter of this release, on the path or among those of pyenv. The shims of pyenv may be there without one."""
    on_path = shutil.which(f"python{python}")
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    candidates = [*([Path(on_path)] if on_path else []), *sorted(versions.glob(f"{python}.*/bin/python"))]
    return next(
        (one for one in candidates if subprocess.run([one, "-c", ""], capture_output=True, check=False).returncode == 0), None
    )


def built(sources: Path, target: str, folder: Path) -> Path:
    run(sys.executable, "-m", "hatchling", "build", "-t", target, "-d", folder, cwd=sources)
    (found,) = folder.iterdir()
    return found


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sources")
    copy_shipped(folder)
    return folder


@pytest.fixture(scope="module")
def wheel(sources: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(sources, "wheel", tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel, for the interpreter and the dependencies of the tests."""
    folder = tmp_path_factory.mktemp("installed")
    run(sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--target", folder, wheel, cwd=folder)
    return folder


def program(installed: Path, cwd: Path, *words: str, **environment: str) -> str:
    return run(sys.executable, "-m", "tjgen", *words, cwd=cwd, PYTHONPATH=str(installed), **environment)


def test_the_installed_package_is_used(installed: Path, tmp_path: Path) -> None:
    printed = run(sys.executable, "-c", "import tjgen; print(tjgen.__file__)", cwd=tmp_path, PYTHONPATH=str(installed))
    assert Path(printed.strip()) == installed / "tjgen/__init__.py"


@pytest.mark.parametrize("name", ["smallest", "resnet50", "volcano", "data-slices/experiment", "platform/experiment"])
def test_examples_build_as_in_the_checkout(name: str, installed: Path, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    file = f"examples/{name}.yaml"
    if not (tmp_path / file).exists():
        file = f"examples/{name.partition('/')[0]}"
    assert program(installed, tmp_path, "build", file, "--expanded") == tjgen(tmp_path, "build", file, "--expanded").out


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_init_has_its_templates(framework: str, installed: Path, tmp_path: Path) -> None:
    program(installed, tmp_path, "init", "lab", "--framework", framework)
    assert program(installed, tmp_path / "lab", "build", "--check") == ""
    assert (tmp_path / "lab/experiments/hello.yaml").exists()


@pytest.mark.parametrize(
    "words",
    [("runtimes", "list"), ("devices",), ("schema", "experiment"), ("explain", "TJ101"), ("schemas", "list")],
    ids=" ".join,
)
def test_commands_find_their_data(words: tuple[str, ...], installed: Path, tmp_path: Path) -> None:
    assert program(installed, tmp_path, *words) == tjgen(tmp_path, *words).out != ""


def test_a_wheel_of_the_same_sources_has_the_same_bytes(wheel: Path, sources: Path, tmp_path: Path) -> None:
    again = built(sources, "wheel", tmp_path / "again")
    assert sha256(again.read_bytes()).digest() == sha256(wheel.read_bytes()).digest()


def test_the_source_distribution_builds_the_same_wheel(wheel: Path, sources: Path, tmp_path: Path) -> None:
    run("tar", "-xf", built(sources, "sdist", tmp_path / "sdist"), cwd=tmp_path)
    (unpacked,) = [path for path in tmp_path.iterdir() if path.name.startswith("tjgen-")]
    assert built(unpacked, "wheel", tmp_path / "wheel").read_bytes() == wheel.read_bytes()


def test_the_wheel_has_types_a_license_and_a_manual(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    for end in ("tjgen/py.typed", "tjgen/__init__.pyi", "licenses/LICENSE", "data/share/man/man1/tjgen.1"):
        assert [name for name in names if name.endswith(end)], end
    assert not [name for name in names if name.startswith(("tests/", "docs/"))]


@pytest.mark.parametrize("python", PYTHONS)
def test_every_supported_python_runs_the_wheel(python: str, wheel: Path, tmp_path: Path) -> None:
    interpreter = interpreter_of(python)
    if interpreter is None:
        pytest.skip(f"python{python} is not installed")
    # The first line of a program cannot name a path with a space.
    environment = tmp_path / "my clones/venv"
    run(interpreter, "-m", "venv", environment, cwd=tmp_path)
    run(environment / "bin/python", "-m", "pip", "install", "-q", wheel, cwd=tmp_path)
    shutil.copy(ROOT / "examples/resnet50.yaml", tmp_path)
    printed = run(environment / "bin/tjgen", "build", "resnet50.yaml", cwd=tmp_path)
    assert printed == tjgen(tmp_path, "build", "resnet50.yaml").out
    assert (environment / "share/man/man1/tjgen.1").exists()


def test_the_lowest_dependencies_run_the_wheel(wheel: Path, tmp_path: Path) -> None:
    interpreter = interpreter_of(PYTHONS[0])
    if interpreter is None:
        pytest.skip(f"python{PYTHONS[0]} is not installed")
    dependencies = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    lowest = [one.replace(">=", "==") for one in dependencies]
    run(interpreter, "-m", "venv", tmp_path / "venv", cwd=tmp_path)
    run(tmp_path / "venv/bin/python", "-m", "pip", "install", "-q", wheel, *lowest, cwd=tmp_path)
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    printed = run(tmp_path / "venv/bin/tjgen", "build", "examples/resnet50.yaml", cwd=tmp_path)
    assert printed == tjgen(tmp_path, "build", "examples/resnet50.yaml").out
    authored = run(tmp_path / "venv/bin/python", "examples/experiments.py", cwd=tmp_path)
    assert authored == run(sys.executable, "examples/experiments.py", cwd=tmp_path, PYTHONPATH=str(ROOT))


def test_a_bill_of_materials_lists_the_locked_requirements(tmp_path: Path) -> None:
    if find_spec("cyclonedx_py") is None:
        pytest.skip("cyclonedx-bom is not installed (the extra `release`)")
    files = [tmp_path / "first.json", tmp_path / "second.json"]
    for file in files:
        run(ROOT / ".ci/sbom", file, cwd=tmp_path, PYTHON=sys.executable)
    bill = json.loads(files[0].read_bytes())
    locked = re.findall(r"(?m)^([\w-]+)==(\S+)", (ROOT / "templates/init/requirements.txt").read_text(encoding="utf-8"))
    assert (bill["bomFormat"], bill["metadata"]["component"]["name"]) == ("CycloneDX", "tjgen")
    assert sorted((one["name"], one["version"]) for one in bill["components"]) == sorted(locked)
    assert files[0].read_bytes() == files[1].read_bytes()


def test_the_image_of_the_argocd_plugin_compiles_nothing_when_it_runs(installed: Path, tmp_path: Path) -> None:
    """The steps of the Dockerfile after the installation, in an environment whose modules are not compiled."""
    run(sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv", cwd=tmp_path)
    python = tmp_path / "venv/bin/python"
    packages = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=tmp_path).strip())
    shutil.copytree(installed / "tjgen", packages / "tjgen", ignore=shutil.ignore_patterns("__pycache__"))
    (packages / "dependencies.pth").write_text(f"{Path(yaml.__file__).parent.parent}\n", encoding="utf-8")
    program = tmp_path / "venv/bin/tjgen"
    program.write_text(f"#!{python}\nimport sys\nfrom tjgen.__main__ import main\nsys.exit(main())\n", encoding="utf-8")
    program.chmod(0o755)
    plugin = (ROOT / "integrations/argocd/Dockerfile").read_text(encoding="utf-8")
    (step,) = [line for line in plugin.replace("\\\n", " ").splitlines() if line.startswith("RUN packages=")]
    example, project = tmp_path / "example", tmp_path / "project"
    for folder in (example, project):
        shutil.copytree(ROOT / "examples/inside/argocd", folder)
    # Python's own modules are compiled on this machine already.
    step = step.removeprefix("RUN ").replace(' "$library"', "").replace("/tmp/example", str(example))
    chosen = {"ARGOCD_APP_PARAMETERS": json.dumps([{"name": "environment", "string": "dev"}]), "PYTHONDONTWRITEBYTECODE": "1"}

    def compiled(command: str) -> list[str]:
        """The sources of tjgen that Python compiles for a command."""
        words = [str(python), "-v", str(program), "cmp", command]
        ended = subprocess.run(words, cwd=project, env={**os.environ, **chosen}, capture_output=True, text=True, check=True)
        return re.findall(r"^# code object from '?([^'\n]*/tjgen/[^'\n]*\.py)'?$", ended.stderr, re.MULTILINE)

    commands = ("discover", "parameters", "generate")
    assert all(len(compiled(command)) > 50 for command in commands)
    path = f"{python.parent}{os.pathsep}{os.environ['PATH']}"
    run("env", "-u", "PYTHONDONTWRITEBYTECODE", "sh", "-euc", step, cwd=tmp_path, PATH=path)
    assert [compiled(command) for command in commands] == [[], [], []]
    assert [file.stat().st_mtime for file in packages.rglob("*.py") if file.stat().st_mtime] == []
    assert not example.exists()
    (stored,) = (packages / "tjgen/__pycache__").glob("modules.*.bin")
    assert b"tjgen.cli.cmp" in stored.read_bytes()


@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_gets_its_completion(shell: str, installed: Path, tmp_path: Path) -> None:
    script = program(installed, tmp_path, _TJGEN_COMPLETE=f"{shell}_source")
    assert f"_TJGEN_COMPLETE={shell}_complete" in script


@pytest.mark.parametrize(
    ("line", "position", "found"),
    [("tjgen pro", "1", ["promote"]), ("tjgen build --sum", "2", ["--summary"]), ("tjgen init --framework j", "3", ["jax"])],
    ids=["a command", "an option", "a value"],
)
def test_words_are_completed(line: str, position: str, found: list[str], installed: Path, tmp_path: Path) -> None:
    printed = program(installed, tmp_path, COMP_WORDS=line, COMP_CWORD=position, _TJGEN_COMPLETE="bash_complete")
    assert [one.partition(",")[2] for one in printed.split()] == found


def test_the_manual_is_sound() -> None:
    text = (ROOT / "man/tjgen.1").read_text(encoding="utf-8")
    known = {".TH", ".SH", ".SS", ".TP", ".PP", ".nf", ".fi", ".B", ".I", '.\\"'}
    assert {line.split(" ")[0] for line in text.splitlines() if line.startswith((".", "'"))} <= known
    if shutil.which("groff"):
        found = subprocess.run(["groff", "-man", "-ww", "-z"], input=text, capture_output=True, text=True, check=True)
        assert found.stderr == ""
