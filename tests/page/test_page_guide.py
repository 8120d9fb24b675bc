"""arena/page/README.md, the guide to boards: what it names is what boards are given, and nothing is left out."""

from __future__ import annotations

import re
from pathlib import Path

import arena

PAGE = Path(arena.__file__).parent / "page"
GUIDE = (PAGE / "README.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    return GUIDE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def named(text: str) -> set[str]:
    """What the first column of its table names."""
    rows = re.findall(r"^\| (`.*?) \|", text, re.MULTILINE)
    return {name for row in rows for name in re.findall(r"`(\w+)`", row)}


def test_what_a_board_exports() -> None:
    """The names of the guide are used, the board everywhere, and no board imports anything."""
    shown = set(re.findall(r"^export (?:function|const) (\w+)", GUIDE, re.MULTILINE))
    boards = [*PAGE.parent.glob("games/*/board.js"), *PAGE.parents[1].glob("examples/*.board.js")]
    exported = [
        set(re.findall(r"^export (?:function|const) (\w+)", path.read_text("utf-8"), re.MULTILINE))
        for path in boards
    ]
    assert shown <= set.union(*exported)
    assert all("board" in each for each in exported)
    assert not [path for path in boards if re.search(r"^import\b", path.read_text("utf-8"), re.MULTILINE)]


def test_the_fields_of_a_scene() -> None:
    """They are those that film.js gives."""
    made = (PAGE / "film.js").read_text("utf-8").partition("function sceneAt")[2].partition("\n}")[0]
    given = set(re.findall(r"^    (\w+)[:,]", made.partition("return {")[2], re.MULTILINE))
    assert given == named(section("The scene"))


def test_the_parts_of_the_kit() -> None:
    made = (PAGE / "kit.js").read_text("utf-8").partition("export const kit = {")[2].partition("}")[0]
    assert set(re.findall(r"\w+(?=,|:|\s*$)", re.sub(r": \w+", "", made))) == named(section("The kit"))


def test_the_props_of_the_match_player() -> None:
    """Each has its row."""
    made = re.search(r"function Player\(\{(.*?)\}\)", (PAGE / "player.js").read_text("utf-8"), re.DOTALL)
    assert made
    props = {re.split(r"\W", prop.strip())[0] for prop in made[1].split(",")} - {""}
    assert named(section("How a page shows a match")) == props
