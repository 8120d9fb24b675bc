"""The trial of a box: what a probe attempts in it, and what it must not get away with."""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from arena.box import probe
from arena.box.levels import Level
from arena.box.places import FileView
from arena.box.scratch import SCRATCH


class BoxTrial:
    """The targets of a trial: folders of our own, the results, this process, a port."""

    def __init__(self, level: Level, secret: Path | None, *, is_counting_from_one: bool) -> None:
        self._undo = ExitStack()
        home = Path(tempfile.mkdtemp(prefix="arena-probe-")).resolve()
        self._undo.callback(shutil.rmtree, home, ignore_errors=True)
        own, hidden = home / "own", home / "hidden"
        for folder in (own, hidden):
            folder.mkdir()
        (hidden / "secret").write_bytes(b"x")
        shutil.copy(probe.__file__, own)
        secrets = [hidden / "secret", *([] if secret is None else [secret.resolve()])]
        self.place = FileView(
            folder=own,
            own=(own,),
            scratch=home / "kept" / "scratch" / "own",
            hidden=tuple(path.parent for path in secrets),
        )
        writes = [("write", folder) for folder in (home, own, *(path.parent for path in secrets))]
        self._traces = [folder / probe.TRACE for _, folder in writes]
        acts = [*writes, *(("read", path) for path in secrets), ("tune", "kernel/core_pattern")]
        acts += [(probe.SDK, "arena.sdk"), (probe.KEEP, SCRATCH), ("agents", socket.AF_UNIX.value)]
        if not is_counting_from_one:
            acts += [("signal", os.getpid()), ("spy", os.getpid())]
        if level == "strict":
            listener = self._undo.enter_context(socket.create_server(("127.0.0.1", 0)))
            acts += [("connect", listener.getsockname()[1])]
        self.words = [str(word) for act in acts for word in act]

    def __enter__(self) -> BoxTrial:
        return self

    def __exit__(self, *_: object) -> None:
        self._undo.close()

    def escapes(self, said: Sequence[str]) -> list[str]:
        """What a probe that reached its end got away with, by what it said and left behind."""
        # Written is what can be seen outside: within the box there may be another folder of this name.
        done = [name for name in said if name in probe.ACTS and name != "write"]
        done += ["write" for trace in self._traces if trace.exists()]
        for trace in self._traces:
            trace.unlink(missing_ok=True)
        escaped = [name for name in dict.fromkeys(done) if name not in probe.NEEDED]
        escaped += [reason for name, reason in probe.NEEDED.items() if name not in done]
        return escaped
