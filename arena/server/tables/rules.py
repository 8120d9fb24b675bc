"""The rules of a table: who sits there, who may do what, and when it plays.

Pure: a table is a frozen value; each function returns the table after what somebody did, and what those at
the table are told about it, or raises Refusal.  Ids, times (Unix, in seconds) and luck are
arguments.

Sources: the documents of Blef (admin, public and private games), Bluff (ready) and Chamber (lobby, host,
spectators, chat).
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import attrs

from arena.refusal import Refusal
from arena.server import limits
from arena.server.tables.table import (
    After,
    Alerted,
    Began,
    Came,
    ChatLine,
    Closed,
    Ended,
    GotReady,
    HostSet,
    Member,
    Notice,
    Published,
    Spoke,
    Status,
    Table,
    Went,
)
from arena.wire.names import is_readable, looks_like, told_apart
from arena.words import clipped, printable

NO_HOST = "this table has no host: a match begins by itself as soon as two are seated"

# Coming and going.


def join(table: Table, newcomer: Member, *, or_watch: bool = False) -> After:
    """A newcomer takes a seat, or comes as a spectator if it says so.

    `or_watch`: in a match it becomes a spectator, and between two matches it takes a seat for the next one;
    otherwise it is refused then.  The first one with a seat who is not a house bot is host, and until one
    comes, the first who watches.
    """
    nickname = checked_nickname(newcomer.nickname, table.reserved)
    _check_free(table, nickname)
    between = or_watch and table.status == "finished"
    may_sit = table.status == "waiting" or table.is_standing or between
    if or_watch and not may_sit:
        newcomer = attrs.evolve(newcomer, is_spectator=True)
    if newcomer.is_spectator:
        if len(table.spectators) >= limits.SPECTATORS_MAX:
            raise Refusal("too_many", "this table has as many spectators as it takes", key="spectators")
    elif not may_sit:
        raise Refusal("conflict", "play has begun: join as a spectator, or find another table")
    elif len(table.players) >= table.seats[1]:
        raise Refusal("conflict", f"all {table.seats[1]} seats are taken: join as a spectator")
    joined = attrs.evolve(table, members=(*table.members, newcomer), active_at=newcomer.joined_at)
    joined, hosts = _with_host(joined)
    return joined, (Came(newcomer), *hosts)


def leave(table: Table, player_id: str, now: float, rng: Random | None = None) -> After:
    """A member goes; during a match its seat keeps playing, with default moves, and nobody takes it.

    The table is closed when the last one who is not a house bot has gone.  If all others were ready, they
    begin, in an order drawn by `rng`.
    """
    member = table.member(player_id)
    if member.has_left:
        raise Refusal("conflict", "you have left this table already")
    if table.is_playing and player_id in table.seating:
        left = table.with_member(attrs.evolve(member, has_left=True))
    else:
        left = table.without(member)
    left, hosts = _with_host(attrs.evolve(left, active_at=now))
    if _is_deserted(left):
        return _closed(left, (Went(member), *hosts), "everybody has left")
    if rng is not None and not member.is_spectator and _are_all_ready(left):
        begun, notices = _begun(left, rng, now)
        return begun, (Went(member), *hosts, *notices)
    return left, (Went(member), *hosts)


def _is_deserted(table: Table) -> bool:
    """Whether nobody is there for whom the table stays open."""
    return not table.is_standing and all(each.is_given or each.has_left for each in table.members)


def use_program(table: Table, player_id: str, now: float) -> After:
    """Has a bot that connects with this member's key play for it from now on."""
    member = table.member(player_id)
    if member.is_spectator:
        raise Refusal("forbidden", "a spectator has no seat: a bot needs the key of a player")
    if member.has_left:
        raise Refusal("conflict", f"{member.nickname} has left this match: join anew after it")
    if member.way == "program":
        return table, ()
    if table.is_playing and player_id in table.seating:
        raise Refusal(
            "conflict", f"{member.nickname} plays this match over HTTP: connect again once it is over"
        )
    return _with(table, attrs.evolve(member, way="program"), now), ()


def take_back(table: Table, player_id: str, now: float) -> After:
    """Undoes a newcomer's joining; the table stays open, even if nobody else is there."""
    member = table.member(player_id)
    if table.is_playing:
        return leave(table, player_id, now)
    left, hosts = _with_host(table.without(member))
    return left, (Went(member), *hosts)


def close(table: Table, reason: str) -> After:
    """Closes the table for good; everybody who is at it is told why."""
    return _closed(table, (), reason)


def _closed(table: Table, notices: tuple[Notice, ...], reason: str) -> After:
    shut = attrs.evolve(table, members=(), host=None, is_closed=True, is_public=False)
    return shut, (*notices, Closed(reason))


