"""The guard of one started program: it sets the limits, reports the end, and leaves nothing behind.

A fork of the keeper, and the parent of the program.  Its socket leads to the arena: one byte asks it to end
the program politely, and when the socket is closed, for whatever reason, it kills all its descendants.
"""

from __future__ import annotations

import fcntl
import os
import re
import select
import signal
import socket
import time
from contextlib import suppress

from arena.box import limits, messages
from arena.box.held import Hidden, folder_bytes, open_bytes
from arena.box.kernel import cgroups, landlock, seccomp
from arena.box.kernel.privileges import drop_privileges
from arena.box.messages import ProgramOrder
from arena.box.processes import (
    IS_LINUX,
    adopt_orphans,
    bury_all,
    children,
    descendants,
    drained,
    fair_memory_bytes,
    kill_all_below,
    libc,
    memory_bytes,
    wake_when_orphaned,
    wakeups,
)

BOX_PORT = 7777
"""The arena's port in a program's own network, where nobody else can take it."""
_BACKLOG = 16
_LISTEN_S = 5.0
_NS_GET_USERNS = 0xB701
"""The ioctl for the user namespace that a namespace belongs to."""
TERMINATE = b"T"
_INFO_BYTES_MAX = 4096
_CANNOT_RUN = 127
_ON_PIPES = 'exec "$@" <&{0} >&{1} {0}<&- {1}>&-'
"""Bubblewrap's own processes keep the standard streams open, so nobody would notice that a bot closed them;
all other descriptors they close."""


def watch_over(order: ProgramOrder, fds: list[int]) -> None:
    """Starts the program of this order and stays until it and all its descendants are gone.

    `fds` are its standard streams and the socket to the arena.
    """
    control = socket.socket(fileno=fds.pop())
    signal.set_wakeup_fd(-1)  # the keeper's
    os.setsid()
    adopt_orphans()
    wake_when_orphaned(os.getppid(), signal.SIGCONT)
    group: list[str] = []
    try:
        program = _Program(order, fds)
        for fd in fds:
            os.close(fd)
        messages.send(control, messages.ProgramStarted(pid=program.pid, guard=os.getpid()), program.listeners)
        for fd in program.listeners:
            os.close(fd)
        # Only now: to move a process into a group takes the kernel longer than all the rest.
        group = cgroups.made_for(descendants(os.getpid()), order.memory_bytes, order.tasks)
        _watch(order, program, control, group)
    except OSError as error:
        with suppress(OSError):
            messages.send(control, messages.ProgramFailed(number=error.errno or 0))
    finally:
        bury_all()
        control.close()
        cgroups.remove_group(group)
        os._exit(0)


class _Program:
    """The started program: its process, and what the box reports about it."""

    def __init__(self, order: ProgramOrder, fds: list[int]) -> None:
        self.listeners: list[int] = []
        self.inner = 0
        """The first process in the program's own process namespace; 0: there is none."""
        boxed = order.bubblewrap
        argv, kept, ours, pipes = [*order.argv], [], [], []
        if boxed is not None:
            info, theirs = os.pipe()
            start, go = os.pipe()
            words = _sealed(b"".join(os.fsencode(word) + b"\0" for word in boxed.words))
            kept, ours = [theirs, words, start], [info, go]
            argv = [boxed.program, "--args", str(words), "--info-fd", str(theirs)]
            if order.filter:
                kept.append(_sealed(order.filter))
                argv += ["--seccomp", str(kept[-1])]
            argv += ["--block-fd", str(start), "--"]
            if boxed.is_piped:
                pipes = [number for number in range(3, 10) if number not in kept][:2]
                argv += ["/bin/sh", "-c", _ON_PIPES.format(*pipes), "sh"]
            argv += order.argv
        self.pid = _fork(order, argv, fds, pipes, kept)
        for fd in kept:
            os.close(fd)
        if boxed is not None:
            self.inner = _inner(ours[0])
            if self.inner and boxed.listens:
                self.listeners = [_listen_inside(self.inner)]
            with suppress(OSError):
                os.write(ours[1], b"!")
            for fd in ours:
                os.close(fd)

    def terminate(self) -> None:
        """Asks the program and its group to end."""
        with suppress(OSError):
            if self.inner:
                # A namespace's first process ignores signals that it does not handle; those below it do not.
                for pid in children(self.inner):
                    os.kill(pid, signal.SIGTERM)
                os.killpg(self.inner, signal.SIGTERM)
            else:
                os.killpg(self.pid, signal.SIGTERM)

    def kill(self) -> None:
        """Kills all of it; in a namespace the kernel does that."""
        with suppress(OSError):
            if self.inner:
                os.kill(self.inner, signal.SIGKILL)
        kill_all_below(os.getpid())


