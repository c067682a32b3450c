"""Changes of an output tree and its locks that no build and no command makes: each must be found by `tjgen verify`."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from tests.gitops.verify.repository import build, commit, experiment, git, lock_of, overlay, runs
from tests.program import tjgen
from tjgen.gitops.emit import header
from tjgen.language.runs.freeze import content_digest

MINER = "evil.io/miner"


class Attack(NamedTuple):
    """A change, and the file that the finding must name."""

    change: Callable[[Path], Path]
    """Makes the change in a repository; the file to name."""
    passes_before: bool = True
    """Whether `build --check` and `lint` accept it."""


def restamp(file: Path, edit: Callable[[str], str]) -> None:
    """Change the body of a file, with the header that a build would write."""
    content = file.read_bytes()
    known = header.read(content)
    assert known is not None
    body = edit(content[known.length :].decode())
    file.write_bytes(header.stamp(body, known.source, known.owner))


def relock(lock: Path, run: Path, edit: Callable[[str], str] = str) -> None:
    """Record the files of a run in a lock, as a build would."""
    bodies = {}
    for file in run.iterdir():
        content = file.read_bytes()
        known = header.read(content)
        assert known is not None
        bodies[file.name] = content[known.length :].decode()
    text = re.sub(r"content: sha256:\w+", f"content: {content_digest(bodies)}", edit(lock.read_text(encoding="utf-8")))
    lock.write_text(text, encoding="utf-8")


def job(run: Path) -> Path:
    """The TrainJob of a run."""
    return next(run.glob("trainjob-*.yaml"))


def with_miner(text: str) -> str:
    """A manifest with another image."""
    assert "train:" in text
    return re.sub(r"train:\d+", MINER, text)


def superseded(folder: Path) -> Path:
    """The superseded run of the base."""
    return next(run for run in runs(folder, "digits") if "state: superseded" in lock_of(folder, run).read_text(encoding="utf-8"))


def current(folder: Path) -> Path:
    """The current run of the same experiment."""
    return next(run for run in runs(folder, "digits") if "state: active" in lock_of(folder, run).read_text(encoding="utf-8"))


def planted(folder: Path, name: str, state: str, edit: Callable[[str], str]) -> Path:
    """A copy of a run under another name, with its lock."""
    old = superseded(folder)
    new = old.with_name(name)
    new.mkdir()
    for file in old.iterdir():
        copy = new / file.name.replace(old.name, name)
        shutil.copy(file, copy)
        restamp(copy, lambda text: edit(text.replace(old.name, name)))
    lock = lock_of(folder, new)
    shutil.copy(lock_of(folder, old), lock)
    relock(lock, new, lambda text: re.sub(r"state: \w+", f"state: {state}", text.replace(old.name, name)))
    return new


# Runs that no committed source produces.


def uncommitted_overlay(folder: Path) -> Path:
    (folder / "overlays/mine.yaml").write_text(
        "apiVersion: tjgen.dev/v1alpha1\nkind: Overlay\nmetadata: {name: mine}\n"
        "spec: {layer: environment, experiment: {image: evil.io/miner}}\n",
        encoding="utf-8",
    )
    experiment(folder, "glyphs")
    build(folder)
    (folder / "overlays/mine.yaml").unlink()
    return job(runs(folder, "glyphs")[0])


def privileged_user(folder: Path) -> Path:
    experiment(folder, "glyphs")
    build(folder)
    run = runs(folder, "glyphs")[0]
    restamp(job(run), lambda text: re.sub(r"(\n +)volumes:", r"\1securityContext: {runAsUser: 0}\1volumes:", text, count=1))
    assert "runAsUser: 0" in job(run).read_text(encoding="utf-8")
    relock(lock_of(folder, run), run)
    return job(run)


def other_catalog(folder: Path) -> Path:
    """A run of a runtime whose file in the catalog was changed for the build only."""
    known = next((folder / "deploy/runtimes/vision").glob("*.yaml"))
    text = re.sub(r"\n  name: .*\n", "\n  name: ours\n", body_of(known).decode(), count=1).replace(
        "\n  namespace: vision\n", "\n"
    )
    runtime, source = folder / "catalog/ours.yaml", folder / "experiments/glyphs.yaml"
    assert "numNodes: 1" in text
    runtime.write_text(text.replace("numNodes: 1", "numNodes: 3"), encoding="utf-8")
    experiment(folder, "glyphs")
    source.write_text(source.read_text(encoding="utf-8").replace("tjgen-torch", "ours"), encoding="utf-8")
    build(folder)
    runtime.write_text(text, encoding="utf-8")
    return job(runs(folder, "glyphs")[0])


def body_of(file: Path) -> bytes:
    """The content of a file without its header."""
    content = file.read_bytes()
    known = header.read(content)
    assert known is not None
    return content[known.length :]


def lock_of_another_release(folder: Path) -> Path:
    """The lock of a new run as a release with other rules for identities writes it."""
    experiment(folder, "glyphs")
    build(folder)
    lock = lock_of(folder, runs(folder, "glyphs")[0])
    text = lock.read_text(encoding="utf-8")
    assert "identity: v1:" in text
    lock.write_text(text.replace("identity: v1:", "identity: v0:"), encoding="utf-8")
    return lock


def added_variable(folder: Path) -> Path:
    experiment(folder, "glyphs")
    build(folder)
    run = runs(folder, "glyphs")[0]
    restamp(job(run), lambda text: re.sub(r"(\n +)image:", r"\1env: [{name: UID, value: '0'}]\1image:", text, count=1))
    relock(lock_of(folder, run), run)
    return job(run)


def new_run_with_other_image(folder: Path) -> Path:
    experiment(folder, "glyphs")
    build(folder)
    run = runs(folder, "glyphs")[0]
    restamp(job(run), with_miner)
    relock(lock_of(folder, run), run)
    return job(run)


def stale_catalog(folder: Path) -> Path:
    overlay(folder, 2)
    experiment(folder, "glyphs")
    build(folder)
    overlay(folder, 1)
    return job(runs(folder, "glyphs")[0])


def other_release(folder: Path) -> Path:
    experiment(folder, "glyphs")
    build(folder)
    run = runs(folder, "glyphs")[0]
    restamp(job(run), lambda text: text.replace("numNodes: 1", "numNodes: 01") if "numNodes: 1" in text else text + "# old\n")
    relock(lock_of(folder, run), run)
    return job(run)


def planted_superseded(folder: Path) -> Path:
    return job(planted(folder, "digits-aaaaaaaa", "superseded", with_miner))


def planted_active(folder: Path) -> Path:
    return job(planted(folder, "digits-bbbbbbbb", "active", with_miner))


def planted_orphan(folder: Path) -> Path:
    return job(planted(folder, "digits-cccccccc", "orphaned", with_miner))


def planted_copy(folder: Path) -> Path:
    return job(planted(folder, "digits-dddddddd", "superseded", str))


def planted_archived(folder: Path) -> Path:
    run = planted(folder, "digits-eeeeeeee", "superseded", with_miner)
    lock = lock_of(folder, run)
    lock.write_text(lock.read_text(encoding="utf-8") + "archived: true\n", encoding="utf-8")
    return job(run)


def planted_experiment(folder: Path) -> Path:
    old = superseded(folder)
    new = folder / "deploy/runs/vision/hidden/hidden-aaaaaaaa"
    new.mkdir(parents=True)
    copy = new / "trainjob-hidden-aaaaaaaa.yaml"
    shutil.copy(job(old), copy)
    restamp(copy, lambda text: with_miner(text.replace(old.name, new.name).replace("digits", "hidden")))
    lock = lock_of(folder, new)
    lock.parent.mkdir()
    shutil.copy(lock_of(folder, old), lock)
    relock(
        lock, new, lambda text: text.replace(old.name, new.name).replace("/digits", "/hidden").replace("superseded", "orphaned")
    )
    lock.write_text(lock.read_text(encoding="utf-8") + "kept: true\n", encoding="utf-8")
    return copy


def planted_in_history(folder: Path) -> Path:
    run = planted(folder, "digits-ffffffff", "superseded", with_miner)
    commit(folder, "Plant")
    experiment(folder, "letters", "5")
    build(folder)
    commit(folder, "Edit")
    return job(run)


def intermediate_build(folder: Path) -> Path:
    experiment(folder, "digits", "8")
    build(folder)
    middle = current(folder)
    experiment(folder, "digits", "9")
    build(folder)
    return job(middle)


# Runs of the base.


def edited_superseded(folder: Path) -> Path:
    run = superseded(folder)
    restamp(job(run), with_miner)
    relock(lock_of(folder, run), run)
    return job(run)


def edited_current(folder: Path) -> Path:
    run = current(folder)
    restamp(job(run), with_miner)
    relock(lock_of(folder, run), run)
    return job(run)


def edited_without_header(folder: Path) -> Path:
    file = job(superseded(folder))
    file.write_text(with_miner(file.read_text(encoding="utf-8")), encoding="utf-8")
    return file


def edited_label(folder: Path) -> Path:
    run = superseded(folder)
    restamp(job(run), lambda text: text.replace("metadata:\n", "metadata:\n  finalizers: [evil.io/keep]\n", 1))
    relock(lock_of(folder, run), run)
    return job(run)


def reordered(folder: Path) -> Path:
    run = superseded(folder)

    def swap(text: str) -> str:
        lines = text.splitlines(keepends=True)
        return "".join([lines[1], lines[0], *lines[2:]])

    restamp(job(run), swap)
    relock(lock_of(folder, run), run)
    return job(run)


def extra_document(folder: Path) -> Path:
    run = superseded(folder)
    restamp(job(run), lambda text: f"{text}---\napiVersion: v1\nkind: Pod\nmetadata: {{name: miner}}\n")
    relock(lock_of(folder, run), run)
    return job(run)


def header_only(folder: Path) -> Path:
    file = job(superseded(folder))
    file.write_text(file.read_text(encoding="utf-8").replace("experiments/digits", "experiments/letters"), encoding="utf-8")
    return file


def header_removed(folder: Path) -> Path:
    file = job(superseded(folder))
    content = file.read_bytes()
    known = header.read(content)
    assert known is not None
    file.write_bytes(content[known.length :].replace(b"train:1", MINER.encode()))
    return file


def swapped(folder: Path) -> Path:
    one, other = job(superseded(folder)), job(current(folder))
    first, second = one.read_bytes(), other.read_bytes()
    one.write_bytes(second)
    other.write_bytes(first)
    return one


def renamed_file(folder: Path) -> Path:
    file = job(superseded(folder))
    return file.rename(file.with_name("trainjob-other.yaml"))


def renamed_folder(folder: Path) -> Path:
    run = superseded(folder)
    new = run.rename(run.with_name("digits-99999999"))
    return job(new)


def extra_file(folder: Path) -> Path:
    file = superseded(folder) / "pod-miner.yaml"
    file.write_text("apiVersion: v1\nkind: Pod\nmetadata: {name: miner}\n", encoding="utf-8")
    return file


def extra_stamped_file(folder: Path) -> Path:
    run = superseded(folder)
    file = run / "configmap-more.yaml"
    file.write_bytes(
        header.stamp("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: more}\n", "experiments/digits.yaml", "vision/digits")
    )
    relock(lock_of(folder, run), run)
    return file


def extra_kustomization(folder: Path) -> Path:
    file = folder / "deploy/runs/vision/kustomization.yaml"
    file.write_text("images: [{name: train, newName: evil.io/miner}]\n", encoding="utf-8")
    return file


def extra_hidden_file(folder: Path) -> Path:
    file = folder / "deploy/.argocd-source.yaml"
    file.write_text("kustomize: {images: [train=evil.io/miner]}\n", encoding="utf-8")
    return file


def executable(folder: Path) -> Path:
    file = job(superseded(folder))
    file.chmod(0o755)
    return file


def symlink(folder: Path) -> Path:
    file = job(superseded(folder))
    target = folder / "elsewhere.yaml"
    file.rename(target)
    file.symlink_to("../../../../../elsewhere.yaml")
    return file


def linked_folder(folder: Path) -> Path:
    link = folder / "deploy/runs/other"
    link.symlink_to("vision")
    return link


def crlf(folder: Path) -> Path:
    file = job(superseded(folder))
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    return file


# Removals.


def removed_run(folder: Path) -> Path:
    run = superseded(folder)
    lock_of(folder, run).unlink()
    file = job(run)
    shutil.rmtree(run)
    return file


def removed_current_run(folder: Path) -> Path:
    run = runs(folder, "letters")[0]
    shutil.rmtree(lock_of(folder, run).parent)
    file = job(run)
    shutil.rmtree(run.parent)
    (folder / "experiments/letters.yaml").unlink()
    return file


def removed_files(folder: Path) -> Path:
    file = job(superseded(folder))
    file.unlink()
    return file


def removed_claim(folder: Path) -> Path:
    file = next((folder / "deploy/data").rglob("*letters-results.yaml"))
    file.unlink()
    return file


def smaller_claim(folder: Path) -> Path:
    file = next((folder / "deploy/data").rglob("*letters-results.yaml"))
    restamp(file, lambda text: text.replace("10Gi", "5Gi"))
    return file


def removed_runtime(folder: Path) -> Path:
    file = next((folder / "deploy/runtimes").rglob("*.yaml"))
    file.unlink()
    return file


def edited_runtime(folder: Path) -> Path:
    file = next((folder / "deploy/runtimes").rglob("*.yaml"))
    restamp(file, lambda text: text.replace("spec:\n", "spec:\n  # faster\n", 1))
    return file


def edited_application(folder: Path) -> Path:
    file = next((folder / "deploy/gitops").glob("application-*.yaml"))
    restamp(file, lambda text: text.replace("git.example.com", "git.evil.io"))
    return file


def removed_application(folder: Path) -> Path:
    file = next((folder / "deploy/gitops").glob("application-*.yaml"))
    file.unlink()
    return file


# Locks.


def lock_state(folder: Path) -> Path:
    lock = lock_of(folder, superseded(folder))
    lock.write_text(lock.read_text(encoding="utf-8").replace("superseded", "active"), encoding="utf-8")
    return lock


def lock_content(folder: Path) -> Path:
    lock = lock_of(folder, superseded(folder))
    digest = f"content: sha256:{sha256(b'').hexdigest()}"
    lock.write_text(re.sub(r"content: sha256:\w+", digest, lock.read_text(encoding="utf-8")), encoding="utf-8")
    return lock


def lock_identity(folder: Path) -> Path:
    lock = lock_of(folder, superseded(folder))
    lock.write_text(
        re.sub(r"identity: v(\d+):\w{8}", r"identity: v\1:00000000", lock.read_text(encoding="utf-8")), encoding="utf-8"
    )
    return lock


def lock_number(folder: Path) -> Path:
    lock = lock_of(folder, superseded(folder))
    lock.write_text(lock.read_text(encoding="utf-8").replace("number: 1", "number: 7"), encoding="utf-8")
    return lock


def lock_uses(folder: Path) -> Path:
    lock = lock_of(folder, superseded(folder))
    text = lock.read_text(encoding="utf-8")
    lock.write_text(re.sub(r"uses:\n(- .*\n)", "uses:\n", text, count=1).replace("uses:\ncontent", "content"), encoding="utf-8")
    return lock


def lock_archived(folder: Path) -> Path:
    lock = lock_of(folder, superseded(folder))
    lock.write_text(lock.read_text(encoding="utf-8") + "archived: true\n", encoding="utf-8")
    return lock


def lock_removed(folder: Path) -> Path:
    lock = lock_of(folder, superseded(folder))
    lock.unlink()
    return lock


def lock_of_new_run_edited(folder: Path) -> Path:
    experiment(folder, "glyphs")
    build(folder)
    lock = lock_of(folder, runs(folder, "glyphs")[0])
    lock.write_text(re.sub(r"number: 1", "number: 4", lock.read_text(encoding="utf-8")), encoding="utf-8")
    return lock


def tombstone_forged(folder: Path) -> Path:
    """A tombstone in place of a run whose files stay."""
    run = superseded(folder)
    lock = lock_of(folder, run)
    text = lock.read_text(encoding="utf-8")
    identity = re.search(r"identity: .*\n", text)
    assert identity is not None
    lock.write_text(
        "# Written by tjgen: a run that was removed. Commit it; the name of the run and its checkpoint folder are never used "
        "again.\napiVersion: tjgen.dev/v1alpha1\nkind: PrunedRun\nexperiment: vision/digits\n"
        f"run: {run.name}\n{identity[0]}number: 1\nwas: superseded\nreason: tjgen runs prune\n",
        encoding="utf-8",
    )
    return lock


def tombstone_without_command(folder: Path) -> Path:
    """A removal with a tombstone that names no command."""
    run = superseded(folder)
    tjgen(folder, "runs", "prune", run.name)
    lock = lock_of(folder, run)
    lock.write_text(lock.read_text(encoding="utf-8").replace("tjgen runs prune", "by hand"), encoding="utf-8")
    return lock


def tombstone_of_current_run(folder: Path) -> Path:
    """A removal of a run that a source requests."""
    run = superseded(folder)
    tombstone_forged(folder)
    lock = lock_of(folder, run)
    victim = current(folder)
    text = lock.read_text(encoding="utf-8").replace(run.name, victim.name)
    identity = re.search(r"identity: .*\n", lock_of(folder, victim).read_text(encoding="utf-8"))
    assert identity is not None
    git(folder, "checkout", "--quiet", "--", "tjgen.lock.d")
    lock_of(folder, victim).write_text(re.sub(r"identity: .*\n", identity[0], text), encoding="utf-8")
    shutil.rmtree(victim)
    return lock_of(folder, victim)


def tombstone_removed(folder: Path) -> Path:
    run = superseded(folder)
    tjgen(folder, "runs", "prune", run.name)
    commit(folder, "Prune")
    git(folder, "branch", "--force", "base")
    lock = lock_of(folder, run)
    lock.unlink()
    return lock


def tombstone_planted(folder: Path) -> Path:
    """A tombstone of a run that never was, which leads the claims of later runs to another experiment."""
    run = superseded(folder)
    tombstone_forged(folder)
    text = lock_of(folder, run).read_text(encoding="utf-8")
    git(folder, "checkout", "--quiet", "--", "tjgen.lock.d")
    lock = lock_of(folder, run.with_name("digits-77777777"))
    lock.write_text(text.replace(run.name, lock.stem) + "folder: runs/vision/letters/letters-77777777\n", encoding="utf-8")
    return lock


# Histories.


def half_merged(folder: Path) -> Path:
    """A merge that drops the run of the other branch."""
    git(folder, "checkout", "--quiet", "-b", "topic")
    experiment(folder, "letters", "4")
    build(folder)
    commit(folder, "Topic")
    git(folder, "checkout", "--quiet", "main")
    experiment(folder, "glyphs")
    build(folder)
    commit(folder, "Main")
    git(folder, "branch", "--force", "base")
    run = runs(folder, "glyphs")[0]
    file = job(run)
    git(folder, "checkout", "--quiet", "topic")
    git(folder, "merge", "--quiet", "--no-commit", "main")
    shutil.rmtree(run.parent)
    shutil.rmtree(lock_of(folder, run).parent)
    commit(folder, "Merge")
    return file


def merged_lock_of_one_side(folder: Path) -> Path:
    """A merge that takes the lock of one branch and the files of the other."""
    git(folder, "checkout", "--quiet", "-b", "topic")
    experiment(folder, "letters", "4")
    build(folder)
    new = next(run for run in runs(folder, "letters") if "state: active" in lock_of(folder, run).read_text(encoding="utf-8"))
    commit(folder, "Topic")
    git(folder, "checkout", "base", "--", "deploy/runs/vision/letters")
    shutil.rmtree(new)
    commit(folder, "Merge")
    return job_of(new)


def merged_suspension_of_one_side(folder: Path) -> Path:
    """A merge of a branch that suspends a run and one that supersedes it: the lock of one, and the manifest of the other.

    Git reports the conflict of the lock (TJ070); the hint is to take both from one side.
    """
    run = runs(folder, "letters")[0]
    git(folder, "checkout", "--quiet", "-b", "suspend")
    experiment(folder, "letters", "1", "  state: suspended\n")
    build(folder)
    commit(folder, "Suspend")
    git(folder, "checkout", "--quiet", "-b", "edit", "main")
    experiment(folder, "letters", "4")
    build(folder)
    commit(folder, "Edit")
    git(folder, "merge", "--quiet", "--no-commit", "--no-ff", "--strategy=ours", "suspend")
    git(folder, "checkout", "suspend", "--", str(job(run).relative_to(folder)))
    build(folder)
    commit(folder, "Merge")
    return job(run)


def job_of(run: Path) -> Path:
    """Where the TrainJob of a run was."""
    return run / f"trainjob-{run.name}.yaml"


def stale_output(folder: Path) -> Path:
    """Sources without the build."""
    before = {run.name for run in runs(folder, "letters")}
    experiment(folder, "letters", "6")
    build(folder)
    new = next(run for run in runs(folder, "letters") if run.name not in before)
    git(folder, "checkout", "--quiet", "--", "deploy", "tjgen.lock.d")
    git(folder, "clean", "--quiet", "--force", "-d", "deploy", "tjgen.lock.d")
    return job_of(new)


def reverted_tree(folder: Path) -> Path:
    """The tree of an earlier commit under the sources of today."""
    run = current(folder)
    experiment(folder, "digits", "3")
    build(folder)
    commit(folder, "Edit")
    git(folder, "branch", "--force", "base")
    new = current(folder)
    assert new != run
    git(folder, "checkout", "--quiet", "HEAD^", "--", "deploy", "tjgen.lock.d")
    shutil.rmtree(new)
    lock_of(folder, new).unlink()
    return job_of(new)


ATTACKS = {
    "a run built with an overlay that is not committed": Attack(uncommitted_overlay),
    "a new run with another variable, recorded in its lock": Attack(added_variable),
    "a new run as root, recorded in its lock": Attack(privileged_user),
    "a run built with another catalog": Attack(other_catalog),
    "a new lock of another release": Attack(lock_of_another_release, passes_before=False),
    "a new run with another image, recorded in its lock": Attack(new_run_with_other_image),
    "a run built with an old overlay": Attack(stale_catalog),
    "a run written by another release": Attack(other_release),
    "a planted superseded run": Attack(planted_superseded),
    "a planted current run": Attack(planted_active, passes_before=False),
    "a planted orphaned run": Attack(planted_orphan, passes_before=False),
    "a planted copy of a run": Attack(planted_copy),
    "a planted archived run": Attack(planted_archived),
    "a planted experiment that was accepted": Attack(planted_experiment),
    "a run planted in an earlier commit": Attack(planted_in_history),
    "a run of a build between two commits": Attack(intermediate_build),
    "an edited superseded run": Attack(edited_superseded),
    "an edited current run": Attack(edited_current),
    "an edited run under its old header": Attack(edited_without_header, passes_before=False),
    "a finalizer on a run": Attack(edited_label),
    "reordered fields": Attack(reordered),
    "an extra document": Attack(extra_document),
    "an edited header": Attack(header_only),
    "a run without its header": Attack(header_removed, passes_before=False),
    "the files of two runs swapped": Attack(swapped, passes_before=False),
    "a renamed file": Attack(renamed_file, passes_before=False),
    "a renamed folder": Attack(renamed_folder, passes_before=False),
    "an extra file without a header": Attack(extra_file),
    "an extra file with a header, recorded in the lock": Attack(extra_stamped_file, passes_before=False),
    "an extra kustomization": Attack(extra_kustomization),
    "a hidden file that a sync reads": Attack(extra_hidden_file),
    "an executable file": Attack(executable),
    "a symbolic link in place of a file": Attack(symlink, passes_before=False),
    "a symbolic link to a folder": Attack(linked_folder),
    "other line ends": Attack(crlf),
    "a removed superseded run": Attack(removed_run),
    "a removed experiment with its run and lock": Attack(removed_current_run),
    "removed files of a run": Attack(removed_files, passes_before=False),
    "a removed claim": Attack(removed_claim, passes_before=False),
    "a smaller claim": Attack(smaller_claim, passes_before=False),
    "a removed runtime": Attack(removed_runtime, passes_before=False),
    "an edited runtime": Attack(edited_runtime, passes_before=False),
    "an edited Application": Attack(edited_application, passes_before=False),
    "a removed Application": Attack(removed_application, passes_before=False),
    "a lock with another state": Attack(lock_state, passes_before=False),
    "a lock with another content": Attack(lock_content, passes_before=False),
    "a lock with another identity": Attack(lock_identity),
    "a lock with another number": Attack(lock_number),
    "a lock that uses less": Attack(lock_uses),
    "a lock that is archived by hand": Attack(lock_archived),
    "a lock that no longer exists": Attack(lock_removed, passes_before=False),
    "a new lock with another number": Attack(lock_of_new_run_edited),
    "a forged tombstone": Attack(tombstone_forged, passes_before=False),
    "a tombstone that names no command": Attack(tombstone_without_command),
    "a tombstone of a current run": Attack(tombstone_of_current_run, passes_before=False),
    "a removed tombstone": Attack(tombstone_removed),
    "a planted tombstone": Attack(tombstone_planted),
    "a merge that drops a run": Attack(half_merged, passes_before=False),
    "a merge of the lock of one side and the files of the other": Attack(merged_lock_of_one_side, passes_before=False),
    "a merge of the lock of one side and the suspended manifest of the other": Attack(
        merged_suspension_of_one_side, passes_before=False
    ),
    "sources without their build": Attack(stale_output, passes_before=False),
    "an old tree under new sources": Attack(reverted_tree, passes_before=False),
}
"""Title of a change -> the change."""
