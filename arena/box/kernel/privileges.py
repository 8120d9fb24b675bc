"""Gives up capabilities, by which root may do more than others, before a process becomes a bot."""

from __future__ import annotations

import ctypes
import struct

from arena.box.processes import IS_LINUX, PR_SET_NO_NEW_PRIVS, libc, prctl

_PR_CAPBSET_DROP, _PR_CAP_AMBIENT, _AMBIENT_CLEAR_ALL = 24, 47, 4
_CAPABILITIES_MOST = 64
_VERSION_3 = 0x20080522
"""_LINUX_CAPABILITY_VERSION_3, in which a set has two words."""


def drop_privileges() -> None:
    """Leaves this process, and all that it starts, no capability and no way to gain one.  Raises OSError."""
    if not IS_LINUX:
        return
    for capability in range(_CAPABILITIES_MOST):
        prctl(_PR_CAPBSET_DROP, capability)  # refused to others than root, who keep none below either
    prctl(_PR_CAP_AMBIENT, _AMBIENT_CLEAR_ALL)
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    none = ctypes.create_string_buffer(struct.pack("=6I", *[0] * 6))
    if libc.capset(struct.pack("=Ii", _VERSION_3, 0), none) < 0:
        number = ctypes.get_errno()
        raise OSError(number, "capset")
