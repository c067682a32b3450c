"""Makes the packs of this folder from the recordings next to the checkout.

python -m tests.corpus [FOLDER]
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.corpus.packs import NAMES, SOURCE, pack, packed


def main(arguments: list[str]) -> int:
    """Write each pack, and print its size."""
    source = Path(arguments[0]) if arguments else SOURCE
    for name in NAMES:
        content = packed(source / name)
        pack(name).write_bytes(content)
        sys.stdout.write(f"{pack(name).name}: {len(content)} bytes\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