def _with_host(table: Table) -> After:
    """If nobody with a seat is host any more, the one who joined next is, or else somebody who watches."""
    if table.is_standing:
        return table, ()
    now_host = table.host_member
    if now_host is not None and now_host.has_left:
        now_host = None
    if now_host is not None and not now_host.is_spectator:
        return table, ()
    sitting = (member for member in table.players if not member.is_given and not member.has_left)
    heir = next(sitting, now_host or next(iter(table.spectators), None))
    host = heir.player_id if heir else None
    return (table, ()) if host == table.host else (attrs.evolve(table, host=host), (HostSet(heir),))


def checked_nickname(nickname: str, reserved: frozenset[str] = frozenset()) -> str:
    """The nickname.  Raises Refusal if people could not read it, or would take it for something else."""
    if not is_name(nickname):
        raise Refusal(
            "bad_request",
            f"a nickname is 1 to {limits.NICKNAME_MAX} printable characters, without spaces at its ends",
            field="nickname",
        )
    if nickname in reserved:
        raise Refusal("bad_request", f"{nickname} is a word of the game: choose another", field="nickname")
    return nickname


def is_name(name: str) -> bool:
    """Whether somebody can be called that: it is short, and people see all of it."""
    return is_readable(name, limits.NICKNAME_MAX)


def free_name(table: Table, name: str) -> str:
    """The name, followed by a number if somebody here has it or one that looks like it."""
    taken = [member.nickname for member in table.members]
    names = [name, *(f"{name[: limits.NICKNAME_MAX - 4]}-{number}" for number in range(2, len(taken) + 3))]
    return next(name for name in names if not any(looks_like(name, other) for other in taken))


def _check_free(table: Table, nickname: str) -> None:
    for member in table.members:
        if nickname == member.nickname:
            raise Refusal("conflict", f"{nickname} is taken at this table: choose another", field="nickname")
        if looks_like(nickname, member.nickname):
            raise Refusal(
                "conflict",
                f"{told_apart(nickname)} looks like {told_apart(member.nickname)}: choose another",
                field="nickname",
            )


# What the host may do.


def hand_over(table: Table, by: str, to: str, now: float) -> After:
    """The host makes somebody else host."""
    _check_host(table, by, "make somebody else host")
    heir = table.member(to)
    if heir.is_spectator or heir.is_given or heir.has_left:
        raise Refusal(
            "conflict", f"{heir.nickname} cannot be host: name somebody with a seat", field="playerID"
        )
    if heir.player_id == table.host:
        return table, ()
    return attrs.evolve(table, host=heir.player_id, active_at=now), (HostSet(heir),)


def make_public(table: Table, by: str, is_public: bool, now: float) -> After:
    """The host has the table listed, or not."""
    _check_host(table, by, "make the table public or private")
    if is_public and table.is_playing:
        raise Refusal("conflict", "play has begun: a table is private while it plays")
    if table.is_public == is_public:
        return table, ()
    return attrs.evolve(table, is_public=is_public, active_at=now), (Published(is_public),)


def give_seat(table: Table, by: str, bot: Member) -> After:
    """The host puts a bot into an empty seat."""
    _check_host(table, by, "give seats to bots")
    return join(table, bot)


def begin(table: Table, by: str, rng: Random, now: float) -> After:
    """The host begins a match with all who have a seat, in an order drawn by `rng`."""
    _check_host(table, by, "start")
    if table.status == "finished":
        raise Refusal("conflict", "the match is over: ask for a rematch")
    return _begun(table, rng, now)


def begin_seated(table: Table, by: str, seating: Sequence[str], now: float) -> After:
    """The host begins a match in which these player_ids have the seats in turn."""
    _check_host(table, by, "start")
    _check_not_playing(table)
    return _begun_with(table, [table.member(player_id) for player_id in seating], now)


def rematch(table: Table, by: str, rng: Random, now: float) -> After:
    """The host begins another match with the same people, in a new order."""
    _check_host(table, by, "ask for a rematch")
    if table.status == "waiting":
        raise Refusal("conflict", "nothing was played yet: start first")
    return _begun(table, rng, now)


def begin_standing(table: Table, rng: Random, now: float) -> After:
    """A standing table begins a match with all who have a seat."""
    assert table.is_standing, "others have a host"
    return _begun(table, rng, now)


def ready(table: Table, player_id: str, rng: Random, now: float) -> After:
    """Somebody with a seat is ready; once all are, a match begins without the host."""
    member = table.member(player_id)
    if table.is_standing:
        raise Refusal("forbidden", NO_HOST)
    if member.is_spectator:
        raise Refusal("forbidden", "a spectator has no seat to be ready in")
    _check_not_playing(table)
    told: tuple[Notice, ...] = ()
    if not member.is_ready:
        table = _with(table, attrs.evolve(member, is_ready=True), now)
        told = (GotReady(table.member(player_id)),)
    if not _are_all_ready(table):
        return table, told
    begun, notices = _begun(table, rng, now)
    return begun, (*told, *notices)


