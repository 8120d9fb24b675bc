"""Both ends of a connection: the automaton's table, two ends talking, and anything at all in any state."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import LocalProtocolError, RemoteProtocolError
from arena.wire.bot_connection import BotConnection
from arena.wire.connection import ArenaConnection
from arena.wire.messages import Ask, Bye, EventMessage, FaultMessage, Match, PlainQuestion, Result, Welcome
from arena.wire.states import (
    HEARD,
    SAID,
    Answered,
    Effect,
    Heard,
    Introduced,
    Malformed,
    Noted,
    Refused,
    Said,
    State,
)

FULL = b'{"type":"hello","protocol":1,"name":"alice","token":"t"}\n'
PLAIN = b'{"name":"alice"}'


def begin(connection: ArenaConnection, match_id: str = "0a") -> bytes:
    return connection.begin_match(
        match_id=match_id,
        game="dice",
        version=1,
        rules=b'{"faces":6}',
        seat=0,
        names=["alice", "bob"],
        time_control={"move_s": 1.0},
        bot_seed=2**127 + 1,
    )


def ask(connection: ArenaConnection) -> bytes:
    return connection.ask(state=b'{"hand":[1]}', options=b"[]", time_s=1.0, bank_s=None)


def connection_in(state: State, *, full: bool = False, asked: int = 2) -> ArenaConnection:
    """A connection in this state; in ASKED and OWING question "2" is open or owed, and "1" was given up."""
    connection = ArenaConnection()
    if state is State.REFUSED:
        connection.receive(b'{"type":"hello","protocol":2}')
    elif state is not State.NAMING:
        connection.receive(FULL if full else PLAIN)
        begin(connection)
        for number in range(1, asked + 1):
            ask(connection)
            if number < asked or state is not State.ASKED:
                connection.give_up()
            if number < asked or state is State.READY:
                connection.receive(b'{"message_id":%d,"move":0}' % number)
    if state is State.CLOSED:
        connection.receive(b"")
    assert state is connection.state
    return connection


@pytest.mark.parametrize("message_id", ["", "0", "1", 0, 1, None])
def test_an_answer_before_any_question(message_id: object) -> None:
    """Twenty-seven bytes that once ended a whole run: an id that nothing was asked under is no answer's."""
    connection = ArenaConnection()
    (received,) = connection.receive(json.dumps({"message_id": message_id, "move": 1}).encode())
    assert isinstance(received, Noted)
    assert (State.READY, None) == (connection.state, connection.open_id)


# What is heard: in each state, what is said to what, and what follows.

ANSWER = b'{"message_id":"2","move":[3,4]}'
NOTHING: list[Any] = []
N, M, A = Noted, Malformed, Answered

HEARING: list[tuple[str, bytes, dict[State, tuple[State, type | None]]]] = [
    ("the answer, or its second copy", ANSWER,
     {State.NAMING: (State.READY, N), State.READY: (State.READY, N), State.ASKED: (State.READY, A),
      State.OWING: (State.READY, N)}),
    ("an old answer", b'{"message_id":"1","move":[3,4]}',
     {State.NAMING: (State.READY, N), State.READY: (State.READY, N), State.ASKED: (State.ASKED, N),
      State.OWING: (State.OWING, N)}),
    ("an old answer without move", b'{"message_id":1}',
     {State.NAMING: (State.READY, N), State.READY: (State.READY, N), State.ASKED: (State.ASKED, N),
      State.OWING: (State.OWING, N)}),
    ("an id never given out", b'{"message_id":"3","move":[3,4]}',
     {State.NAMING: (State.READY, N), State.READY: (State.READY, N), State.ASKED: (State.READY, M),
      State.OWING: (State.READY, N)}),
    ("an object that is no answer", b'{"hello":"world"}',
     {State.NAMING: (State.READY, N), State.READY: (State.READY, N), State.ASKED: (State.READY, M),
      State.OWING: (State.READY, N)}),
    ("junk", b"hello",
     {State.NAMING: (State.NAMING, N), State.READY: (State.READY, N), State.ASKED: (State.READY, M),
      State.OWING: (State.READY, N)}),
    ("a name", PLAIN,
     {State.NAMING: (State.READY, Introduced), State.READY: (State.READY, N), State.ASKED: (State.ASKED, N),
      State.OWING: (State.OWING, N)}),
    ("a hello of a later protocol", b'{"type":"hello","protocol":2,"name":"alice"}',
     {State.NAMING: (State.REFUSED, Refused), State.READY: (State.READY, N), State.ASKED: (State.ASKED, N),
      State.OWING: (State.OWING, N)}),
    ("the end", b"",
     {State.NAMING: (State.CLOSED, None), State.READY: (State.CLOSED, None),
      State.ASKED: (State.CLOSED, None), State.OWING: (State.CLOSED, None),
      State.REFUSED: (State.CLOSED, None)}),
]  # fmt: skip


