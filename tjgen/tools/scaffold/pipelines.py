"""Options -> the pipeline of a forge for one project, and what it installs: an exact tjgen, and dependencies with hashes."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from tjgen.gitops.output.codeowners import GITHUB, GITLAB
from tjgen.tools.scaffold.options import Options
from tjgen.tools.scaffold.shared import Shared
from tjgen.trees import data
from tjgen.trees.source.quoting import double_quoted, quote

FOLDER = "ci"
"""The folder of a project with what its pipeline installs."""
REQUIREMENTS = f"{FOLDER}/requirements.txt"
CHECKOUT = "actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683 # v4.2.2"
SETUP_PYTHON = "actions/setup-python@a26af69be951a213d495a4c3e4e4022e16d87065 # v5.6.0"

_PIP = "-m pip install --quiet --disable-pip-version-check"
_HASHED = f"--require-hashes --only-binary :all: --requirement {REQUIREMENTS}"
_FROM_GIT = "--no-deps --no-build-isolation"
"""What builds tjgen is in the requirements, with hashes: pip must not fetch anything else."""

_BASE = '"${{ github.event.pull_request.base.sha || github.event.before }}"'

_GITHUB = """\
# Verify that each change is safe to merge.
name: {name}
on:
  pull_request:
  push: {{branches: [{branch}]}}
permissions:
  contents: read
jobs:
  tjgen:
    runs-on: ubuntu-latest
{place}    steps:
      - uses: {checkout}
        with: {{fetch-depth: 0, persist-credentials: false}}
      - uses: {setup_python}
        with: {{python-version: "3.13"}}
      - name: Install
        run: |
          python -m venv "$RUNNER_TEMP/tjgen"
{install}
          echo "$RUNNER_TEMP/tjgen/bin" >> "$GITHUB_PATH"
      - name: Verify
        run: tjgen verify --base "$BASE" --format github
        env: {{BASE: {base}}}
      - name: Summarize
        # Findings fail the step "Verify".
        if: ${{{{ !cancelled() }}}}
        run: tjgen verify --base "$BASE" --format markdown >> "$GITHUB_STEP_SUMMARY" || test $? = 1
        env: {{BASE: {base}}}
"""

_GITLAB = """\
# Verify that each change is safe to merge.
.tjgen{of}:
  image: python:3.13
  before_script:
{place}{install}

tjgen-verify{of}:
  extends: .tjgen{of}
  variables:
    GIT_DEPTH: "0"
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
  script:
    - base="${{CI_MERGE_REQUEST_DIFF_BASE_SHA:-$CI_COMMIT_BEFORE_SHA}}"
    - report="$CI_PROJECT_DIR/gl-code-quality-report{of}.json"
    - summary="$CI_PROJECT_DIR/tjgen-verify{of}.md"
    - tjgen verify --base "$base" --format gitlab > /dev/null 2> "$report" || test $? = 1
    - tjgen verify --base "$base" --format markdown > "$summary" || code=$?
    - cat "$summary"
    - exit "${{code:-0}}"
  artifacts:
    when: always
    expose_as: {title}
    paths: [tjgen-verify{of}.md]
    reports:
      codequality: gl-code-quality-report{of}.json
"""

_INCLUDES = """\
# The jobs of each project; `tjgen init` adds a line for each of them.
include:
"""


def files(options: Options) -> Iterator[tuple[str, str | bytes | Shared]]:
    """Path, from the project, and content of each file; nothing without a forge or without an artifact."""
    pipeline = _PIPELINES.get(options.forge)
    if pipeline is None or options.artifact is None:
        return
    yield REQUIREMENTS, _requirements(options)
    if options.artifact.wheel:
        yield f"{FOLDER}/{options.artifact.wheel}", options.artifact.content
    of = f"-{_slug(options.folder)}" if options.folder else ""
    yield from pipeline(options, of)


def _of_github(options: Options, of: str) -> Iterator[tuple[str, str | Shared]]:
    yield f"{options.top}.github/workflows/training{of}.yaml", _github(options)


def _of_gitlab(options: Options, of: str) -> Iterator[tuple[str, str | Shared]]:
    yield f"{FOLDER}/gitlab.yml", _gitlab(options, of)
    path = f"{options.folder}/{FOLDER}/gitlab.yml" if options.folder else f"{FOLDER}/gitlab.yml"
    yield f"{options.top}.gitlab-ci.yml", Shared(_INCLUDES, f"  - local: {double_quoted(path)}\n", "include")


_PIPELINES = {GITHUB: _of_github, GITLAB: _of_gitlab}


def _requirements(options: Options) -> str:
    assert options.artifact is not None
    parts = [f"{options.artifact.requirement}\n" if options.artifact.requirement else "", _template("requirements.txt")]
    return "".join([*parts, _template("requirements-build.txt") if options.artifact.git else ""])


def _template(name: str) -> str:
    with open(data.path("templates", "init", name), encoding="utf-8") as file:
        return file.read()


def _github(options: Options) -> str:
    python = '          "$RUNNER_TEMP/tjgen/bin/python"'
    place = f"    defaults:\n      run: {{working-directory: {quote(options.folder)}}}\n" if options.folder else ""
    return _GITHUB.format(
        name=quote(f"training of {options.folder}") if options.folder else "training",
        place=place,
        branch=quote(options.branch),
        checkout=CHECKOUT,
        setup_python=SETUP_PYTHON,
        install="\n".join(f"{python} {line}" for line in _installs(options)),
        base=_BASE,
    )


def _gitlab(options: Options, of: str) -> str:
    return _GITLAB.format(
        of=of,
        place=f"    - {quote(f'cd {shlex.quote(options.folder)}')}\n" if options.folder else "",
        install="\n".join(f"    - {quote(f'python {line}')}" for line in _installs(options, "--root-user-action=ignore ")),
        title=quote(f"Runs of {options.folder}") if options.folder else "Training runs",
    )


def _installs(options: Options, more: str = "") -> Iterator[str]:
    assert options.artifact is not None
    yield f"{_PIP} {more}{_HASHED}"
    if options.artifact.git:
        yield f"{_PIP} {more}{_FROM_GIT} '{options.artifact.git}'"


def _slug(folder: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "-", folder).strip("-").lower()
