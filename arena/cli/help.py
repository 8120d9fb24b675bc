"""`arena help`: shows the help of any command."""

from __future__ import annotations

import click

from arena.cli.group import DONE, cli


def _commands(context: click.Context, parameter: click.Parameter, begun: str) -> list[str]:
    return [name for name in cli.commands if name.startswith(begun)]


@cli.command("help")
@click.argument("command", required=False, metavar="[COMMAND]", shell_complete=_commands)
@click.pass_context
def help_of(context: click.Context, command: str | None) -> int:
    """Show what `arena --help` or `arena COMMAND --help` shows.

    \b
    Examples:
      arena help
      arena help run
    """
    above = context.parent
    assert above is not None, "a command is called by the group"
    if command is None:
        click.echo(cli.get_help(above))
        return DONE
    _, found, _ = cli.resolve_command(above, [command])
    assert found is not None, "the group raises if there is no such command"
    with click.Context(found, info_name=command, parent=above) as of_command:
        click.echo(found.get_help(of_command))
    return DONE
