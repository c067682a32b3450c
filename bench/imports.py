"""Files of jobs -> the length of each imported experiment compared with the job, in lines: `python -m bench.imports FOLDER`.

Lines of a job are those that `kubectl get -o yaml` prints of what the author wrote, without comments and status.
TrainJobs use the runtimes in the folder, whose lines do not count.
"""

from __future__ import annotations

import statistics
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from tjgen.cluster.kinds.table import kind_of
from tjgen.language.catalog.runtime import is_runtime
from tjgen.tools.importing.folder import read_folder
from tjgen.trees.fields.path import Tree
from tjgen.trees.source.reader import KUBERNETES, read
from tjgen.trees.source.writer import dump


def ratio(job: Tree, runtimes: Sequence[Tree] = ()) -> float | None:
    """Lines of the experiment by lines of the job; None if the import leaves the job out. `runtimes` are those of a TrainJob."""
    text = dump(job)
    files = [(f"runtime-{position}.yaml", dump(runtime).encode()) for position, runtime in enumerate(runtimes)]
    experiments = list(read_folder("job.yaml", [("job.yaml", text.encode()), *files]).experiments.values())
    if not experiments:
        return None
    lines = [line for line in experiments[0].splitlines() if line and not line.startswith("#")]
    return len(lines) / len(text.splitlines())


def objects(folder: Path) -> Iterator[Tree]:
    """The objects in the YAML files below a folder."""
    for path in sorted(path for path in folder.rglob("*") if path.suffix in (".yaml", ".yml")):
        documents, _ = read(path.read_bytes(), str(path), KUBERNETES)
        yield from (document.value for document in documents if document.value.__class__ is dict)


def _is_job(tree: Tree) -> bool:
    kind = kind_of(tree)
    return kind is not None and kind.run is not None


def main(words: list[str]) -> int:
    """Print the median and the maximum of each kind."""
    ratios: dict[str, list[float]] = defaultdict(list)
    found = list(objects(Path(words[0])))
    runtimes = list({str(tree["metadata"]["name"]): tree for tree in found if is_runtime(tree)}.values())
    for job in filter(_is_job, found):
        measured = ratio(job, runtimes if job["kind"] == "TrainJob" else ())
        if measured is not None:
            ratios[str(job["kind"])].append(measured)
    for kind, measured_ratios in sorted(ratios.items()):
        median, most = statistics.median(measured_ratios), max(measured_ratios)
        sys.stdout.write(f"{kind}: {len(measured_ratios)} jobs, median {median:.2f}, maximum {most:.2f}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