def _fork(order: ProgramOrder, argv: list[str], fds: list[int], pipes: list[int], kept: list[int]) -> int:
    """Forks the process of the program.  Raises OSError, with the system's reason, if it cannot be run."""
    failed, fails = os.pipe()
    me = os.getpid()
    pid = os.fork()
    if pid:
        os.close(fails)
        with open(failed, "rb") as pipe:
            said = pipe.read()
        if said:
            os.waitpid(pid, 0)
            raise OSError(int(said), os.strerror(int(said)))
        return pid
    number = 0
    try:
        _become(order, argv, fds, pipes, [*kept, fails], me)
    except OSError as error:
        number = error.errno or 0
    except BaseException:
        pass
    os.write(fails, b"%d" % number)
    os._exit(_CANNOT_RUN)


def _become(
    order: ProgramOrder, argv: list[str], fds: list[int], pipes: list[int], kept: list[int], guard: int
) -> None:
    """Makes this fork the program; `pipes`: where its standard input and output go instead, if anywhere."""
    if order.is_confined and order.bubblewrap is None:  # bubblewrap needs them, and drops them itself
        drop_privileges()
    os.setsid()
    wake_when_orphaned(guard, signal.SIGKILL)
    signal.set_wakeup_fd(-1)
    for number in (
        signal.SIGINT,
        signal.SIGTERM,
        signal.SIGHUP,
        signal.SIGPIPE,
        signal.SIGXFSZ,
        signal.SIGCHLD,
    ):
        signal.signal(number, signal.SIG_DFL)
    if pipes:
        fds = list(fds)
        kept = [*_lifted(fds, pipes), *kept]
        nowhere = fcntl.fcntl(os.open(os.devnull, os.O_RDWR), fcntl.F_DUPFD, 64)
        fds = [nowhere, nowhere, fds[2]]
    for place, fd in enumerate(fds):
        os.dup2(fd, place)
    start = 3
    for fd in sorted(kept):
        os.closerange(start, fd)
        start = fd + 1
    os.closerange(start, limits.FILES_MOST)
    for fd in kept[:-1]:
        os.set_inheritable(fd, True)
    limits.lower(order.resources)
    limits.offer_to_kernel()
    if order.cwd is not None:
        os.chdir(order.cwd)
    if order.landlock is not None:
        landlock.restrict(**vars(order.landlock), process=os.getpid())
    if order.bubblewrap is not None:
        os.execve(argv[0], argv, {})  # its environment and its filter are among its words
    if order.filter:
        seccomp.install(order.filter)
    os.execvpe(argv[0], argv, order.env)


def _lifted(fds: list[int], numbers: list[int]) -> list[int]:
    """Standard input and output under other numbers, of one digit, which is all that `sh` supports."""
    above = [fcntl.fcntl(fd, fcntl.F_DUPFD, 64) for fd in fds]  # else `dup2` could overwrite one of them
    fds[2] = above[2]
    for fd, number in zip(above, numbers, strict=False):
        os.dup2(fd, number)
    return numbers


def _sealed(octets: bytes) -> int:
    """A file in memory for bubblewrap to read: no command line shows the arguments in it."""
    fd = os.memfd_create("box", 0) if hasattr(os, "memfd_create") else -1
    os.write(fd, octets)
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


def _inner(info: int) -> int:
    """The first process in the box, as bubblewrap reports it; 0 if it failed before."""
    said = b""
    while b"}" not in said and len(said) < _INFO_BYTES_MAX:
        more = os.read(info, _INFO_BYTES_MAX)
        if not more:
            break
        said += more
    found = re.search(rb'"child-pid": (\d+)', said)
    return int(found[1]) if found else 0


