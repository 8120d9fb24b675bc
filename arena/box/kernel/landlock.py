"""Landlock (Linux 5.13 and newer): a process renounces access to all but some files, irrevocably.

These are raw system calls, as the C library has no functions for them.  Their numbers are the same on every
architecture that Landlock supports.
"""

from __future__ import annotations

import ctypes
import errno
import os
import stat
import struct
from collections.abc import Iterable
from contextlib import suppress

from arena.box.processes import IS_LINUX, PR_SET_NO_NEW_PRIVS, libc, prctl

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION_FLAG = 1
_PATH_BENEATH = 1

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_READ = _EXECUTE | _READ_FILE | _READ_DIR
_REMOVE_FILE, _MAKE_FILE, _TRUNCATE = 1 << 5, 1 << 8, 1 << 14
_BY_NAME = _READ_FILE | _WRITE_FILE | _REMOVE_FILE | _MAKE_FILE | _TRUNCATE
_OF_FILES = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1}
"""Version of Landlock -> all its rights over files; later ones add device control (`ioctl`)."""
_OF_FILES_LAST = (1 << 16) - 1
_ON_A_FILE = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | 1 << 15
_SCOPE_SINCE = 6
_SCOPES = 0b11
"""Forbids abstract Unix sockets of processes outside, and signals to them."""


def version() -> int:
    """Landlock's version on this system; 0: it has none."""
    return max(0, _asked_version())


def refusal() -> int:
    """The error number with which the system refuses to tell Landlock's version; 0 if it tells it."""
    return ctypes.get_errno() if _asked_version() < 0 else 0


def _asked_version() -> int:
    if not IS_LINUX:  # there, these numbers are other calls
        ctypes.set_errno(errno.ENOSYS)
        return -1
    flag = ctypes.c_uint32(_VERSION_FLAG)
    return int(libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), flag))


def restrict(readable: Iterable[str], writable: Iterable[str], unlisted: Iterable[str], process: int) -> None:
    """Lets this process and all that it starts read and write only these paths, with all below them.

    In `unlisted` folders it can make, open and remove files by their names, but not list them.  In /proc it
    sees only the folder of `process`.  Raises OSError if there is no Landlock.
    """
    number = version()
    if not number:
        raise OSError("no Landlock")
    rights = _OF_FILES.get(number, _OF_FILES_LAST)
    scopes = _SCOPES if number >= _SCOPE_SINCE else 0
    attributes = struct.pack("=QQQ", rights, 0, scopes)[: 24 if scopes else 16 if number >= 4 else 8]
    ruleset = _checked(
        libc.syscall(_CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), ctypes.c_uint32(0))
    )
    for path in (*readable, f"/proc/{process}"):
        _allow(ruleset, path, rights & _READ)
    for path in writable:
        _allow(ruleset, path, rights)
    for path in unlisted:
        _allow(ruleset, path, rights & _BY_NAME)
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    _checked(libc.syscall(_RESTRICT_SELF, ruleset, ctypes.c_uint32(0)))
    os.close(ruleset)


def _allow(ruleset: int, path: str, rights: int) -> None:
    with suppress(OSError):  # what is not there needs no permission
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
        try:
            if not stat.S_ISDIR(os.fstat(fd).st_mode):
                rights &= _ON_A_FILE
            rule = struct.pack("=Qi", rights, fd)
            libc.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, rule, ctypes.c_uint32(0))
        finally:
            os.close(fd)


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result
