"""The pipelines of `tjgen init`: what they install, their steps run in a clean folder, and several projects in one repository."""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.checkout import ROOT, copy_shipped
from tests.program import Answer, tjgen
from tjgen.tools.scaffold.artifact import Artifact, parse, recorded
from tjgen.tools.scaffold.shared import Shared

COMMIT = "0123456789" * 4
HASH = "0" * 64
GIT = f"git+https://git.example.com/tools/tjgen@{COMMIT}"
FILES = {"github": ".github/workflows/training.yaml", "gitlab": "ci/gitlab.yml"}
NAME = "tjgen-0.1.0-py3-none-any.whl"


# What is installed


@pytest.mark.parametrize("forge", FILES)
def test_a_pipeline_without_an_exact_package_is_wrong_use(tmp_path: Path, forge: str) -> None:
    """The tjgen of the tests was installed from a folder, which is no artifact."""
    answer = tjgen(tmp_path, "init", "vision", "--ci", forge)
    assert (answer.code, answer.err.startswith(f"Error: --ci {forge} needs --package")) == (2, True), answer.err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "package",
    [
        pytest.param("tjgen", id="a bare name"),
        pytest.param("tjgen==0.1.0", id="a release without a hash"),
        pytest.param(f"other==0.1.0 --hash=sha256:{HASH}", id="another project"),
        pytest.param("git+https://git.example.com/tjgen", id="a repository without a commit"),
        pytest.param("git+https://git.example.com/tjgen@main", id="a branch"),
        pytest.param("git+https://git.example.com/tjgen@0123456", id="a short commit"),
        pytest.param(f"git+http://git.example.com/tjgen@{COMMIT}", id="without encryption"),
        pytest.param(f"git+https://me:secret@git.example.com/tjgen@{COMMIT}", id="with a password"),
        pytest.param(f"git+https://token@git.example.com/tjgen@{COMMIT}", id="with a token"),
        pytest.param(f"git+https://git.example.com/tj'gen@{COMMIT}", id="with a quote"),
        pytest.param("dist/tjgen-0.1.0-py3-none-any.whl", id="a wheel that does not exist"),
        pytest.param("other-0.1.0-py3-none-any.whl", id="a wheel of another project"),
    ],
)
def test_what_is_not_one_exact_tjgen_is_refused(tmp_path: Path, package: str) -> None:
    answer = tjgen(tmp_path, "init", "vision", "--ci", "github", "--package", package)
    assert (answer.code, answer.err.startswith("Error: --package ")) == (2, True), answer.err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("package", "artifact"),
    [
        (GIT, Artifact(git=f"tjgen @ {GIT}")),
        (
            f"git+ssh://git@git.example.com/tjgen.git@{COMMIT}",
            Artifact(git=f"tjgen @ git+ssh://git@git.example.com/tjgen.git@{COMMIT}"),
        ),
        (f"tjgen==0.1.0 --hash=sha256:{HASH}", Artifact(requirement=f"tjgen==0.1.0 --hash=sha256:{HASH}")),
    ],
)
def test_an_exact_package_is_taken(package: str, artifact: Artifact) -> None:
    assert parse(package, "ci") == artifact


def test_what_pip_recorded_is_the_default(tmp_path: Path) -> None:
    wheel = tmp_path / NAME
    wheel.write_bytes(b"wheel")
    digest = hashlib.sha256(b"wheel").hexdigest()
    url = f"https://dist.example.com/{NAME}"
    records: list[tuple[dict[str, Any], Artifact | None]] = [
        (
            {"url": wheel.as_uri(), "archive_info": {}},
            Artifact(f"./ci/{NAME} --hash=sha256:{digest}", wheel=NAME, content=b"wheel"),
        ),
        ({"url": url, "archive_info": {"hashes": {"sha256": HASH}}}, Artifact(f"tjgen @ {url} --hash=sha256:{HASH}")),
        ({"url": url, "archive_info": {}}, None),
        (
            {"url": "https://git.example.com/tools/tjgen", "vcs_info": {"vcs": "git", "commit_id": COMMIT}},
            Artifact(git=f"tjgen @ {GIT}"),
        ),
        ({"url": "file:///home/me/tjgen", "dir_info": {"editable": True}}, None),
        ({"url": "file:///gone/tjgen-0.1.0-py3-none-any.whl", "archive_info": {}}, None),
    ]
    for record, artifact in records:
        assert recorded(record, "ci") == artifact


