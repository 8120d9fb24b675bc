"""Cgroups: which files are written, what the counters say, what happens where the system refuses; and the real ones."""

from __future__ import annotations

import builtins
import errno
import io
import os
import shutil
from pathlib import Path

import pytest
import trio
from boxes import OFF, program

from arena.box.box import open_box
from arena.box.kernel import cgroups
from arena.box.places import FileView

FILES = {
    *("cgroup.procs", "memory.max", "memory.oom.group", "memory.swap.max", "memory.events"),
    *("memory.limit_in_bytes", "memory.oom_control", "pids.max", "pids.events"),
}
V2 = "0::/user/me\n"
V1 = "9:name=systemd:/\n8:pids:/\n4:cpu,memory:/user/me\n0::/\n"
LIMITS = [("memory.max", "1048576"), ("memory.oom.group", "1"), ("memory.swap.max", "0"), ("pids.max", "50")]


class Kernel:
    """In the place of `os`: a cgroup has its files from the start, and loses them with its folder.

    Of these some can be `missing`, or refuse a value with an error.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.missing: set[str] = set()
        self.refuses: dict[tuple[str, str], int] = {}
        self.busy = 0
        """How many times more a folder cannot be removed."""
        self.written: list[tuple[str, str]] = []
        self._names: dict[int, str] = {}

    def __getattr__(self, name: str):
        return getattr(os, name)

    def mkdir(self, path: str) -> None:
        if "mkdir" in self.missing:
            raise PermissionError(errno.EACCES, "refused")
        os.mkdir(path)
        for name in FILES - self.missing:
            Path(path, name).touch()

    def rmdir(self, path: str) -> None:
        if self.busy:
            self.busy -= 1
            raise OSError(errno.EBUSY, "busy")
        shutil.rmtree(path)

    def open(self, path: str, flags: int) -> int:
        assert flags == os.O_WRONLY, "the kernel makes these files, nobody else"
        fd = os.open(path, flags)
        self._names[fd] = os.path.basename(path)
        return fd

    def write(self, fd: int, octets: bytes) -> int:
        wanted = (self._names[fd], octets.decode())
        if number := self.refuses.get(wanted):
            raise OSError(number, "refused")
        self.written.append(wanted)
        return os.write(fd, octets)

    def left(self) -> list[str]:
        return [path.name for path in self.root.rglob("arena-*")]


@pytest.fixture
def kernel(tmp_path, monkeypatch):
    """A system that has cgroups of version 2, and this process in one of them."""
    made = Kernel(tmp_path)
    monkeypatch.setattr(cgroups, "ROOT", str(tmp_path))
    monkeypatch.setattr(cgroups, "os", made)
    are_in(monkeypatch, V2)
    for folder in ("user/me", "memory/user/me", "pids"):
        (tmp_path / folder).mkdir(parents=True)
    return made


def are_in(monkeypatch, lines: str) -> None:
    """This process is in these groups."""

    def fake_open(path, *words, **more):
        return io.StringIO(lines) if path == "/proc/self/cgroup" else builtins.open(path, *words, **more)

    monkeypatch.setattr(cgroups, "open", fake_open, raising=False)


def test_limits_come_before_processes(kernel):
    """Version 2: one folder below our own group; a process is moved when its limits stand."""
    (place,) = cgroups.made_for([11, 12], 1 << 20, 50)
    assert str(kernel.root / "user" / "me" / f"arena-{os.getpid()}") == place
    assert [*LIMITS, ("cgroup.procs", "11"), ("cgroup.procs", "12")] == kernel.written
    assert "1048576" == Path(place, "memory.max").read_text()


def test_version_1_has_a_folder_for_each_controller(kernel, monkeypatch):
    """A process is moved into both."""
    are_in(monkeypatch, V1)
    group = cgroups.made_for([11], 1 << 20, 50)
    name = f"arena-{os.getpid()}"
    assert [str(kernel.root / "memory/user/me" / name), str(kernel.root / "pids" / name)] == group
    assert [
        ("memory.limit_in_bytes", "1048576"),
        ("pids.max", "50"),
        ("cgroup.procs", "11"),
        ("cgroup.procs", "11"),
    ] == kernel.written


@pytest.mark.parametrize("name", ["memory.oom.group", "memory.swap.max"])
def test_what_a_system_may_lack(kernel, name):
    """One without swap is held to its memory all the same."""
    kernel.missing.add(name)
    assert 1 == len(cgroups.made_for([11], 1 << 20, 50))
    assert {"memory.max", "pids.max", "cgroup.procs"} <= {file for file, _ in kernel.written}


REFUSALS = [
    ("no group may be made here", {"mkdir"}, {}),
    ("our group does not hand memory on", {"memory.max"}, {}),
    ("nor processes", {"pids.max"}, {}),
    ("a limit is refused", set(), {("memory.max", "1048576"): errno.EINVAL}),
    ("the last limit is refused", set(), {("pids.max", "50"): errno.EACCES}),
]


@pytest.mark.parametrize(
    ("missing", "refuses"), [row[1:] for row in REFUSALS], ids=[row[0] for row in REFUSALS]
)
@pytest.mark.parametrize("lines", [V2, V1], ids=["version 2", "version 1"])
def test_half_a_group_is_none(kernel, monkeypatch, lines, missing, refuses):
    """Without all limits nobody is moved, and no folder is left; a look at the processes counts instead."""
    are_in(monkeypatch, lines)
    older = {"memory.max": "memory.limit_in_bytes"} if lines == V1 else {}
    kernel.missing = {older.get(name, name) for name in missing}
    kernel.refuses = {(older.get(name, name), value): number for (name, value), number in refuses.items()}
    assert [] == cgroups.made_for([11], 1 << 20, 50)
    assert [] == kernel.left()
    assert "cgroup.procs" not in [name for name, _ in kernel.written]


@pytest.mark.parametrize("number", [errno.ESRCH, errno.EACCES, errno.EBUSY], ids=errno.errorcode.get)
def test_one_that_cannot_be_moved_keeps_the_others_from_nothing(kernel, number):
    """Nor is a group forgotten that has somebody in it: it is removed when they are gone."""
    kernel.refuses = {("cgroup.procs", "12"): number}
    group = cgroups.made_for([11, 12, 13], 1 << 20, 50)
    assert ["11", "13"] == [value for name, value in kernel.written if name == "cgroup.procs"]
    cgroups.remove_group(group)
    assert [] == kernel.left()


@pytest.mark.parametrize("lines", ["", "3:cpuset:/\n"])
def test_a_system_without(kernel, monkeypatch, lines):
    """It has other controllers, or none."""
    are_in(monkeypatch, lines)
    assert ([], []) == (cgroups.made_for([11], 1 << 20, 50), kernel.written)


COUNTS = [
    (V2, "memory.events", "low 0\nhigh 0\nmax 3\noom 1\noom_kill 1\n", "memory"),
    (V2, "memory.events", "low 0\nhigh 0\nmax 3\noom 0\noom_kill 0\n", ""),
    (V2, "pids.events", "max 2\n", "tasks"),
    (V2, "pids.events", "max 0\n", ""),
    (V2, "pids.events", "max many\n", ""),
    (V1, "memory.oom_control", "oom_kill_disable 0\nunder_oom 1\noom_kill 2\n", "memory"),
    (V1, "memory.oom_control", "oom_kill_disable 1\nunder_oom 1\noom_kill 0\n", ""),
    (V1, "pids.events", "max 7\n", "tasks"),
]


@pytest.mark.parametrize(("lines", "name", "text", "expected"), COUNTS)
def test_who_came_to_a_limit(kernel, monkeypatch, lines, name, text, expected):
    """By the counters of the kernel; what cannot be read says nothing."""
    are_in(monkeypatch, lines)
    group = cgroups.made_for([11], 1 << 20, 50)
    assert "" == cgroups.excess(group)
    for place in group:
        if (lines == V2) or (name.split(".")[0] == Path(place).relative_to(kernel.root).parts[0]):
            Path(place, name).write_text(text)
    assert expected == cgroups.excess(group)


@pytest.mark.parametrize(("busy", "expected"), [(2, 0), (3, 1)])
def test_a_group_is_removed_a_little_later(kernel, monkeypatch, busy, expected):
    """The system takes note of the last process's end in its own time; but nobody waits for ever."""
    monkeypatch.setattr(cgroups, "_REMOVE_TRIES", 3)
    group = cgroups.made_for([11], 1 << 20, 50)
    kernel.busy = busy
    cgroups.remove_group(group)
    assert expected == len(kernel.left())
    assert 0 == kernel.busy


