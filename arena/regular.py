"""Files that others made, read without being held up: no pipe that nobody writes, no device without end.

Below rank 0.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
"""A pipe that has come since we looked, and a file of the kernel's that waits, answer at once."""


def read_regular(path: Path, bytes_max: int) -> bytes:
    """What is in a file.  Raises OSError where none is, it is no regular one, or it holds more."""
    if not stat.S_ISREG(os.stat(path).st_mode):  # first: to open a device may do something
        raise _no_regular(path)
    descriptor = os.open(path, _FLAGS)
    with open(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise _no_regular(path)
        content = file.read(bytes_max + 1)
    if content is None or len(content) > bytes_max:
        raise OSError(errno.EFBIG, f"larger than {bytes_max:,} bytes", str(path))
    return content


def _no_regular(path: Path) -> OSError:
    return OSError(errno.EINVAL, "no regular file", str(path))
