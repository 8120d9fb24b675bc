"""A tournament as Parquet files, and its ratings as a picture: python examples/parquet.py [DIR]

Both go into DIR (default: results/sample).  pyarrow and matplotlib come with the extra `data`:
pip install "bot-arena[data]"
"""

import sys
from pathlib import Path

import matplotlib

from arena.analysis import load

SAMPLE = Path(__file__).parents[1] / "results" / "sample"
TABLES = ("matches", "seats", "series", "bots", "decisions", "leaderboard", "head_to_head")


def main(folder: Path) -> None:
    results = load(folder)
    for name in TABLES:
        getattr(results, name).to_parquet(folder / f"{name}.parquet")

    matplotlib.use("agg")  # a file, not a window
    board = results.leaderboard.set_index("bot")[::-1]
    known = board[["rating", "rating_low", "rating_high"]].dropna()
    below, above = known.rating - known.rating_low, known.rating_high - known.rating
    axes = known.rating.plot.barh(xerr=[below, above], title="Ratings with their 95 % intervals")
    axes.figure.savefig(folder / "ratings.png", bbox_inches="tight")
    print(f"{len(TABLES)} Parquet files and ratings.png are in {folder}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else SAMPLE)
