"""Reads what decides whether a box can be made here: the machine's settings, container and programs."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import attrs

from arena.box import bubblewrap
from arena.box.kernel import landlock

APPARMOR = "kernel.apparmor_restrict_unprivileged_userns"
CLONE = "kernel.unprivileged_userns_clone"
NAMESPACES = "user.max_user_namespaces"
_MARKS = {
    "/.dockerenv": "docker",
    "/run/.containerenv": "podman",
    "/var/run/secrets/kubernetes.io": "kubernetes",
}
_GROUPS = {"kubepods": "kubernetes", "libpod": "podman", "docker": "docker", "lxc": "lxc"}
"""Words in the first process's cgroup -> the container they stand for; a pod's may name Docker too."""


@attrs.frozen(kw_only=True)
class Surroundings:
    """What was read about this machine, for `causes`."""

    system: str = "Linux"
    kernel: tuple[int, int] = (6, 1)
    distributions: tuple[str, ...] = ()
    """This system's distribution and those it descends from, by their names in /etc/os-release."""
    is_root: bool = False
    container: str = ""
    """The kind of container: `docker`, `podman`, `kubernetes`, `lxc` or another; empty outside of one."""
    is_filtered: bool = False
    """Whether a seccomp filter judges the system calls of this process."""
    program: str | None = None
    """The path of bubblewrap; None if it is not installed."""
    settings: Mapping[str, int] = attrs.field(factory=dict[str, int])
    """The kernel's settings for user namespaces, as far as it has them."""
    landlock_errno: int = 0
    """The error number with which the kernel refuses to tell Landlock's version; 0 if it tells it."""


def surroundings() -> Surroundings:
    """Reads what this machine is like now."""
    return Surroundings(
        system=platform.system(),
        kernel=_kernel(platform.release()),
        distributions=_distributions(),
        is_root=os.geteuid() == 0,
        container=_container(),
        is_filtered=re.search(r"^Seccomp:\s*2$", _text("/proc/self/status"), re.MULTILINE) is not None,
        program=bubblewrap.program(),
        settings=_settings(),
        landlock_errno=landlock.refusal(),
    )


def _kernel(release: str) -> tuple[int, int]:
    found = re.match(r"(\d+)\.(\d+)", release)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def _distributions() -> tuple[str, ...]:
    with suppress(OSError):
        said = platform.freedesktop_os_release()
        return (said["ID"], *said.get("ID_LIKE", "").split())
    return ()


def _container() -> str:
    if "KUBERNETES_SERVICE_HOST" in os.environ:
        return "kubernetes"
    for mark, name in _MARKS.items():
        if os.path.exists(mark):
            return name
    groups = _text("/proc/1/cgroup")
    by_group = next((name for word, name in _GROUPS.items() if word in groups), "")
    return by_group or _text("/run/systemd/container").strip()


def _settings() -> dict[str, int]:
    found = {}
    for name in (APPARMOR, CLONE, NAMESPACES):
        with suppress(ValueError):
            found[name] = int(_text(f"/proc/sys/{name.replace('.', '/')}"))
    return found


def _text(path: str) -> str:
    """The text of a file; empty if it cannot be read."""
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
