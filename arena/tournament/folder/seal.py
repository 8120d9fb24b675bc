"""Seals plan, seed and bots of a tournament by a hash before the first match, and opens the seal at the end.

What is shown is the opening, a text: a JSON object in ASCII, indented by one space, its keys sorted, with a
line break at its end.  The seal is the SHA-256 of exactly these bytes, which the folder has as `opening.json`
once all is played.  Its `nonce` has 128 random bits, so that nobody finds a short seed by trying openings.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import attrs

from arena.errors import ConfigError
from arena.players.entrant import Entrant
from arena.schedule.roster import Roster, RosterEntry
from arena.store import Store, write_text
from arena.tournament.folder.membership import roster_of
from arena.words import counted, printable

SEAL = "seal"
"""The store's key for the seal."""
SEAL_FILE, OPENING_FILE = "seal.sha256", "opening.json"
"""The files with the seal, from the first match on, as `sha256sum -c` reads it, and with its opening."""
FORM = "arena seal 1"
"""What an opening calls its form."""
NONCE_BYTES = 16

_LEFT_OPEN = frozenset({"bots", "concurrency", "out", "seed", "workers"})
"""Parts of a plan that are told elsewhere, or say nothing about the tournament."""
_HAPPENED = {
    "join": "joined",
    "replace": "was replaced",
    "without": "was excluded",
    "readmit": "was readmitted",
}


@attrs.frozen
class Seal:
    """What was fixed before the first match."""

    sha256: str
    """The hash of the opening, 64 hexadecimal digits, for everybody."""
    opening: str
    """The text that was sealed, secret until the run is over."""
    opened_after: int | None = None
    """How many matches the folder held when the opening was first shown; None: it has not been."""


@attrs.frozen
class Opening:
    """What an opening says."""

    nonce: str
    seed: int
    plan: Mapping[str, Any]
    """The plan as the folder keeps it, without the seed."""
    terms: Mapping[str, Any]
    """What must stay the same whenever the folder is continued (`plan.identity`), without the seed."""
    bots: Mapping[str, str]
    """Name of a bot -> fingerprint of its files before they were built; empty for one that connects."""


def seal_for(
    seed: int, plan: Mapping[str, Any], terms: Mapping[str, Any], entrants: Iterable[Entrant], nonce: str = ""
) -> Seal:
    """The seal of a tournament that begins; plan and terms in JSON's types.  An empty nonce is drawn."""
    opening = {
        "form": FORM,
        "nonce": nonce or secrets.token_hex(NONCE_BYTES),
        "seed": str(seed),  # JSON's numbers are floats in many languages
        "plan": _without_seed(plan),
        "terms": _without_seed(terms),
        "bots": {entrant.name: entrant.fingerprint for entrant in entrants},
    }
    text = json.dumps(opening, indent=1, sort_keys=True) + "\n"
    return Seal(sha256(text.encode("ascii")).hexdigest(), text)


def seal_of(store: Store) -> Seal | None:
    """The seal of a folder, if it has one.  Raises ConfigError if it is not as it was written."""
    return seal_in(store.meta(), store.folder)


def seal_in(meta: Mapping[str, Any], folder: Path) -> Seal | None:
    """The seal in what the folder's store keeps; as `seal_of`."""
    kept = meta.get(SEAL)
    if kept is None:
        return None
    try:
        seal = Seal(**kept)
        is_right = sha256(seal.opening.encode("ascii")).hexdigest() == seal.sha256
    except (TypeError, AttributeError, ValueError):
        is_right = False
    if not is_right:
        raise ConfigError(f"{folder}: the seal is not that of the opening which is kept with it")
    return seal


def is_sealed(seal: Seal, seed: int | None, terms: Mapping[str, Any]) -> bool:
    """Whether a tournament with these terms, and this seed or one still to be drawn, is that of the seal."""
    opening = opening_of(seal)
    return seed in (None, opening.seed) and _without_seed(terms) == opening.terms


def show_seal(store: Store) -> None:
    """Writes the seal of a folder, if it has one, to a file of its own, for everybody."""
    if (seal := seal_of(store)) is not None:
        write_text(store.folder / SEAL_FILE, f"{seal.sha256}  {OPENING_FILE}\n")


def open_seal(store: Store) -> None:
    """Writes the opening of a folder that is played out, if it has a seal, to a file of its own."""
    if (seal := seal_of(store)) is None:
        return
    if seal.opened_after is None:
        seal = attrs.evolve(seal, opened_after=store.size())
        store.set_meta(SEAL, attrs.asdict(seal))
    write_text(store.folder / OPENING_FILE, seal.opening)


def told_of_seal(store: Store) -> dict[str, Any] | None:
    """What everybody may know about the seal of a folder, for `run.json`; None if it has none."""
    if (seal := seal_of(store)) is None:
        return None
    is_open = seal.opened_after is not None
    told = attrs.asdict(seal) | {"opening": seal.opening if is_open else None}
    return told | {"changes": changes_under_seal(store, seal)}


def changes_under_seal(store: Store, seal: Seal) -> list[str]:
    """What has changed in a folder since it was sealed."""
    meta = store.meta()
    return changes_since(seal, meta["plan"], roster_of(meta))


def opening_of(seal: Seal) -> Opening:
    """What was sealed.  Raises ConfigError if the opening does not have the form that this arena knows."""
    try:
        said = json.loads(seal.opening)
        form, seed = said.pop("form"), said.pop("seed")
        opening = Opening(seed=int(seed), **said)
        is_right = form == FORM and bool(re.fullmatch(f"[0-9a-f]{{{2 * NONCE_BYTES}}}", opening.nonce))
        is_right = is_right and seed == str(opening.seed) and 0 <= opening.seed < 1 << 128
        is_right = is_right and all(
            isinstance(part, dict) for part in (opening.plan, opening.terms, opening.bots)
        )
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
        is_right = False
    if not is_right:
        raise ConfigError(
            "the opening of the seal is not of a form that this arena knows: expected "
            f"{FORM!r} with a nonce of {2 * NONCE_BYTES} hexadecimal digits, a seed, plan, terms and bots"
        )
    return opening


def changes_since(seal: Seal, plan: Mapping[str, Any], roster: Roster) -> list[str]:
    """A sentence about each thing that has changed since it was sealed, as continued folders may.

    `plan`: as the folder keeps it now.
    """
    opening = opening_of(seal)
    return [*_of_plan(opening.plan, plan), *_of_roster(opening.bots, roster.entries)]


def _of_plan(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    for key in dict.fromkeys((*before, *now)):
        if key not in _LEFT_OPEN and before.get(key) != now.get(key):
            yield f"{printable(key)} was {_json(before.get(key))}, and is {_json(now.get(key))}"


def _of_roster(sealed_bots: Mapping[str, str], entries: Sequence[RosterEntry]) -> Iterator[str]:
    joined = {entry.slot for entry in entries if entry.act == "join"}
    yield from (f"{printable(name)} has not joined" for name in sealed_bots if joined and name not in joined)
    for entry in entries:
        name = printable(entry.slot)
        if entry.act != "join" or entry.matches:
            yield f"{name} {_HAPPENED[entry.act]} after {counted(entry.matches, 'match')}"
        elif entry.slot not in sealed_bots:
            yield f"{name} joined before the first match"
        elif entry.fingerprint != sealed_bots[entry.slot]:
            yield f"{name}: its files are not those that were sealed (building it may have changed them)"


def _without_seed(mapping: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in mapping.items() if key != "seed"}


def _json(value: object) -> str:
    return printable(json.dumps(value, ensure_ascii=False))
