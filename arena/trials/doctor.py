"""Looks at what this machine has for a run, from boxes to the clock, with a remedy for what it lacks."""

from __future__ import annotations

import ctypes
import os
import platform
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import trio

from arena.box import bubblewrap, limits
from arena.box.box import Box, try_boxes
from arena.box.causes import Cause
from arena.box.kernel import cgroups, landlock
from arena.starter import LANGUAGES
from arena.store import RESULTS
from arena.tournament.lobby.callers import FILES_SPARE, FILES_WANTED
from arena.trials.check.point import CheckPoint
from arena.words import listed, number, sized

ROOM_BYTES_LEAST = 1 << 28
"""The free space below which a long run may end early."""
TICK_S_MAX = 0.001
"""The largest step of a clock that can still tell quick answers apart."""
SIGNALS_SINCE = "Linux 6.12 or newer prevents that"
_SYSTEMD = Path("/run/systemd/system")
"""This folder exists where systemd is the first process, and nowhere else."""
_SET_CLOCK = "have its clock follow others: in a container, that of the host"
_NOEXEC = getattr(os, "ST_NOEXEC", 0)  # only Linux has it
_NOT_SYNCHRONIZED = 5
"""What Linux's `adjtimex` returns if the clock is not synchronized."""


def machine_points() -> Iterator[CheckPoint]:
    """Looks at everything in turn; as long as a point has to be mended, no run can play here."""
    yield CheckPoint("python", "fine", f"{platform.python_version()}: {sys.executable}")
    temporary = _temporary_folder()
    if temporary is None:
        yield CheckPoint("boxes", "open", "not tried: they need a folder for temporary files")
    else:
        yield from _box_points(trio.run(try_boxes))
    yield _cgroup_point()
    yield from _language_points()
    yield _room_point("results", Path.cwd() / RESULTS)
    yield _temporary_point(temporary)
    yield _descriptor_point()
    yield _clock_point()


def _box_points(tried: Sequence[tuple[Box, Cause | None]]) -> Iterator[CheckPoint]:
    """A point for each kind of box, and one if no shield works."""
    for box, cause in tried:
        yield _box_point(box, cause)
    shields = [cause for box, cause in tried if box.level == "shield"]
    if shields and None not in shields:
        said = "none works here: bots run with your permissions, and see results and other bots"
        yield CheckPoint("shield", "note", said, "play only bots that you trust")


def _box_point(box: Box, cause: Cause | None) -> CheckPoint:
    if cause is not None:
        refused = "; folders of bots, which play in it, are refused here" if box.level == "strict" else ""
        return CheckPoint(box.name, "note", f"{cause.why}{refused}", cause.remedy)
    by = f"works (version {landlock.version()})" if box.means == "landlock" else "works"
    if box.failings:
        return CheckPoint(box.name, "note", f"{by}; bots can still {listed(box.failings)}", SIGNALS_SINCE)
    if box.means == "bubblewrap" and (holed := bubblewrap.holed_version(bubblewrap.bubblewrap_version())):
        mended = ".".join(map(str, bubblewrap.MENDED_IN))
        said = (
            f"{by}; bubblewrap {holed} has a known hole (a link that a bot leaves at a mount point is "
            "followed), unless your distribution has mended it, which its number does not tell; "
            "the arena mounts nothing where a bot can leave one"
        )
        return CheckPoint(
            box.name, "note", said, f"use bubblewrap {mended} or newer, or your distribution's update"
        )
    return CheckPoint(box.name, "fine", by)


def _cgroup_point() -> CheckPoint:
    """The point about control groups, which count each bot's memory and processes exactly."""
    made = cgroups.made_for((), limits.MEMORY_MB << 20, limits.TASKS_MAX)
    cgroups.remove_group(made)
    if made:
        said = f"version {1 if len(made) > 1 else 2}: memory and processes of each bot are counted exactly"
        return CheckPoint("cgroups", "fine", said)
    every = number(limits.WATCHED_EVERY_S, 2)
    return CheckPoint(
        "cgroups",
        "note",
        f"none can be made: each bot's memory and processes are looked at every {every} s instead",
        "run the arena as root, in a container or a service that may write to /sys/fs/cgroup",
    )