@pytest.mark.parametrize(("file", "wanted"), [("requirements.txt", "tjgen"), ("requirements-build.txt", "")])
def test_shipped_requirements_are_complete_and_have_hashes(file: str, wanted: str) -> None:
    """Every package that the installed tjgen needs, with the packages that those need."""
    text = (ROOT / "templates/init" / file).read_text(encoding="utf-8")
    lines = [line for line in text.replace("\\\n", " ").splitlines() if line and not line.startswith("#")]
    found = {}
    for line in lines:
        match = re.fullmatch(r"([\w-]+)==[\w.]+(?: ; [^-]+?)?((?: +--hash=sha256:[0-9a-f]{64})+) *", line)
        assert match, line
        found[_normal(match[1])] = match[2]
    assert len(found) == len(lines)
    if wanted:
        assert _needed(wanted) == set(found)
    else:
        assert "hatchling" in found


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _needed(name: str) -> set[str]:
    found = set()
    for line in importlib.metadata.requires(name) or ():
        match = re.match(r"[\w.-]+", line)
        if "extra ==" not in line and "sys_platform" not in line and "platform_system" not in line and match:
            found |= {_normal(match[0]), *_needed(match[0])}
    return found


# The steps, run


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """This checkout as a wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    copy_shipped(folder / "tjgen")
    words = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps", "-w", str(folder)]
    subprocess.run([*words, str(folder / "tjgen")], check=True, capture_output=True)
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """This checkout as a repository, and its commit."""
    folder = tmp_path_factory.mktemp("published")
    copy_shipped(folder)
    git(folder, "init", "--quiet", "--initial-branch=main")
    return folder, commit(folder)


def git(folder: Path, *words: str) -> str:
    command = ["git", "-C", str(folder), "-c", "user.name=tests", "-c", "user.email=tests@example.com", *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def commit(folder: Path) -> str:
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message=next")
    return git(folder, "rev-parse", "HEAD")


class Machine:
    """A clean machine with Python and Git, as a forge gives it to a job. tjgen is not on its path."""

    def __init__(self, folder: Path, clone: Path) -> None:
        self.folder = folder
        self.clone = clone
        self.added = folder / "path"
        self.summary = folder / "summary.md"
        (folder / "bin").mkdir(parents=True)
        self.added.touch()
        for name in ("git", "bash", "cat"):
            place = shutil.which(name)
            assert place is not None
            (folder / "bin" / name).symlink_to(place)
        base = Path(sys.base_prefix) / "bin" / f"python{sys.version_info.major}.{sys.version_info.minor}"
        subprocess.run([base, "-m", "venv", str(folder / "python")], check=True, capture_output=True)

    def run(self, script: str, place: Path, **variables: str) -> Answer:
        kept = {name: value for name, value in os.environ.items() if name.startswith("PIP_") or name.lower().endswith("_proxy")}
        added = self.added.read_text(encoding="utf-8").split()
        environment = {
            **kept,
            "PATH": os.pathsep.join([*reversed(added), str(self.folder / "python/bin"), str(self.folder / "bin")]),
            "HOME": str(self.folder),
            "RUNNER_TEMP": str(self.folder),
            "GITHUB_PATH": str(self.added),
            "GITHUB_STEP_SUMMARY": str(self.summary),
            "CI_PROJECT_DIR": str(self.clone),
            "CI": "true",
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "safe.directory",
            "GIT_CONFIG_VALUE_0": "*",
            **variables,
        }
        words = [str(self.folder / "bin/bash"), "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
        answer = subprocess.run(words, cwd=place, env=environment, capture_output=True, text=True, check=False)
        return Answer(answer.returncode, answer.stdout, answer.stderr)


def steps(forge: str, file: Path, clone: Path) -> list[tuple[str, Path]]:
    """The scripts of a pipeline, in order, each with the folder that it starts in."""
    described = yaml.load(file.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)
    if forge == "github":
        (job,) = described["jobs"].values()
        place = clone / job.get("defaults", {}).get("run", {}).get("working-directory", "")
        return [(step["run"], place) for step in job["steps"] if "run" in step]
    found = []
    for job in [job for key, job in described.items() if not key.startswith(".")]:
        lines = [*described[job["extends"]]["before_script"], *job["script"]]
        found.append(("\n".join(lines), clone))
    return found


@pytest.mark.parametrize(("forge", "kind"), [("github", "wheel"), ("github", "git"), ("gitlab", "wheel")])
def test_the_steps_of_a_pipeline_run_on_a_clean_machine(
    tmp_path: Path, wheel: Path, published: tuple[Path, str], forge: str, kind: str
) -> None:
    repository = tmp_path / "vision"
    address = "https://git.example.com/tools/tjgen"
    package = str(wheel) if kind == "wheel" else f"git+{address}@{published[1]}"
    answer = tjgen(tmp_path, "init", "vision", "--ci", forge, "--package", package)
    assert answer.code == 0, answer.err
    git(repository, "init", "--quiet", "--initial-branch=main")
    base = commit(repository)
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", str(repository), str(clone))
    machine = Machine(tmp_path / "machine", clone)
    variables = {
        "BASE": base,
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": base,
        "GIT_CONFIG_COUNT": "2",
        "GIT_CONFIG_KEY_1": f"url.{published[0].as_uri()}.insteadOf",
        "GIT_CONFIG_VALUE_1": address,
    }
    for script, place in steps(forge, clone / FILES[forge], clone):
        answer = machine.run(script, place, **variables)
        assert answer.code == 0, script + answer.out + answer.err
    # It was the installed tjgen that ran, and the pipeline notices what a build would change.
    where = machine.run("command -v tjgen", clone)
    assert where.out.startswith(str(tmp_path / "machine")), where
    experiment = clone / "experiments/hello.yaml"
    experiment.write_text(experiment.read_text(encoding="utf-8").replace("--steps 10", "--steps 20"), encoding="utf-8")
    scripts = steps(forge, clone / FILES[forge], clone)[1 if forge == "github" else 0 :]
    assert 1 in [machine.run(script, place, **variables).code for script, place in scripts]


def test_a_wheel_that_somebody_changed_is_not_installed(tmp_path: Path, wheel: Path) -> None:
    forge = "github"
    assert tjgen(tmp_path, "init", "vision", "--ci", forge, "--package", str(wheel)).code == 0
    with (tmp_path / "vision/ci" / wheel.name).open("ab") as file:
        file.write(b"more")
    machine = Machine(tmp_path / "machine", tmp_path / "vision")
    script, place = steps(forge, tmp_path / "vision" / FILES[forge], tmp_path / "vision")[0]
    answer = machine.run(script, place)
    assert answer.code != 0
    assert "DO NOT MATCH THE HASHES" in answer.err


# What a pipeline may do


@pytest.mark.parametrize("forge", FILES)
def test_a_pipeline_names_actions_by_commit_and_may_only_read(tmp_path: Path, forge: str) -> None:
    assert tjgen(tmp_path, "init", "vision", "--ci", forge, "--package", GIT).code == 0
    text = (tmp_path / "vision" / FILES[forge]).read_text(encoding="utf-8")
    described = yaml.load(text, Loader=yaml.BaseLoader)
    if forge == "github":
        assert described["permissions"] == {"contents": "read"}
        used = re.findall(r"uses: (\S+)", text)
        assert used
        assert all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", one) for one in used)
        assert "persist-credentials: false" in text
    assert "--require-hashes" in text
    assert f"tjgen @ {GIT}" in text


# Several projects


@pytest.mark.parametrize("forge", FILES)
def test_each_project_of_a_repository_has_its_pipeline(tmp_path: Path, forge: str) -> None:
    git(tmp_path, "init", "--quiet")
    for folder in ("vision", "teams/nlp"):
        answer = tjgen(tmp_path, "init", folder, "--ci", forge, "--package", GIT)
        assert (answer.code, "TJ7" in answer.err) == (0, False), answer.err
    hooks = yaml.safe_load((tmp_path / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"]
    assert [one["hooks"][0]["args"] for one in hooks] == [["-C", "vision"], ["-C", "teams/nlp"]]
    if forge == "github":
        workflows = sorted((tmp_path / ".github/workflows").iterdir())
        assert [path.name for path in workflows] == ["training-teams-nlp.yaml", "training-vision.yaml"]
        places = [steps(forge, path, tmp_path)[0][1] for path in workflows]
        assert places == [tmp_path / "teams/nlp", tmp_path / "vision"]
        return
    included = [one["local"] for one in yaml.safe_load((tmp_path / ".gitlab-ci.yml").read_text(encoding="utf-8"))["include"]]
    assert included == ["vision/ci/gitlab.yml", "teams/nlp/ci/gitlab.yml"]
    jobs = [set(yaml.safe_load((tmp_path / name).read_text(encoding="utf-8"))) for name in included]
    assert not jobs[0] & jobs[1]
    assert all("cd " in (tmp_path / name).read_text(encoding="utf-8") for name in included)


def test_what_people_wrote_is_not_extended(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    theirs = {".pre-commit-config.yaml": "repos: []\n", ".gitlab-ci.yml": "test: {script: [make]}\n"}
    for name, text in theirs.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    answer = tjgen(tmp_path, "init", "vision", "--ci", "gitlab", "--package", GIT)
    assert (answer.code, answer.err.count("warning[TJ747]")) == (0, 2), answer.err
    assert '  - local: "vision/ci/gitlab.yml"' in answer.err
    assert {name: (tmp_path / name).read_text(encoding="utf-8") for name in theirs} == theirs


@pytest.mark.parametrize(
    ("text", "longer"),
    [
        pytest.param("# Ours\nlist:\n  - a\n", "# Ours\nlist:\n  - a\n  - b\n", id="one more"),
        pytest.param("# Ours\nlist:\n  - a\n  - b\n", "# Ours\nlist:\n  - a\n  - b\n", id="there already"),
        pytest.param("# Ours\nlist:\n  - a", "# Ours\nlist:\n  - a\n  - b\n", id="without a last line end"),
        pytest.param("# Ours\nlist:\n  - a\nother: 1\n", None, id="another key at the end"),
        pytest.param("# Ours\nlist:\n  - a\nother:\n  - c\n", None, id="another list at the end"),
        pytest.param("# Theirs\nlist:\n  - a\n", None, id="another file"),
        pytest.param("# Ours\nlist:\n  - [\n", None, id="not YAML"),
        pytest.param("# Ours\nlist:\n", None, id="an empty list"),
    ],
)
def test_a_list_is_extended_only_if_nothing_else_changes(text: str, longer: str | None) -> None:
    assert Shared("# Ours\nlist:\n", "  - b\n", "list").extended(text) == longer


def test_the_component_installs_on_a_clean_machine(tmp_path: Path, wheel: Path) -> None:
    git(tmp_path, "init", "--quiet", "clone")
    assert tjgen(tmp_path / "clone", "init", "training", "--ci", "gitlab", "--package", str(wheel)).code == 0
    template = list(yaml.safe_load_all((ROOT / "templates/tjgen.yml").read_text(encoding="utf-8")))[1][".tjgen"]
    machine = Machine(tmp_path / "machine", tmp_path / "clone")
    values = {"TJGEN_DIRECTORY": "training", "TJGEN_REQUIREMENTS": "ci/requirements.txt", "TJGEN_PACKAGE": ""}
    pip = {name: value for name, value in template["variables"].items() if name.startswith("PIP_")}
    answer = machine.run("\n".join(template["before_script"]) + "\ntjgen --version", tmp_path / "clone", **values, **pip)
    assert (answer.code, answer.out.startswith("tjgen")) == (0, True), answer


def test_the_action_installs_on_a_clean_machine(tmp_path: Path, published: tuple[Path, str]) -> None:
    described = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    (script,) = [step["run"] for step in described["runs"]["steps"] if step.get("name") == "Install"]
    machine = Machine(tmp_path / "machine", tmp_path)
    answer = machine.run(script, tmp_path, GITHUB_ACTION_PATH=str(published[0]))
    assert answer.code == 0, answer.err
    assert machine.run("tjgen --version", tmp_path).code == 0


def test_the_action_and_the_component_install_by_hash() -> None:
    action = (ROOT / "action.yml").read_text(encoding="utf-8")
    component = (ROOT / "templates/tjgen.yml").read_text(encoding="utf-8")
    for text in (action, component):
        assert "--require-hashes" in text
        assert "--no-deps --no-build-isolation" in text
    (inputs, _) = yaml.safe_load_all(component)
    assert inputs["spec"]["inputs"]["package"]["default"] == ""
    pattern = inputs["spec"]["inputs"]["package"]["regex"]
    for package, is_taken in (("", True), (f"tjgen @ {GIT}", True), ("tjgen", False), ("tjgen==0.1.0", False), (GIT, False)):
        assert (re.search(pattern, package) is not None) == is_taken, package
