"""`arena new`: writes a new bot."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from arena.cli.group import DONE, cli, options

if TYPE_CHECKING:
    from arena.starter.folder import Starter


@cli.command()
@click.argument("name", required=False)
@options(
    "What is written",
    ("--lang", "language", "LANGUAGE", "The language: `arena new --list` lists them.  [python]"),
    ("--game", "NAME", "The game: a name (`arena games`), a .py file or module:Class.  [liars-dice]"),
    ("--list", "list_only", None, "List the languages, and what each needs."),
)
def new(name: str | None, language: str | None, game: str | None, list_only: bool) -> int:
    """Write a folder with a bot that plays at once, and its test.

    The bot plays any legal move, at random; three numbered TODOs say where to continue.  The test asks it the
    questions of recorded matches, and checks that its answers are legal.  NAME is the folder.

    \b
    Examples:
      arena new mybot
      arena new mybot --lang javascript --game blef
    """
    from pathlib import Path

    from arena.errors import ConfigError
    from arena.starter import LANGUAGES, find_language
    from arena.starter.folder import Starter, check_new_name, write_starter
    from arena.tournament.bots.entrants import builtin_bots
    from arena.tournament.bots.game_source import find_game
    from arena.tournament.plan import Plan, make_game

    if list_only:
        _list_languages()
        return DONE
    if name is None:
        raise ConfigError("give the bot a name: arena new NAME")
    word = game or Plan().game
    starter = Starter(
        name=name,
        language=find_language(language or next(iter(LANGUAGES))),
        game=make_game(find_game(word).cls, {}),
        game_word=word if word != Plan().game else "",
    )
    check_new_name(name, starter.game, builtin_bots())
    write_starter(starter, Path())
    _tell(starter)
    return DONE


def _list_languages() -> None:
    from arena.starter import LANGUAGES
    from arena.terminal.text import as_table, out

    rows = [(each.name, each.title, ", ".join([*each.needs, *each.libraries])) for each in LANGUAGES.values()]
    installed = [(each.name, each.install) for each in LANGUAGES.values() if each.install]
    tests = [(each.name, each.test.format(folder="NAME")) for each in LANGUAGES.values()]
    out(as_table(("lang", "language", "needs"), rows, None) + "\n")
    out(as_table(("lang", "on Debian"), installed, None) + "\n")
    out(as_table(("lang", "test"), tests, None))


def _tell(starter: Starter) -> None:
    """Says what was written, and what to do next."""
    from arena.terminal.text import out, say
    from arena.words import listed

    language = starter.language
    say(
        f"{starter.name}/ plays {starter.game.title} in {language.title}: any legal move, at random; "
        f"TODO 1 to 3 in {starter.name}/{language.source} say where to continue"
    )
    if language.missing:
        say(f"not found here: {listed(language.missing)}; on Debian: {language.install}")
    out("\n".join(f"  {command}" for command in starter.commands.values()))
