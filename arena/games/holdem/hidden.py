"""States of Hold'em that fit what a seat knows: all cards that it has not seen, in another order."""

from __future__ import annotations

from functools import lru_cache
from random import Random

from arena.game import CHANCE, Game, Information, Seat
from arena.games.cards import DECK, shuffled
from arena.games.holdem.betting import BOARD_AT
from arena.games.holdem.moves import Bet, Deal, Fold, Move
from arena.games.holdem.state import State
from arena.games.states import changed


def sample_state(game: Game[State, Move], information: Information, rng: Random) -> State:
    """Every order of the cards that the seat has not seen in this hand is as likely as any other."""
    state = _with_any_deck(game, information)
    if state.hand is None:
        return state
    seen = information.observation.cards
    board = (seen.flop or ()) + (seen.turn or ()) + (seen.river or ())
    places = dict(enumerate(seen.hole or (), 2 * information.seat)) | dict(enumerate(board, BOARD_AT))
    known = set(places.values())
    unseen = iter(shuffled(rng, [card for card in DECK if card not in known]))
    deck = tuple([places.get(place) or next(unseen) for place in range(len(DECK))])
    return changed(state, hand=changed(state.hand, deck=deck))


@lru_cache(maxsize=16)  # whoever samples does so often
def _with_any_deck(game: Game[State, Move], information: Information) -> State:
    """The state but for the cards, on which nothing else depends until a hand is over."""
    seen, seats = information.observation, range(information.seats)
    stacks = {player.playerID: player.wealth for player in seen.table}  # right between hands
    hands, results, busts = 0, [0 for _ in seats], []
    moves: list[tuple[Seat, Move]] = []
    for kind, payload in information.told():
        if kind == "hand_started":
            before, moves = dict(payload.stacks), [(CHANCE, Deal(DECK))]
        elif kind == "fold":
            moves.append((payload.player, Fold()))
        elif kind in ("check", "call", "bet", "raise"):
            moves.append((payload.player, Bet(payload.amount)))
        elif kind == "hand_over":
            hands, moves = hands + 1, []
            for seat, chips in payload.won:
                results[seat] += chips
        elif kind == "eliminated":
            busts.append((payload.seat, hands, before[payload.seat]))
    state = State(
        hand_number=hands + 1,
        button=seen.button,
        stacks=tuple([(before if moves else stacks).get(Seat(seat), 0) for seat in seats]),
        results=tuple(results),
        last=seen.last_winners,
        busts=tuple(busts),
    )
    for seat, move in moves:
        state = game.apply(state, {seat: move}).state
    return state
