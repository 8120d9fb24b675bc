"""Heads-up Hold'em over TCP between two programs that check and call, beside a lean blocking loop.

The loop is what one would write for two bots and one table: blocking sockets, the rules, an encoder and a
decoder, and nothing else: no clocks, no faults, no records.  Bots, deals and bytes are the same both times;
the bytes are compared.  The arena does all that a run does, the store included.

By the wall clock, as two processes and the loop share the machine; the two take turns.
"""

from __future__ import annotations

import socket
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

import attrs
import msgspec
import trio

from arena.bench.clients import Client
from arena.bench.measures import Effort, Measure, at_least, at_most
from arena.bench.seats import PATIENCE_S, seated_clients, started_clients
from arena.match.clock import Control
from arena.match.game import CHANCE, Game, Seat, is_legal
from arena.match.record import Entry
from arena.match.rulings import draw_of
from arena.players.codec import Codec
from arena.players.lag import LagWatch
from arena.players.stream import StreamPlayer
from arena.players.transport import Transport
from arena.referee import Conduct, Seating, play_match
from arena.store import Store
from tests.bench.figures import ratios

from .entries import kept_entry, opened_store
from .poker_clients import check_and_call, compiled_check_and_call
from .recordings import RecordingTransport

SEATS = 2
NAMES = ("lean-0", "lean-1")
HANDS = 100
"""Of a match."""
QUESTIONS_OF_A_HAND = 8
"""Each seat is asked once on each street."""
MATCHES_PER_S = 8
"""About how many matches of one table take a second; it only determines the length of a sample."""
LOOP_GOAL = 1.5
HANDS_GOAL, COMPILED_HANDS_GOAL = 1_000, 1_500

Question = tuple[int, bytes]
"""Who is asked, by seat, and the bytes."""


@attrs.frozen
class PeerSample:
    """What some matches took."""

    questions: int
    hands: int
    wall_s: float

    @property
    def wall_us(self) -> float:
        """Per question, its answer included, in microseconds."""
        return 1e6 * self.wall_s / self.questions

    @property
    def hands_per_s(self) -> float:
        return self.hands / self.wall_s


def measure_peer(effort: Effort) -> list[Measure]:
    """One table beside the lean loop, with Python programs; two tables with those and with compiled ones."""
    client, matches = check_and_call("plain", hands=HANDS), max(1, round(MATCHES_PER_S * effort.seconds))
    questions = same_bytes(client, 1)
    arena, loop, bytes_alone = [], [], []
    for _ in range(effort.repeats):
        arena.append(play_arena(client, 1, matches).wall_us)
        loop.append(play_loop(client, matches)[0].wall_us)
        bytes_alone.append(send_bytes(client, questions, matches).wall_us)
    what = "one table, two Python programs"
    return [
        Measure("peer", f"arena, {what}", "µs/question", tuple(arena)),
        Measure("peer", f"lean blocking loop, {what}", "µs/question", tuple(loop)),
        Measure("peer", f"arena ÷ lean loop, {what}", "×", ratios(arena, loop), at_most(LOOP_GOAL)),
        Measure("peer", "the same bytes, sent without any rules", "µs/question", tuple(bytes_alone)),
        Measure("peer", "lean loop ÷ the same bytes", "×", ratios(loop, bytes_alone)),
        *_two_tables(effort, matches),
    ]


def _two_tables(effort: Effort, matches: int) -> list[Measure]:
    compiled = compiled_check_and_call(hands=HANDS)
    if compiled is None:
        print("peer: there is no g++, so compiled programs are not measured", file=sys.stderr)
    found = []
    for client, what, goal in (
        (check_and_call("plain", hands=HANDS), "Python programs", HANDS_GOAL),
        (compiled, "compiled programs", COMPILED_HANDS_GOAL),
    ):
        if client is not None:
            speeds = [play_arena(client, 2, matches).hands_per_s for _ in range(effort.repeats)]
            found.append(
                Measure("peer", f"arena, two tables, {what}", "hands/s", tuple(speeds), at_least(goal))
            )
    return found


def same_bytes(client: Client, matches: int) -> list[Question]:
    """What both send, in order; raises AssertionError if arena and loop do not send the same bytes."""
    heard: dict[str, RecordingTransport] = {}

    def recorded(transport: Transport, name: str) -> Transport:
        heard[name] = RecordingTransport(transport)
        return heard[name]

    trio.run(_play_here, client, 1, matches, None, recorded)
    _, questions = play_loop(client, matches)
    for seat, name in enumerate(NAMES):
        sent = b"".join(octets for asked, octets in questions if asked == seat)
        assert heard[name].said == sent, f"the loop does not say to {name} what the arena does"
    return questions


# The arena.


def play_arena(client: Client, tables: int, matches: int) -> PeerSample:
    """So many matches at each table, and everything that a run does, the store included."""
    with opened_store(client.game) as store:
        return trio.run(_play_here, client, tables, matches, store)


