"""Leagues as a terminal shows them, and what is typed about them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from arena.errors import ConfigError, unwritable
from arena.reading.units import shown
from arena.terminal.leagues.league_link import LeagueLink
from arena.terminal.text import as_table
from arena.words import clipped, counted, listed, printable, roughly

PAGE = 100
"""How many the server tells at once."""
WHY_COLUMNS = 60
"""How much of a reason a table shows."""
ROSTER_BYTES_MAX = 60_000
WHY_COLUMNS = 60
"""How much of a reason the list of bots shows; whoever hands in and waits is told all of it."""


def asked_settings(words: Sequence[str]) -> dict[str, Any]:
    """Settings from `KEY=VALUE` words.  Raises ConfigError; the server says which there are."""
    found = dict[str, Any]()
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or not key.isidentifier():
            raise ConfigError(f"{shown(word)} is no setting, expected KEY=VALUE such as look=public")
        found[key] = _value(value)
    return found


def _value(text: str) -> Any:
    """A number, true, false, or a word."""
    if text in ("true", "false"):
        return text == "true"
    try:
        return int(text) if text.lstrip("-").isdecimal() else float(text)
    except ValueError:
        return text


def version_number(text: str) -> int:
    """The number of a version.  Raises ConfigError."""
    if text.isascii() and text.isdigit() and len(text) <= 6 and int(text) > 0:
        return int(text)
    raise ConfigError(f"{shown(text)} is not the number of a version, expected one such as 2")


def roster_in(path: Path) -> str:
    """The text of a roster.  Raises ConfigError if it cannot be read, or is too long."""
    try:
        octets = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror or error}") from None
    if len(octets) > ROSTER_BYTES_MAX:
        raise ConfigError(f"{path} is longer than a roster may be ({ROSTER_BYTES_MAX:,} bytes): divide it")
    try:
        return octets.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ConfigError(f"{path} is not in UTF-8: save it as CSV in UTF-8") from None


def write_new(path: Path, octets: bytes) -> None:
    """Writes a file that is not there yet.  Raises ConfigError if it is, or cannot be written."""
    try:
        with path.open("xb") as file:
            file.write(octets)
    except FileExistsError:
        raise ConfigError(f"{path} is there already: name another file", setting="out") from None
    except OSError as error:
        raise unwritable(path, error) from None


def all_pages(link: LeagueLink, path: str) -> Iterator[Any]:
    """Everything of a list that is told page by page."""
    first = 0
    while True:
        page = link.of_league("GET", path, first=str(first))
        yield from page
        if len(page) < PAGE:
            return
        first += PAGE


def all_lines(link: LeagueLink) -> Iterator[Any]:
    """All lines of a league's log."""
    after = 0
    while page := link.of_league("GET", "/log", after=str(after)):
        yield from page
        after = page[-1]["number"]


def leagues_table(leagues: Sequence[Any]) -> str:
    """The leagues of a server."""
    rows = [
        (
            each["name"],
            each["game"],
            each["join"],
            each["look"],
            each["owners"],
            each["bots"],
            "paused" if each["is_paused"] else "yes" if each["is_played"] else "no",
        )
        for each in leagues
    ]
    return as_table(("league", "game", "join", "look", "owners", "bots", "played"), rows, None)


def league_text(league: Any, standings: Any, bots: Sequence[Any]) -> str:
    """A league: where everybody stands, and its bots, those that play first."""
    head = f"{league['name']}: {league['title']}, {counted(league['owners'], 'owner')}. {league['state']}"
    parts = [f"{head} {standings['trouble']}".strip()]
    if standings["places"]:
        places = [_place_row(place) for place in standings["places"]]
        parts.append(as_table(("rank", "bot", "owner", "version", "rating (95 %)", "series"), places, None))
    if (costs := standings["costs"]) is not None:
        parts.append(costs_words(costs))
    rows = [_bot_row(bot) for bot in sorted(bots, key=lambda bot: bot["playing"] is None)]
    if rows:
        parts.append(as_table(("id", "bot", "owner", "plays", "newest", "state", "why"), rows, None))
    else:
        parts.append("nobody has handed in a bot yet")
    return "\n\n".join(parts)


def costs_words(costs: Any) -> str:
    """What a league takes as it goes now, in a sentence."""
    return (
        f"As it goes now: {costs['matches_an_hour']:,} matches an hour, a new version is ranked in about"
        f" {roughly(60 * costs['newcomer_minutes'])}, bots 100 Elo apart are in a sure order after"
        f" {roughly(3_600 * costs['settled_hours'])} of play, and a week takes {costs['gb_a_week']:.1f} GB."
    )


def _place_row(place: Any) -> Sequence[Any]:
    """Where a bot stands; a rank that is not settled is told with all that it may be."""
    rank = f"{place['best']}" if place["best"] == place["worst"] else f"{place['best']}–{place['worst']}"
    rating = f"{place['rating']:.0f}"
    return (
        rank,
        printable(place["name"]),
        printable(place["owner_name"] or "the house"),
        place["version"],
        rating if place["error"] is None else f"{rating} ± {place['error']:.0f}",
        place["series"],
    )


def _bot_row(bot: Any) -> Sequence[Any]:
    newest = bot["versions"][-1]
    why = bot["excluded"] or newest["reason"] or newest["waits_for"] or ""
    return (
        bot["id"],
        printable(bot["name"]),
        printable(bot["owner_name"]),
        bot["playing"],
        newest["number"],
        "excluded" if bot["excluded"] else newest["state"],
        clipped(printable(why.split("\n")[0]), WHY_COLUMNS),
    )


def log_table(lines: Sequence[Any]) -> str:
    """The log of a league."""
    rows = [(_when(each["at"]), printable(each["who"]), printable(each["text"])) for each in lines]
    return as_table(("when", "who", "what"), rows, None)


def alike_table(found: Sequence[Any]) -> str:
    """Owners who handed in equal files."""
    rows = [
        (
            *(f"{printable(name)} ({id})" for name, id in zip(each["names"], each["owners"], strict=True)),
            " and ".join(each["versions"]),
            "all" if each["is_whole"] else each["files"],
            listed([*map(printable, each["paths"])], most=3) or "–",
        )
        for each in found
    ]
    return as_table(("one", "other", "first in", "equal files", "such as"), rows, None)


def _when(unix_s: float) -> str:
    return f"{datetime.fromtimestamp(unix_s):%Y-%m-%d %H:%M}"


def forgotten_line(told: Any) -> str:
    """What was removed of an owner."""
    bots = ", ".join(told["bots"]) or "none"
    return (
        f"{told['owner']} is forgotten: its names, {counted(told['people'], 'token')}, "
        f"{counted(told['hand_ins'], 'hand-in')} and {counted(told['logs'], 'log')} are removed; "
        f"its matches keep the ids of its bots ({bots})"
    )
