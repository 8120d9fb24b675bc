"""`arena doctor`: says what this machine has for a run."""

from __future__ import annotations

import sys

from arena.cli.group import DONE, cli, options

TO_MEND = 1


@cli.command(
    epilog="Exit codes: 0 `arena run` can play here; 1 something keeps it from playing; "
    "70 a bug in the arena; 130 Ctrl-C; 143 SIGTERM."
)
@options("Output", ("--json", "as_json", None, "Print as JSON."))
def doctor(as_json: bool) -> int:
    """Say what this machine has for a run, and how to get the rest.

    It tries every kind of box, and looks at cgroups, the languages of `arena new`, the disk, file descriptors
    and the clock.  A point to fix keeps `arena run` from playing; a note names what is missing for some of
    its uses.

    \b
    Examples:
      arena doctor
      arena doctor --json
    """

    from arena.terminal.text import as_json as json_text
    from arena.terminal.text import columns_of, out
    from arena.trials.check.telling import conclusion_of, point_lines, width_of
    from arena.trials.doctor import machine_points

    points = list(machine_points())
    is_fine = all(point.standing != "mend" for point in points)
    if as_json:
        out(json_text({"ok": is_fine, "points": [point.as_data() for point in points]}))
    else:
        out("\n".join([*point_lines(points, width_of(columns_of(sys.stdout))), "", conclusion_of(points)]))
    return DONE if is_fine else TO_MEND
