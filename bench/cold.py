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
        Task("tjgen build", (TJGEN, "build", source, "--quiet"), where),
        setting.from_nothing("tjgen build into trees", where, source),
        *setting.peer("kubectl", "kustomize", overlay, folder=where),
        *setting.peer("kustomize", "build", overlay, folder=where),
        *setting.peer("helm", "template", setting.place("chart"), folder=where),
    )
    return Part("one experiment of four objects, cold", [*seconds(samples), *ratio(samples, "tjgen build", "kubectl", 0.7)])


def one_file(setting: Setting) -> Part:
    """One file with the four objects of an experiment."""
    where, stream = setting.place("file"), setting.place("file/four.yaml")
    project.write(where, 1)
    objects = equals.parse(setting.objects(where))
    with open(stream, "w", encoding="utf-8") as file:
        file.write("---\n".join(map(equals.text, objects)))
    location = peers.copy_schemas(setting.schemas, os.path.join(where, "schemas"))
    samples = setting.measure(
        Task("python -c pass", PYTHON, where),
        Task("tjgen check", (TJGEN, "check", stream, "--quiet", "--no-cache"), where),
        Task("tjgen check, known", (TJGEN, "check", stream, "--quiet"), where),
        *setting.peer("kubeconform", "-schema-location", location, stream, folder=where),
    )
    against = [
        *ratio(samples, "tjgen check", "python -c pass", 5),
        *ratio(samples, "tjgen check", "kubeconform", 0.8),
        *ratio(samples, "tjgen check, known", "python -c pass", 1.5),
    ]
    return Part(f"a file of {len(objects)} documents checked, cold", [*seconds(samples), *against])
