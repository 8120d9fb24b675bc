"""What a box costs per start of a program and per question: all boxes in one run, in turn."""

from __future__ import annotations

import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterable, Sequence
from contextlib import AsyncExitStack, suppress
from pathlib import Path

import trio

from arena.bench.measures import Effort, Measure, at_most
from arena.bench.runner import MATCHES_PER_S, RUNNER_TABLES, tournament
from arena.box.box import LEVELS, Box, Job, Level, open_box
from arena.box.places import FileView
from arena.errors import ConfigError
from tests.bench.figures import ratios

STARTS_PER_S = 12
"""About how many rounds of all boxes take a second; it only determines the length of a repeat."""
START_GOAL_MS = 10.0
DIRECT = "directly"
PROGRAM = ("/bin/echo", "here")


def measure_box(effort: Effort) -> list[Measure]:
    """Milliseconds until a program prints something: started directly, without a box, and in each box."""
    with tempfile.TemporaryDirectory() as folder:
        times = trio.run(_times, effort, Path(os.path.realpath(folder)))
    found = [Measure("box", f"a start, {name}", "ms", tuple(samples)) for name, samples in times.items()]
    for name in times:
        if name.startswith(("shield", "strict")):
            more = tuple(a - b for a, b in zip(times[name], times["off"], strict=True))
            found.append(Measure("box", f"{name} − off", "ms more", more, at_most(START_GOAL_MS)))
    return found + _questions(effort, [level for level in LEVELS if level in _levels(times)])


def _levels(names: Iterable[str]) -> set[str]:
    return {name.split()[0] for name in names}


def _questions(effort: Effort, levels: Sequence[Level]) -> list[Measure]:
    """The median time from a question to its answer in each box ÷ without one."""
    matches = max(2 * RUNNER_TABLES, round(MATCHES_PER_S * effort.seconds))
    medians: dict[Level, list[float]] = {level: [] for level in levels}
    for _ in range(effort.repeats):
        for level in levels:
            medians[level].append(tournament(RUNNER_TABLES, matches, level).median_ms)
    return [
        Measure("box", f"a question, {level} ÷ off", "×", ratios(medians[level], medians["off"]))
        for level in levels
        if level != "off"
    ]


async def _times(effort: Effort, own: Path) -> dict[str, list[float]]:
    """By box: the median of each repeat, in milliseconds; boxes take turns, so that noise hits all."""
    async with AsyncExitStack() as stack:
        opened: list[Box] = []
        for level in LEVELS:
            with suppress(ConfigError):
                opened.append(await stack.enter_async_context(open_box(level)))
        times: dict[str, list[float]] = {name: [] for name in (DIRECT, *(box.name for box in opened))}
        for _ in range(effort.repeats):
            once: dict[str, list[float]] = {name: [] for name in times}
            for _ in range(max(3, round(STARTS_PER_S * effort.seconds))):
                once[DIRECT].append(await _direct())
                for box in opened:
                    place = FileView(folder=own, own=(own,), is_writable=box.level != "strict")
                    once[box.name].append(await _boxed(box, place))
            for name, samples in once.items():
                times[name].append(statistics.median(samples))
    return times


async def _direct() -> float:
    """A start without any of the box's machinery."""
    read_fd, write_fd = os.pipe()
    began = time.perf_counter()
    process = await trio.lowlevel.open_process(
        PROGRAM, stdin=subprocess.DEVNULL, stdout=write_fd, start_new_session=True
    )
    os.close(write_fd)
    took = await _heard(read_fd, began)
    await process.wait()
    return took


async def _boxed(box: Box, place: FileView) -> float:
    """A start in a box."""
    read_fd, write_fd = os.pipe()
    nowhere = os.open(os.devnull, os.O_RDWR)
    async with trio.open_nursery() as nursery:
        began = time.perf_counter()
        job = Job(argv=PROGRAM, env={}, place=place, is_server=True)
        running = await box.start(job, (nowhere, write_fd, write_fd), nursery)
        os.close(write_fd)
        os.close(nowhere)
        took = await _heard(read_fd, began)
        await running.kill()
        running.close()
    return took


async def _heard(read_fd: int, began: float) -> float:
    """Milliseconds until the program has printed its line."""
    await trio.lowlevel.wait_readable(read_fd)
    took = 1000 * (time.perf_counter() - began)
    os.close(read_fd)
    return took
