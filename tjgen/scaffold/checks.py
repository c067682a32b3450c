"""Wishes -> what looks at commits and pull requests: pre-commit's configuration, and a pipeline of the forge."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen import __version__
from tjgen.scaffold.project import OUTPUT
from tjgen.scaffold.wishes import Wishes
from tjgen.source.quoting import double_quoted

_LOCAL = f"""\
# `pre-commit install` once; the hooks run the tjgen that is on the path.
repos:
  - repo: local
    hooks:
      - id: tjgen-check
        name: tjgen check
        entry: tjgen check
        language: system
        types_or: [yaml, json]
        files: ^{OUTPUT}/
      - id: tjgen-build
        name: tjgen build
        entry: tjgen build --staged
        language: system
        pass_filenames: false
        always_run: true
        require_serial: true
"""

_HOOKS = """\
# `pre-commit install` once; pre-commit installs tjgen for itself.
repos:
  - repo: {repository}
    rev: {revision}
    hooks:
      - id: tjgen-check
        files: ^{output}/
      - id: tjgen-build
"""

_GITHUB = f"""\
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
    steps:
      - uses: actions/checkout@v4
        with: {{fetch-depth: 0}}
      - uses: actions/setup-python@v5
        with: {{python-version: "3.13"}}
      - run: pip install tjgen=={__version__}
      - run: tjgen build --check --format github
      - run: tjgen check {OUTPUT} --format github
      - if: github.event_name == 'pull_request'
        run: tjgen diff "$BASE" --format markdown >> "$GITHUB_STEP_SUMMARY"
        env:
          BASE: ${{{{ github.event.pull_request.base.sha }}}}
"""

_GITLAB = f"""\
# Is what is committed what the sources make, would a server take it, and what becomes of every run?
default:
  image: python:3.13
  before_script:
    - pip install --quiet tjgen=={__version__}

tjgen-verify:
  script:
    - tjgen build --check --format gitlab 2> gl-code-quality-report.json || test $? = 1
    - tjgen build --check
    - tjgen check {OUTPUT}
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
    - tjgen diff "$CI_MERGE_REQUEST_DIFF_BASE_SHA" --format markdown | tee tjgen-diff.md
  artifacts:
    expose_as: Training runs
    paths: [tjgen-diff.md]
"""

_PIPELINES = {"github": (".github/workflows/training.yaml", _GITHUB), "gitlab": (".gitlab-ci.yml", _GITLAB)}


def files(wishes: Wishes) -> Iterator[tuple[str, str]]:
    """Path and text of each file."""
    yield ".pre-commit-config.yaml", _hooks(wishes)
    if wishes.forge in _PIPELINES:
        yield _PIPELINES[wishes.forge]


def _hooks(wishes: Wishes) -> str:
    if wishes.hooks is None:
        return _LOCAL
    repository, revision = (double_quoted(one) for one in wishes.hooks)
    return _HOOKS.format(repository=repository, revision=revision, output=OUTPUT)
