"""The anatomy of a run -> its picture: from the objects that are applied, by way of pods and gang, to volumes and slices."""

from __future__ import annotations

from tjgen.tools.report.canvas import Canvas
from tjgen.tools.report.storage import ReportVolume
from tjgen.tools.report.structure import Structure, StructurePodSet, StructureStep
from tjgen.trees.typing import NamedTuple

WIDTH = 400
_LEFT = 24
_MOST_PODS = 32
_MOST_DEVICES = 16
_MOST_SLICES = 64
_CELL, _GAP, _BETWEEN = 7, 2, 2


class Picture(NamedTuple):
    """Marks of a size, and the same in words."""

    width: int
    height: int
    marks: str
    words: str
    pods: tuple[int, ...] = ()
    """How many devices the pods have that the marks refer to as `#pod-N`: see `pod`."""


def picture(structure: Structure) -> Picture:
    """The picture; it does not show the name of the run, so that runs that are alike share one."""
    canvas = Canvas(WIDTH)
    canvas.y = 12
    if structure.steps:
        _steps(canvas, structure.steps)
    if structure.podsets:
        _pods(canvas, structure)
    if structure.volumes:
        _volumes(canvas, structure.volumes)
    for name, slices in (structure.slices or {}).items():
        _slices(canvas, name, slices)
    kinds = sorted({_cells(podset) for podset in structure.podsets if podset.pods})
    return Picture(WIDTH, int(canvas.y), canvas.marks, words(structure), tuple(kinds))


