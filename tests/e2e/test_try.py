"""`tjgen try` on a real cluster: syncs that prune leave the objects alone, and the printed commands stop and delete them."""

from __future__ import annotations

import shlex
import subprocess

from tests.e2e.rig import NEEDED, environment, eventually, kubectl, live
from tests.e2e.test_sync import Site, site
from tests.program import tjgen

__all__ = ["site"]
pytestmark = NEEDED
KINDS = "trainjobs,jobsets,pods,persistentvolumeclaims,trainingruntimes"


def names(site: Site) -> set[str]:
    """The objects of the namespace, as kubectl names them."""
    return set(kubectl("-n", site.namespace, "get", KINDS, "-o", "name").split())


def test_a_try_survives_syncs_and_one_command_deletes_it(site: Site) -> None:
    site.edit("script: train.py", "script: train.py\n  env: {MINICLUSTER_SECONDS: forever}")
    site.build()
    site.sync()
    eventually(lambda: live("pods", "-n", site.namespace))
    before = names(site)
    answer = tjgen(site.folder, "try", "experiments/run.yaml", "--as", "ana")
    subprocess.run(["kubectl", "apply", "-f", "-"], input=answer.out, text=True, check=True, env=environment())
    commands = {
        line[:12].strip() or "more": shlex.split(line[12:])
        for line in answer.err.splitlines()
        if line[12:].startswith(" kubectl")
    }
    pods = ["-n", site.namespace, *commands["logs"][commands["logs"].index("-l") :][:2]]
    eventually(lambda: [pod for pod in live("pods", *pods) if pod["status"].get("phase") == "Running"])
    tried = names(site) - before
    site.sync(again=1)
    assert tried <= names(site)
    assert "Name:" in kubectl(*commands["pending"][1:])
    kubectl(*commands["stop"][1:])
    eventually(lambda: not live("pods", *pods))
    kubectl(*commands["clean up"][1:])
    eventually(lambda: not tried & names(site))
    site.sync(again=1)
    assert {name for name in before if not name.startswith("pod/")} <= names(site)
