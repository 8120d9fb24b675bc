"""Two bots in strict boxes cannot signal to each other by locks and counters; real programs run nevertheless."""

from __future__ import annotations

import json
import secrets
import shutil
import sqlite3
import sys
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import pytest
import trio
from boxes import SHIELD, STRICT, need, program
from daily import nightly

from arena.box.box import Box, open_box
from arena.box.places import FileView
from arena.trials.torture.channels import bits_a_second, signalled
from arena.trials.torture.signals import BITS, CHANNELS, SLOTS

AT_ONCE = (("flock", "record-lock", "cache"), ("lease", "inotify"))
"""The ways that strict closes; each carries tens of bits a second in a shield.  Apart are those that disturb each other:
nobody learns anything by asking for a lease of a file that the pair of `flock` holds open."""
COUNTED = ("pressure",)
"""Closed by hiding a counter, which `test_a_strict_box_shows_no_counters_of_the_machine` finds without waiting for bits."""
CLOSED = (*chain(*AT_ONCE), *COUNTED)
LEAST_BITS = 20.0
"""What a machine with other work still lets through by the quick ones of them: 85 to 98 were measured."""


@pytest.fixture
def top():
    """A folder for bots; not in /tmp, where each box has one of its own."""
    top = Path(__file__).resolve().parents[2] / ".arena" / f"signals-{secrets.token_hex(4)}"
    top.mkdir(parents=True)
    yield top
    shutil.rmtree(top)


@pytest.fixture
def tops(top):
    """The folders of two bots."""
    return two_folders(top)


def two_folders(top: Path) -> tuple[Path, Path]:
    for name in ("a", "b"):
        (top / name).mkdir(parents=True)
    return top / "a", top / "b"


async def seen_by(box: Box, top: Path, channels: Sequence[str]) -> dict[str, str]:
    """What the receiver of each channel learnt, all at the same time: most of it is waiting."""
    seen = dict[str, str]()

    async def try_one(channel: str) -> None:
        seen[channel] = await signalled(box, channel, two_folders(top / channel))

    async with trio.open_nursery() as nursery:
        for channel in channels:
            nursery.start_soon(try_one, channel)
    return seen


@pytest.mark.slow
@pytest.mark.parametrize("channels", [*AT_ONCE, *nightly(COUNTED)], ids="-".join)
async def test_ways_to_signal_are_closed_in_strict(top, channels):
    """No receiver can look, or it learns nothing from what it sees, which others may cause as well."""
    need(STRICT)
    async with open_box("strict") as box:
        seen = await seen_by(box, top, channels)
    looked = {channel: line for channel, line in seen.items() if not line.startswith("held")}
    assert {} == {channel: line for channel, line in looked.items() if len(line) != SLOTS}
    assert {} == {channel: line for channel, line in looked.items() if bits_a_second(channel, line) >= 1}


@pytest.mark.slow
async def test_the_pairs_that_signal_can_signal(top):
    """In a shield, which closes none of this, the same programs are understood: so silence is the box's."""
    need(SHIELD)
    async with open_box("shield", means="bubblewrap") as box:
        for channel, seen in (await seen_by(box, top, ("flock", "record-lock", "inotify"))).items():
            assert LEAST_BITS < bits_a_second(channel, seen), (channel, seen)


def test_how_many_bits_are_understood():
    """All of them, none, and what noise leaves: a constant says nothing, and what is always wrong says all."""
    sent = "".join(map(str, BITS))
    wrong = sent.translate(str.maketrans("01", "10"))
    assert [True, True] == [90 < bits_a_second("flock", seen) <= 100 for seen in (sent, wrong)]
    assert [0, 0, 0] == [bits_a_second("flock", seen) for seen in ("0" * SLOTS, "held EPERM", sent[:-1])]
    half = sent[: SLOTS // 2] + "0" * (SLOTS - SLOTS // 2)
    assert 10 < bits_a_second("flock", half) < 60
    assert set(CLOSED) < set(CHANNELS)


# What runs nevertheless.


async def said(own: Path, code: str) -> str:
    """The first line that this Python program prints in a strict box."""
    (own / "bot.py").write_text(code)
    with trio.fail_after(30):
        async with (
            open_box("strict") as box,
            program(box, FileView(folder=own, own=(own,)), sys.executable, "bot.py") as started,
        ):
            return started.text.partition("\n")[0]


BOOK = """
import sqlite3
print(*sqlite3.connect("file:book.db?mode=ro", uri=True).execute("select move from book").fetchone(), end=" ")
notes = sqlite3.connect("/tmp/notes.db")
print(*notes.execute("pragma journal_mode = wal").fetchone(), end=" ")
notes.execute("create table note (text)")
notes.execute("insert into note values ('kept')")
notes.commit()
print(*sqlite3.connect("/tmp/notes.db").execute("select text from note").fetchone(), flush=True)
"""


@pytest.mark.slow
async def test_databases_open(tops):
    """SQLite locks what it reads, a book that came with the bot, and what it writes."""
    need(STRICT)
    book = sqlite3.connect(tops[0] / "book.db")
    book.execute("create table book (move)")
    book.execute("insert into book values ('pass')")
    book.commit()
    book.close()
    assert "pass wal kept" == await said(tops[0], BOOK)


COUNTERS = """
import json, os
found = {}
for folder, folders, names in os.walk("/proc"):
    folders[:] = [name for name in folders if not name.isdigit() and folder == "/proc" and name in ("pressure",)]
    for name in names:
        try:
            with open(os.path.join(folder, name), "rb") as file:
                found[os.path.relpath(os.path.join(folder, name), "/proc")] = len(file.read(64))
        except OSError:
            pass
print(json.dumps(found), flush=True)
"""
SHOWN = {
    *("cgroups", "cmdline", "consoles", "cpuinfo", "crypto", "devices", "dma", "execdomains", "fb"),
    *("filesystems", "iomem", "ioports", "meminfo", "misc", "modules", "mounts", "stat", "uptime", "version"),
    *("bootconfig", "config.gz", "mdstat", "latency_stats"),
}
"""What a strict box shows of the whole machine; all of it is as good as constant but meminfo, stat and uptime."""


@pytest.mark.slow
async def test_a_strict_box_shows_no_counters_of_the_machine(tops):
    """But for those that language runtimes read: SECURITY.md names them."""
    need(STRICT)
    found = json.loads(await said(tops[0], COUNTERS))
    assert {"meminfo", "stat", "cpuinfo"} <= found.keys()
    assert set() == {name for name, octets in found.items() if octets} - SHOWN
    assert set() == {"loadavg", "locks", "vmstat", "interrupts"} & found.keys()


NODE = """
const os = require("os");
console.log(os.cpus().length > 0, os.totalmem() > 0, os.freemem() > 0, os.uptime() > 0);
"""


@pytest.mark.slow
async def test_node_knows_its_machine(tops):
    """It reads /proc/stat, cpuinfo and meminfo."""
    need(STRICT)
    node = shutil.which("node")
    if node is None:
        pytest.skip("not tried: Node is not installed")
    (tops[0] / "bot.js").write_text(NODE)
    with trio.fail_after(30):
        async with (
            open_box("strict") as box,
            program(box, FileView(folder=tops[0], own=(tops[0],)), node, "bot.js") as started,
        ):
            assert "true true true true" == started.text.strip()
