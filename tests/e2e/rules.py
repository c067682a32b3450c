"""A rule of lint -> the harm that its page speaks of: there after its bad manifests were synced, not after its good ones."""

from __future__ import annotations

from typing import NamedTuple

from tests.e2e.actual import BOUND_AT_ONCE, BOUND_WHEN_MOUNTED, TRAINING
from tests.e2e.harms import (
    See,
    endless,
    failing,
    in_wave_zero,
    left_out,
    never_well,
    not_reached,
    not_started,
    not_waited_for,
    out_of_sync,
    refused,
    refused_again,
    refused_at_first,
    refused_beside_kueue,
    refused_change,
    stopped_by_an_edit,
    stops_everything,
    undone,
    waits_for_more_than_there_is,
    warned,
    without_effect,
)
from tests.e2e.losses import (
    cannot_be_removed,
    deleted,
    hangs,
    hangs_when_removed,
    killed_by_an_edit,
    lost,
    lost_when_removed,
    made_anew,
    made_anew_when_finished,
    with_its_namespace,
)


class Harm(NamedTuple):
    """What is to be seen, with which tool."""

    rule: str
    tool: str
    what: str
    seen: See
    furnished: bool = True
    """Whether the cluster has what the manifests name and do not bring."""
    training: str = TRAINING
    """How long runs train."""
    storage: str = BOUND_AT_ONCE
    """The class of claims that name none."""
    bad: str = "bad"
    good: str = "good"
    """Folders of manifests."""
    refuses: bool = False
    """Whether the good manifests are refused as well, though with less harm."""


