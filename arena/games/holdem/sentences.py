"""What people are told about a match of Hold'em."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from arena.game import Event, Names, Seat
from arena.games.holdem.events import (
    Eliminated,
    Folded,
    HandOver,
    HandStarted,
    Hole,
    MatchOver,
    Opened,
    Paid,
    PotWon,
    Showdown,
    Uncalled,
)
from arena.games.holdem.moves import Bet, Deal, Fold, Move
from arena.games.holdem.view import Observation, Player, Turn
from arena.games.wording import articled, cards_of, drawn, pot_shares


def tell_move(seat: Seat, move: Move, name: Names) -> str:
    """The sentence for a move."""
    match move:
        case Deal():
            return "the cards are dealt"
        case Fold():
            return f"{name(seat)} folds"
        case Bet(0):
            return f"{name(seat)} checks"
        case Bet(amount):
            return f"{name(seat)} puts in {amount:,}"


def tell_event(kind: str, payload: Any, seat: Seat | None, name: Names) -> str | None:
    """The sentence for a payload."""
    match payload:
        case HandStarted():
            return _hand_started(payload, name)
        case Hole(cards) if seat is not None:
            return f"{name(seat)} is dealt {cards_of(cards)}"
        case Folded(player):
            return f"{name(player)} folds"
        case Paid():
            return _paid(kind, payload, name)
        case Uncalled(player, amount):
            return f"the uncalled {amount:,} goes back to {name(player)}"
        case Opened(cards, pot):
            return f"the {kind}: {cards_of(cards)} (pot {pot:,})"
        case Showdown(_, hands):
            shown = "; ".join(
                f"{name(who)} shows {cards_of(cards)}, {articled(what)}" for who, cards, what in hands
            )
            return f"showdown: {shown}"
        case PotWon(size, winners) if len(winners) == 1:
            return f"{name(winners[0][0])} wins the pot of {size:,}"
        case PotWon(size, winners):
            return f"the pot of {size:,} is shared: {pot_shares(winners, name)}"
        case HandOver(won):
            return f"the hand ends: {_signed(won, name)}"
        case Eliminated(out):
            return f"{name(out)} has no chips left"
        case MatchOver(_, returns):
            return f"the match ends: {_signed(returns, name)}"
    return None


def tell_mark(kind: str, payload: Any) -> str:
    """The word under which a timeline marks a public payload."""
    match payload:
        case Paid(all_in=True):
            return "all-in"
        case Showdown():
            return "showdown"
    return ""


def _hand_started(hand: HandStarted, name: Names) -> str:
    posted = ", ".join(f"{name(seat)} posts {chips:,}" for seat, chips in hand.blinds)
    stacks = {chips for _, chips in hand.stacks}
    each = f"all have {stacks.pop():,} chips" if len(stacks) == 1 else pot_shares(hand.stacks, name)
    return f"hand {hand.hand_number}: {name(hand.button)} has the button, {posted} ({each})"


def _paid(kind: str, paid: Paid, name: Names) -> str:
    words = {"check": "checks", "call": f"calls {paid.amount:,}", "bet": f"bets {paid.amount:,}"}
    act = words.get(kind, f"raises to {paid.to:,}")
    return f"{name(paid.player)} {act}{' and is all in' if paid.all_in else ''}"


def _signed(pairs: Iterable[tuple[Seat, int]], name: Names) -> str:
    """Chips won or lost in words: `ann +60, bob −60`."""
    signed = [(name(seat), f"{chips:+,}".replace("-", "−") if chips else "0") for seat, chips in pairs]
    return ", ".join(f"{who} {chips}" for who, chips in signed)


def tell_why(events: Sequence[Event], name: Names) -> str | None:
    """The reason for which most chips of a hand were lost, from what everybody was told of the step."""
    hands: dict[Seat, str] = {}
    for payload in (event.public for event in events):
        if isinstance(payload, Showdown):
            hands = {seat: what for seat, _, what in payload.hands}
        if isinstance(payload, HandOver):
            loser, least = min(payload.won, key=lambda each: each[1])
            winner, _ = max(payload.won, key=lambda each: each[1])
            if loser in hands and winner in hands:
                better = "better " if hands[loser] == hands[winner] else ""
                beaten = f"{name(winner)}'s {better}{hands[winner]}"
                return f"{name(loser)}'s {hands[loser]} lost {-least:,} chips to {beaten}"
            return f"{name(loser)} put in {-least:,} chips and folded"
    return None


def tell_seen(seen: Observation, seat: Seat | None, name: Names, *, pushes: bool) -> tuple[str, ...]:
    """The lines for what a seat sees; `pushes`: whether all chips or none are put in."""
    return tuple(_seen(seen, seat, name, pushes))


def tell_option(observation: Observation, seat: Seat, move: Move, name: Names) -> str | None:
    """What a move would be for the seat on turn: a call, a bet, or a raise, with its amount."""
    if not isinstance(move, Bet) or not move.amount:
        return None
    turn = observation.turn
    top, own = turn.bet_to_player, turn.bet_so_far
    if own + move.amount <= top:
        return f"{name(seat)} calls {move.amount:,}"
    return f"{name(seat)} raises to {own + move.amount:,}" if top else f"{name(seat)} bets {move.amount:,}"


def _seen(seen: Observation, seat: Seat | None, name: Names, pushes: bool) -> Iterator[str]:
    cards, turn = seen.cards, seen.turn
    if cards.hole is not None:
        yield f"your cards are {drawn(cards.hole)}"
    board = [card for street in (cards.flop, cards.turn, cards.river) for card in street or ()]
    pot = sum(pot.size for pot in seen.pots)
    lying = f"the board is {drawn(board)}" if board else "there is no board yet"
    yield f"{lying}, and the pot is {pot:,}"
    if seat is not None and turn.playerID == seat:
        yield _due(turn, seen.table[seat].wealth, pushes)
    yield "; ".join(_player(player, seen.button, name) for player in seen.table)


def _due(turn: Turn, wealth: int, pushes: bool) -> str:
    """What it costs to stay in: `a check is free, a bet costs at least 20`."""
    to_call = turn.bet_to_player - turn.bet_so_far
    if pushes and turn.minimum_raise:
        return f"all in costs {wealth:,}; the only other move is a fold"
    due = f"a call costs {min(to_call, wealth):,}" if to_call else "a check is free"
    if not turn.minimum_raise:
        return f"{due}, and you cannot raise"
    raising = "raise" if turn.bet_to_player else "bet"
    return f"{due}, a {raising} at least {to_call + turn.minimum_raise:,}"


def _player(player: Player, button: Seat, name: Names) -> str:
    """A player in words: `ann has 9,980 left and has bet 20 (button)`."""
    if player.state == "out":
        return f"{name(player.playerID)} is out"
    bet = f" left and has bet {player.bet_so_far:,}" if player.bet_so_far else ""
    notes = [{"folded": "folded", "all_in": "all in"}.get(player.state, "")]
    notes += ["button"] if player.playerID == button else []
    told = ", ".join(filter(None, notes))
    return f"{name(player.playerID)} has {player.wealth:,}{bet}" + (f" ({told})" if told else "")
