"""Files of jobs -> the length of each imported experiment compared with the job, in lines: `python -m bench.imports FOLDER`.

Lines of a job are those that `kubectl get -o yaml` prints of what the author wrote, without comments and status.
"""

from __future__ import annotations

import statistics
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from tjgen.cluster.kinds.table import kind_of
from tjgen.tools.importing.folder import read_folder
from tjgen.trees.fields.path import Tree
from tjgen.trees.source.reader import KUBERNETES, read
from tjgen.trees.source.writer import dump


def ratio(job: Tree) -> float | None:
    """Lines of the experiment by lines of the job; None if the import leaves the job out."""
    text = dump(job)
    experiments = list(read_folder("job.yaml", [("job.yaml", text.encode())]).experiments.values())
    if not experiments:
        return None
    lines = [line for line in experiments[0].splitlines() if line and not line.startswith("#")]
    return len(lines) / len(text.splitlines())


def jobs(folder: Path) -> Iterator[Tree]:
    """The jobs in the YAML files below a folder."""
    for path in sorted(path for path in folder.rglob("*") if path.suffix in (".yaml", ".yml")):
        documents, _ = read(path.read_bytes(), str(path), KUBERNETES)
        for document in documents:
            kind = kind_of(document.value) if document.value.__class__ is dict else None
            if kind is not None and kind.run is not None:
                yield document.value


def main(words: list[str]) -> int:
    """Print the median and the maximum of each kind."""
    ratios: dict[str, list[float]] = defaultdict(list)
    for job in jobs(Path(words[0])):
        measured = ratio(job)
        if measured is not None:
            ratios[str(job["kind"])].append(measured)
    for kind, measured_ratios in sorted(ratios.items()):
        median, most = statistics.median(measured_ratios), max(measured_ratios)
        sys.stdout.write(f"{kind}: {len(measured_ratios)} jobs, median {median:.2f}, maximum {most:.2f}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
