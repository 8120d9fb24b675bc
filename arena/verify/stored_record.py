"""Checks that a folder says, as an arena does, what was played in it: else nothing can be verified.

Checksums show what was damaged.  This is about what somebody wrote, with checksums that fit.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

from arena.errors import ConfigError
from arena.reading.units import unexpected
from arena.schedule.roster import Act
from arena.tournament.folder.membership import ROSTER
from arena.tournament.folder.seal import SEAL
from arena.tournament.folder.stored import DECISIONS, ORIGIN

_PLAN, _IDENTITY = "plan", "identity"
_NEEDED: Mapping[str, type] = {
    "tournament": str,
    "game": str,
    "version": int,
    "rules": dict,
    "seats": int,
    "seed": int,
    "faults_max": int,
    "withdrawn_after": int,
    "restarts_max": int,
}
"""Key that `identity` must have -> the type of its value.  Not cattrs: nothing is made of them."""
KEYS = frozenset(
    [
        *(_PLAN, _IDENTITY, DECISIONS, ORIGIN, ROSTER, SEAL, "game_version", "tokens", "places"),
        *(
            "conclusion",
            "rated_by",
            "returns_unit",
            "returns_bound",
            "adjusts_luck",
            "ranked_by",
            "comparison",
        ),
        *("until", "until_rule", "until_left"),
    ]
)
"""The keys that a run keeps in `meta`."""
_ENTRY: Mapping[str, type] = {"act": str, "slot": str, "fingerprint": str, "matches": int}
"""Key that an entry of the roster may have -> the type of its value."""


def check_record(folder: Path, meta: Mapping[str, Any]) -> None:
    """Raises ConfigError if the folder's record of its plan, game and roster is missing or malformed."""
    where = f"{folder}: nothing can be verified, as arena.db does not say what was played"
    for key in (_IDENTITY, _PLAN):
        if type(meta.get(key)) is not dict:
            raise ConfigError(f"{where}: {key}: {unexpected(meta.get(key), 'an object')}")
    for key, kind in _NEEDED.items():
        if type(value := meta[_IDENTITY].get(key)) is not kind:
            raise ConfigError(f"{where}: {_IDENTITY}.{key}: {unexpected(value, f'of type {kind.__name__}')}")
    choices = meta.get(DECISIONS)
    if not isinstance(choices, list) or meta[_PLAN].get("decisions") not in choices:
        raise ConfigError(f"{where}: {DECISIONS}: {unexpected(choices, 'a list with that of the plan')}")
    joined: set[object] = set()
    for place, entry in enumerate(meta.get(ROSTER, ())):
        if not _is_next(entry, joined):
            raise ConfigError(f"{where}: {ROSTER}[{place}] is not what may happen to a bot's slot")
        joined.add(entry["slot"])


def _is_next(entry: object, joined: set[object]) -> bool:
    """Whether this can be the next entry of a roster whose slots so far are `joined`."""
    if not isinstance(entry, dict) or not {"act", "slot"} <= entry.keys() <= _ENTRY.keys():
        return False
    if any(type(value) is not _ENTRY[key] for key, value in entry.items()):
        return False
    return entry["act"] in get_args(Act) and (entry["act"] == "join") != (entry["slot"] in joined)
