"""Explains why a box cannot be made on a machine, and with which command or setting it could.  Pure."""

from __future__ import annotations

import errno

import attrs

from arena.box.surroundings import APPARMOR, CLONE, NAMESPACES, Surroundings

LANDLOCK_SINCE = (5, 13)
PROFILE = r"abi <abi/4.0>,\nprofile bwrap {} flags=(unconfined) {{ userns, }}\n"
"""Lets bubblewrap alone create user namespaces; the setting `APPARMOR` would let all programs."""
_INSTALL = {
    "debian": "apt install bubblewrap",
    "ubuntu": "apt install bubblewrap",
    "fedora": "dnf install bubblewrap",
    "rhel": "dnf install bubblewrap",
    "arch": "pacman -S bubblewrap",
    "alpine": "apk add bubblewrap",
    "suse": "zypper install bubblewrap",
    "opensuse": "zypper install bubblewrap",
}
_FLAGS = {
    "podman": "--security-opt seccomp=unconfined --security-opt unmask=ALL --security-opt label=disable",
    "docker": "--security-opt seccomp=unconfined --security-opt apparmor=unconfined "
    "--security-opt systempaths=unconfined",
}
_POD = (
    "give the pod hostUsers: false, and its container's securityContext seccompProfile.type: Unconfined, "
    "appArmorProfile.type: Unconfined, procMount: Unmasked"
)
_OF_NAMESPACES = ("namespace", "uid map", "loopback", "Operation not permitted", "Permission denied")
"""Words in bubblewrap's messages when the kernel refuses it a namespace, or what it must do in one."""
_ELSEWHERE = "run the arena in a Linux container or virtual machine"


@attrs.frozen
class Cause:
    """Why one kind of box cannot be made here."""

    why: str
    """The reason, as a clause: `bubblewrap is not installed`."""
    remedy: str = ""
    """The command or flags that mend it; empty if none is known."""


def bubblewrap_cause(machine: Surroundings, said: str = "") -> Cause:
    """Why bubblewrap makes no box on this machine; `said` is its own last message."""
    if machine.system != "Linux":
        return Cause("bubblewrap is for Linux only", _ELSEWHERE)
    if machine.program is None:
        return Cause("bubblewrap is not installed", _install(machine))
    of_program = _cause_in_program(machine, machine.program, said)
    if of_program is not None:
        return of_program
    if "mount proc" in said:
        remedy = _open_container(machine) or "unmount what covers parts of /proc: `findmnt -R /proc` lists it"
        return Cause("bubblewrap may not mount /proc here, as parts of it are masked", remedy)
    if any(words in said for words in _OF_NAMESPACES):
        return _cause_of_namespaces(machine, machine.program, said)
    return Cause(f"bubblewrap fails ({said})")


def _cause_in_program(machine: Surroundings, program: str, said: str) -> Cause | None:
    """What is wrong with the installed bubblewrap; None if nothing is."""
    if "Unknown option" in said:
        option = said.partition("Unknown option")[2].split()[:1]
        return Cause(
            f"this bubblewrap is too old: it does not know {' '.join(option)}",
            f"install bubblewrap 0.8 or newer ({_install(machine)}, on a newer system)",
        )
    if "setuid mode" in said:
        return Cause(
            "bubblewrap is installed setuid, and refuses in that mode what a box needs",
            _as_root(machine, f"chmod u-s {program}"),
        )
    if "old file caps" in said:
        return Cause("bubblewrap has file capabilities", _as_root(machine, f"setcap -r {program}"))
    return None


def _cause_of_namespaces(machine: Surroundings, program: str, said: str) -> Cause:
    """What keeps bubblewrap from creating namespaces."""
    refused = "bubblewrap may not create user namespaces here"
    at = " (on the host)" if machine.container else ""
    if machine.settings.get(NAMESPACES) == 0:
        why = f"{refused}: {NAMESPACES} is 0"
        return Cause(why, _as_root(machine, f"sysctl {NAMESPACES}=15000") + at)
    if machine.settings.get(CLONE) == 0 and not machine.is_root:
        return Cause(f"{refused}: {CLONE} is 0", _as_root(machine, f"sysctl {CLONE}=1") + at)
    is_judged = machine.container or not machine.is_root
    if machine.settings.get(APPARMOR) == 1 and is_judged and not machine.is_filtered:
        return Cause(f"{refused}: AppArmor forbids it ({APPARMOR} is 1)", _profile(program) + at)
    if machine.container:
        why = f"{refused}: the container ({machine.container}) forbids it"
        return Cause(why, _open_container(machine))
    if machine.is_filtered:
        return Cause(
            f"{refused}: a seccomp filter forbids it",
            "start the arena outside of the service or sandbox that set the filter "
            "(of a systemd service: RestrictNamespaces=no)",
        )
    return Cause(f"{refused} ({said})")


def landlock_cause(machine: Surroundings, said: str = "") -> Cause:
    """Why Landlock makes no box on this machine; `said` is what the trial found."""
    if machine.system != "Linux":
        return Cause("Landlock is for Linux only", _ELSEWHERE)
    number = machine.landlock_errno
    if number == errno.EOPNOTSUPP:
        return Cause(
            "Landlock is not turned on here",
            "add lsm=landlock,… (and what /sys/kernel/security/lsm lists) to the kernel's command line",
        )
    if number and machine.kernel < LANDLOCK_SINCE:
        has = ".".join(map(str, machine.kernel))
        return Cause(f"Landlock is not in this kernel ({has})", "use Linux 5.13 or newer")
    if number and (machine.is_filtered or number == errno.EPERM):
        by = f" of the container ({machine.container})" if machine.container else ""
        remedy = _open_container(machine) or "start the arena outside of what set the filter"
        return Cause(f"Landlock is refused by a seccomp filter{by}", remedy)
    if number:
        return Cause("Landlock is not in this kernel", "use a kernel built with CONFIG_SECURITY_LANDLOCK")
    return Cause(f"Landlock makes no box here ({said})")


def _install(machine: Surroundings) -> str:
    """The command that installs bubblewrap."""
    for name in machine.distributions:
        if name in _INSTALL:
            return _as_root(machine, _INSTALL[name])
    return "install the package bubblewrap"


def _as_root(machine: Surroundings, command: str) -> str:
    return command if machine.is_root else f"sudo {command}"


def _profile(program: str) -> str:
    file = "/etc/apparmor.d/bwrap"
    return f"printf '{PROFILE.format(program)}' | sudo tee {file} && sudo apparmor_parser -r {file}"


def _open_container(machine: Surroundings) -> str:
    """How to start a container in which programs may create namespaces; empty outside of one."""
    if machine.container == "kubernetes":
        return _POD
    if machine.container == "lxc":
        return "set security.nesting=true for the container"
    if machine.container in _FLAGS:
        return f"start the container with {_FLAGS[machine.container]}"
    return "start the container without its seccomp filter" if machine.container else ""
