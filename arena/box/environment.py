"""The part of the arena's environment that the programs it starts inherit."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def inherited() -> dict[str, str]:
    """The variables `PATH`, `HOME` and `LANG`, as far as the arena has them itself.

    The interpreter that runs the arena comes first on the path, so that a Python bot finds the packages that
    are installed there without an activated environment.
    """
    kept = {key: os.environ[key] for key in ("PATH", "HOME", "LANG") if key in os.environ}
    path = os.pathsep.join([str(Path(sys.executable).parent), kept.get("PATH", os.defpath)])
    return {**kept, "PATH": path}
