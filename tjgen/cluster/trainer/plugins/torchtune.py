"""`tune run` -> the recipe, configuration and overrides that complete the command.

Upstream: pkg/runtime/framework/plugins/torch/torchtune.go, v2.3.0.
"""

from __future__ import annotations

from tjgen.cluster.trainer import resources
from tjgen.cluster.trainer.info import NODE, TRAINER, Info
from tjgen.cluster.trainer.job import TORCHTUNE, DecodedTrainJob
from tjgen.cluster.trainer.plugins.rendezvous import PORT, host
from tjgen.cluster.trainer.release import Release
from tjgen.trees.fields.managed import Origin

IMMUTABLE = ("output_dir", "tokenizer.path", "tokenizer.merges_file", "checkpointer.checkpoint_dir")
"""Settings that the runtime's command carries over and that arguments may not set."""

_MERGES_FILE = "tokenizer.merges_file"
LORA = "model.lora_attn_modules"
_DORA = "model.use_dora"
_QUANTIZED = "model.quantize_base"


def extend_command(info: Info, job: DecodedTrainJob, nodes: int, processes: int | str) -> None:
    """Complete the TrainJob's command; its arguments stay arguments."""
    gpus = resources.gpus(resources.per_node(info, job)) if info.release.looks_into_runtime else 0
    command = list(TORCHTUNE)
    if nodes > 1 or _are_several(processes, gpus, info.release):
        command.append(f"--rdzv_endpoint={host(job)}:{PORT}")
    recipe, configuration = recipe_and_configuration(job, nodes, processes, gpus)
    job.command = [*command, recipe, "--config", configuration, *_overrides(info)]
    job.command_origin = Origin("trainer:torch", "trainjob", ("spec", "trainer", "command"))


def _are_several(processes: int | str, gpus: int, release: Release) -> bool:
    if not release.finetunes_by_adapters:
        return processes != 1
    return processes > 1 if isinstance(processes, int) else gpus > 1


def recipe_and_configuration(job: DecodedTrainJob, nodes: int, processes: int | str, gpus: int) -> tuple[str, str]:
    """Return the recipe and the configuration for nodes, devices and the kind of fine-tuning in the arguments."""
    args = (job.args or []) if job.release.finetunes_by_adapters else []
    is_single_device = nodes == 1 and (processes == 1 or gpus == 1)
    is_quantized = uses_qlora(args, job.release)
    if is_single_device and is_quantized:
        recipe, suffix = "lora_finetune_single_device", "_qlora_single_device"
    elif is_single_device and uses_lora(args):
        recipe, suffix = "lora_finetune_single_device", "_lora_single_device"
    elif is_single_device:
        recipe, suffix = "full_finetune_single_device", "_full_single_device"
    elif nodes == 1 and is_quantized:
        recipe, suffix = "lora_finetune_distributed", "_qlora"
    elif nodes == 1 and uses_lora(args):
        recipe, suffix = "lora_finetune_distributed", "_lora"
    else:
        recipe, suffix = "full_finetune_distributed", "_full_multinode" if nodes > 1 else "_full"
    return recipe, model(job) + suffix


def model(job: DecodedTrainJob) -> str:
    """Return the model in the runtime's name, or "" if the name does not have three parts."""
    parts = str(job.spec["runtimeRef"].get("name", "")).split("-")
    if len(parts) != 3:
        return ""
    return f"{parts[1].replace('.', '_')}/{parts[2].upper()}"


def uses_lora(args: list[str]) -> bool:
    """Whether an argument mentions the modules to adapt."""
    return _is_mentioned(args, LORA)


def uses_qlora(args: list[str], release: Release) -> bool:
    """Whether the base is quantized; DoRA rules it out."""
    if not release.reads_booleans:
        return not _is_mentioned(args, _DORA) and _is_mentioned(args, _QUANTIZED)
    return not _is_on(args, _DORA) and _is_on(args, _QUANTIZED)


def _is_mentioned(args: list[str], setting: str) -> bool:
    return any(setting in arg for arg in args)


def _is_on(args: list[str], setting: str) -> bool:
    pairs = (arg.partition("=") for arg in args)
    return any(separator and setting in key and value.strip().lower() == "true" for key, separator, value in pairs)


def _overrides(info: Info) -> list[str]:
    carried = IMMUTABLE if info.release.finetunes_by_adapters else [name for name in IMMUTABLE if name != _MERGES_FILE]
    return [
        word
        for podset in info.podsets
        if podset.ancestor == TRAINER
        for container in podset.containers
        if container.name == NODE
        for word in container.tree.get("command", [])
        if word.partition("=")[0] in carried
    ]
