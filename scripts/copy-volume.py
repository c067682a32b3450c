# Copies the part INDEX of WORKERS of the files below SOURCE to TARGET, verifies it, and marks it as complete in STATE.
"""Copy one part of a folder. The Python standard library, from version 3.9 on, is all that it needs.

All workers of a Job (JOB, its UID) divide one list of the source, which the first of them writes. A worker copies and
verifies its part, compares the source with the list again, and writes a mark with the digest of the list. If the source
has changed, the worker removes the list and fails, and the next attempts use a new list. Links stay links; a link that
leads out of SOURCE, a folder that cannot be read, and a file that is no file, folder or link are errors.
"""

import contextlib
import hashlib
import json
import os
import re
import shutil
import signal
import stat
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor, as_completed

SOURCE, TARGET, STATE = (os.environ[name] for name in ("SOURCE", "TARGET", "STATE"))
INDEX, WORKERS = int(os.environ["INDEX"]), int(os.environ["WORKERS"])
JOB, JOB_NAME, POD = (os.environ[name] for name in ("JOB", "JOB_NAME", "POD"))
THREADS = int(os.environ.get("THREADS", "16"))
PATHS = [path for path in os.environ.get("PATHS", "").split("\n") if path]
MOUNT_POINT = os.environ.get("MOUNT_POINT")
FAILURES = os.path.join(STATE, "failures", JOB_NAME)
LIST = os.path.join(STATE, "lists", JOB)
PODS = os.path.join(STATE, "tmp", f"{JOB}-{INDEX}.")
TEMPORARY = PODS + POD
NOT_DATA = (".tjgen-prefetch", "lost+found")
SHOWN = 5
BLOCK = 4 * 1024 * 1024
MARK = re.compile(r"(0|[1-9][0-9]{0,8})-(0|[1-9][0-9]{0,8})(\..*)?", re.DOTALL)
FILE, FOLDER, LINK = "file", "folder", "link"


class CopyError(Exception):
    """Why this attempt fails."""


class ChangedError(CopyError):
    """The source is not what the list describes."""


