"""Limits on what one started program may use, all its processes together, and how they are enforced."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

MEMORY_MB = 2048
"""The memory of all processes of a bot together.  Tables and small networks need far less, and two bots at
each of two tables that use all of it still leave half of a common machine."""
TASKS_MAX = 512
"""How many processes a bot may have: a parallel build on a large machine needs some hundred."""
ADDRESS_BYTES_MAX = 64 << 30
"""The address space of a process.  Node and Java reserve tens of gigabytes that they never touch, so this
stops only absurd requests; the memory that is really used is summed up and limited by MEMORY_MB."""
FILE_BYTES_MAX = 1 << 30
"""The largest file, so that a runaway log does not fill the disk at once."""
FILES_MAX, FILES_MOST = 1024, 4096
"""How many files may be open, and how many a program may ask for; `select` supports only the former."""
CPU_S_MAX = 24 * 3600
"""The processor time of a process: one that computes for a whole day is not waiting for questions."""
USER_TASKS_MAX = 4096
"""How many processes the user may have before a bot cannot fork.  The user's own count too, so this is
generous; root may have any number."""
WATCHED_EVERY_S = 0.25
"""How often each bot's processes are checked if no cgroup counts them: a fork bomb lives no longer."""


TEMPORARY_BYTES_MAX = 1 << 30
"""How much a bot may keep in temporary files; no more than its limit of memory, if that is less."""


def resources() -> dict[int, tuple[int, int]]:
    """The limits that the system sets on every process: number of a resource -> soft and hard limit."""
    import resource  # not on Windows, where bots are written and brought to a league

    wanted = {
        resource.RLIMIT_AS: (ADDRESS_BYTES_MAX, ADDRESS_BYTES_MAX),
        resource.RLIMIT_FSIZE: (FILE_BYTES_MAX, FILE_BYTES_MAX),
        resource.RLIMIT_NOFILE: (FILES_MAX, FILES_MOST),
        resource.RLIMIT_CPU: (CPU_S_MAX, CPU_S_MAX + 60),
        resource.RLIMIT_CORE: (0, 0),
    }
    with suppress(AttributeError):  # not on every system
        wanted[resource.RLIMIT_NPROC] = (USER_TASKS_MAX, USER_TASKS_MAX)
    return wanted


def offer_to_kernel() -> None:
    """Has the kernel end this process, and all that it starts, first when the machine's memory is full."""
    with suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
        file.write("1000")


def lower(wanted: Mapping[int, tuple[int, int]]) -> None:
    """Sets these limits for this process and all that it starts; no limit is raised."""
    import resource

    for number, (soft, hard) in wanted.items():
        _, most = resource.getrlimit(number)
        if most != resource.RLIM_INFINITY:
            soft, hard = min(soft, most), min(hard, most)
        with suppress(OSError, ValueError):  # macOS refuses some: what it takes holds
            resource.setrlimit(number, (soft, hard))
