"""One task hears all connections: who hangs up, breaks or fails costs the others nothing."""

from __future__ import annotations

import os
import socket

import pytest
import trio
import trio.testing

from arena.players import switchboard
from arena.players.lag import open_watch
from arena.players.transport import PipeTransport, SocketTransport


class Line:
    """A transport, the other end of it, and what was heard."""

    def __init__(self, kind):
        self.heard = []
        if kind == "socket":
            ours, theirs = socket.socketpair()
            self.transport, self.say, self.hang_up = SocketTransport(ours), theirs.sendall, theirs.close
        else:
            (read_fd, their_write), (their_read, write_fd) = os.pipe(), os.pipe()
            self.transport = PipeTransport(read_fd, write_fd)
            self.say = lambda octets: os.write(their_write, octets)
            self.hang_up = lambda: (os.close(their_write), os.close(their_read))

    async def listen(self, hear=lambda octets: True):
        """What `listen` gave; all that was heard stands in `heard`, also where `hear` raised."""

        def noting(octets):
            self.heard.append(octets)
            return hear(octets)

        return await self.transport.listen(noting)

    def close(self):
        self.transport.close()
        self.hang_up()


class Polls(trio.abc.Instrument):
    """How often Trio has polled."""

    count = 0

    def after_io_wait(self, timeout):
        self.count += 1


@pytest.fixture(params=["switchboard", "each for itself"])
def way(request, monkeypatch):
    """Both ways of listening, which must not differ in what they do."""
    if request.param == "switchboard" and not switchboard.IS_HERE:
        pytest.skip("this system has no epoll")
    monkeypatch.setattr(switchboard, "IS_HERE", request.param == "switchboard")


kinds = pytest.mark.parametrize("kind", ["socket", "pipe"])


async def outcome_of(line, outcomes, name, hear=lambda octets: True):
    outcomes[name] = await line.listen(hear)


@kinds
async def test_what_comes_is_heard_until_the_other_side_is_gone(way, kind):
    """Every message is heard as it comes; the end says that nobody is there any more."""
    line, outcomes = Line(kind), {}
    async with trio.open_nursery() as nursery:
        nursery.start_soon(outcome_of, line, outcomes, "line")
        for octets in (b"one", b"two", b"three"):
            line.say(octets)
            await trio.testing.wait_all_tasks_blocked(0.01)
        line.hang_up()
    assert [b"one", b"two", b"three"] == line.heard
    assert {"line": False} == outcomes
    line.transport.close()


@kinds
async def test_who_has_heard_enough_hears_nothing_until_it_listens_again(way, kind):
    """What was said meanwhile is not lost."""
    line = Line(kind)
    line.say(b"one")
    assert await line.listen(lambda octets: False) is True
    line.say(b"two")
    await trio.testing.wait_all_tasks_blocked(0.01)
    assert [b"one"] == line.heard
    assert await line.listen(lambda octets: False) is True
    assert [b"one", b"two"] == line.heard
    line.close()


@kinds
async def test_closing_wakes_who_listens(way, kind):
    """Our own end closes a connection: its listener is told that nobody is there."""
    line, outcomes = Line(kind), {}
    async with trio.open_nursery() as nursery:
        nursery.start_soon(outcome_of, line, outcomes, "line")
        await trio.testing.wait_all_tasks_blocked(0.01)
        line.transport.close()
    assert {"line": False} == outcomes
    assert await line.listen() is False  # closed it stays
    assert [] == line.heard
    line.hang_up()


@kinds
async def test_a_cancelled_listener_can_be_replaced(way, kind):
    """Who is cancelled leaves the connection to the next who listens."""
    line = Line(kind)
    with trio.move_on_after(0.01) as scope:
        await line.listen()
    assert scope.cancelled_caught
    line.say(b"one")
    assert await line.listen(lambda octets: False) is True
    assert [b"one"] == line.heard
    line.close()


