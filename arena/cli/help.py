"""`arena help`: shows the help of any command."""

from __future__ import annotations

import click

from arena.cli.group import DONE, cli


def _commands(context: click.Context, parameter: click.Parameter, begun: str) -> list[str]:
    return [name for name in cli.commands if name.startswith(begun)]


@cli.command("help")
@click.argument("words", metavar="[COMMAND]", nargs=-1, shell_complete=_commands)
@click.pass_context
def help_of(context: click.Context, words: tuple[str, ...]) -> int:
    """Show what `arena --help` or `arena COMMAND --help` shows.

    \b
    Examples:
      arena help
      arena help run
    """
    above = context.parent
    assert above is not None, "a command is called by the group"
    group: click.Command = cli
    for word in words:
        if not isinstance(group, click.Group):
            from arena.errors import ConfigError
            from arena.reading.units import shown

            raise ConfigError(f"{above.command_path} has no commands of its own, found {shown(word)}")
        _, found, _ = group.resolve_command(above, [word])
        assert found is not None, "the group raises if there is no such command"
        group, above = found, click.Context(found, info_name=word, parent=above)
    click.echo(group.get_help(above))
    return DONE
