"""The arguments of bubblewrap, which say what files, namespaces and rights a program in the box has."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from glob import glob
from pathlib import Path
from typing import Literal

from arena.box.places import FileView, below, graphics, needed_paths
from arena.box.processes import CAP_SYS_ADMIN, effective_capabilities

PROGRAM = "bwrap"
MENDED_IN = (0, 12)
"""The first version that follows no link of the guest's at a mount point.  Distributions mend older versions
without changing the number (Ubuntu: 0.9.0-1ubuntu0.2)."""
_VERSION_S_MAX = 10.0
TMP_BYTES_STRICT = 64 << 20
"""How much other people's bots may keep in /tmp, and in /dev/shm, which are memory: they need little."""
MASK_BYTES = 1 << 16

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store")
_SETTINGS = (
    *("alternatives", "ca-certificates", "crypto-policies", "fonts", "group", "hosts", "ld.so.cache"),
    *("ld.so.conf", "ld.so.conf.d", "locale.alias", "localtime", "mime.types", "nsswitch.conf", "os-release"),
    *("passwd", "pki", "protocols", "resolv.conf", "services", "ssl", "terminfo", "timezone"),
)
"""What is shown of /etc: files that programs and their libraries ask for, and no secrets."""
_JAVA = "java-*-openjdk"
"""Folders that are shown of /etc too: Debian keeps settings there without which Java does not start."""
_KERNEL = ("sys", "fs", "acpi", "scsi", "driver", "tty", "asound", "sysrq-trigger", "mtrr")
"""What is hidden of /proc: there root can change kernel settings even without any capability, as bubblewrap
0.8 leaves /proc/sys open."""
_COUNTERS = (
    *("allocinfo", "buddyinfo", "diskstats", "interrupts", "kallsyms", "kcore", "key-users", "keys", "kmsg"),
    *(
        "kpagecgroup",
        "kpagecount",
        "kpageflags",
        "loadavg",
        "locks",
        "pagetypeinfo",
        "partitions",
        "pressure",
    ),
    *("sched_debug", "schedstat", "slabinfo", "softirqs", "swaps", "timer_list", "vmallocinfo", "vmstat"),
    "zoneinfo",
)
"""What is closed in a strict box's /proc: counters of the whole machine, by which bots could signal.
`meminfo`, `stat`, `cpuinfo` and `uptime` stay: Node, Java and the C library read them."""
_RUN_SHOWN = ("/run/systemd/resolve", "/run/current-system", "/run/opengl-driver")
"""What is shown of /run: host names, and on NixOS the system.  The rest are sockets of services."""

Mode = Literal["hide", "ro", "rw"]


@lru_cache(maxsize=1)
def program() -> str | None:
    """The path of bubblewrap; None if it is not installed."""
    return shutil.which(PROGRAM)