NO_RUNTIME = "must be created before the TrainJob is created"
HARMS = (
    Harm("TJ601", "argocd", "the run is deleted when it has hardly begun", deleted),
    Harm("TJ601", "argocd", "the same by the hooks of Helm", deleted, bad="bad-of-helm"),
    Harm("TJ602", "argocd", "every sync starts the run again", made_anew),
    Harm("TJ603", "argocd", "the hook runs beside the training", not_waited_for),
    Harm("TJ603", "argocd", "the later wave runs beside the training", not_waited_for, bad="bad-in-a-later-wave"),
    Harm("TJ604", "argocd", "the sync waits for the claim for ever", endless),
    Harm("TJ604", "argocd", "the same in a phase", endless, bad="bad-in-a-phase-before", storage=BOUND_WHEN_MOUNTED),
    Harm("TJ604", "flux", "the stage is never ready", failing, bad="bad-in-flux", good="good-in-flux"),
    Harm("TJ605", "argocd", "the application is in progress for ever", never_well, storage=BOUND_WHEN_MOUNTED),
    Harm("TJ606", "argocd", "removed together, the run stays, half deleted", hangs_when_removed),
    Harm("TJ607", "flux", "nothing is ever applied", refused(NO_RUNTIME)),
    Harm("TJ608", "argocd", "the run is refused", refused_at_first("riorityClass"), bad="bad-priority", good="good-priority"),
    Harm("TJ609", "argocd", "the run is refused", refused(NO_RUNTIME), furnished=False),
    Harm("TJ610", "argocd", "it is applied in wave 0", in_wave_zero),
    Harm("TJ611", "argocd", "the sync waits for the suspended Job for ever", endless),
    Harm("TJ612", "argocd", "it cannot be applied", refused("cannot use generate name with apply")),
    Harm("TJ614", "argocd", "the hook is left out", left_out),
    Harm("TJ615", "argocd", "the sync fails", refused_change("field is immutable")),
    Harm("TJ615", "flux", "the stage fails", refused_change("field is immutable")),
    Harm("TJ616", "argocd", "the run goes on as before", without_effect),
    Harm("TJ616", "flux", "the run goes on as before", without_effect),
    Harm("TJ617", "argocd", "the sync fails", refused_change("denied the request")),
    Harm("TJ617", "flux", "the stage fails", refused_change("denied the request")),
    Harm("TJ618", "flux", "the stage fails", refused_change("immutable")),
    Harm("TJ620", "argocd", "the sync fails", refused_change("field is immutable")),
    Harm("TJ620", "flux", "the stage fails", refused_change("field is immutable")),
    Harm("TJ621", "argocd", "the sync fails", refused_change("spec is immutable after creation")),
    Harm("TJ621", "flux", "the stage fails", refused_change("spec is immutable after creation")),
    Harm("TJ622", "argocd", "the sync fails", refused_change("field is immutable when `immutable` is set")),
    Harm("TJ622", "flux", "the stage fails", refused_change("field is immutable when `immutable` is set")),
    Harm("TJ625", "argocd", "every sync starts the run again", made_anew),
    Harm("TJ625", "argocd", "and none where only what differs is applied", made_anew, good="good-of-what-has-changed"),
    Harm("TJ626", "argocd", "the second sync fails", refused_again("spec is immutable after creation")),
    Harm("TJ626", "argocd", "the second sync of a Job fails", refused_again("field is immutable"), bad="bad-by-its-application"),
    Harm("TJ627", "argocd", "the sync fails", refused("--force cannot be used with --server-side")),
    Harm("TJ628", "flux", "an edit deletes the run", killed_by_an_edit),
    Harm("TJ628", "flux", "the same for all of a Kustomization", killed_by_an_edit, bad="bad-by-its-kustomization"),
    Harm("TJ629", "flux", "an edit stops the stage", stopped_by_an_edit),
    Harm("TJ630", "flux", "the edit does not reach the cluster", not_reached),
    Harm("TJ631", "flux", "the protection does not reach the cluster", not_reached),
    Harm("TJ632", "argocd", "the sync after its end starts it again", made_anew_when_finished, training="1"),
    Harm("TJ632", "flux", "the sync after its end starts it again", made_anew_when_finished, training="1"),
    Harm("TJ633", "argocd", "every sync prepares the data again", made_anew),
    Harm("TJ634", "argocd", "the sync fails", failing),
    Harm("TJ635", "argocd", "the run is deleted", lost("TrainJob")),
    Harm("TJ635", "flux", "the run is deleted", lost("TrainJob")),
    Harm("TJ636", "argocd", "the claim is deleted", lost("PersistentVolumeClaim")),
    Harm("TJ636", "flux", "the claim is deleted", lost("PersistentVolumeClaim")),
    Harm("TJ638", "argocd", "the claim is deleted with its manifest", lost_when_removed("PersistentVolumeClaim")),
    Harm("TJ638", "flux", "the claim is deleted with its manifest", lost_when_removed("PersistentVolumeClaim")),
    Harm("TJ641", "argocd", "runs cannot be removed any more", cannot_be_removed),
    Harm("TJ645", "argocd", "the second sync fails", refused_again("field is immutable")),
    Harm("TJ645", "argocd", "and not server-side", refused_again("field is immutable"), good="good-on-the-server"),
    Harm("TJ645", "argocd", "nor of what differs alone", refused_again("field is immutable"), good="good-by-its-application"),
    Harm("TJ647", "argocd", "later syncs are refused", refused_beside_kueue),
    Harm("TJ648", "flux", "what Kueue does is taken back", undone()),
    Harm("TJ649", "argocd", "what a person does is taken back", undone("--compare-only", "--self-heal", "--watch", "8s")),
    Harm("TJ652", "flux", "it is refused", refused('"null"')),
    Harm("TJ652", "flux", "and not what does no harm", refused('"null"'), good="good-without-harm"),
    Harm("TJ652", "argocd", "the application differs for ever", out_of_sync, bad="bad-empty-labels", good="good-without-harm"),
    Harm("TJ653", "argocd", "there is no JobSet", not_started),
    Harm("TJ654", "argocd", "one of the two is applied", warned("appeared more than once")),
    Harm("TJ656", "argocd", "there is no JobSet", not_started),
    Harm("TJ657", "argocd", "it is refused", refused("Too long")),
    Harm("TJ666", "flux", "it is refused", failing, bad="bad-refused-by-flux"),
    Harm("TJ667", "argocd", "all that is in it is deleted", with_its_namespace, refuses=True),
    Harm("TJ667", "flux", "all that is in it is deleted", with_its_namespace),
    Harm("TJ673", "argocd", "one refused object stops all others", stops_everything, refuses=True),
    Harm("TJ674", "argocd", "the run stays, half deleted", hangs),
    Harm("TJ674", "argocd", "and not where the runtime goes later", hangs, good="good-later"),
    Harm("TJ675", "argocd", "the gang waits for pods that are not made", waits_for_more_than_there_is),
)
"""Each with the tool that it is seen with."""
