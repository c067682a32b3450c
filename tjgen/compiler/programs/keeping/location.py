"""An experiment's checkpoints -> where they are: in the containers, and on the volume.

A claim of the experiment has a folder for each run, which is what its runs mount, or, with `scope: family`,
one for all of them. On any other volume the folders of the experiment are below `<path>/<experiment>`.
"""

from __future__ import annotations

from tjgen.compiler.lower import SPEC
from tjgen.compiler.volumes.claims import claim_name, own_folder
from tjgen.compiler.volumes.mounts import MountPlace, places, writing_as
from tjgen.compiler.volumes.pvc import new_claim
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Checkpoints, Experiment, Volume
from tjgen.trees.typing import NamedTuple


class Location(NamedTuple):
    """Where the checkpoints of a run are."""

    volume: Volume
    place: MountPlace
    """The mount by which training reaches them."""
    inside: str
    """Their folder in the containers."""
    before: str
    """Folder of the volume, above that of the run."""
    run: str
    """Name of the run's folder there; "" where the folder is not a run's own."""
    after: str
    """Folder in the run's folder."""
    source: str = ""
    """Folder of the run that it resumes from, on the volume of that run."""
    source_claim: str | None = None
    """The claim of that run, if it has another one."""

    def on_volume(self, run: str) -> str:
        """The folder of a run on the volume."""
        return _joined(self.before, run if self.run else "", self.after)


def location(experiment: Experiment, setting: Setting) -> Location | None:
    """The location of the checkpoints; None if the volume does not exist, is not mounted, or is in an unknown folder."""
    checkpoints = experiment.spec.checkpoints
    assert checkpoints is not None, "called only with checkpoints"
    where = _location(experiment, checkpoints, setting)
    run = checkpoints.resume_from.run if checkpoints.resume_from is not None else None
    if where is None or run is None:
        return where
    other = setting.of_run(run)
    resumed = _location(experiment, checkpoints, other)
    assert resumed is not None, "both runs have the volume"
    create = new_claim(where.volume)
    name = claim_name(checkpoints.volume, create, other) if create is not None else None
    is_own = create is None or (create.scope != "run" and name == claim_name(checkpoints.volume, create, setting))
    return where._replace(source=resumed.on_volume(run), source_claim=None if is_own else name)


def _location(experiment: Experiment, checkpoints: Checkpoints, setting: Setting) -> Location | None:
    volume = experiment.spec.volumes.get(checkpoints.volume)
    place = next(places(volume, (*SPEC, "volumes", checkpoints.volume)), None) if volume is not None else None
    if volume is None or place is None:
        return None
    create = new_claim(volume)
    owner = writing_as(checkpoints.volume, experiment, setting)
    own = own_folder(create, shared=volume.shared, read_only=place.read_only, setting=owner)
    below, path = place.sub_path or "", checkpoints.path or ""
    if own is not None:
        if checkpoints.scope == "family":
            return Location(volume, place, _inside(place, path), _joined(own, below, path), "", "")
        return Location(volume, place, _inside(place, path), "", own, _joined(below, path))
    if create is not None and create.scope == "run":
        return Location(volume, place, _inside(place, path), _joined(below, path), "", "")
    family = _joined(path, setting.storage)
    if checkpoints.scope == "family":
        return Location(volume, place, _inside(place, family), _joined(below, family), "", "")
    return Location(volume, place, _inside(place, _joined(family, setting.run)), _joined(below, family), setting.run, "")


def owner(where: Location, setting: Setting) -> str:
    """The run that has the claim to itself, else the experiment: it names what looks after the claim, and marks its folder."""
    create = new_claim(where.volume)
    return setting.run if create is not None and create.scope == "run" else setting.storage


def mark(checkpoints: Checkpoints, where: Location, setting: Setting) -> str:
    """The content of the file `.tjgen-run`, by which the cleaner identifies the folder's run and the run it resumes from."""
    source = resumed_folder(checkpoints, where)
    return "\n".join([where.run or owner(where, setting), *([f"resumes {source}"] if source is not None else [])])


def resumed_folder(checkpoints: Checkpoints, where: Location) -> str | None:
    """The folder that the run resumes from, from the root of the volume; None if it is elsewhere, or there is none."""
    resume = checkpoints.resume_from
    if resume is None:
        return None
    if resume.run is not None:
        return where.source if where.source_claim is None else None
    path = resume.path or ""
    if not path.startswith("/"):
        return path.strip("/")
    if not path.startswith(f"{where.inside.rstrip('/')}/"):
        return None
    return _joined(where.on_volume(where.run), path[len(where.inside.rstrip("/")) :].strip("/"))


def is_of_run(where: Location) -> bool:
    """Whether the mount of the checkpoints has only the folder of this run, which is empty when the run starts."""
    create = new_claim(where.volume)
    return (where.run != "" and where.before == "") or (create is not None and create.scope == "run")


def is_of_family(run: str, setting: Setting) -> bool:
    """Whether a run may be one of the experiment, by its name."""
    names = (setting.family, setting.storage, *(setting.committed or ()))
    return any(run == name or run.startswith(f"{name}-") for name in names)


def _inside(place: MountPlace, path: str) -> str:
    return _joined(place.path, path)


def _joined(*parts: str) -> str:
    first, *rest = [part for part in parts if part] or [""]
    return "/".join([first.rstrip("/"), *(part.strip("/") for part in rest)])
