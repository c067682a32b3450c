"""What an image is to hold -> its Dockerfile, with what changes least first, so that layers are found in the cache."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence

_PIP = "RUN python3 -m pip install --no-cache-dir "
_LISTS = "/tmp/requirements/"
_WITH_VALUE = ("-r", "--requirement", "-c", "--constraint", "-i", "--index-url", "--extra-index-url", "-f", "--find-links", "-t")
"""Options of pip whose next word is a value."""


def written(
    base: str,
    *,
    system: Sequence[str],
    requirements: Sequence[str],
    reads: Sequence[str],
    packages: Sequence[str],
    code: str | None,
    python_path: Sequence[str],
) -> str:
    """The Dockerfile.

    `requirements` are files that pip installs, `reads` those and the files that they read, below the context;
    `code` is the folder that the whole context is copied to, None where the image holds packages alone.
    """
    lines = [f"FROM {base}"]
    if system:
        words = " ".join(shlex.quote(one) for one in system)
        lines.append(
            f"RUN apt-get update && apt-get install --yes --no-install-recommends {words} && rm -rf /var/lib/apt/lists/*"
        )
    if requirements:
        lines += [f"COPY {_copied(path)}" for path in reads]
        files = " ".join(f"--requirement {shlex.quote(_LISTS + path)}" for path in requirements)
        lines.append(_PIP + files)
    if packages:
        lines.append(_PIP + " ".join(shlex.quote(one) for one in packages))
    if code is not None:
        copied = f"COPY . {code}" if _is_plain(code) else f"COPY {_words('.', code)}"
        lines += [copied, f"ENV PYTHONPATH={_quoted(':'.join(python_path))}", f"WORKDIR {_literal(code)}"]
    return "\n".join(lines) + "\n"


def packages_of(text: str) -> list[str]:
    """The packages that a written Dockerfile installs by name."""
    installs = [line.removeprefix(_PIP) for line in text.splitlines() if line.startswith(_PIP)]
    return [word for line in installs if not line.startswith("--requirement") for word in shlex.split(line)]


def installed_by(text: str) -> Iterator[str]:
    """The packages that commands of any Dockerfile install by name."""
    for match in re.finditer(r"\bpip[0-9.]* install ([^\n;&|]*)", re.sub(r"\\\r?\n", " ", text)):
        takes_value = False
        for word in match[1].split():
            if not takes_value and not word.startswith(("-", ".", "/", "$")):
                yield word.strip("'\"")
            takes_value = word in _WITH_VALUE


def lists_of(text: str) -> list[str]:
    """The files of requirements that a written Dockerfile installs, and those that they read."""
    import json

    copies = [json.loads(line.removeprefix("COPY ")) for line in text.splitlines() if line.startswith("COPY [")]
    return [path for path, target in copies if target == _LISTS + path]


def _copied(path: str) -> str:
    """Source and destination of a COPY, in the form that takes spaces."""
    return _words(path, _LISTS + path)


def _words(*words: str) -> str:
    """Words of an instruction in JSON: blanks in them separate nothing."""
    import json

    return json.dumps([_literal(word) for word in words], ensure_ascii=False)


def _literal(text: str) -> str:
    """The text where variables would be replaced."""
    return text.replace("\\", "\\\\").replace("$", "\\$")


def _quoted(text: str) -> str:
    return text if _is_plain(text) else '"' + _literal(text).replace('"', '\\"') + '"'


def _is_plain(text: str) -> bool:
    """Return whether an instruction takes the text unchanged."""
    return re.fullmatch(r"[\w./:@+,~=-]+", text) is not None
