"""A setting -> the figures of one experiment whose data has very many items, divided by size or by number."""

from __future__ import annotations

import os

from bench.process import Task
from bench.report import Figure, Part
from bench.setting import PYTHON, TJGEN, Setting, seconds

_MILLION = 1_000_000
"""The number of items that goals are set for."""
_BUILD = (TJGEN, "build", "--no-cache", "--quiet")
_EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: many, namespace: data}
spec:
  runtime: tjgen-torch
  script: train.py
  nodes: 64
  volumes:
    corpus: {pvc: corpus, mountPath: /corpus, readOnly: true}
  data:
    volume: corpus
    items: %s
    slices: %s
"""


def many_items(setting: Setting) -> Part:
    """Items with sizes from a manifest, balanced for 64 nodes; and a billion items that only have numbers."""
    where = setting.place("slices")
    os.makedirs(where)
    with open(os.path.join(where, "items.csv"), "w", encoding="utf-8") as file:
        file.write("path,size\n")
        file.writelines(f"train/{number // 1000:04d}/{number:07d}.tar,{_size(number)}\n" for number in range(setting.items))
    experiments = {
        "balanced": ("{manifest: items.csv}", "{by: lpt, deliver: configMap}"),
        "numbered": ("{count: 1000000000}", "{deliver: range}"),
    }
    for name, said in experiments.items():
        with open(os.path.join(where, f"{name}.yaml"), "w", encoding="utf-8") as file:
            file.write(_EXPERIMENT % said)
    samples = setting.measure(
        Task("python -c pass", PYTHON, where),
        Task("tjgen build --summary, by size", (*_BUILD, "balanced.yaml", "--summary"), where),
        Task("tjgen build, by size, lists", (*_BUILD, "balanced.yaml", "-o", "lists.yaml"), where),
        Task("tjgen build, a billion by number", (*_BUILD, "numbered.yaml"), where),
        times=max(2, setting.times // 4),
    )
    by_size = "tjgen build --summary, by size"
    goals = {by_size: 1.5} if setting.items == _MILLION else {}
    memory = Figure("memory", samples[by_size].memory, "MiB", "", 150 if setting.items == _MILLION else None)
    return Part(f"{setting.items} items of unequal size in 64 slices", [*seconds(samples, goals), memory])


def _size(number: int) -> int:
    """Sizes between 1 MB and 1 GB in no order, the same on every machine."""
    return 1_000_000 + number * 7_919_993 % 999_000_000
