"""Files that list packages -> the packages, and which of them brings a module that is imported."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from types import MappingProxyType

DISTRIBUTIONS = MappingProxyType(
    {
        "Crypto": "pycryptodome",
        "OpenSSL": "pyOpenSSL",
        "PIL": "pillow",
        "attr": "attrs",
        "bs4": "beautifulsoup4",
        "cv2": "opencv-python-headless",
        "dateutil": "python-dateutil",
        "dotenv": "python-dotenv",
        "faiss": "faiss-cpu",
        "fitz": "PyMuPDF",
        "git": "GitPython",
        "huggingface_hub": "huggingface-hub",
        "jwt": "PyJWT",
        "mpi4py": "mpi4py",
        "pkg_resources": "setuptools",
        "pl_bolts": "lightning-bolts",
        "pynvml": "nvidia-ml-py",
        "pytorch_lightning": "pytorch-lightning",
        "skimage": "scikit-image",
        "sklearn": "scikit-learn",
        "skopt": "scikit-optimize",
        "streaming": "mosaicml-streaming",
        "tensorboardX": "tensorboardX",
        "umap": "umap-learn",
        "usearch": "usearch",
        "yaml": "PyYAML",
    }
)
"""Module -> the package that brings it, if it has another name."""
SHARED = frozenset({"azure", "google", "mpl_toolkits", "nvidia"})
"""Names under which several packages put their modules: the package of a module is ambiguous."""
_NAME = re.compile(r"[A-Za-z0-9](?:[-._A-Za-z0-9]*[A-Za-z0-9])?")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|[./]")
_REFERENCE = re.compile(r"(?:-r|--requirement|-c|--constraint)[ =]*(\S+)")
_SEPARATORS = re.compile(r"[-_.]+")


def distribution(module: str) -> str:
    """The package that is to be installed for a module."""
    return DISTRIBUTIONS.get(module, module)


def normal(name: str) -> str:
    """The form in which two names of a package are compared (the packaging specification's)."""
    return _SEPARATORS.sub("-", name).lower()


def names(lines: Iterable[str]) -> set[str]:
    """The packages that lines of requirements name, in normal form; options and URLs name none."""
    distributions = set()
    for line in lines:
        text = line.strip()
        if _URL.match(text):
            name = text.partition("#egg=")[2].partition("&")[0]
            distributions.update([normal(name)] if name else [])
        elif match := _NAME.match(text):
            distributions.add(normal(match[0]))
    return distributions


def references(text: str) -> list[str]:
    """Other files that a file of requirements reads."""
    return [match[1] for line in text.splitlines() if (match := _REFERENCE.match(line.strip()))]


def of_project(text: str) -> list[str]:
    """The dependencies of a pyproject.toml. Raises ValueError where it is none."""
    import tomllib

    try:
        project = tomllib.loads(text).get("project", {})
    except tomllib.TOMLDecodeError:
        raise ValueError("it is not valid TOML") from None
    dependencies = project.get("dependencies", []) if project.__class__ is dict else []
    if dependencies.__class__ is not list or not all(one.__class__ is str for one in dependencies):
        raise ValueError("project.dependencies is not a list of strings")
    return list(dependencies)


def missing(modules: Iterable[str], known: set[str], provided: Sequence[str]) -> list[str]:
    """Return the modules that no known package provides, as far as this is known."""
    available = known | {normal(one) for one in provided}
    return [
        module
        for module in modules
        if module not in SHARED and normal(module) not in available and normal(distribution(module)) not in available
    ]