async def _play_here(
    client: Client,
    tables: int,
    matches: int,
    store: Store | None,
    wrapped: Any = lambda transport, name: transport,
) -> PeerSample:
    async with seated_clients(client, SEATS * tables, wrapped) as (players, watch):
        began = time.perf_counter()
        async with trio.open_nursery() as nursery:
            keep, to_write = trio.open_memory_channel[Entry](64)
            nursery.start_soon(_write, store, to_write)
            async with keep, trio.open_nursery() as playing:
                for number in range(tables):
                    sitting = players[SEATS * number : SEATS * (number + 1)]
                    seeds = range(number * matches, (number + 1) * matches)
                    playing.start_soon(_table, client.game, sitting, watch, seeds, keep.clone())
        wall_s = time.perf_counter() - began
    hands = tables * matches * _hands_of(client)
    return PeerSample(QUESTIONS_OF_A_HAND * hands, hands, wall_s)


async def _table(
    game: Game[Any, Any],
    players: Sequence[StreamPlayer],
    watch: LagWatch,
    seeds: Sequence[int],
    keep: trio.MemorySendChannel[Entry],
) -> None:
    names = tuple(player.name for player in players)
    async with keep:
        for seed in seeds:
            record = await play_match(
                game,
                players,
                seed=seed,
                control=Control(),
                conduct=Conduct(),
                seating=Seating(f"{seed:012x}", names, (1,) * SEATS),
                lag=watch.since,
            )
            assert not record.capsules, f"a client failed: {record.capsules[0].decision.reason}"
            await keep.send(kept_entry(game, names, seed, seed, record))


def _hands_of(client: Client) -> int:
    """How many a match has."""
    return int(attrs.asdict(client.game)["hands"])


async def _write(store: Store | None, entries: trio.MemoryReceiveChannel[Entry]) -> None:
    """In a thread, as a run does."""
    async for entry in entries:
        if store is not None:
            await trio.to_thread.run_sync(partial(store.add, entry))


# The lean blocking loop.


def play_loop(client: Client, matches: int) -> tuple[PeerSample, list[Question]]:
    """So many matches at one table, and all that was sent."""
    with _connected(client) as lines:
        questions: list[Question] = []
        began = time.perf_counter()
        for seed in range(matches):
            _play_one(client.game, lines, seed, questions)
        wall_s = time.perf_counter() - began
    hands = matches * _hands_of(client)
    assert len(questions) == QUESTIONS_OF_A_HAND * hands, "nobody folds or raises"
    return PeerSample(len(questions), hands, wall_s), questions


def _play_one(game: Game[Any, Any], lines: _Lines, seed: int, questions: list[Question]) -> None:
    codecs = [Codec(game, NAMES, Seat(seat)) for seat in range(SEATS)]
    state = game.start(SEATS)
    while asked := game.to_act(state):
        seat = asked[0]
        if seat == CHANCE:
            move = draw_of(game, state, seed)
        else:
            codec = codecs[seat]
            lines.asked[seat] += 1
            seen = codec.encode(game.observe(state, seat))
            octets = b'{"message_id":"%d","game_number":%d,%b\n' % (lines.asked[seat], seed + 1, seen[1:])
            questions.append((seat, octets))
            move = codec.move(_decode(lines.ask(seat, octets))["move"])
            assert is_legal(game.options(state, seat), move)
        state = game.apply(state, {seat: move}).state
    game.ranks(state), game.returns(state)


def send_bytes(client: Client, questions: Sequence[Question], times: int) -> PeerSample:
    """The same bytes in the same order, and nothing else: what the bots and the kernel cost."""
    with _connected(client) as lines:
        began = time.perf_counter()
        for _ in range(times):
            for seat, octets in questions:
                lines.ask(seat, octets)
        return PeerSample(times * len(questions), 0, time.perf_counter() - began)


_decode = msgspec.json.Decoder().decode


class _Lines:
    """A blocking connection for each seat."""

    def __init__(self, socks: Sequence[socket.socket]) -> None:
        self._socks = socks
        self.asked = [0] * len(socks)
        """How many questions each was sent."""

    def ask(self, seat: int, octets: bytes) -> bytes:
        """Sends a question, and waits for the line that answers it."""
        sock = self._socks[seat]
        sock.sendall(octets)
        line = sock.recv(4096)
        while line[-1:] != b"\n":
            more = sock.recv(4096)
            assert more, "a client closed its connection"
            line += more
        return line


@contextmanager
def _connected(client: Client) -> Iterator[_Lines]:
    """Two of the client's processes, connected, in the order of their names."""
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        started_clients(client, listener.getsockname()[1], SEATS),
        ExitStack() as stack,
    ):
        listener.settimeout(PATIENCE_S)
        by_name: dict[str, socket.socket] = {}
        for _ in range(SEATS):
            sock = stack.enter_context(listener.accept()[0])
            sock.settimeout(None)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            by_name[_decode(sock.recv(4096))["name"]] = sock
        yield _Lines([by_name[name] for name in NAMES])
