"""`tune run` in a TrainJob -> the errors of the torchtune checks.

Upstream: plugins/torch/torchtune.go `validateTorchTune`, v2.3.0.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.trainer import resources
from tjgen.cluster.trainer.info import PANIC, Info, PanicError
from tjgen.cluster.trainer.job import DecodedTrainJob
from tjgen.cluster.trainer.plugins import torchtune
from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.webhooks.answer import invalid
from tjgen.cluster.validate.webhooks.gojson import shown as shown_value
from tjgen.cluster.validate.wording import quote
from tjgen.trees.fields.path import FieldPath

_SMALL_LLAMAS = ("llama3_2/1B", "llama3_2/3B")
_LARGE_LLAMA = "llama3_3/70B"
_QWEN = "qwen2_5/1.5B"
_SUPPORTED = (*_SMALL_LLAMAS, _LARGE_LLAMA, _QWEN)
_SUPPORTED_FIRST = ("llama3_2/1B", "llama3_2/7B", _LARGE_LLAMA)
"""The configurations that release 2.0 supports."""
_TRAINER: FieldPath = ("spec", "trainer")
_NAME: FieldPath = ("spec", "runtimeRef", "name")


def validate_torchtune(info: Info, job: DecodedTrainJob) -> Iterator[Fault]:
    """Model, nodes, devices and arguments that do not go together."""
    args = job.args or []
    model = torchtune.model(job)
    shown_name = quote(str(job.spec["runtimeRef"].get("name", "")))
    supported = _SUPPORTED if job.release.finetunes_by_adapters else _SUPPORTED_FIRST
    if model not in supported:
        words = f"must have a supported pretrained model, invalid model configured: {model}"
        yield invalid(_NAME, shown_name, words, "use a runtime named torchtune-MODEL-SIZE for one of " + ", ".join(supported))
    num_nodes = job.trainer_field("numNodes")
    if num_nodes is None and not job.release.checks_torch_always:
        raise PanicError(PANIC, (*_TRAINER, "numNodes"), "set numNodes")
    nodes = 1 if num_nodes is None else num_nodes
    if nodes > 1 and model != _LARGE_LLAMA:
        yield invalid((*_TRAINER, "numNodes"), str(nodes), f"must be 1 for {model} model", "use one node")
    if not job.release.finetunes_by_adapters:
        return
    num_nodes = job.trainer_field("numProcPerNode")
    processes: int | str = "auto" if num_nodes is None else num_nodes
    gpus = resources.gpus(resources.per_node(info, job))
    _, configuration = torchtune.recipe_and_configuration(job, nodes, processes, gpus)
    if "_qlora" in configuration:
        if model == _QWEN:
            yield invalid(_NAME, shown_name, f"QLoRA is not supported for {model} model", "remove model.quantize_base")
        if "_qlora_single_device" not in configuration and model in _SMALL_LLAMAS:
            words = f"must be auto or 1 for {model} model when using QLoRA"
            shown = quote(processes) if isinstance(processes, str) else str(processes)
            yield invalid((*_TRAINER, "numProcPerNode"), shown, words, "use one device")
            words = f"must have gpu resource with value 1 for {model} model when using QLoRA"
            shown = shown_value(job.resources, "ResourceRequirements", job.release)
            yield invalid((*_TRAINER, "resourcesPerNode"), shown, words, "ask for one GPU")
    if not job.release.checks_torchtune_arguments:
        return
    if nodes > 1 and (torchtune.uses_lora(args) or torchtune.uses_qlora(args, job.release)):
        words = "LoRA fine-tuning is not supported for multi-node training in TorchTune"
        yield invalid((*_TRAINER, "numNodes"), str(nodes), words, "use one node")
    for position, arg in enumerate(args):
        key = arg.partition("=")[0]
        if key in torchtune.IMMUTABLE:
            words = f"must not set immutable config {quote(key)} in trainer args; it is managed by the runtime"
            yield invalid((*_TRAINER, "args", position), quote(arg), words, "remove the argument")
