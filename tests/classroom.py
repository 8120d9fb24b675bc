"""A class of forty: a folder of submissions, eight of them broken, each in its own way.

python tests/classroom.py FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

GOOD = """\
from arena.sdk import Bot, choose, run


class Mine(Bot):
    def move(self, state, options):
        return choose(options, self.rng)


run(Mine)
"""
RECIPE = 'run = "python3 main.py"\nversion = "2"\n'

BROKEN = {
    "student05": "an empty folder, expected bot.toml",
    "student07": "did not connect within {connect_s:g} s: it was computing (",
    "student08": "did not connect within {connect_s:g} s: it did nothing; does the file call run()?",
    "student12": "SyntaxError: expected ':' (bot.py, line 5)",
    "student17.sh": "it cannot be run: chmod +x, or put it into a folder with a bot.toml",
    "student21": "bot.toml: runs: no such key (did you mean run?)",
    "student33.py": "its process ended with exit code 0, and never connected; does the file call run()?",
    "two words": "its name has a space in it: rename it, such as two-words",
}
"""What is broken, by its name in the folder, and a part of what is to be said of it."""


def hand_in(folder: Path, *, students: int = 40, connect_s: float = 30.0) -> Path:
    """Makes the folder as it comes from so many people; those whose bots are broken count among them.

    A third are folders with `bot.py`, a third single files, a third folders with `bot.toml`.
    `connect_s` is for those that never connect.
    """
    broken = {name.partition(".")[0] for name in BROKEN}
    names = [name for number in range(1, 100) if (name := f"student{number:02}") not in broken]
    for number, name in enumerate(names[: students - len(BROKEN)]):
        if number % 3 == 0:
            _write(folder / name / "bot.py", GOOD)
        elif number % 3 == 1:
            _write(folder / f"{name}.py", GOOD)
        else:
            _write(folder / name / "bot.toml", RECIPE)
            _write(folder / name / "main.py", GOOD)
    recipe = f'run = "python3 bot.py"\nconnect_s = {connect_s}\n'
    (folder / "student05").mkdir()
    _write(folder / "student07/bot.toml", recipe)
    _write(folder / "student07/bot.py", "while True:\n    pass\n")
    _write(folder / "student08/bot.toml", recipe)
    _write(folder / "student08/bot.py", "import time\n\ntime.sleep(1000)\n")
    _write(folder / "student12/bot.py", GOOD.replace("options):", "options)"))
    _write(folder / "student17.sh", "#!/bin/sh\nexec python3 ../student01/bot.py\n")
    _write(folder / "student21/bot.toml", 'runs = "python3 bot.py"\n')
    _write(folder / "student33.py", GOOD.replace("run(Mine)\n", ""))
    _write(folder / "two words/bot.py", GOOD)
    for name in ("README.md", "grades.csv", ".git/HEAD", "__pycache__/student02.cpython-311.pyc"):
        _write(folder / name, "no bot\n")
    return folder


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


if __name__ == "__main__":
    hand_in(Path(sys.argv[1]))
