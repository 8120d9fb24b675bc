"""`python -m tests.released`: keeps what this version writes, before it is released."""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path

from arena import __version__
from tests.released import KEPT, pack, write_data


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.released", description=__doc__)
    parser.add_argument(
        "--again", action="store_true", help="replace the archive of a version that is not out yet"
    )
    asked = parser.parse_args()
    archive = KEPT / f"{__version__}.tar.gz"
    if archive.exists() and not asked.again:
        parser.error(
            f"{archive.name} is kept already: as long as {__version__} is not out, --again replaces it"
        )
    KEPT.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        write_data(Path(folder))
        pack(Path(folder), archive)
        os.chdir(KEPT)
    print(f"{archive.name}: {archive.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
