"""Enters a world, a machine that lacks something, and runs a command there: `enter.py WORLD HOME|- COMMAND…`.

Started in mounts of its own, which are gone with the command: what the world lacks is covered there, and
what it refuses is refused by a filter of system calls.
"""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from glob import glob
from pathlib import Path

HOUSE = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(HOUSE))

from arena.box.kernel import seccomp  # noqa: E402  as it is in this clone, whatever is installed
from arena.box.kernel.privileges import drop_privileges  # noqa: E402

USER = 65534
PROGRAMS = ("bwrap", "chromium-headless-shell", "chromium", "chromium-browser", "g++", "c++", "gcc", "cc")
PROGRAMS += ("go", "node", "nodejs", "javac", "java", "cargo", "rustc")
LIBRARIES = ("/usr/include/jsoncpp", "/usr/share/java", "/usr/share/cargo/registry")
NAMESPACES = 0x7E020000
"""All flags of namespaces: root needs no user namespace to make the others."""
NEW_CONTAINER = (
    *(seccomp.Rule(call, errno.EPERM, 0, "any bit", (NAMESPACES,)) for call in ("clone", "unshare")),
    seccomp.Rule("clone3", errno.ENOSYS),
)
"""What AppArmor, containers and `unprivileged_userns_clone=0` answer to a program that wants a namespace."""
NO_LANDLOCK = (seccomp.Rule("landlock_create_ruleset", errno.ENOSYS),)

COVERED = {
    "bubblewrap": (),
    "refused": (),
    "landlock": PROGRAMS[:1],
    "neither": PROGRAMS[:1],
    "bare": PROGRAMS,
}
"""By world, the programs that it lacks."""
REFUSED = {"refused": NEW_CONTAINER, "neither": NO_LANDLOCK}
"""By world, the system calls that it refuses."""


def cover(world: str) -> None:
    """Takes away from this process and all below it what the world lacks."""
    folders = os.environ["PATH"].split(os.pathsep)
    found = {Path(folder, name).resolve() for name in COVERED[world] for folder in folders}
    for path in sorted(path for path in found if path.exists()):
        _mount("--bind", os.devnull, path)  # not executable, so nobody finds it
    for path in LIBRARIES if world == "bare" else ():
        if glob(path):
            _mount("-t", "tmpfs", "none", path)


def become_user(home: Path) -> None:
    """Becomes a user without rights, who sees of a folder that is shut to others, such as /root, only the interpreter."""
    open_interpreter(home)
    os.setgroups([])
    os.setresgid(USER, USER, USER)
    os.setresuid(USER, USER, USER)
    os.environ["HOME"] = str(home)


def open_interpreter(ground: Path) -> None:
    """Opens the interpreter to all users, if a folder above it is shut, and nothing else there."""
    base = Path(sys.base_prefix).resolve()
    shut = next((top for top in reversed([base, *base.parents]) if not top.stat().st_mode & 0o001), None)
    if shut is not None:
        held = ground / ".interpreter"
        held.mkdir(exist_ok=True)
        _mount("--bind", base, held)
        _mount("-t", "tmpfs", "-o", "mode=755", "none", shut)
        base.mkdir(parents=True)
        _mount("--move", held, base)


def _mount(*words: str | Path) -> None:
    subprocess.run(["mount", *map(str, words)], check=True)


def main(world: str, home: str, *command: str) -> None:
    program = shutil.which(command[0]) or command[0]
    cover(world)
    if home != "-":
        become_user(Path(home))
    if world in REFUSED:
        seccomp.install(seccomp.filter_bytes(REFUSED[world], seccomp.architecture()))
    if os.getuid() != 0:  # the rights to mount that a user namespace gave, if it took one
        drop_privileges()
    os.execv(program, command)


if __name__ == "__main__":
    main(*sys.argv[1:])
