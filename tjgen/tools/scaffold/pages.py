"""Options -> the pages of a new repository: its folders, the next steps, and the files that Git ignores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.cluster.synctools.table import BY_NAME
from tjgen.language.runs.lock import DIRECTORY as RECORDS
from tjgen.tools.scaffold.first import HELLO
from tjgen.tools.scaffold.options import OUTPUT, Options
from tjgen.tools.scaffold.pipelines import FOLDER

_CATALOG = """\
# Catalog

Runtimes that the experiments of this repository can use, in addition to the bundled ones (`tjgen runtimes list`). Each
file contains a `TrainingRuntime` or `ClusterTrainingRuntime` of Kubeflow Trainer. To import those of a cluster, run:

    kubectl get clustertrainingruntimes -o yaml | tjgen runtimes import - --to catalog
"""

IGNORED = """\
# Commit the built output, even if another .gitignore excludes folders of these names.
!{output}/**
!{records}/**
!{installs}/*.whl
__pycache__/
.schemas/
"""


def files(options: Options) -> Iterator[tuple[str, str]]:
    """Path and text of each file."""
    yield "README.md", _readme(options)
    yield "catalog/README.md", _CATALOG
    yield ".gitignore", IGNORED.format(output=OUTPUT, records=RECORDS, installs=FOLDER)


def next_steps(options: Options, directory: str) -> str:
    """The commands to run next, for the summary of `tjgen init`."""
    steps = [
        *([f"cd {directory}"] if directory != "." else []),
        *([] if options.in_repository else [f"git init -b {options.branch}"]),
        "git add --all && pre-commit install",
        "tjgen build --summary",
    ]
    if not options.imports:
        chosen = f" --env {options.environments[0]}" if options.environments else ""
        steps.append(f"tjgen try experiments/{HELLO}.yaml{chosen} | kubectl apply -f -")
    if options.environments and options.promotes(options.environments[-1]) and not options.imports:
        # A run that was built without a digest cannot be promoted.
        steps.append(f"tjgen pin && tjgen build --renew '{HELLO}-*'")
        steps.append(f"tjgen promote NAME --env {options.environments[-1]}  # a run that works")
    return "\n".join([f"{place(directory)} is a repository of experiments. Next:", *(f"  {step}" for step in steps)])


def place(directory: str) -> str:
    """The new repository as the subject of a sentence."""
    return "This directory" if directory == "." else directory


def _readme(options: Options) -> str:
    folders = [f"{OUTPUT}/{environment}" for environment in options.environments] or [OUTPUT]
    namespaces = ", ".join(f"`{options.namespace(environment)}`" for environment in options.environments)
    lines = [
        f"# {options.name}",
        "",
        "Training runs. `tjgen` compiles the experiments into Kubernetes manifests.",
        "",
        "| | |",
        "| --- | --- |",
        "| `experiments` | What to train, a file for each experiment. |",
        *(["| `overlays` | What is different in an environment. |"] if options.environments else []),
        "| `catalog` | Runtimes, in addition to the bundled ones. |",
        "| `tjgen.yaml` | Where files are, and the environments. |",
        f"| `{OUTPUT}`, `tjgen.lock.d` | What tjgen writes: the manifests, and a record of the runs. Commit both. |",
        "",
        "After a change:",
        "",
        "```sh",
        f"tjgen build -o {OUTPUT}",
        f"git add experiments {OUTPUT} tjgen.lock.d",
        "```",
        "",
        "`tjgen diff HEAD` shows what the change does to each run since the last commit.",
        "With `pre-commit install`, Git refuses outdated output.",
        "",
        *synced_readme(options, folders),
        *([f"The namespaces ({namespaces}) must exist."] if namespaces else []),
        "",
    ]
    return "\n".join(lines)


def synced_readme(options: Options, folders: Sequence[str]) -> list[str]:
    """The line on the tool that applies the output folders."""
    commands = ", ".join(f"`kubectl apply -f {folder}/gitops`" for folder in folders)
    return [BY_NAME[options.tool].installation.format(output=OUTPUT, commands=commands)]
