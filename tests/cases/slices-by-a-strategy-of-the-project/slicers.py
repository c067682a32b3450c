"""Items -> slices of whole folders, the folders dealt out one by one."""

NEEDS_SIZES = False


def plan(items, count, options):
    folders = {}
    for index, item in enumerate(items):
        folders.setdefault(item.path.split("/")[: options["depth"]][0], []).append(index)
    slices = [[] for _ in range(count)]
    for number, folder in enumerate(sorted(folders)):
        slices[number % count] += folders[folder]
    return slices