def _language_points() -> Iterator[CheckPoint]:
    """The points about which languages of `arena new` can be built and run here, and what others need."""
    here = [each.title for each in LANGUAGES.values() if not each.missing]
    if here:
        yield CheckPoint("languages", "fine", f"{listed(here)} can be built and run")
    for each in LANGUAGES.values():
        if each.missing:
            said = f"not found: {listed(each.missing)}"
            yield CheckPoint(each.name, "note", said, f"on Debian: {each.install}")


def _room_point(name: str, folder: Path) -> CheckPoint:
    """The point about a folder: whether it can be written, or made, and how much room there is for it."""
    there = next(path for path in (folder, *folder.parents) if path.is_dir())
    try:
        with tempfile.TemporaryFile(dir=there):
            pass
    except OSError as error:
        why = f"{there} cannot be written ({error.strerror})"
        return CheckPoint(name, "mend", why, "change to a folder that you may write to")
    free = shutil.disk_usage(there).free
    said = f"{folder}: {sized(free)} free"
    if free < ROOM_BYTES_LEAST:
        return CheckPoint(name, "note", said, "make room before a long run")
    return CheckPoint(name, "fine", said)


def _temporary_folder() -> Path | None:
    """Where temporary files go; None if no place for them can be written."""
    with suppress(OSError):
        return Path(tempfile.gettempdir())
    return None


def _temporary_point(folder: Path | None) -> CheckPoint:
    remedy = "set TMPDIR to a folder that can be written"
    if folder is None:
        return CheckPoint("temporary", "mend", "no folder for temporary files can be written", remedy)
    point = _room_point("temporary", folder)
    if point.standing == "fine" and os.statvfs(folder).f_flag & _NOEXEC:
        said = f"{point.said}; programs in it may not be run (noexec)"
        return CheckPoint("temporary", "note", said, "keep compiled bots elsewhere")
    return point


def _descriptor_point() -> CheckPoint:
    """The point about how many files a run may have open."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = float("inf") if hard == resource.RLIM_INFINITY else hard
    said = "no limit" if allowed == float("inf") else f"{hard:,} allowed"
    if allowed >= FILES_WANTED:
        return CheckPoint("descriptors", "fine", said)
    return CheckPoint(
        "descriptors",
        "mend" if allowed < FILES_SPARE else "note",
        f"{said}, and a large run wants {FILES_WANTED:,}",
        f"ulimit -Hn {FILES_WANTED} as root (of a service: LimitNOFILE=)",
    )


def _clock_point() -> CheckPoint:
    """The point about clocks: how finely answers are timed, and whether the time of day is synchronized."""
    tick_s = time.get_clock_info("monotonic").resolution
    said = f"answers are timed in steps of {number(tick_s * 1e9)} ns"
    if tick_s > TICK_S_MAX:
        return CheckPoint("clock", "note", said, "use a kernel with high-resolution timers")
    if _is_time_synchronized() is False:
        said += "; the time of day is not synchronized, which only the dates of results show"
        remedy = "timedatectl set-ntp true" if _SYSTEMD.is_dir() else _SET_CLOCK
        return CheckPoint("clock", "fine", said, remedy)
    return CheckPoint("clock", "fine", said)


def _is_time_synchronized() -> bool | None:
    """Whether the kernel's time of day follows others' clocks; None if nobody can tell."""
    if sys.platform != "linux":
        return None
    asks_only = ctypes.create_string_buffer(512)  # all zero, and larger than any `struct timex`
    state = int(ctypes.CDLL(None).adjtimex(asks_only))
    return None if state < 0 else state != _NOT_SYNCHRONIZED