# The real ones.


@pytest.mark.slow
async def test_the_real_thing(tmp_path):
    """A started program is in a group of its own with its limits; of that nothing is left afterwards."""
    trial = cgroups.made_for([], 64 << 20, 50)
    cgroups.remove_group(trial)
    if not trial:
        pytest.skip(f"no cgroup can be made below {cgroups.places_of(0) or cgroups.ROOT}")
    place = FileView(folder=tmp_path, own=(tmp_path,), is_writable=True)
    with trio.fail_after(30):
        async with open_box(OFF[0], means=OFF[1]) as box, program(box, place, "ignore", memory_mb=96) as said:
            group = cgroups.places_of(said.running.guard)
            assert (str(96 << 20), str(box._tasks)) == limits_of(group)
            assert [True] * len(group) == [str(said.running.pid) in members(folder) for folder in group]
    assert [None] * len(group) == [members(folder) for folder in group]


def limits_of(group: list[str]) -> tuple[str, str]:
    limit = "memory.max" if len(group) == 1 else "memory.limit_in_bytes"
    return Path(group[0], limit).read_text().strip(), Path(group[-1], "pids.max").read_text().strip()


def members(folder: str) -> list[str] | None:
    """The processes of a group; None if it is gone."""
    path = Path(folder, "cgroup.procs")
    return path.read_text().split() if path.exists() else None


def test_a_real_group_that_does_not_hand_memory_on(monkeypatch):
    """Version 2 beside version 1, which has the memory: what was made there is removed again."""
    place = Path("/sys/fs/cgroup/unified")
    if not os.access(place, os.W_OK) or "memory" in (place / "cgroup.controllers").read_text():
        pytest.skip(f"{place} is no cgroup of ours that lacks the controller of memory")
    monkeypatch.setattr(cgroups, "ROOT", str(place))
    are_in(monkeypatch, "0::/\n")
    assert [] == cgroups.made_for([], 64 << 20, 50)
    assert not (place / f"arena-{os.getpid()}").exists()
