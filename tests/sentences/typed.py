"""What is typed wrongly after `arena`, by what it is about: name, words, and what every sentence about it must name."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path

from calls import called

from .case import Case, Files, ground, typed

HOUSE = Path(__file__).parents[2]

WORDS = [
    ("a bot for a command", "odds random", "odds"),
    ("a file for a command", "'a b.py'", "a b.py"),
    ("a typo in a command", "rum", "rum|run"),
    ("a typo in a command to tell of", "help rum", "rum|run"),
    ("nothing like a command", "foo", "foo"),
    ("a typo in an option", "run odds --seris=3", "--seris|--series"),
    ("another program's option", "run odds random --time-limit 5", "--time-limit|--move-time"),
    ("bots as an option", "run --bots odds", "--bots"),
    ("an option of nobody", "matches --zzz", "--zzz"),
    ("no value", "run odds --series", "--series"),
    ("no word", "matches --color", "--color"),
    ("a value for a flag", "run --quiet=3", "--quiet"),
    ("a word too few", "replay", "MATCH"),
    ("a word too many", "games blef x", "x"),
    ("two too many", "games blef x y", "x y"),
    ("an option for a value", "run odds random --out --fresh", "--out"),
    ("an option for a name", "run odds --remote --dry-run", "--remote"),
    ("a file for a match", "replay 'a b.py'", "a b.py"),
    ("a file for a folder", "leaderboard 'a b.py'", "a b.py"),
    ("no folder", "report none", "none"),
    ("no folder to go on in", "run --resume none", "none"),
    ("a file for --out", "run odds random --out 'a b.py/x'", "a b.py"),
    ("bots with a comma", "run odds,random", "odds,random"),
    ("bots in quotes", "run 'odds random'", "odds random"),
    ("a wrong word", "games --color blue", "--color"),
    ("no number", "replay a --round x", "--round"),
    ("no results at all", "leaderboard", "results/latest"),
    ("no such game", "run odds random --game chess", "chess"),
    ("rules of no game", "games chess", "chess"),
    ("no such rule", "run odds random --rule dce=3", "dce|dice"),
    ("a rule that is a setting", "run odds random --rule series=3", "--series"),
    ("a rule's wrong value", "run odds random --rule dice=300", "dice"),
    ("too many seats", "run odds random --seats 11", "seats"),
    ("words for a number", "run odds random --series ten", "--series"),
    ("a duration", "run odds random --move-time 1x", "--move-time"),
    ("far too many matches", "run odds random --series 60000", "120,000 matches"),
    ("nobody from an address", "run odds random --per-address 0", "--per-address"),
    ("nowhere to connect to", "run odds --expect 1", "--listen"),
    ("a reserved name", "run odds --remote pass --listen 127.0.0.1:0", "pass"),
    ("the home of nobody", "run odds random --out '~nobody9/x'", "nobody9"),
    ("a bell too many", "games blef '\x07'", r"\x07"),
    ("what a terminal would obey", "replay a '\x1b[2J'", r"\x1b[2J"),
    ("an empty match", "replay ''", "MATCH"),
    ("no such capsule", "replay a-0-0.jsonl", "a-0-0.jsonl"),
]
BOTS = [
    ("an empty folder", "run empty", "empty"),
    ("a results folder", "run 'old run'", "--resume"),
    ("a plan without bots", "run x.toml", "x.toml"),
    ("no plan file", "run nothing.toml", "nothing.toml"),
    ("two plan files", "run a.toml x.toml", "one plan file"),
    ("a plan file after a bot", "run odds x.toml", "one plan file"),
    ("nobody", "run nobody", "nobody"),
    ("a typo", "run ods", "ods|odds"),
    ("a typo beside another bot", "run ods random", "ods|odds"),
    ("no such path", "run ./nobody.py", "./nobody.py"),
    ("one bot for two seats", "run odds", "2 seats"),
    ("a bot to torture", "torture no-such-bot", "no-such-bot"),
    ("a habit", "torture odds --only ruude", "ruude|rude"),
    ("a bot to check", "check nobody", "nobody"),
    ("a bot of another game", "check croupier --game liars-dice", "croupier"),
    ("no game to check it in", "check random --game chess", "chess"),
    ("no time to check it in", "check random --max-time soon", "--max-time"),
    ("no rule to check it by", "check random --rule dice", "--rule"),
]  # fmt: skip
NEW = [
    ("no name", "new", "NAME"),
    ("elsewhere", "new ../bot", "../bot"),
    ("no such language", "new bot --lang pyton", "pyton|python"),
    ("no such game", "new bot --game blff", "blff|bluff"),
]
COMPARE = [
    ("one bot", "odds", "1 bot"),
    ("no number", "odds random --elo1 big", "--elo1"),
    ("bounds crossed", "odds random --elo0 30", "--elo0"),
    ("no error at all", "odds random --alpha 0", "--alpha"),
    ("half a series", "odds random --max-series 9.5", "--max-series"),
    ("no such bot", "odds nobody", "nobody"),
    ("a small field", "odds random --seats 4", "3 other seats"),
    ("nothing to go on with", "--resume nowhere", "nowhere"),
    ("elo where returns are compared", "equity random --game holdem --elo1 20", "--elo1"),
    ("gains where ranks are", "odds random --gain1 20", "--gain1"),
    ("gains by wins", "equity random --game holdem --by wins --gain0 1", "--gain0"),
    ("tails by wins", "odds random --tails any", "--tails"),
    ("returns of ranks", "odds random --by returns", "--by"),
    ("no such by", "odds random --by luck", "--by"),
    ("no such tails", "equity random --game holdem --tails fat", "--tails"),
    ("no gain", "equity random --game holdem --gain1 much", "--gain1"),
    ("more than there is", "random other=random --game kuhn.py --gain1 2", "--gain1"),
    ("returns without bounds", "random other=random --game unbound.py --by returns", "returns_bounds"),
    ("resumed with a question", "--resume cmp --by wins", "cmp"),
]
SERVED = [
    ("no results to show", "serve --data data --results nowhere", "nowhere"),
    ("nothing to play", "play", "arena play"),
    ("a game and a table", "play bluff --table http://127.0.0.1:1/x", "arena play"),
    ("a seed of one's own", "play --table http://127.0.0.1:1/api/tables/x --seed 1", "--table"),
    ("no server to play at", "play --table http://127.0.0.1:1 --name Romeo", "127.0.0.1:1"),
    ("no server to watch", "watch 127.0.0.1:1/", "arena serve"),
    ("no table to watch", "watch nonsense/", "nonsense"),
    ("no results to watch", "watch", "results/latest"),
    ("no results of a match", "watch . --match x", "arena.db"),
    ("a match of a table", "watch http://127.0.0.1:1/api/tables/x --match latest", "--match"),
]
PLAYED = [
    ("replace nobody", "run --resume results/first --replace zoe=odds", "zoe"),
    ("replace by nothing", "run --resume results/first --replace Odd", "NAME=BOT"),
    ("replace by no bot", "run --resume results/first --replace Odd=", "NAME=BOT"),
    ("exclude nobody", "run --resume results/first --without Ood", "Ood|Odd"),
    ("readmit nobody", "run --resume results/first --readmit zoe", "zoe"),
    ("fewer for a goal", "run --resume results/first --until 'top 1 at 95%' --without Odd", "without"),
    ("without the anchor", "run --resume results/first --anchor Odd --without Odd", "Odd"),
    ("resume elsewhere", "run --resume results/first --out x", "--out x"),
    ("resume a plan", "run --resume results/first a.toml", "a.toml"),
    ("another limit", "run --resume results/first --move-time 3", "move_time"),
    ("another seed", "run --resume results/first --seed 2", "seed"),
    ("fewer series", "run --resume results/first --series 2", "3 series"),
    ("a file for the results folder", "run odds random --out called.py", "called.py"),
    ("a new bot where something is", "new results", "results"),
    ("no such match", "replay zzz", "zzz"),
    ("the folder first", "replay results/first", "name the match first"),
    ("a round that was not played", "replay {match} --round 99", "--round 99"),
    ("a part of a table", "replay {match} --from 2 --csv", "--csv"),
    ("a viewer who was not there", "replay {match} --as ann", "ann"),
    ("an unknown kind of fault", "matches --fault slow", "slow"),
    ("a bot that did not play", "matches --bot ann", "ann"),
    ("a winner that did not play", "matches --winner ann", "--winner"),
    ("a column that is not there", "matches --sort -turn", "'turn'|turns"),
    ("no match at all", "matches --limit 0", "--limit"),
    ("a report into nowhere", "report results/first --out nowhere/x.html", "nowhere"),
    ("a report in place of a folder", "report results/first --out results", "results"),
]

# Where they are typed.

KUHN = (HOUSE / "examples/kuhn.py").read_text()
UNBOUND = KUHN.replace("    def returns_bounds", "    def bounds")
GROUND: Files = {"a b.py": "", "empty": None, "old run/arena.db": "", "x.toml": ""}
GAMES: Files = {"kuhn.py": KUHN, "unbound.py": UNBOUND}
CALLED = (HOUSE / "tests/stored_bots.py").read_text().replace("< 0.3", "< 0.0")  # nobody fails


def finished(folder: Path) -> None:
    """A folder with a tournament of six matches, played once and copied."""
    folder.mkdir()
    for name, content in _finished().items():
        (folder / name).write_bytes(content)


@cache
def _finished() -> dict[str, bytes]:
    words = "run called:Even called:Odd --series 3 --seed 1 --rule dice=2 --out results/first"
    with ground({"called.py": CALLED}) as here:
        code, _, err = called(*words.split())
        assert code == 0, err
        return {path.name: path.read_bytes() for path in (here / "results/first").iterdir() if path.is_file()}


def latest(link: Path) -> None:
    """`results/latest` is the tournament."""
    link.symlink_to("first")


TOURNAMENT: Files = {"called.py": CALLED, "results/first": finished, "results/latest": latest}

# All of them.


def gone(link: Path) -> None:
    """`results/latest` is of results that were removed."""
    link.symlink_to("gone")


def cases() -> Iterable[Case]:
    yield from (typed(f"words: {name}", words, names, GROUND) for name, words, names in WORDS)
    yield from (typed(f"bots: {name}", words, names, GROUND) for name, words, names in BOTS)
    yield from (typed(f"a new bot: {name}", words, names, GROUND) for name, words, names in NEW)
    yield from (typed(f"compare: {name}", f"compare {words}", names, GAMES) for name, words, names in COMPARE)
    yield from (typed(f"servers: {name}", words, names, GROUND) for name, words, names in SERVED)
    yield typed("results: a latest that points nowhere", "matches", "gone", {"results/latest": gone})
    yield from (typed(f"results: {name}", words, names, TOURNAMENT) for name, words, names in PLAYED)
