"""`arena league`, what hosts do: settings, pauses, bans, exclusions, owners who are forgotten, tokens."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.group import DONE, options
from arena.cli.leagues.league import JSON, at_league, host_link, league
from arena.cli.serve import DATA

WHY = ("--why", "why", "TEXT", "Why; everybody in the league can read it.")


@league.command("set")
@at_league
@click.argument("settings", metavar="KEY=VALUE…", nargs=-1, required=True)
def set_of_league(name: str, to: str | None, settings: tuple[str, ...]) -> int:
    """Change settings of a league.

    They are join, look, replays, entries_per_owner, hand_ins_per_day and others.

    \b
    Examples:
      arena league set class-7b join=closed
      arena league set class-7b look=public entries_per_owner=2
    """
    from arena.terminal.leagues.league_lines import asked_settings

    host_link(to, name).of_league("POST", "/settings", asked_settings(settings))
    return DONE


@league.command()
@at_league
@options("Output", JSON)
def alike(name: str, to: str | None, as_json: bool) -> int:
    """List owners who handed in equal files, for hosts alone.

    Files that more than four owners have are left out: they come from a template.

    \b
    Example: arena league alike class-7b
    """
    from arena.terminal.leagues.league_lines import alike_table
    from arena.terminal.text import as_json as json_of
    from arena.terminal.text import out

    found = host_link(to, name).of_league("GET", "/alike")
    out(json_of(found) if as_json else alike_table(found))
    return DONE


@league.command()
@at_league
@options("What", ("--resume", None, "Go on with it."))
def pause(name: str, to: str | None, resume: bool) -> int:
    """Pause a league: no more matches, builds and checks begin.

    \b
    Examples:
      arena league pause class-7b
      arena league pause class-7b --resume
    """
    host_link(to, name).of_league("POST", "/resume" if resume else "/pause", {})
    return DONE


@league.command()
@at_league
@click.argument("bot", metavar="BOT")
@options(
    "What",
    ("--version", "number", "N", "Exclude this version alone."),
    WHY,
    ("--undo", None, "Take the bot in again; its newest excluded version is tried anew."),
)
def exclude(name: str, to: str | None, bot: str, number: str | None, why: str | None, undo: bool) -> int:
    """Exclude a bot of a league, or one version of it.

    BOT is its id (b17).

    \b
    Examples:
      arena league exclude class-7b b17 --why "asks other bots"
      arena league exclude class-7b b17 --undo
    """
    from arena.terminal.leagues.league_lines import version_number
    from arena.terminal.leagues.league_link import part

    at, link = f"/bots/{part(bot)}", host_link(to, name)
    if undo:
        link.of_league("POST", f"{at}/readmit", {})
    else:
        version = None if number is None else version_number(number)
        link.of_league("POST", f"{at}/exclude", {"version": version, "reason": why or ""})
    return DONE


@league.command()
@at_league
@click.argument("bot", metavar="BOT")
@click.argument("number", metavar="VERSION")
def retry(name: str, to: str | None, bot: str, number: str) -> int:
    """Have a version tried again.

    It was refused or excluded, or has failed in play.  BOT is its id (b17), VERSION a number.

    \b
    Example: arena league retry class-7b b17 2
    """
    from arena.terminal.leagues.league_lines import version_number
    from arena.terminal.leagues.league_link import part

    version = version_number(number)
    host_link(to, name).of_league("POST", f"/bots/{part(bot)}/retry", {"version": version})
    return DONE


@league.command()
@at_league
@click.argument("owner", metavar="OWNER")
@options("What", WHY, ("--undo", None, "Lift the ban."))
def ban(name: str, to: str | None, owner: str, why: str | None, undo: bool) -> int:
    """Ban an owner: its bots are excluded, and it may only look.

    OWNER is its id (o3).

    \b
    Examples:
      arena league ban class-7b o3 --why "attacked the server"
      arena league ban class-7b o3 --undo
    """
    from arena.terminal.leagues.league_link import part

    at, link = f"/owners/{part(owner)}/ban", host_link(to, name)
    if undo:
        link.of_league("DELETE", at)
    else:
        link.of_league("POST", at, {"reason": why or ""})
    return DONE


@league.command()
@at_league
@click.argument("owner", metavar="OWNER")
def forget(name: str, to: str | None, owner: str) -> int:
    """Forget an owner: all that leads to a person.

    Names, roster, tokens, codes and hand-ins go; matches keep the ids of its bots.

    \b
    Example: arena league forget class-7b o3
    """
    from arena.terminal.leagues.league_lines import forgotten_line
    from arena.terminal.leagues.league_link import part
    from arena.terminal.text import say

    say(forgotten_line(host_link(to, name).of_league("DELETE", f"/owners/{part(owner)}")))
    return DONE


@league.command()
@options(
    "Whose",
    ("--data", "DIR", f"The folder of the server.  [{DATA}]"),
    ("--name", "NAME", "What the host is called in logs; its token before ends.  [host]"),
    ("--assistant", None, "Make the token of somebody who sees what hosts see, and has bots tried again."),
)
def token(data: str | None, name: str | None, assistant: bool) -> int:
    """Make the token of a host, and print it.

    It takes the place of the one before.  It is made in the folder of the server, which need not be stopped.

    \b
    Examples:
      arena league token
      arena league token --data /srv/arena --name Eva --assistant
    """
    from arena.server.league.hosts import FIRST_HOST, add_host
    from arena.terminal.text import out

    out(add_host(Path(data or DATA), name or FIRST_HOST, "assistant" if assistant else "host"))
    return DONE


@league.command()
@click.argument("socket", metavar="SOCKET")
def play(socket: str) -> int:
    """Play leagues for a server of another user, until Ctrl-C.

    SOCKET is made; this user and its group may connect.  The server, whose user is in that group, is started
    with `--players SOCKET`, and its folder is set up so that this user can read what was handed in, and
    nothing else.

    \b
    Examples:
      arena league play /run/arena-players/socket
      arena serve --players /run/arena-players/socket
    """
    from arena.cli.hosting import play_leagues

    return play_leagues(Path(socket))
