# Removes the checkpoint folders of the runs RUNS, which are no longer in the tree, and prints what it does with each of them.
"""Remove the checkpoint folders of runs. The Python standard library, from version 3.9 on, is all that it needs.

RUNS is a JSON list of names. The folder of a run is ROOT/FOLDER/NAME/AFTER. A folder is removed only if its file .tjgen-run
names that run, if it has no file .keep, if no other marked folder resumes from it, if no link leads into it, and if nothing
in it has changed for QUIET seconds. It gets another name first, and is deleted only if it is still the same under that name.
The exit code is 1 if a folder stays for another reason than .keep.
"""

import json
import os
import shutil
import signal
import stat
import sys
import time

MARK, PIN, REMOVED = ".tjgen-run", ".keep", ".tjgen-removed-"
DEPTH = 3  # Levels below the root of the volume in which marks and links of other folders are looked for.
MOST_ENTRIES = 1_000_000


class KeptError(Exception):
    """Why a folder stays."""


def log(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def join(*parts):
    return os.path.normpath(os.path.join(parts[0], *(part.strip(os.sep) for part in parts[1:])))


def is_below(path, folder):
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def is_folder_of_volume(root, folder):
    """Whether a folder and all above it, up to the root, are folders of the volume and not links."""
    path, device = root, os.lstat(root).st_dev
    for part in os.path.relpath(folder, root).split(os.sep):
        path = join(path, part)
        about = os.lstat(path)
        if not stat.S_ISDIR(about.st_mode) or about.st_dev != device:
            return False
    return True


def read_mark(folder):
    """The lines of the mark of a folder; none if there is no mark."""
    path = join(folder, MARK)
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return []
    except (FileNotFoundError, NotADirectoryError):
        return []
    with open(path, encoding="utf-8", errors="replace") as stream:
        return [line.strip() for line in stream.read(1 << 16).splitlines()]


def survey(root, deepest, excluded):
    """The folders that others resume from, with the run that does, and the links as (folder, target).

    The folders `excluded` are not read.
    """
    sources, links, todo, count = [], [], [(root, 0)], 0
    while todo:
        folder, depth = todo.pop()
        mark = read_mark(folder)
        for line in mark[1:]:
            if line.startswith("resumes "):
                sources.append((join(root, line[len("resumes ") :]), mark[0]))
        for entry in os.scandir(folder):
            count += 1
            if count > MOST_ENTRIES:
                raise KeptError(f"there are more than {MOST_ENTRIES} entries in the first {deepest} levels of {root}")
            if entry.path in excluded or entry.name == "lost+found" or entry.name.startswith(REMOVED):
                continue
            if entry.is_symlink():
                links.append((folder, os.readlink(entry.path)))
            elif entry.is_dir(follow_symlinks=False) and depth < deepest:
                todo.append((entry.path, depth + 1))
    return sources, links


def content(folder):
    """The newest time of a change in a folder, and the number of its entries and bytes. Raises KeptError for a mount in it."""
    about = os.lstat(folder)
    device, newest, entries, size, todo = about.st_dev, max(about.st_mtime, about.st_ctime), 0, 0, [folder]
    while todo:
        for entry in os.scandir(todo.pop()):
            about = entry.stat(follow_symlinks=False)
            if about.st_dev != device:
                raise KeptError(f"{entry.path} is on another file system")
            newest, entries = max(newest, about.st_mtime, about.st_ctime), entries + 1
            if stat.S_ISDIR(about.st_mode):
                todo.append(entry.path)
            else:
                size += about.st_size
    return newest, entries, size


def check(folder, run, sources, links, quiet):
    """Raise KeptError if the folder must stay. Return its entries and bytes."""
    mark = read_mark(folder)
    if mark[:1] != [run]:
        raise KeptError(f"{MARK} names {mark[0] if mark else 'no run'}")
    for source, other in sources:
        if is_below(source, folder) or is_below(folder, source):
            raise KeptError(f"{other} resumes from it")
    for place, target in links:
        if is_below(os.path.realpath(os.path.join(place, target)), os.path.realpath(folder)):
            raise KeptError(f"a link in {place} leads into it")
    newest, entries, size = content(folder)
    if newest > time.time() - quiet:
        raise KeptError(f"it has changed in the last {quiet} seconds, so something may still write to it")
    return entries, size


def remove(root, folder, run, sources, links, quiet):
    """Remove one folder, and what an earlier attempt left of it."""
    renamed = join(os.path.dirname(folder), REMOVED + os.path.basename(folder))
    if os.path.lexists(renamed) and is_folder_of_volume(root, renamed):
        shutil.rmtree(renamed)
        log(f"{folder}: the rest of it is removed")
    if not os.path.lexists(folder):
        log(f"{folder}: does not exist")
        return
    if not is_folder_of_volume(root, folder):
        raise KeptError("it is not a folder of the volume")
    if os.path.lexists(join(folder, PIN)):
        log(f"{folder}: kept: it has a file {PIN}")
        return
    before = check(folder, run, sources, links, quiet)
    os.rename(folder, renamed)
    try:
        mark = read_mark(renamed)
        _, entries, size = content(renamed)
        if mark[:1] != [run] or (entries, size) != before:
            raise KeptError("it changed while it was checked")
    except (KeptError, OSError):
        os.rename(renamed, folder)
        raise
    shutil.rmtree(renamed)
    log(f"{folder}: removed, {before[0]} entries with {before[1]} bytes")


def main():
    signal.signal(signal.SIGTERM, lambda *_: os._exit(143))  # the first process of a container has no default
    root, base, after = os.environ["ROOT"], os.environ["FOLDER"], os.environ["AFTER"]
    runs, quiet = json.loads(os.environ["RUNS"]), int(os.environ["QUIET"])
    folders = {run: join(root, base, run, after) for run in runs}
    deepest = max([DEPTH, *(len(os.path.relpath(folder, root).split(os.sep)) for folder in folders.values())])
    problems = 0
    try:
        sources, links = survey(root, deepest, set(folders.values()))
    except (OSError, KeptError) as error:
        sys.stderr.write(f"nothing is removed: {error}\n")
        return 1
    for run, folder in folders.items():
        try:
            remove(root, folder, run, sources, links, quiet)
        except (OSError, KeptError) as error:
            sys.stderr.write(f"{folder}: kept: {error}\n")
            problems = 1
    return problems


if __name__ == "__main__":
    sys.exit(main())
