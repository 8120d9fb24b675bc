"""The probe: a program that tries, inside a box, what is forbidden there, and prints what succeeded.

It is copied into a folder of its own and started there as bots are: `probe.py NAME TARGET …`.
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable
from importlib import import_module

DONE = "done"
"""The last line of a probe that was not stopped before its end."""
SDK, KEEP = "sdk", "keep"
NEEDED = {SDK: "a bot cannot import arena.sdk", KEEP: "a bot cannot write to its scratch folder"}
"""Each act that must succeed, and what is said if it does not."""
TRACE = ".arena-probe"
"""The file that a probe tries to write: if it is seen outside, writing worked."""


def read(path: str) -> None:
    with open(path, "rb") as file:
        file.read(1)


def write_trace(folder: str) -> None:
    with open(os.path.join(folder, TRACE), "wb"):
        pass


def write_kept(variable: str) -> None:
    write_trace(os.environ.get(variable, ""))


def signal(pid: str) -> None:
    os.kill(int(pid), 0)


def spy(pid: str) -> None:
    read(f"/proc/{pid}/environ")


def reach_port(port: str) -> None:
    with socket.create_connection(("127.0.0.1", int(port)), timeout=1):
        pass


def make_socket(family: str) -> None:
    """Makes a socket of the family that agents and services use; none of them is disturbed."""
    socket.socket(int(family)).close()


def tune(name: str) -> None:
    """Opens a kernel setting for writing, and changes nothing."""
    os.close(os.open(f"/proc/sys/{name}", os.O_WRONLY))


ACTS: dict[str, tuple[Callable[[str], object], str]] = {
    "read": (read, "read what is hidden from it"),
    "write": (write_trace, "write outside its scratch folder"),
    "signal": (signal, "signal other processes"),
    "spy": (spy, "see the environment of other processes"),
    "connect": (reach_port, "use the network"),
    "tune": (tune, "change kernel settings"),
    "agents": (make_socket, "connect to agents and services of this machine by Unix sockets"),
    KEEP: (write_kept, "write to its scratch folder"),
    SDK: (import_module, "import the SDK"),
}
"""Name of an act -> its function, and what it is called in messages."""


def main(words: list[str]) -> None:
    for name, target in zip(words[::2], words[1::2], strict=True):
        try:
            ACTS[name][0](target)
        except (OSError, ImportError):
            continue
        print(name, flush=True)
    print(DONE, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
