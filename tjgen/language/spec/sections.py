"""An unknown field of a volume, claim, sweep or other section, with its value -> the text to paste instead."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

from tjgen.language.spec.flow import flow
from tjgen.language.spec.slurmtimes import duration_of
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.k8s.valid_names import dashed
from tjgen.trees.typing import Any

TIMES = "remove it: tjgen does not start runs by time; use a CronJob, or a schedule of your CI that builds and commits the run"
"""The hint for the times at which a run should start."""
COMMIT = "0123456789abcdef0123456789abcdef01234567"
"""An example of the full ID of a commit, as `code.git` requires it."""
_PLACES = ("mount", "path", "mountpoint", "target", "destination", "dest", "containerpath", "mountdir", "dir")
_SIZES = ("size", "storage", "capacity")
_PARALLEL = (
    "parallelism",
    "parallel",
    "maxparalleltrials",
    "paralleltrialcount",
    "maxconcurrent",
    "concurrency",
    "maxconcurrenttrials",
)
_VALUES = ("parameters", "params", "grid", "values", "space", "searchspace", "hyperparameters")
_LIMITS = ("maxrestarts", "retries", "maxretries", "backofflimit", "count", "max", "attempts", "maxattempts")
_MODES = {"RWO": "ReadWriteOnce", "ROX": "ReadOnlyMany", "RWX": "ReadWriteMany", "RWOP": "ReadWriteOncePod"}
_RANGE = re.compile(r"range\(([0-9]{1,4})(?:, *([0-9]{1,4}))?\)")
_DOTS = re.compile(r"([0-9]{1,4})(?:\.\.|-)([0-9]{1,4})")
_TIMES = re.compile(r"@[a-z]+|[0-9*/,-]+(?: [0-9A-Za-z*/,-]+){4}")
"""The schedule of a CronJob."""
_MOST_POINTS = 64
_SEARCHES = ("method", "algorithm", "metric", "objective", "goal")
_RESUMES = ("resume", "autoresume", "restore", "resumefromcheckpoint")
_REPOSITORIES = ("url", "uri", "repo", "remote", "source", "address")
_REVISIONS = ("branch", "tag", "ref", "revision", "rev", "sha", "hash", "checkout", "version")
_FOLDERS = ("directory", "dir", "folder", "subpath", "subdirectory", "subdir", "context", "workdir", "workingdir")
_COMMIT_ID = re.compile(r"[0-9a-f]{40}")
_OF_SCHEDULE = {
    **dict.fromkeys(("priorityclass", "priority"), "priorityClassName"),
    **dict.fromkeys(("queuename", "localqueue", "partition"), "queue"),
    **dict.fromkeys(("minmember", "minpods"), "minAvailable"),
    "scheduler": "system",
}
_POLICIES = {"never": "policy: Never", "onfailure": "policy: OnFailure, limit: 3", "always": "policy: OnFailure, limit: 3"}


def of_field(path: FieldPath, word: str, value: Tree, known: Sequence[str]) -> str | None:
    """The hint for the unknown field at `path`, whose name is `word` in small letters; None if this module has none."""
    if "pvc" in known and "mountPath" in known:
        return _of_volume(path, word, value)
    if "claimName" in known and "create" in known:
        return _of_claim(word, value)
    if "defaultMode" in known and "items" in known and word in ("secretname", "configmapname"):
        return f"write name: {flow(value)}"
    if "repository" in known and "commit" in known:
        return _of_git(word, value)
    if "defaultMode" in known and path[-2] == "configMap" and word in ("files", "file", "directory", "data"):
        folder = flow(value) if word == "directory" else "FOLDER"
        packed = f"code: {{configMap: {{directory: {folder}}}}}"
        return f"write name: NAME, of an existing ConfigMap; to pack files of the project, use {packed}"
    if "storageClassName" in known and word in _SIZES:
        return f"write size: {flow(value)}"
    if path[-2] == "sweep" and "matrix" in known:
        return _of_sweep(path, word, value)
    if path[-2] == "checkpoints" and word in _RESUMES:
        return "remove it: a run that restarts has the same folder of checkpoints, so the program resumes from it"
    if path[-2] == "restart" and "limit" in known:
        return _of_restart(word, value)
    if path[-2] == "schedule" and "queue" in known and word in ("cron", "schedule", "interval"):
        return TIMES
    if path[-2] == "schedule" and "queue" in known and word in _OF_SCHEDULE:
        return f"write {_OF_SCHEDULE[word]}: {flow(value)}"
    if path[1:2] == ("roles",) and len(path) == 4 and value.__class__ in (str, int):
        return of_role(word, value)
    return None


def of_time(path: FieldPath, value: Tree) -> str | None:
    """The hint for a time of a CronJob as the value of `schedule`; None for other values."""
    return TIMES if path == ("spec", "schedule") and value.__class__ is str and _TIMES.fullmatch(value) else None


def field_of_word(value: Tree, schema: dict[str, Any]) -> dict[str, str] | None:
    """The section with the only field that has this word among its values; None if no field or several have it."""
    fields = [
        key for key, field in schema.get("properties", {}).items() if value.__class__ is str and value in field.get("enum", ())
    ]
    return {fields[0]: value} if len(fields) == 1 else None


def _of_git(word: str, value: Tree) -> str | None:
    if word in _REPOSITORIES and value.__class__ is str:
        return f"write repository: {flow(value)}"
    if word in _FOLDERS and value.__class__ is str:
        return f"write path: {flow(value)}"
    if word not in _REVISIONS:
        return None
    if value.__class__ is str and _COMMIT_ID.fullmatch(value):
        return f"write commit: {flow(value)}"
    return f"write commit: {flow(COMMIT)}, with the full ID of your commit: a {word} can move"


def value_of(path: FieldPath, value: Tree) -> Tree:
    """A valid value for a section that was written as a scalar or a list; None if none is known."""
    field = path[-1] if path else ""
    if field == "script" and value.__class__ is list and value and all(one.__class__ in (str, int, float) for one in value):
        return shlex.join(map(str, value))
    if field == "launcher" and value is False:
        return "none"
    if field in ("memory", "ssd", "hdd") and path[-2:-1] == ("cache",) and value.__class__ in (str, int):
        return {"size": value}
    if field == "ports":
        return _ports(value if value.__class__ is list else [value])
    if field == "restart" and value.__class__ is int:
        return {"limit": value}
    if field == "restart" and value.__class__ is str and value.lower() in _POLICIES:
        return {"policy": "Never"} if value.lower() == "never" else {"policy": "OnFailure", "limit": 3}
    if field == "nfs" and value.__class__ is str and ":/" in value:
        server, _, folder = value.partition(":")
        return {"server": server, "path": folder}
    if field == "emptyDir" and value in (True, ""):
        return {}
    if value.__class__ is str and value and path[:-1] == ("spec",) and (short := _of_text(str(field), value)) is not None:
        return short
    if field in ("cpu", "memory") and value.__class__ is str:
        return value.rstrip("+")
    if field == "emptyDir" and value.__class__ is str and value[:1].isdigit():
        return {"sizeLimit": value}
    if path[-2:] == ("code", "git") and value.__class__ is str:
        return {"repository": value, "commit": COMMIT}
    if path[-2:-1] == ("imagePullSecrets",) and value.__class__ is dict and len(value) == 1:
        return value.get("name")
    if field == "create" and value.__class__ is str and value[:1].isdigit():
        return {"size": value}
    if field == "mounts":
        places = value if value.__class__ is list else [value]
        return {place: {} for place in places if place.__class__ is str and place.startswith("/")} or None
    if path[1:2] == ("volumes",) and len(path) == 3 and value.__class__ is str:
        return _volume(value)
    return None


def _of_text(field: str, value: str) -> Tree:
    """A field of spec that was written as a text; None if no value is known."""
    if field == "code" and not value.startswith("/") and "://" not in value:
        return {"configMap": value}
    if field == "checkpoints":
        return {"volume": "NAME"}
    if field == "schedule":
        return {"system": "kueue", "queue": value}
    return duration_of(value) if field == "deadline" else None


def _ports(values: list[Tree]) -> Tree:
    """Ports with names, as a mapping; None if one of them is not a port."""
    ports = {}
    for port in values:
        is_named = port.__class__ is dict
        number = port.get("containerPort", port.get("port")) if is_named else port
        name = port.get("name") if is_named else None
        ports[name or (f"port-{number}" if len(values) > 1 else "http")] = int(number) if str(number).isdigit() else None
    return ports if ports and None not in ports.values() else None


def entry(item: Tree) -> Tree:
    """An element of a list of volumes -> the name and the entry of a mapping; None if it has no name."""
    if item.__class__ is str:
        volume = _volume(item)
        return None if volume is None else {dashed(item.partition(":")[0]): volume}
    if item.__class__ is not dict or item.get("name").__class__ is not str:
        return None
    rest = {key: value for key, value in item.items() if key != "name"}
    claim = rest.pop("persistentVolumeClaim", None)
    if claim.__class__ is dict and "claimName" in claim:
        rest = {"pvc": claim["claimName"], **rest}
    return {item["name"]: rest} if rest and "value" not in rest else None


def list_of(path: FieldPath, value: Tree) -> str | None:
    """The hint for a value of a sweep that is not a list of values; None for others."""
    if path[1:2] != ("sweep",) or len(path) < 4:
        return None
    if value.__class__ is dict and {"min", "max"} <= value.keys():
        return f"make it a list: {flow([value['min'], value['max']])}, with all values between them"
    if value.__class__ is dict and list(value) == ["values"] and "." not in str(path[-1]):
        return f"write {_point(str(path[-1]), value)}"
    if value.__class__ is dict and value and not _numbers(value):
        entries = [f"{path[-1]}.{key}: {flow(inner)}" for key, inner in value.items()]
        return f"write {', '.join(entries)}"
    numbers = _numbers(value)
    return f"make it a list: {[*numbers]}" if 0 < len(numbers) <= _MOST_POINTS else None


def _numbers(value: Tree) -> range:
    """The numbers of a range, as Python and shells write it; empty for other values."""
    if value.__class__ is dict and list(value) == ["range"]:
        ends = value["range"] if value["range"].__class__ is list else [value["range"]]
        value = f"range({', '.join(map(str, ends))})"
    text = value if value.__class__ is str else ""
    counted, dots = _RANGE.fullmatch(text), _DOTS.fullmatch(text)
    if counted is not None:
        return range(int(counted[1])) if counted[2] is None else range(int(counted[1]), int(counted[2]))
    return range(int(dots[1]), int(dots[2]) + 1) if dots is not None else range(0)


def abbreviated(value: Tree) -> str | None:
    """The hint for an access mode that is written as kubectl prints it."""
    return f"write {_MODES[value.upper()]}" if value.__class__ is str and value.upper() in _MODES else None


def _volume(text: str) -> Tree:
    """`claim:/data` and `/mnt:/data`, as Docker writes them."""
    source, _, place = text.partition(":")
    if not place.startswith("/") or place.startswith("//"):
        return None
    return {"hostPath" if source.startswith("/") else "pvc": source, "mountPath": place.partition(":")[0]}


def _of_volume(path: FieldPath, word: str, value: Tree) -> str | None:
    if word in _PLACES and value.__class__ is str and value.startswith("/"):
        return f"write mountPath: {flow(value)}"
    if word in _PLACES and word != "path":
        return "write mountPath: /data, with the path of your program"
    if word == "ro":
        return f"write readOnly: {flow(value)}"
    if word == "name":
        return f"remove it: the name of the volume is its key, {path[-2]}"
    if word in ("secretname", "configmapname") and value.__class__ is str:
        return f"write {'secret' if word == 'secretname' else 'configMap'}: {flow(value)}"
    if word in ("s3", "gcs", "source", "uri", "url", "bucket") and value.__class__ is str:
        return f"write pvc: NAME, and copy the data to the claim with prefetch: {{volume: {path[-2]}, source: {flow(value)}}}"
    return None


def _of_claim(word: str, value: Tree) -> str | None:
    if word in _SIZES:
        return f"write create: {{size: {flow(value)}}}"
    if word in ("name", "claim"):
        return f"write claimName: {flow(value)}"
    if word in ("storageclass", "storageclassname", "accessmodes"):
        field = "accessModes" if word == "accessmodes" else "storageClassName"
        return f"write create: {{{field}: {flow(value)}}}"
    return None


def _of_sweep(path: FieldPath, word: str, value: Tree) -> str | None:
    if word in _PARALLEL and value.__class__ is int:
        return f"write maxParallel: {value}"
    if word in _VALUES and value.__class__ is dict:
        if any("." in key for key in value):
            return f"write matrix instead of {path[-1]}"
        return f"write matrix: {{{', '.join(_point(key, values) for key, values in value.items())}}}"
    if word in _SEARCHES:
        return "remove it: each combination of the values of matrix is a run"
    if word in ("maxtrials", "maxtrialcount", "numtrials", "trials") and value.__class__ is int:
        return f"write max: {value}"
    if word == "name":
        return "remove it: the runs of a sweep take their names from metadata.name"
    return None


def _point(key: str, values: Tree) -> str:
    """A parameter of the program, as a variable of a matrix."""
    if values.__class__ is dict and ("values" in values or "value" in values):
        values = values.get("values", values.get("value"))
    return f"env.{re.sub('[^A-Z0-9_]', '_', key.upper())}: {flow(values if values.__class__ is list else [values])}"


def of_variable(path: FieldPath, value: Tree) -> str | None:
    """The hint for a variable that was written as a list of values; None for other values."""
    if path[:2] != ("spec", "env") or len(path) != 3 or value.__class__ is not list or not value:
        return None
    return f"for a run with each value, remove it, and write sweep: {{matrix: {{env.{path[-1]}: {flow(value)}}}}}, in spec"


def of_role(word: str, value: Tree) -> str | None:
    """The hint for an unknown field of a role; None if this module has none."""
    if word in ("script", "run", "entrypoint") and value.__class__ is str and "\n" not in value:
        words = value.split()
        return f"write command: {flow([*(['python'] if words[0].endswith('.py') else []), *words])}" if words else None
    if word in ("nodes", "numnodes", "nnodes", "workers", "count", "instances") and value.__class__ is int:
        return f"write replicas: {value}"
    return None


def _of_restart(word: str, value: Tree) -> str | None:
    if word in _LIMITS and value.__class__ is int:
        return f"write limit: {value}"
    if word == "restartpolicy":
        return f"write {_POLICIES.get(str(value).lower(), 'policy: Never')}"
    return None
