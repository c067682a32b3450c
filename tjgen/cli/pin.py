"""`tjgen pin`: image tags of experiments, runtimes and platforms -> digests, from registries, into the lock."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from functools import cache

from tjgen import __version__
from tjgen.cli.command import (
    COMMON,
    ENVIRONMENTS,
    FLAG,
    FOLDER,
    MANY,
    TRUSTED,
    VALUE,
    Arguments,
    Command,
    Option,
    enter,
    refuse_use,
)
from tjgen.cli.reporting import Reporter
from tjgen.cluster.registry.reference import Reference
from tjgen.compiler.building.plan import Plan, make_plan
from tjgen.compiler.building.projects import is_of_all
from tjgen.compiler.building.request import Request
from tjgen.gitops.output.pinning import COLLECTING, PinResult, Resolve, collect, pin, prune, unpinned
from tjgen.language.runs.pins import Pins
from tjgen.trees.diagnostics.model import has_errors
from tjgen.trees.typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tjgen.cluster.registry.registry import Registries

COMMAND = Command(
    "pin",
    "Pin images to the digests of their tags.",
    "Read the digests of all images of experiments and their runtimes from registries, and write them to the lock. "
    "Builds then write NAME:TAG@DIGEST for new runs; existing runs stay as they are. No other command uses a network. "
    "Credentials are those of docker login. Without PATH, the images of the whole project are pinned.",
    "tjgen pin --update experiments/bert.yaml",
    "[PATH]...",
    (
        ENVIRONMENTS,
        Option(("--update",), "update", "Read the digests of pinned images again, and pin the new ones.", FLAG),
        Option(("--check",), "check", "Write nothing; exit 1 if an image is not pinned. Uses no network without --update.", FLAG),
        Option(("--prune",), "prune", "Remove pins that no experiment requests; only for the whole project.", FLAG),
        Option(("--platform",), "platform", "Platform that images must support (linux/amd64), or any.", VALUE, "OS/ARCH"),
        Option(("--mirror",), "mirror", "Read from the registries that platforms rewrite to, not those in the sources.", FLAG),
        Option(("--insecure",), "insecure", "Registry to use over plain HTTP; may be repeated.", MANY, "HOST"),
        Option(("--local",), "local", "Registry that may be at an address of this machine; may be repeated.", MANY, "HOST"),
        Option(("--token-host",), "token_host", "Host that may get a registry's credentials; may be repeated.", MANY, "HOST"),
        Option(("--timeout",), "timeout", "Seconds to wait for an answer (15).", VALUE, "SECONDS"),
        FOLDER,
        TRUSTED,
        *COMMON,
    ),
)
_PLATFORM = "linux/amd64"
_TIMEOUT = "15"


def run(arguments: Arguments) -> int:
    """Pin, report, and answer with the exit code."""
    refuse_use(_wrong_use(arguments))
    enter(arguments)
    with Reporter(arguments) as reporter:
        plan = make_plan(Request(arguments["paths"], environments=arguments["env"], digests=COLLECTING))
        resolve = _resolver(arguments)

        def act(one: Plan, part: Reporter) -> None:
            if one.files:
                reporter.print_line(f"project {one.project.directory or '.'}:")
                _pin(one, arguments, part, resolve)
                sys.stdout.flush()

        if is_of_all(plan):
            from tjgen.cli.projects import for_each  # few projects are in a workspace

            for_each(plan, arguments, reporter, act)
        else:
            _pin(plan, arguments, reporter, resolve)
    return reporter.close()


def _pin(plan: Plan, arguments: Arguments, reporter: Reporter, resolve: Resolve) -> None:
    """Pin the images of one project, or with --check report those that are not pinned."""
    watch = reporter.watch()
    images, diagnostics = collect(plan, watch)
    reporter.add(diagnostics)
    if has_errors(diagnostics):
        return
    pins = Pins(plan.locks.folder)
    if arguments["check"] and not arguments["update"]:
        reporter.add(unpinned(images, pins))
        return
    writes = not arguments["check"]
    watched = _watched(resolve, watch) if watch is not None else resolve
    pinned, problems = pin(images, pins, watched, update=arguments["update"], mirror=arguments["mirror"], writes=writes)
    reporter.add(problems)
    removed = prune(images, pins) if arguments["prune"] else 0
    reporter.clear()
    _show(pinned)
    reporter.print_line(_summary(pinned, removed, writes=writes))


def _wrong_use(arguments: Arguments) -> str | None:
    platform, timeout = arguments["platform"], arguments["timeout"]
    if platform is not None and platform != "any" and not re.fullmatch(r"[a-z0-9]+/[a-z0-9_]+(/[a-z0-9]+)?", platform):
        return f"--platform takes something like {_PLATFORM}, or any, not {platform}"
    if timeout is not None and (not re.fullmatch(r"[0-9]{1,4}(\.[0-9]+)?", timeout) or float(timeout) == 0):
        return f"--timeout takes seconds, not {timeout}"
    if arguments["prune"] and (arguments["check"] or arguments["paths"] or arguments["env"]):
        return "--prune works on the whole project: remove PATH, --env and --check"
    return None


def _resolver(arguments: Arguments) -> Resolve:
    """What reads digests from registries. The modules that use a network are loaded for the first one."""

    @cache
    def registries() -> Registries:
        from tjgen.cluster.registry.credentials import find
        from tjgen.cluster.registry.registry import Registries
        from tjgen.cluster.registry.transport import Transport

        transport = Transport(
            timeout=float(arguments["timeout"] or _TIMEOUT),
            agent=f"tjgen/{__version__}",
            insecure=arguments["insecure"],
            local=arguments["local"],
        )
        return Registries(transport, find, token_hosts=arguments["token_host"])

    platform = arguments["platform"] or _PLATFORM
    return lambda reference: registries().digest(reference, platform=platform if platform != "any" else None)


def _watched(resolve: Resolve, watch: Callable[[int, int, str], None]) -> Resolve:
    """The same with a progress message for each registry."""
    count = 0

    def resolve_one(reference: Reference) -> str:
        nonlocal count
        watch(count, 0, str(reference))
        count += 1
        return resolve(reference)

    return resolve_one


def _show(images: Sequence[PinResult]) -> None:
    width = max([len(one.image) for one in images], default=0)
    for one in images:
        sys.stdout.write(f"{one.image:<{width}}  {one.digest}  {one.state}\n")


def _summary(images: Sequence[PinResult], removed: int, *, writes: bool) -> str:
    states = [one.state for one in images]
    verb = "" if writes else " would be"
    text = f"images:{verb} {states.count('new')} new, {states.count('updated')} updated, {states.count('unchanged')} unchanged"
    return f"{text}, {removed} removed" if removed else text
