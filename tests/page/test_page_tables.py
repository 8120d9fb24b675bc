"""Tables and the players round them: who sits where, at every width and number of seats."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from scenes import dice_scene

pytestmark = pytest.mark.slow

BOXES = """() => [...document.querySelectorAll(".k-place, .k-centre")].map((each) => {
    const { left, top, right, bottom } = each.getBoundingClientRect();
    return { name: each.dataset.seat ?? "centre", left, top, right, bottom };
})"""
ENDS = """() => [...document.querySelectorAll(".k-name")].map((name) => {
    const range = document.createRange(), text = name.querySelector(".k-long > :last-child");
    range.selectNodeContents(text);
    return [range, name].map((each) => each.getBoundingClientRect().toJSON());
})"""
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def overlapping(boxes: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Pairs of boxes that share more than an edge."""
    return [
        (one["name"], other["name"])
        for place, one in enumerate(boxes)
        for other in boxes[place + 1 :]
        if min(one["right"], other["right"]) - max(one["left"], other["left"]) > 1
        and min(one["bottom"], other["bottom"]) - max(one["top"], other["top"]) > 1
    ]


@pytest.mark.parametrize("width", [360, 768, 1440])
def test_all_seats_find_room(width: int, stage: Callable[..., Any]):
    """No place covers another or the centre, nothing sticks out, with many dice and long bids as well."""
    seen = stage(width=width)
    for seats in (*range(2, 11), 14):
        names = [f"a-bot-with-a-name-of-{seat:02}-of-forty-characters" for seat in range(seats)]
        shown = dice_scene([5] * seats, (6, 9), "bot-1", names=names, said=["bids twenty-five 6s"] * seats)
        shown["state"]["other_hands"] = [[name, 5] for name in names]
        shown["state"]["last_bidder"] = names[1]
        for seat in (None, 1):
            seen.page.evaluate("([scene, seat]) => draw(scene, seat)", [shown, seat])
            boxes = seen.page.evaluate(BOXES)
            assert seats + 1 == len(boxes)
            assert [] == overlapping(boxes), (seats, seat)
            assert 0 >= seen.page.evaluate(OVERFLOW), (seats, seat)
    assert [] == seen.troubles


def test_the_viewer_sits_at_the_bottom_and_the_others_follow_clockwise(stage: Callable[..., Any]):
    """The next in playing order sits left of the viewer, as at a table."""
    seen = stage(width=1440)
    for seats in range(2, 11):
        seen.page.evaluate("([scene, seat]) => draw(scene, seat)", [dice_scene([1] * seats), seats - 1])
        boxes = {each.pop("name"): each for each in seen.page.evaluate(BOXES)}
        own = boxes[str(seats - 1)]
        assert own["bottom"] == max(each["bottom"] for each in boxes.values())
        if seats > 2:
            assert boxes["0"]["left"] < own["left"] < boxes[str(seats - 2)]["left"]


def test_in_a_narrow_box_the_own_place_is_the_last(stage: Callable[..., Any]):
    """Next to the controls below it; for a spectator seat 0 is the first."""
    seen = stage(width=360)
    orders = []
    for seat in (1, None):
        seen.page.evaluate("([scene, seat]) => draw(scene, seat)", [dice_scene([1, 1, 1]), seat])
        orders.append([each["name"] for each in seen.page.evaluate(BOXES)])
    assert [["centre", "2", "0", "1"], ["centre", "0", "1", "2"]] == orders


@pytest.mark.parametrize(
    "name",
    [
        "W" * 22 + "X3",
        "\u6f22\u5b57" * 12,
        "\u0639\u0628\u062f \u0627\u0644\u0631\u062d\u0645\u0646 \u0645\u062d\u0645\u062f \u0627\u0644\u0641\u0627\u0633\u064a",
    ],
)
def test_the_end_of_a_wide_name_is_in_sight(name: str, stage: Callable[..., Any]):
    """Ten seats on a phone: names lose letters in their middle, so that those which differ at the end are told apart."""
    names = [name + str(seat) for seat in range(10)]
    shown = dice_scene([5] * 10, names=names)
    shown["state"]["other_hands"] = [[each, 5] for each in names]
    seen = stage(width=360)
    seen.page.evaluate("(scene) => draw(scene, 0)", shown)
    for end, name_box in seen.page.evaluate(ENDS):
        assert name_box["left"] - 1 <= end["left"]
        assert end["right"] <= name_box["right"] + 1


def test_a_long_name_loses_whole_letters(stage: Callable[..., Any]):
    """A flag and a hand with its colour are two characters each, of which one alone would be something else."""
    for letters in (["🇩🇪", "🇯🇵", "🇰🇷", "🇨🇳", "🇫🇷"] * 2, ["👍🏿", "👋🏽", "🙏🏾", "👍🏻", "👋🏿"] * 2):
        page = stage().page
        shown = dice_scene([5, 5], names=["".join(letters), "bob"])
        shown["state"]["other_hands"] = [[name, 5] for name in shown["names"]]
        page.evaluate("(scene) => draw(scene, 0)", shown)
        assert ["".join(letters[:-3]), "".join(letters[-3:])] == page.locator(
            ".k-long > span"
        ).all_inner_texts()


def test_names_are_text(stage: Callable[..., Any]):
    """Whatever a bot calls itself, and does, is shown as it is written."""
    hostile = "<img src=x onerror=alert(1)>"
    shown = dice_scene([5, 5], said=["", hostile]) | {"names": ["bot-0", hostile]}
    shown["state"]["other_hands"][1][0] = hostile
    seen = stage()
    seen.page.evaluate("(scene) => draw(scene, 0)", shown)
    assert [hostile, hostile] == [
        seen.page.text_content(f"[data-seat='1'] {part}") for part in (".k-name", ".k-bubble")
    ]
    assert [] == seen.troubles