@pytest.mark.parametrize("state", State)
@pytest.mark.parametrize(("data", "follows"), [h[1:] for h in HEARING], ids=[h[0] for h in HEARING])
def test_what_is_heard_in_each_state(
    data: bytes, follows: dict[State, tuple[State, type | None]], state: State
) -> None:
    """Every row and state: what comes out, and the state then; the refused and closed hear nothing."""
    connection = connection_in(state)
    then, kind = follows.get(state, (state, None))
    expected = [] if kind is None else [kind]
    assert expected == [type(received) for received in connection.receive(data)]
    assert then is connection.state


def test_the_table_of_the_heard_is_whole() -> None:
    """Each thing that can be heard has its entry in each state, and only an open question is answered."""
    introductions = {Heard.INTRODUCTION, Heard.BAD_INTRODUCTION}
    for state in (State.NAMING, State.READY, State.ASKED, State.OWING):
        assert {Heard.WRONG, Heard.BROKEN, Heard.END, Heard.INTRODUCTION} <= set(HEARD[state])
    assert introductions <= set(HEARD[State.NAMING])
    judging = {
        state
        for state, row in HEARD.items()
        if {outcome for _, outcome in row.values()} & {Effect.ANSWERED, Effect.MALFORMED}
    }
    only = {State.ASKED}
    assert only == judging


def say(connection: ArenaConnection, said: Said) -> bytes | None:
    """One call for each thing that can be said."""
    match said:
        case Said.ENTER:
            connection.enter()
        case Said.WELCOME:
            return connection.welcome("alice")
        case Said.BEGIN_MATCH:
            return begin(connection)
        case Said.ASK:
            return ask(connection)
        case Said.GIVE_UP:
            connection.give_up()
        case Said.TELL:
            return connection.event("bid", b"{}")
        case Said.BYE:
            return connection.bye("enough")
    return None


@pytest.mark.parametrize("said", Said)
@pytest.mark.parametrize("state", State)
@pytest.mark.parametrize("full", [False, True], ids=["plain", "full"])
def test_what_is_said_in_each_state(full: bool, state: State, said: Said) -> None:
    """What has an entry leads to its state; what has none raises and changes nothing."""
    if full and state is State.OWING:
        return  # a full bot never owes: see test_giving_up
    connection = connection_in(state, full=full)
    connection.match_id = "0a"
    then = SAID[state].get(said)
    if then is None:
        with pytest.raises(LocalProtocolError, match=r"is not possible on a connection"):
            say(connection, said)
        assert state is connection.state
        return
    out = say(connection, said)
    if said is Said.GIVE_UP and state is State.ASKED and not full:
        then = State.OWING
    assert then is connection.state
    if state is State.CLOSED and out is not None:
        assert not out
    elif out is not None and (full or said is Said.ASK):
        assert out.endswith(b"\n")
        assert isinstance(json.loads(out), dict)


def test_all_states_can_be_left_by_closing() -> None:
    """Nothing keeps a connection from being closed, by either side."""
    for state in State:
        if state is not State.CLOSED:
            assert State.CLOSED is HEARD[state][Heard.END][0]
        assert State.CLOSED is SAID[state][Said.BYE]


# Introductions.

