"""Plays a match that is written out in a text file, and compares every line of it with the game.

A line is a word and what it says; the words that all files share are

  ask      the seats asked, in playing order, or "chance"
  sees     a seat and what it observes
  play     seat: move, …
  tell     an event that everybody is told
  mark     the word under which a timeline marks the event before
  secret   an event that one seat is told
  hold     how much each seat has of what is lost and won, by seat
  #        a comment

A game adds its own words for what chance does, and may have others for what is so at a place.
"""

import attrs

from arena.game import CHANCE, Seat


def fields(thing, write):
    """An observation or a payload as a playthrough says it, its values written by `write`."""
    return " ".join(f"{name}={write(getattr(thing, name))}" for name in attrs.fields_dict(type(thing)))


def retold(game, event, write):
    """The lines of an event: what all are told, how that is marked, and what one seat is told."""
    if event.public is not None:
        yield f"tell {event.kind} {fields(event.public, write)}"
        if mark := game.tell_mark(event.kind, event.public):
            yield f"mark {mark}"
    for seat, payload in event.private.items():
        yield f"secret {int(seat)} {event.kind} {fields(payload, write)}"


def asked(game, state):
    """Who is asked, as most playthroughs say it."""
    seats = game.to_act(state)
    return "chance" if seats == (CHANCE,) else " ".join(str(int(seat)) for seat in seats)


def held(game, state):
    """What the seats have that can be lost."""
    return ",".join(str(each) for each in game.holdings(state))


def played(path, game, seats, *, write, read_move, chance, facts=None, header=3):
    """The last state of the match in this file, which is over, all lines having been as the game says.

    `read_move(text, default)` and the functions of `chance`, by word, give a move for its text.  What
    those of `facts`, by word, give for game and state is what the line must say.  `header` counts the
    paragraphs before the match.
    """
    state, told = game.start(seats), []
    facts = {"ask": asked, "hold": held} | (facts or {})
    for line in filter(None, path.read_text(encoding="utf-8").split("\n\n", header)[-1].splitlines()):
        word, _, text = line.partition(" ")
        text = text.strip()
        if word == "play" or word in chance:
            assert [] == told, f"untold before {line!r}"
            moves = {CHANCE: chance[word](text)} if word in chance else _answers(game, state, text, read_move)
            step = game.apply(state, moves)
            state, told = step.state, [each for event in step.events for each in retold(game, event, write)]
        elif word in ("tell", "mark", "secret"):
            assert told, f"nothing is told at {line!r}"
            _compare(told.pop(0), f"{word} {text}")
        elif word == "sees":
            seat, _, observed = text.partition(" ")
            _compare(fields(game.observe(state, Seat(int(seat))), write), observed)
        elif word in facts:
            _compare(facts[word](game, state), text)
        else:
            assert word == "#", f"no such line: {line!r}"
    assert [] == told
    assert () == game.to_act(state)
    return state


def _answers(game, state, text, read_move):
    """The moves of `0: bid 5 2, 1: pass`."""
    parts = (part.partition(":") for part in text.split(","))
    moves = ((Seat(int(seat)), move.strip()) for seat, _, move in parts)
    return {seat: read_move(move, game.default(state, seat)) for seat, move in moves}


def _compare(expected, written):
    """Fails with both sides: pytest explains no assertion of a module that is not a test."""
    assert expected == written, f"\nthe game says {expected!r}\nthe file says {written!r}"
