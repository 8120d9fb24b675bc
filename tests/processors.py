"""The arithmetic of other processors: OpenBLAS's kernels forced in children, as numpy's wheels have all of them.

Where numpy has another library, or the processor is no x86, nothing is forced, and all children compute alike.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

HOUSE = Path(__file__).parents[1]


def _runs_avx512() -> bool:
    cpuinfo = Path("/proc/cpuinfo")
    return cpuinfo.exists() and "avx512vl" in cpuinfo.read_text(encoding="ascii", errors="replace")


KERNELS = ("Prescott", "Haswell", "Zen", *(("SkylakeX",) if _runs_avx512() else ()))
"""Old Intel, Intel with AVX2, AMD, Intel with AVX-512; the last one only where its instructions are known."""


def under(kernel: str, *words: str, at: Path = HOUSE) -> str:
    """What `python WORDS` prints where linear algebra is computed by this kernel, by one thread."""
    forced = {"OPENBLAS_CORETYPE": kernel, "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(HOUSE)}
    done = subprocess.run(
        [sys.executable, *words], env=os.environ | forced, cwd=at, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout
