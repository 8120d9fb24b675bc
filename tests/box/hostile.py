"""Programs that try to get out of their box, one act each: `hostile.py ACT WORD …`.

Says `escaped` if it got what it wanted, `held` if not, then waits until it is ended; whoever started it looks from
outside as well.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import socket
import sys
import time

libc = ctypes.CDLL(None, use_errno=True)


def checked(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")


# Files.


def read(path):
    with open(path, "rb") as file:
        assert file.read(6) == b"secret"


def list_folder(path):
    assert os.listdir(path)


def write(path):
    with open(path, "w") as file:
        file.write("I was here")


def write_through_link(path):
    os.symlink(path, "link")
    write("link")


def read_through_link(path):
    os.symlink(path, "link")
    read("link")


def hard_link(path):
    os.link(path, "link")
    read("link")


def replace_by_link(path):
    os.symlink("/etc/passwd", "/tmp/link" if os.path.isdir("/tmp") else "link")
    os.rename("/tmp/link", path)


def remove(path):
    os.unlink(path)


def move_away(path):
    os.rename(path, path + ".moved")


def unmount(path):
    """Lifts what covers a folder, in a namespace of its own if need be."""
    libc.unshare(0x10000000 | 0x00020000)  # users and mounts
    checked(libc.umount2(os.path.dirname(path).encode(), 2))
    read(path)


def tune(*_):
    os.close(os.open("/proc/sys/kernel/core_pattern", os.O_WRONLY))


def keep_descriptor(*_):
    """Something was left open that leads out: anything but the three streams and what lists them."""
    extra = [fd for fd in range(3, 1024) if _is_open(fd)]
    assert extra


def _is_open(fd):
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True


# Processes.


def see_environment(pid, word):
    with open(f"/proc/{pid}/environ", "rb") as file:
        assert word[::-1].encode() in file.read()


def see_command_line(pid, word):
    with open(f"/proc/{pid}/cmdline", "rb") as file:
        assert word[::-1].encode() in file.read()


def find_command_line(pid, word):
    """Looks at every process there is; the word comes backwards, so as not to be found in our own."""
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != os.getpid():
            try:
                with open(f"/proc/{name}/cmdline", "rb") as file:
                    if word[::-1].encode() in file.read():
                        return
            except OSError:
                continue
    raise OSError("nowhere")


def read_memory(pid, word):
    with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb") as memory:
        start = int(maps.readline().split("-")[0], 16)
        memory.seek(start)
        memory.read(16)


def trace(pid, word):
    checked(libc.ptrace(16, int(pid), 0, 0))


def see_files(pid, word):
    os.listdir(f"/proc/{pid}/fd")


def stop(pid, word):
    os.kill(int(pid), signal.SIGSTOP)


def kill(pid, word):
    os.kill(int(pid), signal.SIGKILL)


def ask_for(pid):
    os.kill(int(pid), 0)


# The network.


def connect(port, host="127.0.0.1"):
    with socket.create_connection((host, int(port)), timeout=2) as sock:
        assert sock.recv(6) == b"secret"


def see_interfaces(*_):
    """Others than that to itself."""
    assert {"lo"} < {name for _, name in socket.if_nameindex()}


# Its own ways to be a nuisance.


def fork_without_end(*_):
    while True:
        try:
            os.fork()
        except OSError:
            time.sleep(0.01)


def eat_memory(*_):
    eaten = []
    while True:
        eaten.append(bytearray(os.urandom(1 << 16)) * 64)


def eat_memory_together(*_):
    """None of them much, all of them all."""
    for _ in range(7):
        if os.fork() == 0:
            break
    eaten = bytearray(os.urandom(1 << 16)) * 384  # 25 MB
    while eaten:
        time.sleep(1)


def hoard(megabytes, path=""):
    """Keeps memory that is no process's: files in memory without a name, or in a folder."""
    for number in range(int(megabytes) // 4):
        fd = (
            os.open(os.path.join(path, f"h-{number}"), os.O_CREAT | os.O_WRONLY)
            if path
            else os.memfd_create("h")
        )
        os.write(fd, bytes(4 << 20))
        if path:
            os.close(fd)


def hoard_temporary(megabytes):
    hoard(megabytes, os.environ.get("TMPDIR", "/tmp"))


def hoard_deep(megabytes):
    """Below a path longer than the system takes."""
    os.chdir(os.environ.get("TMPDIR", "/tmp"))
    for _ in range(20):
        os.mkdir("a" * 250)
        os.chdir("a" * 250)
    hoard(megabytes, ".")


def hoard_hidden(megabytes):
    """Where nobody may look at what this process has open."""
    checked(libc.prctl(4, 0, 0, 0, 0))
    hoard(megabytes)


def hoard_unreadable(megabytes):
    """As a program that nobody may read, which has the kernel hide what it has open."""
    program = os.path.join(os.environ.get("TMPDIR", "/tmp"), "python")
    shutil.copy(os.path.realpath(sys.executable), program)
    os.chmod(program, 0o111)
    env = {**os.environ, "PYTHONHOME": sys.base_prefix}
    os.execve(program, [program, __file__, "hoard", megabytes], env)


def hoard_system_v(megabytes):
    memory = libc.shmget(0, int(megabytes) << 20, 0o1600)
    checked(memory)
    checked(libc.shmctl(memory, 0, None))


def be_ended_last(*_):
    """When the kernel ends programs because memory is full."""
    with open("/proc/self/oom_score_adj", "w") as file:
        file.write("0")


def fill(folder):
    """Writes until somebody says no; says how many megabytes that took."""
    written = 0
    try:
        while written < 400:
            with open(os.path.join(folder, f"fill-{written}"), "wb") as file:
                file.write(bytes(1 << 20))
            written += 1
    except OSError:
        pass
    assert written >= 400, written


def dig(*_):
    """Folders in folders, deeper than Python calls itself."""
    os.chdir(os.environ["TMPDIR"])
    for _ in range(1100):
        os.mkdir("a")
        os.chdir("a")


def one_large_file(*_):
    with open("large", "wb") as file:
        file.seek((1 << 30) + 5)
        file.write(b"x")


def daemons(count, mark):
    """Leaves processes behind: their own sessions, no environment, no parent."""
    for _ in range(int(count)):
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
                os.execve("/bin/sleep", ["sleep", mark], {})
            os._exit(0)


def ignore(*_):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


def stop_parent(*_):
    os.kill(os.getppid(), signal.SIGSTOP)


def kill_parent(*_):
    os.kill(os.getppid(), signal.SIGKILL)


if __name__ == "__main__":
    act, *words = sys.argv[1:]
    try:
        globals()[act](*words)
    except (OSError, AssertionError) as error:
        print("held", type(error).__name__, error, flush=True)
    else:
        print("escaped", flush=True)
    time.sleep(60)
