"""A second process that writes the largest tables of a large store, while this one reads and computes.

It opens the store itself and writes only if it sees the state that this process sees.  Whatever it does
not write, this process writes: whether a table is right never depends on it.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import arena
from arena.store import exports
from arena.store.files import draft_path, write_table
from arena.store.store import Store

LARGE = 100_000
"""It pays off from this many matches: a process takes 0.2 s to start, and all tables of so many take 4 s."""
TABLES_ASIDE = ("seats", "decisions")
"""About half of the work of an export."""


@contextmanager
def written_aside(store: Store, folder: Path, mark: str) -> Iterator[Mapping[str, Callable[[], bool]]]:
    """Has `TABLES_ASIDE` written to their temporary places while the body runs.

    `mark`: the store's, as this process sees it.  Gives for each table a function that waits for it and
    says whether it is there, whole.  When the body ends, neither the process nor a temporary file is left.
    """
    process = _started(store.folder, folder, mark)
    try:
        yield dict.fromkeys(TABLES_ASIDE, lambda: process.wait() == 0)
    finally:
        process.kill()
        process.wait()
        assert process.stdin is not None, "it is a pipe"
        process.stdin.close()
        _remove([draft_path(folder, f"{name}.csv", os.getpid()) for name in TABLES_ASIDE])


def _started(store: Path, folder: Path, mark: str) -> subprocess.Popen[bytes]:
    """Starts it in a session of its own: Ctrl-C in a terminal reaches only us, and we then end it."""
    root = str(Path(arena.__file__).resolve().parents[1])
    paths = [root, *filter(None, [os.environ.get("PYTHONPATH")])]
    # -P: files in the working directory are not our modules
    words = [sys.executable, "-P", "-c", "from arena.store.aside import main; main()"]
    return subprocess.Popen(
        [*words, str(store.absolute()), str(folder.absolute()), mark, str(os.getpid())],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def main() -> None:
    """The second process: exit code 0 if all its tables are there."""
    store, folder, mark, parent = sys.argv[1:]
    places = {name: draft_path(Path(folder), f"{name}.csv", int(parent)) for name in TABLES_ASIDE}
    signal.signal(signal.SIGINT, _end)  # also where it is ignored, as in the background of a script
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        is_written = _write(Path(store), places, mark)
    except BaseException:
        _remove(places.values())
        raise
    sys.exit(0 if is_written else 1)


def _write(folder: Path, places: dict[str, Path], mark: str) -> bool:
    with Store.open(folder) as store, store.frozen():
        if store.mark() != mark:
            return False
        for name, place in places.items():
            write_table(place, exports.table(store, name, as_cells=True))
    return True


def _end_with_parent() -> None:
    """Ends this process when the pipe closes: when the other one ends, even by SIGKILL."""
    os.read(0, 1)  # not sys.stdin: its lock, held to the end, would abort the interpreter as it leaves
    while True:
        # Wakes it from a write too, but not if it comes just before the system call.
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        time.sleep(0.1)


def _end(number: int, frame: FrameType | None) -> None:
    signal.signal(number, signal.SIG_IGN)  # so that no other one comes while files are removed
    raise KeyboardInterrupt


def _remove(places: Collection[Path]) -> None:
    for place in places:
        place.unlink(missing_ok=True)
