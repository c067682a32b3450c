"""Options -> what looks at commits and pull requests: pre-commit's configuration, and a pipeline of the forge."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tjgen import __version__
from tjgen.tools.scaffold.options import OUTPUT, Options
from tjgen.trees.source.quoting import double_quoted, quote

_LOCAL = """\
# `pre-commit install` once; the hooks run the tjgen that is on the path.
repos:
  - repo: local
    hooks:
      - id: tjgen-check
        name: tjgen check
        entry: tjgen check
        language: system
        types_or: [yaml, json]
        files: {files}
      - id: tjgen-build
        name: tjgen build
        entry: tjgen build --staged
        language: system
        pass_filenames: false
        always_run: true
        require_serial: true
{place}"""

_HOOKS = """\
# `pre-commit install` once; pre-commit installs tjgen for itself.
repos:
  - repo: {repository}
    rev: {revision}
    hooks:
      - id: tjgen-check
        files: {files}
      - id: tjgen-build
{place}"""

_GITHUB = """\
# Is what is committed what the sources make, would a server take it, and what becomes of every run?
name: training
on:
  pull_request:
  push: {{branches: [main]}}
permissions:
  contents: read
jobs:
  tjgen:
    runs-on: ubuntu-latest
{place}    steps:
      - uses: actions/checkout@v4
        with: {{fetch-depth: 0}}
      - uses: actions/setup-python@v5
        with: {{python-version: "3.13"}}
      - run: pip install tjgen=={release}
      - run: tjgen build --check --format github
      - run: tjgen check {output} --format github
      - if: github.event_name == 'pull_request'
        run: tjgen diff "$BASE" --format markdown >> "$GITHUB_STEP_SUMMARY"
        env:
          BASE: ${{{{ github.event.pull_request.base.sha }}}}
"""

_GITLAB = """\
# Is what is committed what the sources make, would a server take it, and what becomes of every run?
default:
  image: python:3.13
  before_script:
    - pip install --quiet tjgen=={release}
{place}
tjgen-verify:
  script:
    - tjgen build --check --format gitlab 2> "$CI_PROJECT_DIR/gl-code-quality-report.json" || test $? = 1
    - tjgen build --check
    - tjgen check {output}
  artifacts:
    when: always
    reports:
      codequality: gl-code-quality-report.json

tjgen-diff:
  variables:
    GIT_DEPTH: "0"
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
  script:
    - tjgen diff "$CI_MERGE_REQUEST_DIFF_BASE_SHA" --format markdown > "$CI_PROJECT_DIR/tjgen-diff.md" || code=$?
    - cat "$CI_PROJECT_DIR/tjgen-diff.md"
    - exit "${{code:-0}}"
  artifacts:
    expose_as: Training runs
    paths: [tjgen-diff.md]
"""

_PIPELINES = {
    "github": (
        ".github/workflows/training.yaml",
        _GITHUB,
        "    defaults:\n      run: {{working-directory: {folder}}}\n",
    ),
    "gitlab": (".gitlab-ci.yml", _GITLAB, "    - cd {folder}\n"),
}
"""Forge -> its file, what is in it, and what leads to a project that lies in a folder."""


def files(options: Options) -> Iterator[tuple[str, str]]:
    """Path and text of each file, at the top of the repository."""
    yield f"{options.top}.pre-commit-config.yaml", _hooks(options)
    if options.forge in _PIPELINES:
        name, text, place = _PIPELINES[options.forge]
        lead = place.format(folder=quote(options.folder)) if options.folder else ""
        yield f"{options.top}{name}", text.format(output=OUTPUT, place=lead, release=__version__)


def _hooks(options: Options) -> str:
    files = quote(f"^{re.escape(options.output)}/")
    place = f"        args: [-C, {double_quoted(options.folder)}]\n" if options.folder else ""
    if options.hooks is None:
        return _LOCAL.format(files=files, place=place)
    repository, revision = (double_quoted(one) for one in options.hooks)
    return _HOOKS.format(repository=repository, revision=revision, files=files, place=place)