INTRODUCTIONS: list[tuple[str, bytes, Any]] = [
    ("a name", b'{"name":"alice"}', Introduced("alice", None, None)),
    ("a name and a token", b'{"name":"alice","token":"t"}', Introduced("alice", "t", None)),
    ("a token", b'{"token":"t"}', Introduced(None, "t", None)),
    ("an empty token is none", b'{"name":"alice","token":""}', Introduced("alice", None, None)),
    ("keys that nobody knows", b'{"name":"alice","colour":"red"}', Introduced("alice", None, None)),
    ("a hello", b'{"type":"hello","protocol":1,"name":"alice","token":"t"}', Introduced("alice", "t", 1)),
    ("a hello without name", b'{"type":"hello","protocol":1}', Introduced(None, None, 1)),
    ("a name that is null", b'{"type":"hello","protocol":1.0,"name":null}', Introduced(None, None, 1)),
    ("a protocol without type", b'{"protocol":1,"name":"a"}', Introduced("a", None, 1)),
    ("a name that nobody may have", b'{"name":"\\n"}', Introduced("\n", None, None)),
    ("a later protocol", b'{"type":"hello","protocol":2}', Refused("protocol 2 is not supported, only 1")),
    ("a protocol that is true", b'{"type":"hello","protocol":true}',
     Refused("protocol true is not supported, only 1")),
    ("a protocol that is text", b'{"type":"hello","protocol":"1"}',
     Refused('protocol "1" is not supported, only 1')),
    ("a hello without protocol", b'{"type":"hello","name":"a"}',
     Refused("protocol null is not supported, only 1")),
    ("a name that is a number", b'{"name":5}', Refused("name 5 is not a string")),
    ("a token that is a list", b'{"name":"a","token":[]}', Refused("token [] is not a string")),
    ("a long wrong name", b'{"name":[%b0]}' % (b"0," * 99),
     Refused("name [" + "0," * 19 + "… is not a string")),
]  # fmt: skip


@pytest.mark.parametrize(
    ("data", "expected"), [case[1:] for case in INTRODUCTIONS], ids=[case[0] for case in INTRODUCTIONS]
)
def test_introductions(data: bytes, expected: Any) -> None:
    """Every row: who it is, or why it is refused; and the connection knows it."""
    connection = ArenaConnection()
    received = connection.receive(data)
    assert [expected] == received
    if isinstance(expected, Introduced):
        known = Introduced(connection.name, connection.token, connection.protocol)
        assert expected == known
        assert State.READY is connection.state
    else:
        assert State.REFUSED is connection.state
        assert not connection.receive(b'{"name":"bob"}')


def test_nothing_is_read_behind_a_refused_introduction() -> None:
    """A second hello in the same chunk does not undo the refusal."""
    connection = ArenaConnection()
    received = connection.receive(b'{"name":5}{"name":"alice"}junk')
    assert [Refused("name 5 is not a string")] == received
    bye = b'{"type":"bye","reason":"name 5 is not a string"}\n'
    assert bye == connection.bye("name 5 is not a string")


def test_junk_before_the_name_is_noted_only() -> None:
    """The name is the first object, whatever came before it."""
    kinds = [type(received) for received in ArenaConnection().receive(b'hi! {"name":"alice"}')]
    expected = [Noted, Introduced]
    assert expected == kinds


def test_a_name_after_the_wait_changes_nothing() -> None:
    """Who enters without a name keeps none, and the late name is no fault, even with a question open."""
    connection = ArenaConnection()
    connection.enter()
    begin(connection)
    ask(connection)
    (received,) = connection.receive(b'{"name":"alice"}')
    assert isinstance(received, Noted)
    assert connection.name is None
    (received,) = connection.receive(b'{"message_id":"1","move":1}')
    assert Answered("1", 1) == received


def test_a_name_after_the_first_answer_is_malformed() -> None:
    """Then a name in place of an answer settles the question."""
    connection = connection_in(State.READY, asked=0)
    for number in (b"1", b"2"):
        ask(connection)
        received = connection.receive(b'{"message_id":%b,"move":1}' % number if number == b"1" else PLAIN)
    assert [Malformed('no "message_id"')] == received


# Answers.