def _listen_inside(inner: int) -> int:
    """A listening socket in the network of the box."""
    ours, theirs = socket.socketpair()
    pid = os.fork()
    if pid == 0:
        try:
            network = os.open(f"/proc/{inner}/ns/net", os.O_RDONLY)
            # Not `ns/user`: once bubblewrap has disabled user namespaces that is a nested one, which has no
            # control of the network, and whether it has by now is a race (lost by 3 % of starts under load).
            users = fcntl.ioctl(network, _NS_GET_USERNS)
            libc.setns(users, 0)  # refused where it is our own: as root there may be no namespace of users
            if libc.setns(network, 0):
                os._exit(1)
            listener = socket.create_server(("0.0.0.0", BOX_PORT), backlog=_BACKLOG)
            socket.send_fds(theirs, [b"!"], [listener.fileno()])
        finally:
            os._exit(0)
    theirs.close()
    ours.settimeout(_LISTEN_S)
    with ours:
        _, fds, _, _ = socket.recv_fds(ours, 1, 1)
    os.waitpid(pid, 0)
    if not fds:
        raise OSError("no listener in the box")
    return fds[0]


# Afterwards.


def _watch(order: ProgramOrder, program: _Program, control: socket.socket, group: list[str]) -> None:
    """Reports to the arena what becomes of the program, until the arena closes the socket."""
    deaths = wakeups()
    try:
        _listen(order, program, control, group, deaths)
    finally:
        signal.set_wakeup_fd(-1)  # before the socket that it writes to is gone
        program.kill()


def _listen(
    order: ProgramOrder,
    program: _Program,
    control: socket.socket,
    group: list[str],
    deaths: socket.socket,
) -> None:
    """Does what the arena asks, and looks at the limits, until the arena closes its end."""
    poll = select.poll()
    poll.register(control, select.POLLIN)
    poll.register(deaths, select.POLLIN)
    looks_at = time.monotonic()
    _reap(program, control, order, group)
    while True:
        ready = [fd for fd, _ in poll.poll(limits.WATCHED_EVERY_S * 1000)]
        if deaths.fileno() in ready:
            drained(deaths)
            _reap(program, control, order, group)
        if control.fileno() in ready:
            try:
                said = control.recv(16)
            except OSError:
                said = b""
            if not said:
                break
            program.terminate()
        if time.monotonic() >= looks_at:
            began_at = time.monotonic()
            reason = _excess(order, group)
            ended_at = time.monotonic()  # looking at a million files takes long: not all the time goes there
            looks_at = ended_at + max(limits.WATCHED_EVERY_S, 4 * (ended_at - began_at))
            if reason:
                _tell(control, messages.ProgramExceeded(limit=reason))
                program.kill()


def _reap(program: _Program, control: socket.socket, order: ProgramOrder, group: list[str]) -> None:
    """Reaps processes that have ended, and reports it if one was the program."""
    with suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                break
            if pid == program.pid:
                reason = _excess(order, group)  # the kernel may have been the one that ended it
                if reason:
                    _tell(control, messages.ProgramExceeded(limit=reason))
                code = os.waitstatus_to_exitcode(status)
                if program.inner and 128 < code < 193:
                    code = 128 - code  # bubblewrap reports a signal as shells do
                _tell(control, messages.ProgramEnded(code=code))


def _tell(control: socket.socket, message: messages.Message) -> None:
    with suppress(OSError):
        messages.send(control, message)


def _excess(order: ProgramOrder, group: list[str]) -> str:
    """Which limit the program and its descendants exceed, in words; empty if none."""
    said = cgroups.excess(group)
    if said:
        return _words(order, said)
    if not IS_LINUX:
        return ""
    pids = descendants(os.getpid())
    if len(pids) > order.tasks:
        return _words(order, "tasks")
    most = order.memory_bytes
    try:
        held = 0 if group else open_bytes(pids)  # a group counts them, and does it better
    except Hidden:
        return _words(order, "hidden")
    if memory_bytes(pids) + held > most and fair_memory_bytes(pids, held) > most:
        return _words(order, "memory")
    for folder, bytes_max, name in order.written:
        if folder_bytes(folder) > bytes_max:
            return f"had more than {_size(bytes_max)} of {name}"
    return ""


def _words(order: ProgramOrder, what: str) -> str:
    if what == "tasks":
        return f"had more than {order.tasks} processes"
    if what == "hidden":
        return "kept the arena from seeing how much memory it uses"
    return f"used more than {_size(order.memory_bytes)} of memory"


def _size(octets: int) -> str:
    mb = octets >> 20
    return f"{mb // 1024} GB" if mb % 1024 == 0 else f"{mb} MB"
