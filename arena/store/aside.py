"""Has other processes write the largest tables of a large store while this one reads and computes.

They open the store themselves and write only if they see the state that this process sees.  Whatever they do
not write, this process writes: whether a table is right never depends on them.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import FrameType

import arena
from arena.store import exports
from arena.store.files import draft_path, write_table
from arena.store.store import Store

LARGE = 100_000
"""How many matches make it worthwhile: a process starts in 0.2 s, and all tables of so many take 4 s."""
ASIDE = (("seats", "decisions"), ("matches",))
"""The tables that each process writes: most of the work of an export."""
TABLES_ASIDE = tuple(name for names in ASIDE for name in names)


@contextmanager
def written_aside(store: Store, folder: Path, mark: str) -> Iterator[Mapping[str, Callable[[], bool]]]:
    """Has `TABLES_ASIDE` written to their temporary places while the body runs.

    `mark`: the store's, as this process sees it.  Yields for each table a function that waits for it and
    says whether it was written, whole.  When the body ends, neither a process nor a temporary file is left.
    """
    processes: list[subprocess.Popen[bytes]] = []
    try:
        for names in ASIDE:
            processes.append(_started(store.folder, folder, mark, names))
        yield {
            name: partial(_has_written, process)
            for process, names in zip(processes, ASIDE, strict=True)
            for name in names
        }
    finally:
        for process in processes:
            process.kill()
        for process in processes:
            process.wait()
            assert process.stdin is not None, "it is a pipe"
            process.stdin.close()
        _remove([draft_path(folder, f"{name}.csv", os.getpid()) for name in TABLES_ASIDE])


def _has_written(process: subprocess.Popen[bytes]) -> bool:
    return process.wait() == 0


def _started(store: Path, folder: Path, mark: str, names: Sequence[str]) -> subprocess.Popen[bytes]:
    """Starts a process in a session of its own: Ctrl-C in a terminal reaches only us, and we then end it."""
    root = str(Path(arena.__file__).resolve().parents[1])
    paths = [root, *filter(None, [os.environ.get("PYTHONPATH")])]
    # -P: files in the working directory must not be taken for modules
    words = [sys.executable, "-P", "-c", "from arena.store.aside import main; main()"]
    return subprocess.Popen(
        [*words, str(store.absolute()), str(folder.absolute()), mark, str(os.getpid()), *names],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def main() -> None:
    """Runs such a process; its exit code is 0 if it has written all its tables."""
    store, folder, mark, parent, *names = sys.argv[1:]
    places = {name: draft_path(Path(folder), f"{name}.csv", int(parent)) for name in names}
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
    os.read(0, 1)  # not sys.stdin: this thread would hold its lock, and the interpreter would abort at exit
    while True:
        # The signal interrupts even a write, but not if it comes just before the system call: so repeat it.
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        time.sleep(0.1)


def _end(number: int, frame: FrameType | None) -> None:
    signal.signal(number, signal.SIG_IGN)  # a second one must not interrupt the removal of files
    raise KeyboardInterrupt


def _remove(places: Collection[Path]) -> None:
    for place in places:
        place.unlink(missing_ok=True)
