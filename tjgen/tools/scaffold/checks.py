"""Options -> what checks commits: pre-commit's configuration."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.tools.scaffold.options import Options
from tjgen.tools.scaffold.shared import Shared
from tjgen.trees.source.quoting import double_quoted

_LOCAL_HEAD = """\
# `pre-commit install` once; the hooks run the tjgen that is on the path.
repos:
"""
_LOCAL = """\
  - repo: local
    hooks:
      - id: tjgen-verify
        name: tjgen verify
        entry: tjgen verify --staged
        language: system
        pass_filenames: false
        always_run: true
        require_serial: true
{place}"""

_HOOKS_HEAD = """\
# `pre-commit install` once; pre-commit installs tjgen for itself.
repos:
"""
_HOOKS = """\
  - repo: {repository}
    rev: {revision}
    hooks:
      - id: tjgen-verify
{place}"""


def files(options: Options) -> Iterator[tuple[str, Shared]]:
    """The configuration of pre-commit, at the top of the repository."""
    yield f"{options.top}.pre-commit-config.yaml", _hooks(options)


def _hooks(options: Options) -> Shared:
    place = f"        args: [-C, {double_quoted(options.folder)}]\n" if options.folder else ""
    if options.hooks is None:
        return Shared(_LOCAL_HEAD, _LOCAL.format(place=place), "repos")
    repository, revision = (double_quoted(one) for one in options.hooks)
    return Shared(_HOOKS_HEAD, _HOOKS.format(repository=repository, revision=revision, place=place), "repos")
