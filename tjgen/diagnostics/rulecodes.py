"""The codes of the rules of lint, made from them by `python -m docs.generate`: change the rules."""

from __future__ import annotations

# fmt: off
RULES: tuple[tuple[str, str, str, str, str], ...] = (
    ("TJ606", "runtime-in-wave-of-run", "error", "A runtime is not in an earlier wave than the TrainJobs that run on it. Within a wave, objects of custom kinds are applied in the order of their names. A TrainJob whose runtime is not there is refused by Trainer's webhook. Worse is the way back: the webhook asks for the runtime at every update of a TrainJob, so where one commit removes both from one wave, the TrainJob stays `Terminating` for ever.", "Give the runtime an earlier wave, such as `-10`: Argo CD then applies it first, and prunes it last."),  # noqa: E501
    ("TJ615", "trainjob-changed", "error", "A field of a TrainJob that is immutable has changed under the same name. The server refuses the update, as long as the TrainJob is in the cluster, and everything behind it in the sync waits.", "Give the changed run another name, and keep or remove the old one. tjgen names runs by what they are."),  # noqa: E501
    ("TJ632", "ttl-of-synced-object", "error", "A Job, JobSet or Volcano Job in Git has a TTL. The controller deletes the finished object, the tool finds it missing and applies it again: it trains for ever.", "Leave the TTL out. For a TrainJob it may stand in the JobSet template of its runtime: the TrainJob stays, and a finished one is not run again. Archive what is done."),  # noqa: E501
    ("TJ638", "unprotected-claim", "warning", "Nothing keeps a PersistentVolumeClaim from being pruned. A claim is deleted with its manifest, also when the folder is only renamed, and where the class reclaims volumes the data goes too. Protection is read from the object in the cluster, so it has to come before the commit that removes it.", "Annotate the claim from the first commit on. `Prune=false` is about removal from Git, `Delete=false` about that of the Application: a claim needs both."),  # noqa: E501
)
