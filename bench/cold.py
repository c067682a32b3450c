"""A setting -> the figures of small commands, each started afresh: one experiment built, one file checked."""

from __future__ import annotations

import os

from bench import equals, peers, project
from bench.process import Task
from bench.report import Part
from bench.setting import PYTHON, TJGEN, Setting, ratio, seconds


def one_experiment(setting: Setting) -> Part:
    """One experiment of a project with two overlays, beside others that make the same four objects."""
    where, source = setting.place("one"), project.path_of(0)
    project.write(where, 1)
    objects = equals.parse(setting.objects(where))
    equals.write_overlay(setting.place("kustomize"), objects)
    equals.write_chart(setting.place("chart"), objects, project.name_of(0), project.values(1))
    overlay = setting.place("kustomize/overlay")
    samples = setting.measure(
        Task("python -c pass", PYTHON, where),
        Task("tjgen build", (TJGEN, "build", source, "--quiet", "--no-cache"), where),
        setting.from_nothing("tjgen build into trees", where, source),
        *setting.peer("kubectl", "kustomize", overlay, folder=where),
        *setting.peer("kustomize", "build", overlay, folder=where),
        *setting.peer("helm", "template", setting.place("chart"), folder=where),
    )
    # Apart from the build into trees, before which all caches are removed.
    again = setting.measure(
        Task("python -c pass", PYTHON, where),
        Task("tjgen build, same input", (TJGEN, "build", source, "--quiet"), where),
    )
    against = [
        *ratio(samples, "tjgen build", "kubectl", 0.65),
        *seconds({name: sample for name, sample in again.items() if name not in samples}),
        *ratio(again, "tjgen build, same input", "python -c pass", 1.4),
    ]
    return Part("one experiment of four objects, cold", [*seconds(samples), *against])


def one_file(setting: Setting) -> Part:
    """One file with the four objects of an experiment."""
    where, stream = setting.place("file"), setting.place("file/four.yaml")
    project.write(where, 1)
    objects = equals.parse(setting.objects(where))
    with open(stream, "w", encoding="utf-8") as file:
        file.write("---\n".join(map(equals.text, objects)))
    with open(os.path.join(where, "kustomization.yaml"), "w", encoding="utf-8") as file:
        file.write("resources: [four.yaml]\n")
    location = peers.copy_schemas(setting.schemas, os.path.join(where, "schemas"))
    samples = setting.measure(
        Task("python -c pass", PYTHON, where),
        Task("tjgen check", (TJGEN, "check", stream, "--quiet", "--no-cache"), where),
        Task("tjgen check, known", (TJGEN, "check", stream, "--quiet"), where),
        *setting.peer("kubectl", "kustomize", where, folder=where),
        *setting.peer("kubeconform", "-schema-location", location, stream, folder=where),
    )
    against = [
        *ratio(samples, "tjgen check", "kubectl", 0.62),
        *ratio(samples, "tjgen check", "kubeconform", 0.8),
        *ratio(samples, "tjgen check, known", "python -c pass", 1.4),
    ]
    return Part(f"a file of {len(objects)} documents checked, cold", [*seconds(samples), *against])