def log(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def shown(paths):
    more = f" and {len(paths) - SHOWN} more" if len(paths) > SHOWN else ""
    return ", ".join(map(repr, paths[:SHOWN])) + more


# An entry is [kind, path below SOURCE, size and time of a file or target of a link].


def scan():
    """The entries of PATHS, or all below SOURCE, sorted by path. Raises CopyError if one of them cannot be copied."""
    entries, unreadable, odd, leaving = [], [], [], []
    root = os.path.realpath(SOURCE)
    folders = [""]
    while folders:
        below = folders.pop()
        try:
            with os.scandir(os.path.join(SOURCE, below)) as found:
                children = list(found)
        except OSError as error:
            unreadable.append(f"{below or SOURCE} ({error.strerror})")
            continue
        for child in children:
            if not below and child.name in NOT_DATA and child.is_dir(follow_symlinks=False):
                log(f"{child.name} at the root of the source is not copied: it is not data")
                continue
            path = os.path.join(below, child.name)
            if PATHS and not any(inside(path, one) or inside(one, path) for one in PATHS):
                continue
            found = child.stat(follow_symlinks=False)
            if stat.S_ISLNK(found.st_mode):
                link = os.readlink(child.path)
                if os.path.isabs(link) or not inside(os.path.realpath(child.path), root):
                    leaving.append(f"{path} -> {link}")
                entries.append([LINK, path, link])
            elif stat.S_ISDIR(found.st_mode):
                entries.append([FOLDER, path])
                folders.append(path)
            elif stat.S_ISREG(found.st_mode):
                entries.append([FILE, path, found.st_size, found.st_mtime_ns])
            else:
                odd.append(path)
    there = {entry[1] for entry in entries}
    for paths, why in (
        ([path for path in PATHS if path not in there], "is not in the source"),
        (unreadable, "cannot be read"),
        (odd, "is neither a file nor a folder nor a link"),
        (leaving, "leads out of the source, or is absolute: make it a relative link inside, or copy its target there"),
    ):
        if paths:
            raise CopyError(f"{shown(sorted(paths))}: {why}")
    if not any(entry[0] == FILE for entry in entries):
        raise CopyError(f"{SOURCE} holds no files")
    return sorted(entries, key=lambda entry: os.fsencode(entry[1]))


def inside(path, root):
    return path == root or path.startswith(root.rstrip("/") + "/")


def text_of(entries):
    return "".join(json.dumps(entry) + "\n" for entry in entries).encode()


def shared_list():
    """The list of this Job and its digest. The first worker writes it; nobody sees half of it."""
    if not os.path.exists(LIST):
        os.makedirs(os.path.dirname(LIST), exist_ok=True)
        own = f"{LIST}.{INDEX}.{POD}"
        write(own, text_of(scan()))
        try:
            os.link(own, LIST)
        except FileExistsError:
            pass
        except OSError:  # a file system without hard links: the last list is the list, as the marks show
            os.replace(own, LIST)
        if os.path.exists(own):
            os.remove(own)
    with open(LIST, "rb") as stream:
        content = stream.read()
    return [json.loads(line) for line in content.splitlines()], hashlib.sha256(content).hexdigest()


def write(path, content):
    with open(path, "wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())


class Progress:
    """A line in the log every ten seconds."""

    def __init__(self, entries):
        self.lock, self.start = threading.Lock(), time.monotonic()
        self.due = self.start + 10
        self.total, self.size = len(entries), sum(entry[2] for entry in entries if entry[0] == FILE)
        self.done = self.bytes = 0

    def add(self, done, size):
        with self.lock:
            self.done, self.bytes = self.done + done, self.bytes + size
            if time.monotonic() >= self.due:
                self.due = time.monotonic() + 10
                self.report()

    def report(self):
        seconds = max(time.monotonic() - self.start, 0.001)
        log(
            f"{self.done} of {self.total} entries, {self.bytes / 2**20:.0f} of {self.size / 2**20:.0f} MiB, "
            f"{self.bytes / 2**20 / seconds:.0f} MiB/s"
        )


def copy(entry, progress):
    """Bring one entry to TARGET, unless it is there. Its name appears when it is whole."""
    kind, path = entry[:2]
    target = os.path.join(TARGET, path)
    if kind == FOLDER:
        os.makedirs(target, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if not is_there(entry):
            if os.path.lexists(target):
                refuse_if_complete(path)
            temporary = os.path.join(TEMPORARY, hashlib.sha256(os.fsencode(path)).hexdigest())
            try:
                if kind == LINK:
                    os.symlink(entry[2], temporary)
                else:
                    copy_file(entry, temporary, progress)
                os.replace(temporary, target)
            except FileNotFoundError as error:
                if os.path.isdir(TEMPORARY):
                    raise
                raise CopyError("a new pod copies this part: the Job has replaced this one") from error
        elif kind == FILE:
            progress.add(0, entry[2])
    progress.add(1, 0)


def copy_file(entry, temporary, progress):
    _, path, size, changed = entry
    source = os.open(os.path.join(SOURCE, path), os.O_RDONLY | os.O_NOFOLLOW)
    with open(source, "rb", buffering=0) as reading, open(temporary, "wb", buffering=0) as writing:
        copied = 0
        while True:
            block = reading.read(BLOCK)
            if not block:
                break
            view = memoryview(block)
            while view:
                view = view[writing.write(view) :]
            copied += len(block)
            progress.add(0, len(block))
        found = os.fstat(source)
    if (copied, found.st_size, found.st_mtime_ns) != (size, size, changed):
        raise ChangedError(f"{path!r} changed while it was copied")
    if os.geteuid() == 0:
        with contextlib.suppress(PermissionError):  # a server that maps root to nobody
            os.chown(temporary, found.st_uid, found.st_gid)
    os.chmod(temporary, stat.S_IMODE(found.st_mode))
    os.utime(temporary, ns=(found.st_atime_ns, found.st_mtime_ns))


def is_there(entry, unit=1):
    """Whether the target has the entry: a file of its size and its time, compared in `unit` nanoseconds."""
    kind, path = entry[:2]
    target = os.path.join(TARGET, path)
    try:
        found = os.lstat(target)
    except FileNotFoundError:
        return False
    if kind == FOLDER:
        return stat.S_ISDIR(found.st_mode)
    if kind == LINK:
        return stat.S_ISLNK(found.st_mode) and os.readlink(target) == entry[2]
    same = (found.st_size, found.st_mtime_ns // unit) == (entry[2], entry[3] // unit)
    return stat.S_ISREG(found.st_mode) and same


def verify(entry):
    """Raises CopyError unless the target has the entry, on its disk and not only in memory."""
    if not is_there(entry, unit=10**9):  # what every file system keeps of a time
        raise CopyError(f"{entry[1]!r} is not at the target as it was copied: something else writes there")
    if entry[0] != LINK:
        opened = os.open(os.path.join(TARGET, entry[1]), os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


def in_parallel(function, entries, *more):
    with ThreadPoolExecutor(THREADS) as pool:
        running = [pool.submit(function, entry, *more) for entry in entries]
        try:
            for one in as_completed(running):
                one.result()
        except BaseException:
            for one in running:
                one.cancel()
            raise


def mark_of(job, part, workers=WORKERS):
    return os.path.join(STATE, "marks", job, f"{workers}-{part}")


def stated(job, part, workers=WORKERS):
    """The digest in the mark of a part; None if there is no valid mark."""
    before = f"tjgen-prefetch/1 part {part} of {workers} list ".encode()
    try:
        with open(mark_of(job, part, workers), "rb") as stream:
            content = stream.read(4096)
    except FileNotFoundError:
        return None
    digest = content[len(before) : -1]
    valid = content == before + digest + b"\n" and len(digest) == 64 and set(digest) <= set(b"0123456789abcdef")
    return digest.decode() if valid else None


def numbers_of_parts():
    """(Job, number of its parts) of each mark of a part 0. Raises CopyError if a name is not that of a mark.

    A pod writes a mark under the name WORKERS-PART.POD first. Hidden names are of the file system, such as those of NFS.
    """
    folder = os.path.join(STATE, "marks")
    for job in names_in(folder):
        for name in names_in(os.path.join(folder, job)):
            found = MARK.fullmatch(name)
            if found is None or int(found[2]) >= int(found[1]):
                where = os.path.join(folder, job, name)
                form = "marks have names WORKERS-PART, with numbers of at most 9 digits"
                raise CopyError(f"{where!r} is not a mark: {form}. Remove what no Job wrote")
            if found[2] == "0" and found[3] is None:
                yield job, int(found[1])


def names_in(folder):
    """The names in a folder that are not hidden; none if there is no such folder."""
    try:
        return sorted(name for name in os.listdir(folder) if not name.startswith("."))
    except FileNotFoundError:
        return []


def is_complete():
    """Whether a Job has brought all of it, in whatever number of parts, by one list."""
    for job, workers in list(numbers_of_parts()):
        first = stated(job, 0, workers)
        if first is not None and all(stated(job, part, workers) == first for part in range(1, workers)):
            return True
    return False


def refuse_if_complete(path):
    if is_complete():
        raise CopyError(f"{path!r} differs, and another Job has completed this data, which runs may be reading")


def remove_others(entries):
    """Remove what is at the target and not in the list: what attempts with an earlier list brought."""
    known = {entry[1] for entry in entries}
    folders = [""]
    while folders:
        below = folders.pop()
        for child in os.scandir(os.path.join(TARGET, below)):
            path = os.path.join(below, child.name)
            is_folder = child.is_dir(follow_symlinks=False)
            if path not in known:
                refuse_if_complete(path)
                log(f"{path!r} is removed from the target: the source does not have it any more")
                shutil.rmtree(child.path) if is_folder else os.remove(child.path)
            elif is_folder:
                folders.append(path)


def differences(entries):
    """The paths that are not in the source as they are in the list."""
    now = scan()
    if now == entries:
        return []
    before, after = ({json.dumps(entry) for entry in side} for side in (entries, now))
    return sorted({json.loads(text)[1] for text in before ^ after})


def bring(part, entries, digest):
    """Copy, verify and mark one part."""
    own = entries[part::WORKERS]
    files = sum(entry[0] == FILE for entry in own)
    log(f"part {part} of {WORKERS}: {len(own)} of {len(entries)} entries, {files} of them files")
    progress = Progress(own)
    in_parallel(copy, own, progress)
    in_parallel(verify, own)
    progress.report()
    different = differences(entries)
    if different:
        raise ChangedError(f"the source has changed since it was listed: {shown(different)}")
    with open(LIST, "rb") as stream:
        if hashlib.sha256(stream.read()).hexdigest() != digest:
            raise CopyError("another worker has replaced the list of the source: the next attempt uses the new one")
    remove_others(entries)  # by a list that is current: a pod of an earlier one would remove what its replacement brought
    mark = mark_of(JOB, part)
    os.makedirs(os.path.dirname(mark), exist_ok=True)
    write(f"{mark}.{POD}", f"tjgen-prefetch/1 part {part} of {WORKERS} list {digest}\n".encode())
    os.replace(f"{mark}.{POD}", mark)
    log(f"part {part} of {WORKERS} is complete and verified")


def discard_list(digest):
    """Remove the list that was used, so that the next attempt lists the source again."""
    try:
        with open(LIST, "rb") as stream:
            if hashlib.sha256(stream.read()).hexdigest() != digest:
                return
        os.remove(LIST)
    except FileNotFoundError:  # another worker was faster
        pass


def take_over():
    """Make the temporary folder of this pod, and remove those of earlier pods of this part.

    A pod that the Job replaced, and that still runs on a node that is cut off, fails at its next file. Two pods never
    write to one file: the later write of one could reach the data that the other has marked as complete.
    """
    folder, prefix = os.path.split(PODS)
    for name in names_in(folder):
        if name.startswith(prefix):
            shutil.rmtree(os.path.join(folder, name), ignore_errors=True)
    os.makedirs(TEMPORARY)


def run():
    """Bring the part of this worker."""
    for old in os.listdir(FAILURES) if os.path.isdir(FAILURES) else []:
        if not old.startswith(f"{JOB}."):  # of a Job of this name that was deleted
            os.remove(os.path.join(FAILURES, old))
    if MOUNT_POINT:
        os.makedirs(MOUNT_POINT, exist_ok=True)
    if is_complete():
        log("all parts are complete: nothing is copied again")
        return
    os.makedirs(TARGET, exist_ok=True)
    take_over()
    entries, digest = shared_list()
    try:
        bring(INDEX, entries, digest)
        # Workers that completed by a list that was replaced since do not run again.
        for part in range(WORKERS):
            if os.path.exists(mark_of(JOB, part)) and stated(JOB, part) != digest:
                bring(part, entries, digest)
    except (CopyError, OSError) as error:
        if isinstance(error, ChangedError) or differences(entries):
            discard_list(digest)
        raise
    shutil.rmtree(TEMPORARY, ignore_errors=True)


def main():
    signal.signal(signal.SIGTERM, lambda *_: os._exit(143))  # the first process of a container has no default
    try:
        run()
    except (CopyError, OSError) as error:
        sys.stderr.write(f"prefetch failed: {error}\n")
        try:
            os.makedirs(FAILURES, exist_ok=True)
            write(os.path.join(FAILURES, f"{JOB}.{POD}"), f"{error}\n".encode(errors="replace"))
        except OSError as second:
            sys.stderr.write(f"the failure cannot be recorded: {second}\n")
        return 1
    return 0


sys.exit(main())