ANSWERS: list[tuple[str, bytes, Any]] = [
    ("an id as a string", b'{"message_id":"2","move":"pass"}', Answered("2", "pass")),
    ("an id as an integer", b'{"message_id":2,"move":"pass"}', Answered("2", "pass")),
    ("an id with nothing behind the point", b'{"message_id":2.0,"move":"pass"}', Answered("2", "pass")),
    ("keys that nobody knows", b'{"type":"answer","message_id":2,"move":1,"name":"a"}', Answered("2", 1)),
    ("of duplicate keys the last", b'{"message_id":9,"message_id":2,"move":1,"move":2}', Answered("2", 2)),
    ("null as a move", b'{"message_id":2,"move":null}', Answered("2", None)),
    ("any value as a move", b'{"message_id":2,"move":{"a":[1.5]}}', Answered("2", {"a": [1.5]})),
    ("no move", b'{"message_id":2}', Malformed('no "move"')),
    ("no id", b'{"move":"pass"}', Malformed('no "message_id"')),
    ("an empty object", b"{}", Malformed('no "message_id"')),
    ("an id that is true", b'{"message_id":true,"move":1}',
     Malformed("message_id true is neither a string nor an integer")),
    ("an id that is null", b'{"message_id":null,"move":1}',
     Malformed("message_id null is neither a string nor an integer")),
    ("an id that is a list", b'{"message_id":["2"],"move":1}',
     Malformed('message_id ["2"] is neither a string nor an integer')),
    ("an id with a fraction", b'{"message_id":2.5,"move":1}',
     Malformed("message_id 2.5 is neither a string nor an integer")),
    ("the next id", b'{"message_id":"3","move":1}', Malformed('message_id "3" was never given out')),
    ("id zero", b'{"message_id":0,"move":1}', Malformed("message_id 0 was never given out")),
    ("a negative id", b'{"message_id":-2,"move":1}', Malformed("message_id -2 was never given out")),
    ("an id with zeros", b'{"message_id":"02","move":1}', Malformed('message_id "02" was never given out')),
    ("an id with a blank", b'{"message_id":" 2","move":1}', Malformed('message_id " 2" was never given out')),
    ("an empty id", b'{"message_id":"","move":1}', Malformed('message_id "" was never given out')),
    ("an id in other digits", '{"message_id":"２","move":1}'.encode(),
     Malformed('message_id "２" was never given out')),
    ("a very long id", b'{"message_id":"%b","move":1}' % (b"9" * 5000),
     Malformed('message_id "99999999999999999999999999999999999999… was never given out')),
    ("a very large id", b'{"message_id":1e300,"move":1}', Malformed("message_id 1e300 was never given out")),
    ("a list", b'["2","pass"]', Malformed('not a JSON object: "[\\"2\\",\\"pass\\"]"')),
    ("broken JSON", b'{"message_id":2,"move":pass}', Malformed("broken JSON: unexpected 'p'")),
    ("NaN", b'{"message_id":2,"move":NaN}', Malformed("broken JSON: unexpected 'N'")),
    ("an old id", b'{"message_id":"1","move":1}', Noted("an answer to an old question")),
]  # fmt: skip


@pytest.mark.parametrize("full", [False, True], ids=["plain", "full"])
@pytest.mark.parametrize(
    ("data", "expected"), [case[1:] for case in ANSWERS], ids=[case[0] for case in ANSWERS]
)
def test_answers(data: bytes, expected: Any, full: bool) -> None:
    """Every row: with question 2 open, this is what the value says; in both protocols."""
    connection = connection_in(State.ASKED, full=full)
    assert expected == connection.receive(data)[0]
    is_open = isinstance(expected, Noted)
    assert ("2" if is_open else None) == connection.open_id
    assert is_open != connection.can_ask


def test_several_broken_values_are_one_fault() -> None:
    """The first settles the question; the rest, and even the answer behind them, are noted."""
    connection = connection_in(State.ASKED)
    kinds = [type(received) for received in connection.receive(b'oops {"x":1}{]' + ANSWER)]
    expected = [Malformed, Noted, Noted, Noted]
    assert expected == kinds


def test_two_answers_at_once() -> None:
    """The first counts."""
    connection = connection_in(State.ASKED)
    received = connection.receive(b'{"message_id":2,"move":1}{"message_id":2,"move":2}')
    expected = [Answered("2", 1), Noted("an answer to an old question")]
    assert expected == received


def test_an_answer_in_advance_does_not_count() -> None:
    """An id that is guessed before its question is noted then, and the question stays open when it comes."""
    connection = connection_in(State.READY)
    assert isinstance(connection.receive(b'{"message_id":"3","move":1}')[0], Noted)
    ask(connection)
    expected = "3"
    assert expected == connection.open_id


