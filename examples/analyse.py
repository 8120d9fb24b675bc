"""A tournament in three tables: python examples/analyse.py [DIR]   (default: results/sample)."""

import sys
from pathlib import Path

from arena.analysis import load
from arena.errors import ConfigError

SAMPLE = Path(__file__).parents[1] / "results" / "sample"


def main(folder: Path) -> None:
    results = load(folder)
    print(results, "\n")

    print("Who is best: wins, and how sure that is")
    board = results.leaderboard.set_index("rank")
    print(
        board[["bot", "matches", "win_rate", "win_rate_low", "win_rate_high", "points_mean"]].round(3), "\n"
    )

    # Pairs of seats of the same match, but not a seat with itself.
    played = results.seats[results.seats["status"] == "done"]
    pairs = played.merge(played[["match_id", "seat", "bot"]], on="match_id", suffixes=("", "_met"))
    pairs = pairs[pairs["seat"] != pairs["seat_met"]]
    print("Who beats whom: mean points of the row's bot in matches with the column's")
    print(pairs.pivot_table("points", "bot", "bot_met").round(3).to_string(na_rep="-"), "\n")

    print("Who fails, and who gains from its seat: sums of faults, mean points by seat")
    faults = played.groupby("bot")[["too_late", "malformed", "illegal", "gone"]].sum()
    by_seat = played.pivot_table("points", "bot", "seat").round(3).add_prefix("points in seat ")
    print(faults.join(by_seat).to_string())


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]) if len(sys.argv) > 1 else SAMPLE)
    except ConfigError as error:
        sys.exit(str(error))
