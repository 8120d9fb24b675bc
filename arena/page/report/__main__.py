"""`python -m arena.page.report DIR FILE MATCHES [BOT]` makes a report in a process of its own, for a server.

It yields to everything else that runs, and ends if it takes too long or becomes too large.  MATCHES is the
address of the page with all matches.  With BOT it makes what the owner of this bot of a league is shown.
"""

from __future__ import annotations

import os
import resource
import sys
from pathlib import Path

from arena.errors import ConfigError

CPU_S = 120
FILE_BYTES_MAX = 8 << 20
"""The largest file that it may write."""
MISTAKE = 2


def main(folder: str, file: str, matches: str, bot: str = "") -> int:
    os.nice(10)
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_BYTES_MAX, FILE_BYTES_MAX))
    from arena.page.report import write_report
    from arena.page.report.own_part import write_own_part
    from arena.store import Store

    try:
        with Store.checked(folder) as store:
            if bot:
                write_own_part(store, Path(file), bot)
            else:
                write_report(store, Path(file), matches=matches)
    except ConfigError as error:
        print(error, file=sys.stderr)
        return MISTAKE
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
