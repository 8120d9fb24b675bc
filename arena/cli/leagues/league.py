"""`arena league`: makes, runs and joins leagues of a server, over its REST alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from arena.cli.group import DONE, RULE, cli, options, subgroup
from arena.cli.leagues.submit import SERVER, TO

if TYPE_CHECKING:
    from arena.terminal.leagues.league_link import LeagueLink

F = TypeVar("F", bound=Callable[..., Any])

JSON = ("--json", "as_json", None, "JSON, for programs.")


@cli.group(cls=subgroup())
def league() -> None:
    """Make, join or run a league: a ladder that never ends.

    Hosts send their token as ARENA_TOKEN; the first start of `arena serve` prints one.  Owners get theirs by
    `arena league join`, and hand in by `arena submit`.

    \b
    Examples:
      arena league new class-7b --game liars-dice
      arena league join class-7b --code ABCDE-FGHJK --name Ann
      arena league show class-7b
    """


def at_league(command: F) -> F:
    """Adds where a league is: its name, and its server."""
    return click.argument("name", metavar="NAME")(options("Where", TO)(command))


def owner_link(to: str | None, name: str | None, *, is_host: bool = False) -> LeagueLink:
    """A link with the token that is kept on this machine."""
    from arena.terminal.leagues.league_link import league_link

    return league_link(to or SERVER, name, is_host=is_host)


def host_link(to: str | None, name: str | None) -> LeagueLink:
    """A link with the token of a host, which the environment has."""
    return owner_link(to, name, is_host=True)


@league.command()
@at_league
@options(
    "The game",
    ("--game", "NAME", "The game.  [liars-dice]"),
    RULE,
    ("--seats", "N", "How many play a match.  [the fewest who can]"),
)
@options(
    "Who",
    ("--code", "CODE", "The code with which people join.  [one is drawn]"),
    ("--set", "settings", "*KEY=VALUE", "A setting, as in `arena league set`."),
)
def new(
    name: str,
    to: str | None,
    game: str | None,
    rules: tuple[str, ...],
    seats: str | None,
    code: str | None,
    settings: tuple[str, ...],
) -> int:
    """Make a league, and print the code with which people join.

    NAME stands in addresses: lower-case letters, digits and hyphens.

    \b
    Examples:
      arena league new class-7b --game liars-dice
      arena league new friends --game holdem --rule hands=30 --set look=public
    """
    from arena.games import GAMES
    from arena.reading.strict import whole
    from arena.terminal.leagues.league_lines import asked_settings
    from arena.terminal.text import out
    from arena.tournament.bots.game_source import find_game
    from arena.tournament.plan import Plan, parse_rules

    word = game or Plan().game
    played = GAMES[word] if word in GAMES else find_game(word).cls
    body = {
        "name": name,
        "game": word,
        "rules": parse_rules(played, rules),
        "code": code or "",
        **asked_settings(settings),
    }
    if seats is not None:
        body["seats"] = whole(1)(int(seats) if seats.isdecimal() else seats)
    link = host_link(to, name)
    made = link.ask("POST", "/leagues", body)
    out("\n".join(_made_lines(made, link.url.server)))
    return DONE


def _made_lines(made: Any, server: str) -> Iterator[str]:
    """What the host of a new league is told."""
    league = made["league"]
    url = f"{server}/leagues/{league['name']}"
    yield f"{league['name']} is there: {url}"
    if made["code"]:
        yield f"its code: {made['code']}"
    code = f" --code {made['code']}" if made["code"] else ""
    yield f"people join: arena league join {league['name']} --to {server}{code} --name NAME"
    if made["said"]:
        yield made["said"]
    if league["hand_ins"]:
        yield f"and hand in: arena submit ./mybot --to {url}"
    yield f"or connect: arena join {url} --bot ./mybot"


@league.command("list")
@options("Where", TO)
@options("Output", JSON)
def list_leagues(to: str | None, as_json: bool) -> int:
    """List the leagues of a server that you may see.

    \b
    Example: arena league list --to https://arena.example.org
    """
    from arena.terminal.leagues.league_lines import leagues_table
    from arena.terminal.text import as_json as json_of
    from arena.terminal.text import out

    found = owner_link(to, None).ask("GET", "/leagues")
    out(json_of(found) if as_json else leagues_table(found))
    return DONE


@league.command()
@at_league
@options("Output", JSON)
def show(name: str, to: str | None, as_json: bool) -> int:
    """Show who stands where, and what became of your versions.

    \b
    Example: arena league show class-7b
    """
    from arena.terminal.leagues.league_lines import all_pages, league_text
    from arena.terminal.text import as_json as json_of
    from arena.terminal.text import out

    link = owner_link(to, name)
    found = {
        "league": link.of_league("GET", ""),
        "standings": link.of_league("GET", "/standings"),
        "bots": list(all_pages(link, "/bots")),
    }
    out(json_of(found) if as_json else league_text(**found))
    return DONE


@league.command()
@at_league
@options(
    "Who",
    ("--code", "CODE", "The code that the host gave you."),
    ("--name", "own_name", "NAME", "Your public name.  [that of the roster]"),
)
def join(name: str, to: str | None, code: str | None, own_name: str | None) -> int:
    """Join a league, and keep its token on this machine.

    \b
    Example: arena league join class-7b --to https://arena.example.org --code ABCDE-FGHJK --name Ann
    """
    from arena.errors import ConfigError
    from arena.terminal.leagues.league_link import keep_token, token_file
    from arena.terminal.text import say
    from arena.words import printable

    link = owner_link(to, name, is_host=True)
    if (kept := token_file(link.url, link.name)).exists():
        why = f"you are in {link.name} already, by the token in {kept}"
        raise ConfigError(f"{why}: move that file away to join as somebody else")
    joined = link.ask("POST", f"/leagues/{link.name}/owners", {"name": own_name or "", "code": code})
    path = keep_token(link.url, link.name, joined["token"])
    who = f"{printable(joined['name'])} ({joined['owner']})"
    say(f"you are {who} in {link.name}; your token is kept in {path}")
    say(f"hand in a bot: arena submit ./mybot --to {link.url.server}/leagues/{link.name}")
    return DONE


@league.command()
@at_league
@options(
    "Which",
    ("--code", "CODE", "The code to be used.  [one is drawn]"),
    ("--owner", "ID", "A code for one more person of this owner, or for one whose token is lost."),
    ("--revoke", None, "End the code for all, or all tokens of --owner."),
)
def code(name: str, to: str | None, code: str | None, owner: str | None, revoke: bool) -> int:
    """Make another code, in place of the one before.

    Who has joined stays.

    \b
    Examples:
      arena league code class-7b
      arena league code class-7b --owner o3
      arena league code class-7b --owner o3 --revoke
    """
    from arena.errors import ConfigError
    from arena.terminal.leagues.league_link import part
    from arena.terminal.text import out

    link = owner_link(to, name) if owner else host_link(to, name)
    if owner is not None and code is not None:
        raise ConfigError("--code: a code for one person is drawn; leave it out, or --owner")
    if revoke:
        link.of_league("DELETE", f"/owners/{part(owner)}/tokens" if owner else "/codes")
        return DONE
    where, body = (f"/owners/{part(owner)}/code", {}) if owner else ("/codes", {"code": code or ""})
    out(link.of_league("POST", where, body)["code"])
    return DONE


@league.command()
@at_league
@click.argument("roster", metavar="[FILE]", required=False)
def roster(name: str, to: str | None, roster: str | None) -> int:
    """Make personal codes for people, or print who has joined.

    FILE is CSV with the columns name, and perhaps team and id.  People of one team are one owner, each with
    a token of their own.  Both are printed as CSV.

    \b
    Examples:
      arena league roster class-7b people.csv > codes.csv
      arena league roster class-7b
    """
    from arena.terminal.leagues.league_lines import roster_in
    from arena.terminal.text import out

    link = host_link(to, name)
    if roster is None:
        out(link.of_league("GET", "/roster")["csv"].rstrip("\n"))
        return DONE
    out(link.of_league("POST", "/roster", {"roster": roster_in(Path(roster))})["csv"].rstrip("\n"))
    return DONE


@league.command()
@at_league
@click.argument("bot", metavar="BOT")
@options("What", ("--to-version", "number", "N", "Have this version play again, which has played."))
def back(name: str, to: str | None, bot: str, number: str | None) -> int:
    """Withdraw a bot, or go back to an earlier version of it.

    BOT is its id (b17).

    \b
    Examples:
      arena league back class-7b b17 --to-version 1
      arena league back class-7b b17
    """
    from arena.terminal.leagues.league_lines import version_number
    from arena.terminal.leagues.league_link import part

    at, link = f"/bots/{part(bot)}", owner_link(to, name)
    if number is None:
        link.of_league("POST", f"{at}/withdraw", {})
    else:
        link.of_league("POST", f"{at}/roll-back", {"version": version_number(number)})
    return DONE


@league.command()
@at_league
@click.argument("bot", metavar="BOT")
@click.argument("number", metavar="VERSION")
@options("Output", ("--out", "FILE", "Where it is written, over nothing.  [BOT@VERSION.zip]"))
def download(name: str, to: str | None, bot: str, number: str, out: str | None) -> int:
    """Download a version of a bot of yours as a zip.

    BOT is its id (b17), VERSION a number.

    \b
    Example: arena league download class-7b b17 2
    """
    from pathlib import Path

    from arena.terminal.leagues.league_lines import version_number, write_new
    from arena.terminal.leagues.league_link import part
    from arena.terminal.text import say

    version = version_number(number)
    octets = owner_link(to, name).fetch(f"/bots/{part(bot)}/versions/{version}")
    path = Path(out or f"{bot}@{version}.zip")
    write_new(path, octets)
    say(f"{path} has version {version} of {bot}")
    return DONE


@league.command()
@at_league
@click.argument("id", metavar="ID")
@click.argument("new_name", metavar="[NEW]", required=False)
@options("What", ("--hide", None, "Show the id in place of the name."), ("--show", None, "Approve the name."))
def rename(name: str, to: str | None, id: str, new_name: str | None, hide: bool, show: bool) -> int:
    """Give an owner or a bot another name.

    ID is that of an owner (o3) or a bot (b17).  Hosts also approve names, or hide them.

    \b
    Examples:
      arena league rename class-7b o3 Ann
      arena league rename class-7b b17 --hide
    """
    from arena.errors import ConfigError
    from arena.terminal.leagues.league_link import part

    if (new_name is None) != (hide or show):
        raise ConfigError("say the new name, or --hide or --show: arena league rename NAME ID NEW")
    link = owner_link(to, name)
    if new_name is None:
        link.of_league("POST", f"/names/{part(id)}", {"shown": show})
    else:
        kind = "bots" if id.startswith("b") else "owners"
        link.of_league("POST", f"/{kind}/{part(id)}/name", {"name": new_name})
    return DONE


@league.command()
@at_league
@options("Output", JSON)
@options("What", ("--say", "message", "TEXT", "Say something to everybody, as a host."))
def log(name: str, to: str | None, as_json: bool, message: str | None) -> int:
    """Print what hosts did, or add a message to all.

    \b
    Examples:
      arena league log class-7b
      arena league log class-7b --say "the league ends on Friday at 12"
    """
    from arena.terminal.leagues.league_lines import all_lines, log_table
    from arena.terminal.text import as_json as json_of
    from arena.terminal.text import out

    if message is not None:
        host_link(to, name).of_league("POST", "/messages", {"message": message})
        return DONE
    lines = list(all_lines(owner_link(to, name)))
    out(json_of(lines) if as_json else log_table(lines))
    return DONE
