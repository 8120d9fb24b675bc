"""The sheet of symbols and the sources of drawings and boards, as files."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

import arena
from arena.page.bundle import bundle

PACKAGE = Path(arena.__file__).parent
SHEET = PACKAGE / "page" / "symbols.svg"
DRAWINGS = sorted((PACKAGE / "page" / "drawings").glob("*.js"))
BOARDS = [*sorted((PACKAGE / "games").glob("*/board.js")), PACKAGE.parent / "examples" / "kuhn.board.js"]


def test_the_sheet_of_symbols_is_small_and_whole():
    """It is inlined once in every page, so it stays under 12 KB; no symbol is there twice."""
    assert SHEET.stat().st_size < 12_288
    names = [each.get("id") for each in ElementTree.parse(SHEET).getroot()]
    assert sorted(names) == sorted(set(names))


def test_every_symbol_that_is_drawn_is_on_the_sheet():
    """Suits, dice and rounds are named by what they are; others in full."""
    names = {each.get("id") for each in ElementTree.parse(SHEET).getroot()}
    wanted = {f"s-suit-{suit}" for suit in "CDHS"} | {f"s-die-{face}" for face in (*range(1, 7), "back")}
    wanted |= {f"s-shell-{kind}" for kind in ("live", "blank", "hidden")}
    for file in DRAWINGS:
        wanted |= set(re.findall(r'"#(s-[\w-]+)"', file.read_text(encoding="utf-8")))
    assert set() == wanted - names


@pytest.mark.parametrize("board", BOARDS, ids=lambda file: file.parent.name)
def test_a_board_is_one_file_that_reads_only_its_scene(board: Path):
    """It imports nothing, and asks neither the page nor a clock; markup is never made from text."""
    text = board.read_text(encoding="utf-8")
    asked = r"\b(import|document|window|globalThis|location|Date|performance|fetch|innerHTML|setTimeout)\b|style=\"|Math\.random"
    assert [] == re.findall(asked, re.sub(r"//.*", "", text))
    assert "export function board(scene, seat, kit)" in text


def test_the_kit_fits_into_a_report():
    """A report holds the modules as one script: they keep to the forms of import and export that can be bundled."""
    assert "m_kit" in bundle("kit.js")


def test_the_guide_names_all_that_the_kit_gives():
    """And nothing else, part by part."""
    kit = (PACKAGE / "page" / "kit.js").read_text(encoding="utf-8").partition("export const kit = {")[2]
    given = {each.partition(":")[0].strip() for each in kit.partition("};")[0].split(",")} - {""}
    guide = (PACKAGE / "page" / "README.md").read_text(encoding="utf-8").partition("## The kit")[2]
    rows = re.findall(r"^\| (`.*?`) \|", guide.partition("## Controls")[0], re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert given == named


def test_the_guide_names_all_fields_of_a_scene():
    """As film.js makes them."""
    film = (PACKAGE / "page" / "film.js").read_text(encoding="utf-8").partition("export function sceneAt")[2]
    made = set(re.findall(r"^    (\w+)[:,]", film.partition("\n}\n")[0], re.MULTILINE))
    guide = (PACKAGE / "page" / "README.md").read_text(encoding="utf-8").partition("## The scene")[2]
    rows = re.findall(r"^\| (`.*?`) \|", guide.partition("## The kit")[0], re.MULTILINE)
    assert made == {name for row in rows for name in re.findall(r"`(\w+)`", row)}
