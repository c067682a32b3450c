"""The repository of the situations: two environments that Argo CD syncs, a superseded run, and a promoted one."""

from __future__ import annotations

from pathlib import Path

from tests.hints.table import script, shell

_FILES = {
    "tjgen.yaml": """\
apiVersion: tjgen.dev/v1alpha1
kind: Project
metadata: {name: nlp}
spec:
  experiments: [experiments]
  environments: {dev: {namespace: nlp-dev}, prod: {namespace: nlp, labels: {stage: prod}, runs: promoted}}
  output: {directory: deploy}
  gitops: {tool: argocd, repository: "https://git.example.com/nlp.git"}
""",
    "experiments/bert.yaml": """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: bert}
spec:
  runtime: tjgen-torch
  image: "registry.example.com/bert@sha256:DIGEST"
  script: train.py --steps 1
  volumes:
    states: {pvc: {create: {size: 1Gi}}, mountPath: /states}
  checkpoints: {volume: states}
""".replace("DIGEST", "1" * 64),
    "experiments/gpt.yaml": """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: gpt}
spec: {runtime: tjgen-torch, image: registry.example.com/gpt:1, script: train.py}
""",
}
_COMMANDS = """\
git init --quiet --initial-branch=main && tjgen build --quiet && git add --all && git commit --quiet -m Start
sed -i.bak 's/steps 1/steps 2/' experiments/*.yaml && rm experiments/*.bak && tjgen build --quiet
git add --all && git commit --quiet -m 'Use two steps'
tjgen promote $(tjgen runs list | awk '$2 == "current" && /^bert/ {print $1}') --env prod --quiet
git add --all && git commit --quiet -m Promote
"""


def start(folder: Path) -> None:
    """Write the repository. The names of its runs are in a file of its Git folder."""
    for name, text in _FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    script(folder, _COMMANDS)
    listed = [line.split() for line in shell(folder, "tjgen runs list").splitlines()]
    names = {
        "RUN": next(line[0] for line in listed if line[1] == "current" and line[3] == "dev/nlp-dev/bert"),
        "OLD": next(line[0] for line in listed if line[1] == "superseded"),
        "PROMOTED": next(line[0] for line in listed if line[3].startswith("prod/")),
    }
    text = "".join(f"{name}={value}\n" for name, value in names.items())
    (folder / ".git" / "names").write_text(text + "DEV=deploy/dev/runs/nlp-dev/bert\n", encoding="utf-8")