def pod(cells: int) -> str:
    """A pod with this many devices, under the name that pictures use it by."""
    canvas = Canvas(WIDTH)
    width, height, columns = _size(cells)
    canvas.box(0.5, 0.5, width - 1, height - 1, "pod", radius=3)
    places = [(4 + cell % columns * (_CELL + _GAP), 4 + cell // columns * (_CELL + _GAP)) for cell in range(cells)]
    canvas.squares(places, _CELL, _CELL, "device")
    return f'<g id="pod-{cells}" class="picture">{canvas.marks}</g>'


def _cells(podset: StructurePodSet) -> int:
    return min(sum(number for _, number in podset.devices), _MOST_DEVICES)


def _size(cells: int) -> tuple[int, int, int]:
    """Width and height of a pod, and the number of devices in a row."""
    rows = 2 if cells > 2 else 1
    columns = max(1, -(-cells // rows))
    return columns * (_CELL + _GAP) - _GAP + 8, rows * (_CELL + _GAP) - _GAP + 8, columns


def _caption(canvas: Canvas, text: str) -> None:
    canvas.text(0, text, "caption")
    canvas.y += 20


def _steps(canvas: Canvas, steps: tuple[StructureStep, ...]) -> None:
    _caption(canvas, "Applied")
    before = None
    for step in steps:
        for number, (kind, name) in enumerate(step.objects):
            if before is not None:
                canvas.stroke(7, before + 4, 7, canvas.y - 8)
            canvas.dot(7, canvas.y - 4)
            before = canvas.y - 4
            canvas.text(_LEFT, kind)
            start = _LEFT + len(kind) * 6.8 + 9
            label = step.label if number == 0 and len(steps) > 1 else ""
            canvas.text(start, name, "mono soft", max_width=WIDTH - start - len(label) * 6.6 - 12)
            if label:
                canvas.text(WIDTH, label, "soft small end", max_width=80)
            canvas.y += 20
    canvas.y += 12


def _pods(canvas: Canvas, structure: Structure) -> None:
    gang = structure.gang
    _caption(canvas, "Started" + (", when it is resumed" if structure.suspended else ""))
    framed = gang is not None
    if not framed and not structure.queue:
        canvas.y -= 8
    top = canvas.y - 10
    behind = canvas.drawn
    if gang is not None:
        canvas.y += 10
        bits = [f"gang of {gang.least}", gang.scheduler, *([f"queue {gang.queue}"] if gang.queue else [])]
        canvas.text(12, " · ".join([*bits, *([gang.priority] if gang.priority else [])]), "gang-name small", max_width=WIDTH - 24)
        if gang.topology:
            canvas.y += 16
            canvas.text(12, gang.topology, "soft small", max_width=WIDTH - 24)
        canvas.y += 12
    elif structure.queue:
        canvas.text(0, f"admitted by Kueue, queue {structure.queue}", "gang-name small")
        canvas.y += 12
    for podset in structure.podsets:
        _podset(canvas, podset, 12 if framed else 0)
    if framed:
        frame = Canvas(WIDTH)
        frame.box(0.5, top, WIDTH - 1, canvas.y - top, "gang", radius=6)
        canvas.insert(behind, frame)
        canvas.y += 10
    canvas.y += 20


def _podset(canvas: Canvas, podset: StructurePodSet, inset: int) -> None:
    width = WIDTH - 2 * inset
    left = inset + 10
    if podset.after:
        canvas.y += 6
        canvas.text(left, after(podset), "soft small", max_width=width - 20)
        canvas.y += 8
    top = canvas.y
    behind = canvas.drawn
    canvas.y += 18
    count = f"{podset.pods} {'pod' if podset.pods == 1 else 'pods'}"
    each = " + ".join(f"{number} {name}" for name, number in podset.devices)
    amount = f"{count} \u00d7 {each}" if each else count
    canvas.text(left, podset.name, "mono head", max_width=width - 30 - len(amount) * 6.6)
    canvas.text(inset + width - 10, amount, "end", max_width=width - 60)
    canvas.y += 10
    _grid(canvas, podset, left, width - 20)
    requests = ", ".join(f"{amount} {name}" for name, amount in podset.requests.items())
    # A digest would push the name out of the picture.
    image = podset.image.partition("@")[0]
    for line, classes in ((requests and f"each {requests}", "soft small"), (image, "mono soft small")):
        if line:
            canvas.y += 12
            canvas.text(left, line, classes, max_width=width - 20, tail="mono" in classes)
            canvas.y += 4
    canvas.y += 8
    frame = Canvas(WIDTH)
    frame.box(inset + 0.5, top, width - 1, canvas.y - top, "box", radius=6)
    canvas.insert(behind, frame)
    canvas.y += 8


def _grid(canvas: Canvas, podset: StructurePodSet, left: float, width: float) -> None:
    """A rounded square for each pod, with a cell in it for each device."""
    devices, cells = sum(number for _, number in podset.devices), _cells(podset)
    pod_width, pod_height, _ = _size(cells)
    per_row = max(1, int((width + _BETWEEN) // (pod_width + _BETWEEN)))
    shown = min(podset.pods, _MOST_PODS if cells else 2 * _MOST_PODS)
    for number in range(shown):
        place = (left + number % per_row * (pod_width + _BETWEEN), canvas.y + number // per_row * (pod_height + _BETWEEN))
        canvas.use(f"pod-{cells}", *place)
    canvas.y += -(-shown // per_row) * (pod_height + _BETWEEN)
    hidden = [f"{podset.pods - shown} more pods"] if shown < podset.pods else []
    hidden += [f"{cells} of {devices} devices drawn"] if cells < devices else []
    if hidden:
        canvas.y += 12
        canvas.text(left, f"and {', '.join(hidden)}" if shown < podset.pods else hidden[0], "soft small")


def _volumes(canvas: Canvas, volumes: tuple[ReportVolume, ...]) -> None:
    _caption(canvas, "Volumes")
    for volume in volumes:
        paths = [f"{path}{' (read-only)' if read_only else ''}" for path, read_only in volume.mounts] or [f"({volume.name})"]
        canvas.text(0, ", ".join(paths), "mono", max_width=WIDTH)
        canvas.y += 16
        source = " · ".join(word for word in (volume.source, volume.storage) if word)
        canvas.text(_LEFT - 8, source, "soft", max_width=WIDTH - _LEFT + 8)
        canvas.y += 21
    canvas.y += 6


def _slices(canvas: Canvas, name: str, slices: dict[str, object]) -> None:
    _caption(canvas, f"Data slices of {name}" if name else "Data slices")
    count = slices.get("count")
    number = min(count, _MOST_SLICES) if isinstance(count, int) else 0
    if number:
        step = WIDTH / number
        top = canvas.y - 10
        canvas.squares([(index * step, top) for index in range(number)], max(step - 2, 1), 12, "slice")
        canvas.y += 18
    canvas.text(0, slice_words("", slices), "soft", max_width=WIDTH)
    canvas.y += 18


def slice_words(name: str, slices: dict[str, object]) -> str:
    """How a data set is sliced, after its name if it has one."""
    parts = [f"{slices.get('count')} slices", f"{slices.get('by')}", f"{slices.get('items')} items"]
    ratio = slices.get("ratio")
    text = " · ".join([*parts, *([f"largest/mean {ratio:.2f}"] if isinstance(ratio, float) else [])])
    return f"{name}: {text}" if name else text


def after(podset: StructurePodSet) -> str:
    """What a pod set waits for: `after a and b are complete`."""
    parts = []
    for status in dict.fromkeys(status for _, status in podset.after):
        names = [name for name, one in podset.after if one == status]
        parts.append(f"{' and '.join(names)} {'is' if len(names) == 1 else 'are'} {status.lower()}")
    return f"after {', '.join(parts)}"


def words(structure: Structure) -> str:
    """The picture for those who do not see it."""
    sentences = []
    for podset in structure.podsets:
        each = " and ".join(f"{number} {name}" for name, number in podset.devices)
        many = f"{podset.pods} {'pod' if podset.pods == 1 else 'pods'}"
        later = f", {after(podset)}" if podset.after else ""
        sentences.append(f"{podset.name}: {many}{f' with {each} each' if each else ''}{later}")
    if structure.gang is not None:
        queue = f" in queue {structure.gang.queue}" if structure.gang.queue else ""
        sentences.append(f"a gang of {structure.gang.least}{queue} ({structure.gang.scheduler})")
    sentences += [
        f"volume {volume.name}: {volume.source}{f', {volume.storage}' if volume.storage else ''}"
        + "".join(f" at {path}{' (read-only)' if read_only else ''}" for path, read_only in volume.mounts)
        for volume in structure.volumes
    ]
    sentences += [slice_words(name, slices) for name, slices in (structure.slices or {}).items()]
    order = ", then ".join(" and ".join(f"{kind} {name}".rstrip() for kind, name in step.objects) for step in structure.steps)
    return ". ".join([*([f"Applied: {order}"] if order else []), *sentences]) + "."