def test_a_late_answer_never_answers_the_next_question() -> None:
    """The answer to a question that was given up is dropped when it comes, whatever is open then."""
    connection = connection_in(State.READY, full=True, asked=0)
    ask(connection)
    connection.give_up()
    ask(connection)
    received = connection.receive(b'{"message_id":"1","move":1}\n{"message_id":"2","move":2}\n')
    expected = [Noted("an answer to an old question"), Answered("2", 2)]
    assert expected == received


def test_giving_up() -> None:
    """A plain bot owes its answer and cannot be asked till then; a full one can be asked at once."""
    plain, full = connection_in(State.ASKED), connection_in(State.ASKED, full=True)
    plain.give_up()
    full.give_up()
    expected = (State.OWING, False, None)
    assert expected == (plain.state, plain.can_ask, plain.open_id)
    expected = (State.READY, True, None)
    assert expected == (full.state, full.can_ask, full.open_id)
    with pytest.raises(LocalProtocolError):
        ask(plain)
    assert isinstance(plain.receive(ANSWER)[0], Noted)
    assert plain.can_ask


def test_half_an_answer_at_the_end_is_noted() -> None:
    """The reader is told what the bot began to say, and that is all."""
    connection = connection_in(State.ASKED)
    assert not connection.receive(ANSWER[:-1])
    half = [Noted("the stream ended in the middle of a value")]
    assert half == connection.receive(b"")
    assert not connection.receive(b"}")
    assert not connection.receive(b"")
    assert connection.open_id is None


# What we say.


def test_plain_bots_are_sent_questions_only() -> None:
    """All else is empty for them, and still counted."""
    connection = ArenaConnection()
    connection.enter()
    silent = [connection.welcome("bot-1"), begin(connection)]
    expected = b'{"message_id":"1","game_number":1,"hand":[1]}\n'
    assert expected == ask(connection)
    silent += [
        connection.event("bid", b"{}"),
        connection.fault("illegal", "no", "1"),
        connection.result(ranks={"a": 1}, returns={"a": 0.0}),
    ]
    connection.receive(b'{"message_id":1,"move":1}')
    silent.append(begin(connection))
    expected = b'{"message_id":"2","game_number":2,"hand":[1]}\n'
    assert expected == ask(connection)
    silent.append(connection.bye("done"))
    assert not any(silent)


def test_a_plain_bot_that_was_never_asked_is_told_bye() -> None:
    """That is the one who is refused: it learns why."""
    connection = ArenaConnection()
    connection.receive(b'{"name":"pass"}')
    expected = b'{"type":"bye","reason":"\'pass\' is a reserved word"}\n'
    assert expected == connection.bye("'pass' is a reserved word")


def test_nothing_is_told_outside_of_a_match() -> None:
    """Questions, events, faults and results before the first match or after a result are our mistake."""
    connection = ArenaConnection()
    connection.receive(FULL)
    for _ in range(2):
        for call in (
            lambda: ask(connection),
            lambda: connection.event("bid", b"{}"),
            lambda: connection.fault("gone", "why", None),
            lambda: connection.result(ranks={}, returns={}),
        ):
            with pytest.raises(LocalProtocolError, match="match"):
                call()
        begin(connection)
        connection.result(ranks={"a": 1}, returns={"a": 0.0})


def test_a_question_that_cannot_be_written_changes_nothing() -> None:
    """After our own mistake the connection is where it was."""
    connection = connection_in(State.READY)
    with pytest.raises(LocalProtocolError, match="JSON object"):
        connection.ask(state=b"[]", options=b"[]", time_s=None, bank_s=None)
    assert connection.can_ask
    question = json.loads(ask(connection))
    expected = "3"
    assert expected == question["message_id"]


# Two ends.

PAYLOAD = {"seat": "alice", "bid": [3, 4]}
CONVERSATION = [
    Welcome("alice-2"),
    Match("0a", 1, "dice", 1, {"faces": 6}, 0, ["alice", "bob"], {"move_s": 1.0}, str(2**127 + 1)),
    Ask("1", 1, "0a", 1.0, None, {"hand": [1]}, []),
    EventMessage("0a", "bid", PAYLOAD),
    FaultMessage("0a", "1", "illegal", "why"),
    Result("0a", {"alice": 1, "bob": 2}, {"alice": 1.0, "bob": -1.0}),
    Bye("done"),
]


