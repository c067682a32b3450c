NEEDS_SIZES = False


def plan(items, count, options):
    return {}[count]