@lru_cache(maxsize=1)
def bubblewrap_version() -> tuple[int, ...]:
    """The version that bubblewrap itself reports; empty if it reports none."""
    try:
        said = subprocess.run(
            [program() or PROGRAM, "--version"], capture_output=True, timeout=_VERSION_S_MAX, check=False
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ()
    return version_in(said.decode("utf-8", "replace"))


def version_in(said: str) -> tuple[int, ...]:
    """The version in the output of `bwrap --version`, such as `bubblewrap 0.8.0`."""
    found = re.search(r"\b(\d+(?:\.\d+)+)", said)
    return tuple(int(part) for part in found[1].split(".")) if found else ()


def holed_version(number: tuple[int, ...]) -> str:
    """The version in words if it is known to follow links at mount points; empty if not."""
    return ".".join(map(str, number)) if number and number < MENDED_IN else ""


def shield_words(place: FileView, env: Mapping[str, str], tmp_bytes: int) -> list[str]:
    """Arguments that show the system as it is, but read-only, and no results, other bots and their processes.

    In /tmp and /dev/shm, which are memory, there is room for `tmp_bytes` each.
    """
    views: dict[Path, Mode] = dict.fromkeys(place.hidden, "hide")
    views |= dict.fromkeys(_reopened(place), "ro")
    views |= dict.fromkeys((*place.own, place.folder), "ro")
    views |= dict.fromkeys(place.writable, "rw")
    return [
        *_BASE,
        *(("--unshare-user",) if _is_bounded_root() else ()),
        *("--ro-bind", "/", "/"),
        *_system_views(tmp_bytes, place),
        *("--tmpfs", "/run"),
        *(word for path in _RUN_SHOWN for word in ("--ro-bind-try", path, path)),
        *_views(views),
        *_run_in(place, env),
    ]


def strict_words(place: FileView, env: Mapping[str, str], *, network: bool) -> list[str]:
    """Arguments that show only what is needed, read-only except where the place allows it, and no network."""
    needed = [*needed_paths(), *place.read]
    shown = [*needed, *place.own, *map(Path, _SYSTEM)]
    views: dict[Path, Mode] = {path: "hide" for path in place.hidden if below(path, shown)}
    views |= dict.fromkeys(needed, "ro")
    views |= dict.fromkeys(place.own, "ro")
    views |= dict.fromkeys(place.writable, "rw")
    return [
        *_BASE,
        *("--unshare-user", "--disable-userns"),
        *(() if network else ("--unshare-net",)),
        *_system(),
        *_system_views(TMP_BYTES_STRICT, place, closed=_COUNTERS),
        *("--dir", str(place.folder)),
        *_views(views),
        *("--remount-ro", "/"),
        *_run_in(place, env),
    ]


_BASE = (
    *("--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"),
    *("--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv"),
)


@lru_cache(maxsize=1)
def _is_bounded_root() -> bool:
    """Whether this is root without the right to mount, as in most containers.

    Bubblewrap then needs a user namespace, which it creates unasked only for other users.
    """
    return os.geteuid() == 0 and not effective_capabilities() >> CAP_SYS_ADMIN & 1


def _system() -> Iterator[str]:
    for path in _SYSTEM:
        if os.path.islink(path):
            yield from ("--symlink", os.readlink(path), path)
        else:
            yield from ("--ro-bind-try", path, path)
    for name in (*_SETTINGS, *sorted(glob(_JAVA, root_dir="/etc"))):
        yield from ("--ro-bind-try", f"/etc/{name}", f"/etc/{name}")


def _system_views(tmp_bytes: int, place: FileView, closed: Sequence[str] = ()) -> Iterator[str]:
    """Arguments for the box's own devices, processes and space for temporary files."""
    size = str(tmp_bytes)
    yield from ("--dev", "/dev", "--size", size, "--perms", "1777", "--tmpfs", "/dev/shm")
    for path in map(str, graphics() if place.has_gpu else ()):
        yield from ("--dev-bind", path, path)
    yield from ("--remount-ro", "/dev")
    yield from ("--proc", "/proc")
    for name in _KERNEL:
        if os.path.exists(f"/proc/{name}"):
            yield from ("--ro-bind", f"/proc/{name}", f"/proc/{name}")
    for path in (f"/proc/{name}" for name in closed if os.path.exists(f"/proc/{name}")):
        if os.path.isdir(path):
            yield from ("--size", str(MASK_BYTES), "--perms", "0555", "--tmpfs", path, "--remount-ro", path)
        else:
            yield from ("--ro-bind", os.devnull, path)
    yield from ("--remount-ro", "/proc")  # nobody there tells the kernel to end others first
    yield from ("--size", size, "--perms", "1777", "--tmpfs", "/tmp")


def _reopened(place: FileView) -> list[Path]:
    """The paths that the program needs but would not see, because they lie in something hidden."""
    covered = [*place.hidden, Path("/tmp"), Path("/run")]
    return [path for path in (*needed_paths(), *place.read) if below(path, covered)]


def _views(views: Mapping[Path, Mode]) -> Iterator[str]:
    """Arguments for mounts, from the top down, so that deeper ones cover what was there.

    None of them is a link (`FileView.check_links`): bubblewrap before 0.12 would follow it.
    """
    masks = []
    for path in sorted(views, key=lambda path: len(path.parts)):
        mode, name = views[path], str(path)
        if not path.exists():
            continue
        if mode != "hide":
            yield from ("--bind" if mode == "rw" else "--ro-bind", name, name)
        elif path.is_dir():
            yield from ("--size", str(MASK_BYTES), "--perms", "0555", "--tmpfs", name)
            masks.append(name)
        else:
            yield from ("--ro-bind", os.devnull, name)
    for name in masks:
        yield from ("--remount-ro", name)


def _run_in(place: FileView, env: Mapping[str, str]) -> Iterator[str]:
    yield from ("--chdir", str(place.folder))
    for name, value in env.items():
        yield from ("--setenv", name, value)