def arena_says() -> bytes:
    """All that an arena can say, in one piece."""
    arena = ArenaConnection()
    arena.receive(FULL)
    return b"".join(
        [
            arena.welcome("alice-2"),
            begin(arena),
            ask(arena),
            arena.event("bid", json.dumps(PAYLOAD).encode()),
            arena.fault("illegal", "why", "1"),
            arena.result(ranks={"alice": 1, "bob": 2}, returns={"alice": 1.0, "bob": -1.0}),
            arena.bye("done"),
        ]
    )


def hear(end: ArenaConnection | BotConnection, said: bytes, cut: int) -> list[Any]:
    """What one end makes of these bytes in two pieces; an empty piece is not sent."""
    return [heard for piece in (said[:cut], said[cut:]) if piece for heard in end.receive(piece)]


def test_the_bot_hears_the_arena_chopped_at_any_byte() -> None:
    """Wherever the bytes are cut, the bot gets all that was said."""
    said = arena_says()
    for cut in range(len(said)):
        heard = hear(BotConnection(), said, cut)
        assert heard == CONVERSATION


def test_the_arena_hears_the_bot_chopped_at_any_byte() -> None:
    """Wherever the bytes are cut, the arena gets the introduction and the answer."""
    hello, answer = BotConnection().hello("alice", "t"), BotConnection().answer("1", [3, 4])
    expected = [Introduced("alice", "t", 1), Answered("1", [3, 4])]
    for cut in range(max(len(hello), len(answer))):
        arena = ArenaConnection()
        received = hear(arena, hello, cut)
        begin(arena)
        ask(arena)
        received += hear(arena, answer, cut)
        assert expected == received


def test_the_bot_hears_the_end() -> None:
    """The arena's closing is no error."""
    bot = BotConnection()
    assert not bot.receive(b"")
    assert bot.is_closed


def test_the_bot_reads_plain_questions_too() -> None:
    """A hello that came after the time for names is answered by plain questions."""
    arena = connection_in(State.READY, asked=0)
    received = BotConnection().receive(ask(arena))
    assert [PlainQuestion("1", 1, {"hand": [1]})] == received


@pytest.mark.parametrize("said", [b"junk", b'{"type":"ask"}', b'{"message_id":"1"}'])
def test_the_bot_does_not_pass_over_what_it_cannot_read(said: bytes) -> None:
    """What is no message is an error of the arena, and raised."""
    with pytest.raises(RemoteProtocolError):
        BotConnection().receive(said)


def test_long_questions_reach_the_bot() -> None:
    """Questions may be longer, and nested more, than answers may be."""
    arena = connection_in(State.READY, full=True, asked=0)
    state = {"history": [[number, {"bid": [1, 2]}] for number in range(9000)]}
    said = arena.ask(state=json.dumps(state).encode(), options=b"[]", time_s=None, bank_s=None)
    (question,) = BotConnection().receive(said)
    assert isinstance(question, Ask)
    assert state == question.state


# Anything at all.

VALUES = st.one_of(
    st.binary(max_size=20),
    st.sampled_from([FULL, PLAIN, ANSWER, b"", b"{", b"}", b'"', b"\n", b"[" * 70]),
    st.dictionaries(
        st.sampled_from(["message_id", "move", "type", "name", "token", "protocol", "x"]),
        st.sampled_from(["1", 1, 1.0, True, None, [], {}, "hello", -1, 1e300, "a", 10**30, ["hello"]]),
    ).map(lambda value: json.dumps(value).encode()),
)


@pytest.mark.slow
@given(st.lists(VALUES | st.sampled_from(list(Said)), max_size=30), st.sampled_from([8, 64, 65536]))
def test_receive_never_raises(story: list[bytes | Said], bytes_max: int) -> None:
    """Whatever comes in whatever state: no exception, and every question is settled once."""
    connection = ArenaConnection(bytes_max=bytes_max)
    unsettled = 0
    for step in story:
        if isinstance(step, Said):
            if step in SAID[connection.state] and not (
                step in (Said.ASK, Said.TELL) and connection.match_id is None
            ):
                say(connection, step)
                unsettled += (step is Said.ASK) - (step is Said.GIVE_UP and unsettled)
                if step is Said.BYE:
                    unsettled = 0
            continue
        for received in connection.receive(step):
            unsettled -= isinstance(received, Answered | Malformed)
        if connection.state is State.CLOSED:
            unsettled = 0
        assert unsettled == (connection.open_id is not None)