def _are_all_ready(table: Table) -> bool:
    """Whether a match begins without the host: enough are seated, and all who can say so are ready."""
    if table.is_playing or table.is_standing or len(table.players) < table.seats[0]:
        return False
    asked = [each for each in table.players if not each.is_given]
    return bool(asked) and all(each.is_ready for each in asked)


def _begun(table: Table, rng: Random, now: float) -> After:
    _check_not_playing(table)
    players, (least, most) = table.players, table.seats
    if len(players) < least:
        are = "is" if len(players) == 1 else "are"
        raise Refusal("conflict", f"{table.game} needs {least} players, and {len(players)} {are} seated")
    assert len(players) <= most, "nobody more was let in"
    seated = list(players)
    rng.shuffle(seated)
    return _begun_with(table, seated, now)


def _begun_with(table: Table, seated: Sequence[Member], now: float) -> After:
    fresh = [attrs.evolve(member, is_ready=False, missed=0, seen_at=now) for member in table.members]
    begun = attrs.evolve(
        table,
        status="playing",
        is_public=table.is_standing,
        members=tuple(fresh),
        matches=table.matches + 1,
        seating=tuple(member.player_id for member in seated),
        names=tuple(member.nickname for member in seated),
        active_at=now,
    )
    was_public = table.is_public and not begun.is_public
    return begun, ((Published(False),) if was_public else ()) + (Began(),)


def break_off(table: Table, reason: str, now: float, broken: frozenset[str] = frozenset()) -> After:
    """The match cannot be played: the table waits for the next one, and its chat says why.

    `broken`: the player_ids of bots that lose their seats.
    """
    over, notices = finish(table, now)
    if over.is_closed:
        return over, notices
    gone = tuple(Went(member) for member in over.members if member.player_id in broken)
    here = tuple(member for member in over.members if member.player_id not in broken)
    told, spoken = announce(attrs.evolve(over, status="waiting", members=here), reason, now)
    return told, (*notices, *gone, *spoken, Alerted(reason))


def finish(table: Table, now: float) -> After:
    """The match is over: those who had left are no longer here."""
    assert table.is_playing, "a match was played"
    here = tuple(member for member in table.members if not member.has_left)
    status: Status = "waiting" if table.is_standing else "finished"
    over = attrs.evolve(table, status=status, asleep_at=None, members=here, active_at=now)
    if _is_deserted(over) and not over.is_closed:
        return _closed(over, (Ended(),), "everybody has left")
    return over, (Ended(),)


def _check_host(table: Table, by: str, what: str) -> None:
    if table.host == by:
        return
    if table.is_standing:
        raise Refusal("forbidden", NO_HOST)
    host = table.host_member
    who = f"{host.nickname}, the host," if host is not None else "the host"
    raise Refusal("forbidden", f"only {who} can {what}")


def _check_not_playing(table: Table) -> None:
    if table.is_playing:
        raise Refusal("conflict", "a match is being played: wait for its end")


# Chat.


def speak(table: Table, player_id: str, message: str, now: float) -> After:
    """A message to all at the table; the server knows who and when."""
    member = table.member(player_id)
    text = message.strip()
    if not 1 <= len(text) <= limits.CHAT_MAX or not text.isprintable():
        raise Refusal(
            "bad_request",
            f"a message is 1 to {limits.CHAT_MAX} printable characters on one line",
            field="message",
        )
    earned = max(0.0, now - member.spoke_at) * limits.CHAT_PER_S
    credit = min(float(limits.CHAT_AT_ONCE), member.chat_credit + earned)
    if credit < 1.0:
        wait_s = (1.0 - credit) / limits.CHAT_PER_S
        raise Refusal(
            "too_many", f"too many messages: say the next one in {wait_s:.1f} s", key="chat", seconds=wait_s
        )
    line = ChatLine(_next_number(table), member.nickname, member.player_id, text, now)
    spoken = _with(table, attrs.evolve(member, chat_credit=credit - 1.0, spoke_at=now), now)
    return _with_line(spoken, line), (Spoke(line),)


def announce(table: Table, message: str, now: float) -> After:
    """The server says something to all at the table, unless it has just said it."""
    text = clipped(printable(message), limits.CHAT_MAX)
    if table.chat and (table.chat[-1].player_id, table.chat[-1].message) == ("", text):
        return table, ()
    line = ChatLine(_next_number(table), "", "", text, now)
    return _with_line(table, line), (Spoke(line),)


def _next_number(table: Table) -> int:
    return table.chat[-1].number + 1 if table.chat else 1


def _with_line(table: Table, line: ChatLine) -> Table:
    return attrs.evolve(table, chat=(*table.chat, line)[-limits.CHAT_KEPT :])


# Helpers.


def _with(table: Table, changed: Member, now: float) -> Table:
    return attrs.evolve(table.with_member(changed), active_at=now)
