"""Why there is no box on a machine: the cause that is found, and what mends it."""

from __future__ import annotations

import errno
import os
import platform

import pytest

from arena.box.bubblewrap import holed_version, version_in
from arena.box.causes import bubblewrap_cause, landlock_cause
from arena.box.surroundings import APPARMOR, CLONE, NAMESPACES, Surroundings, surroundings

VERSIONS = [
    ("bubblewrap 0.8.0\n", "0.8.0"),
    ("bubblewrap 0.9.0\n", "0.9.0"),
    ("bubblewrap 0.11.1-rc1", "0.11.1"),
    ("bubblewrap 0.12.0\n", ""),
    ("bubblewrap 1.0", ""),
    ("", ""),
    ("no version", ""),
]


@pytest.mark.parametrize(("said", "expected"), VERSIONS)
def test_versions_with_a_known_hole(said, expected):
    """Those before 0.12; one that says nothing is not blamed."""
    assert expected == holed_version(version_in(said))


REFUSED = "bwrap: No permissions to create new namespace, likely because the kernel does not allow …"
FULL = (
    "bwrap: Creating new namespace failed: nesting depth or /proc/sys/user/max_*_namespaces exceeded (ENOSPC)"
)
LOOPBACK = "bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted"
OF_ROOT = "bwrap: Creating new namespace failed: Operation not permitted"
MASKED = "bwrap: Can't mount proc on /newroot/proc: Operation not permitted"
DOCKER = "--security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unc"


def machine(**facts) -> Surroundings:
    return Surroundings(**{"program": "/usr/bin/bwrap", **facts})


APPARMORED = {APPARMOR: 1, NAMESPACES: 9999}
BUBBLEWRAP = [
    # what, the machine, what bubblewrap said, words of the cause, words of the remedy
    ("missing on Debian", machine(program=None, distributions=("debian",)), "", "is not installed", "sudo apt install"),
    ("missing for root", machine(program=None, distributions=("debian",), is_root=True), "", "is not", "apt install"),
    ("missing on Fedora", machine(program=None, distributions=("fedora",)), "", "is not", "sudo dnf install bubblewrap"),
    ("by ID_LIKE", machine(program=None, distributions=("rocky", "rhel")), "", "is not", "sudo dnf install bubblewrap"),
    ("missing on Arch", machine(program=None, distributions=("arch",)), "", "is not", "sudo pacman -S bubblewrap"),
    ("missing on Alpine", machine(program=None, distributions=("alpine",)), "", "is not", "sudo apk add bubblewrap"),
    ("unknown system", machine(program=None, distributions=("plan9",)), "", "is not", "install the package bubblewrap"),
    ("macOS", machine(system="Darwin"), "", "is for Linux only", "in a Linux container or virtual machine"),
    ("AppArmor", machine(settings=APPARMORED), LOOPBACK, f"AppArmor forbids it ({APPARMOR} is 1)", "profile bwrap /usr/"),
    ("AppArmor is not root's", machine(settings=APPARMORED, is_root=True), OF_ROOT, OF_ROOT, ""),
    ("a container without a filter on Ubuntu", machine(container="docker", settings=APPARMORED, is_root=True), OF_ROOT, "AppArmor", "(on the host)"),
    ("old Debian", machine(settings={CLONE: 0}), REFUSED, f"{CLONE} is 0", f"sudo sysctl {CLONE}=1"),
    ("none allowed", machine(settings={NAMESPACES: 0}), FULL, f"{NAMESPACES} is 0", f"sudo sysctl {NAMESPACES}=15000"),
    ("Docker", machine(container="docker", is_filtered=True), REFUSED, "container (docker) forbids it", DOCKER),
    ("Docker on Ubuntu", machine(container="docker", is_filtered=True, settings=APPARMORED), REFUSED, "docker", DOCKER),
    ("Docker's masked /proc", machine(container="docker"), MASKED, "may not mount /proc here", DOCKER),
    ("Podman", machine(container="podman"), REFUSED, "container (podman)", "--security-opt unmask=ALL"),
    ("Kubernetes", machine(container="kubernetes"), REFUSED, "container (kubernetes)", "procMount: Unmasked"),
    ("LXC", machine(container="lxc"), REFUSED, "container (lxc)", "security.nesting=true"),
    ("a container's host", machine(container="docker", settings={CLONE: 0}), REFUSED, f"{CLONE} is 0", "(on the host)"),
    ("a service", machine(is_filtered=True), REFUSED, "a seccomp filter forbids it", "RestrictNamespaces=no"),
    ("too old", machine(), "bwrap: Unknown option --size", "too old: it does not know --size", "0.8 or newer"),
    ("setuid", machine(), "bwrap: The --size option is not permitted in setuid mode", "setuid", "sudo chmod u-s /usr/bin"),
    ("file capabilities", machine(), "bwrap: Unexpected capabilities but not setuid, old file caps config?", "file cap", "sudo setcap -r /usr/bin/bwrap"),
    ("what nobody has met", machine(), "bwrap: out of cheese", "bwrap: out of cheese", ""),
]  # fmt: skip
LANDLOCK = [
    ("an old kernel", machine(kernel=(5, 10), landlock_errno=errno.ENOSYS), "not in this kernel (5.10)", "5.13 or newer"),
    ("not turned on", machine(landlock_errno=errno.EOPNOTSUPP), "not turned on", "lsm=landlock"),
    ("a filter", machine(landlock_errno=errno.ENOSYS, is_filtered=True), "refused by a seccomp filter", "set the filter"),
    ("an old Docker", machine(landlock_errno=errno.EPERM, container="docker"), "of the container (docker)", DOCKER),
    ("not built in", machine(landlock_errno=errno.ENOSYS), "not in this kernel", "CONFIG_SECURITY_LANDLOCK"),
    ("macOS", machine(system="Darwin"), "is for Linux only", "in a Linux container"),
    ("there, but its trial fails", machine(), "makes no box here (it does not start)", ""),
]  # fmt: skip


@pytest.mark.parametrize(
    ("case", "where", "said", "why", "remedy"), BUBBLEWRAP, ids=[row[0] for row in BUBBLEWRAP]
)
def test_why_bubblewrap_makes_no_box(case, where, said, why, remedy):
    """The cause that was found, and the command or flags that mend it; no remedy where none is known."""
    cause = bubblewrap_cause(where, said)
    assert why in cause.why
    assert remedy in cause.remedy
    assert bool(remedy) == bool(cause.remedy)
    assert bool(where.container) or where.is_root <= ("sudo" not in cause.remedy)


@pytest.mark.parametrize(("case", "where", "why", "remedy"), LANDLOCK, ids=[row[0] for row in LANDLOCK])
def test_why_landlock_makes_no_box(case, where, why, remedy):
    """The cause that was found, and what mends it."""
    cause = landlock_cause(where, "it does not start")
    assert why in cause.why
    assert remedy in cause.remedy
    assert bool(remedy) == bool(cause.remedy)


def test_a_machine_is_read_as_it_is(monkeypatch):
    """What is read here fits what Python says of it; a pod is known by the address of its cluster."""
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    here = surroundings()
    assert platform.system() == here.system
    assert (os.geteuid() == 0) == here.is_root
    assert platform.release().startswith(".".join(map(str, here.kernel)))
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1")
    assert "kubernetes" == surroundings().container