@kinds
async def test_what_a_hearer_raises_is_raised_where_it_listens(way, kind):
    """A mistake of ours, even an OSError, travels in its own task; another line goes on."""
    broken, sound, outcomes = Line(kind), Line(kind), {}

    def fail(octets):
        raise FileNotFoundError("ours")

    async with trio.open_nursery() as nursery:
        nursery.start_soon(outcome_of, sound, outcomes, "sound")
        await trio.testing.wait_all_tasks_blocked(0.01)
        broken.say(b"one")
        with pytest.raises(FileNotFoundError, match="ours"):
            await broken.listen(fail)
        sound.say(b"two")
        sound.hang_up()
    assert [b"two"] == sound.heard
    assert {"sound": False} == outcomes
    broken.close()
    sound.transport.close()


@kinds
async def test_a_line_closed_by_its_neighbour_is_not_heard_any_more(way, kind):
    """Both have something to say at once, and each closes the other: whoever is first is the only one."""
    pair, outcomes = {"left": Line(kind), "right": Line(kind)}, {}

    def closing(other):
        def hear(octets):
            pair[other].transport.close()
            return False

        return hear

    for line in pair.values():
        line.say(b"x")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(outcome_of, pair["left"], outcomes, "left", closing("right"))
        nursery.start_soon(outcome_of, pair["right"], outcomes, "right", closing("left"))
    assert [0, 1] == sorted(len(line.heard) for line in pair.values())
    assert [False, True] == sorted(outcomes.values())
    for line in pair.values():
        line.close()


@pytest.mark.skipif(not switchboard.IS_HERE, reason="this system has no epoll")
async def test_many_lines_are_heard_in_one_step():
    """However many say something at once, Trio polls but once for them."""

    polls, many, polls_at = Polls(), [Line("socket") for _ in range(50)], []

    def hear(octets):
        polls_at.append(polls.count)
        return False

    async with trio.open_nursery() as nursery:
        for line in many:
            nursery.start_soon(line.listen, hear)
        await trio.testing.wait_all_tasks_blocked(0.01)
        trio.lowlevel.add_instrument(polls)
        for line in many:
            line.say(b"x")
    trio.lowlevel.remove_instrument(polls)
    assert [polls_at[0]] * 50 == polls_at
    for line in many:
        line.close()


@pytest.mark.skipif(not switchboard.IS_HERE, reason="this system has no epoll")
@pytest.mark.parametrize(("stretch_s", "trio_polls"), [(60.0, 1), (0.0, 3)])
async def test_who_speaks_meanwhile_is_heard_before_other_tasks(stretch_s, trio_polls, monkeypatch):
    """Until the stretch is over; the watch knows that what is heard then came after the polls before."""
    monkeypatch.setattr(switchboard, "AT_A_STRETCH_S", stretch_s)
    lines, polls, found = [Line("socket") for _ in range(3)], Polls(), []

    def speaker(place):
        def hear(octets):
            found.append((polls.count, watch.polled_before, watch.polled_at))
            if place + 1 < len(lines):
                lines[place + 1].say(b"x")
            return False

        return hear

    with open_watch() as watch:
        async with trio.open_nursery() as nursery:
            for place, line in enumerate(lines):
                nursery.start_soon(line.listen, speaker(place))
            await trio.testing.wait_all_tasks_blocked(0.01)
            trio.lowlevel.add_instrument(polls)
            lines[0].say(b"x")
        trio.lowlevel.remove_instrument(polls)
    for line in lines:
        line.close()
    counts, before, at = zip(*found, strict=True)
    assert trio_polls == len(set(counts))
    assert list(before) == sorted(before)
    assert list(at) == sorted(set(at)), "each was heard at a poll of its own"
    assert at[0] <= before[2], "what the third said came after the second was heard"


@pytest.mark.skipif(not switchboard.IS_HERE, reason="this system has no epoll")
async def test_what_cannot_be_listened_to_is_as_good_as_closed(tmp_path):
    """A regular file cannot be polled: nothing is taken from it, and nothing is raised."""
    with (tmp_path / "file").open("wb+") as file:
        with trio.fail_after(30):
            await switchboard.whenever_readable(file.fileno(), lambda: pytest.fail("it is not taken"))


def test_every_run_has_a_switchboard_of_its_own():
    """A second run of Trio in the same process hears as the first did."""
    if not switchboard.IS_HERE:
        pytest.skip("this system has no epoll")

    async def once():
        line = Line("socket")
        line.say(b"one")
        assert await line.listen(lambda octets: False) is True
        line.close()
        return line.heard

    assert [[b"one"], [b"one"]] == [trio.run(once), trio.run(once)]
