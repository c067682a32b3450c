"""The rules of `tjgen lint`, on a cluster: what a page says of its bad manifests happens, and not with the good ones.

Run on demand, see rig.py. The manifests are those of the rules' own tests, `tests/gitops/lint`; pods and whatever else they leave
out to be short is added. Rules that are not in the table are about what the rig has not: Kueue's and Volcano's own webhooks,
Trainer before 2.3, kustomize, the web page of Argo CD.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.checkout import ROOT
from tests.e2e.actual import CLUSTERED
from tests.e2e.rig import NEEDED, kubectl
from tests.e2e.rules import HARMS, Harm
from tests.e2e.trial import SUCCEEDED, Trial

pytestmark = NEEDED
CASES = ROOT / "tests" / "gitops" / "lint"
EVERY = [pytest.param(harm, which, id=f"{harm.rule}-{harm.tool}-{which}") for harm in HARMS for which in (harm.bad, harm.good)]


@pytest.fixture
def trial(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Trial]:
    harm, which = request.getfixturevalue("harm"), request.getfixturevalue("which")
    namespace = f"{harm.rule}-{harm.tool}-{which}".lower()
    kubectl("delete", "namespace", namespace, "--ignore-not-found", "--wait=true", "--timeout=120s")
    kubectl("create", "namespace", namespace)
    one = Trial(harm.tool, namespace, tmp_path, furnished=harm.furnished, training=harm.training, storage=harm.storage)
    yield one
    for tree in one.manifests():
        if tree["kind"] in CLUSTERED:
            kubectl("delete", tree["kind"], tree["metadata"]["name"], "--ignore-not-found", "--wait=false")
    kubectl("delete", "namespace", namespace, *one.others, "--ignore-not-found", "--wait=false")


@pytest.mark.parametrize(("harm", "which"), EVERY)
def test_the_harm_is_there_with_bad_manifests_and_not_with_good_ones(harm: Harm, which: str, trial: Trial) -> None:
    seen = harm.seen(trial, CASES / harm.rule / which)
    if which == harm.bad:
        assert seen, (harm.what, trial.outcomes, trial.state)
    else:
        assert not seen, (harm.what, trial.outcomes, trial.state)
        assert harm.refuses or {outcome.phase for outcome in trial.outcomes} == {SUCCEEDED}, trial.outcomes
