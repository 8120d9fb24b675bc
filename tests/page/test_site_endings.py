"""After a match at a table of a real server: why, the next one, a moment for others, and finding it again."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any
from urllib.error import HTTPError

import pytest
from site_people import Person, asked

from tests.server.served import Served

pytestmark = pytest.mark.slow

COLOURS = """async (text) => {
    const octets = Uint8Array.from(atob(text), (each) => each.charCodeAt(0));
    const drawn = await createImageBitmap(new Blob([octets], { type: "image/png" }));
    const canvas = new OffscreenCanvas(drawn.width, drawn.height), brush = canvas.getContext("2d");
    brush.drawImage(drawn, 0, 0);
    const pixels = new Uint32Array(brush.getImageData(0, 0, drawn.width, drawn.height).data.buffer);
    return { size: [drawn.width, drawn.height], colours: new Set(pixels).size };
}"""


NOTE_CLOCKS = """() => {
    window.clocks = [];
    const note = () => clocks.push([...document.querySelectorAll(".clock")].map((each) => each.className + each.textContent.trim()));
    new MutationObserver(note).observe(document.body, { subtree: true, childList: true, characterData: true });
}"""


def part(person: Person, name: str) -> Any:
    return person.page.locator(f"[data-part={name}]")


def test_the_end_leads_on(person: Callable[..., Person]) -> None:
    """Why it ended so; Rematch has the focus; a moment as a link that plays on from there, and as a picture; My matches."""
    ann = person()
    ann.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    ann.says("ann")
    ann.makes_table("Liar's Dice", {"dice": "2"}, ("random",))
    ann.press("Begin")
    ann.plays_on(Random(4))
    ann.page.wait_for_function("document.activeElement.textContent === 'Rematch'")
    why = part(ann, "decided").inner_text()
    assert why.startswith(("Why: ann ", "Why: random "))

    part(ann, "round-back").click()
    part(ann, "share").click()
    part(ann, "shared").get_by_text("The link is copied.").wait_for()
    link = ann.page.evaluate("navigator.clipboard.readText()")
    step = part(ann, "where").inner_text().split()[1]
    size = ann.page.locator(".board").evaluate("(board) => [board.clientWidth, board.clientHeight]")
    with ann.page.expect_download() as download:
        part(ann, "picture").click()
    drawn = ann.page.evaluate(COLOURS, b64encode(Path(download.value.path()).read_bytes()).decode())
    assert drawn["size"][0] == 2 * size[0]
    assert drawn["colours"] > 50, "a board has many shades, an empty picture one"

    bob = person()
    films: list[str] = []
    bob.page.on("request", lambda request: "/film?" in request.url and films.append(request.url))
    bob.page.goto(link)
    bob.page.get_by_role("button", name="Pause").wait_for()
    assert part(bob, "where").inner_text().split()[1] in (step, str(int(step) + 1))
    assert films[0].endswith("&count=40"), "the moment comes first"
    assert part(bob, "decided").inner_text() == why
    assert bob.page.get_by_role("radio", name="ann").is_checked(), "as she saw it"

    ann.go("/matches")
    ann.page.locator(".kept").get_by_text("Liar's Dice").wait_for()
    with ann.page.expect_download() as download:
        ann.press("Save as JSON")
    (kept,) = json.loads(Path(download.value.path()).read_text(encoding="utf-8"))
    assert f"/matches/{kept['id']}#" in link
    assert ("liars-dice", "ann") == (kept["game"], kept["you"])
    assert {1, 2} == set(kept["ranks"].values())
    ann.page.locator(".kept a").click()
    ann.page.get_by_role("group", name="Match player").wait_for()
    ann.go("/matches")
    ann.page.get_by_role("button", name="Remove Liar's Dice").click()
    ann.page.get_by_text("0 matches").wait_for()
    ann.go("/matches")
    assert 0 == ann.page.locator(".kept").count()


def test_my_matches_are_bounded_and_survive_nonsense(person: Callable[..., Person]) -> None:
    """The newest 200 are kept; what is no list is none."""
    ann = person()
    ann.go("/matches")
    ann.page.evaluate("""async () => {
        const { keepMatch } = await import("/static/page/site/kept.js");
        for (let number = 0; number < 203; number++) keepMatch({ id: `m${number}`, title: "T", names: ["a", "b"], you: "a", ranks: null });
        keepMatch({ id: "m202", title: "T", names: ["a", "b"], you: "a", ranks: { a: 1, b: 2 } });
    }""")
    ann.page.reload()
    ann.page.get_by_text("200 matches").wait_for()
    assert "you won" in ann.page.locator(".kept").first.inner_text()
    assert "its end was not seen here" in ann.page.locator(".kept").nth(1).inner_text()
    for nonsense in ('{"a": 1}', "[", '[null, {"id": 5}]'):
        ann.page.evaluate("(text) => localStorage.setItem('arena-matches', text)", nonsense)
        ann.page.reload()
        ann.page.get_by_text("0 matches").wait_for()


@pytest.mark.nightly
@pytest.mark.slow
def test_a_bystander_passes_by_silence(quick: Served, person: Callable[..., Person]) -> None:
    """Challenge is the one button; no clock runs until the bid is made, then a ring closes, which is a pass."""
    ann = person()
    ann.says("ann")
    ann.makes_table("Liar's Dice", {"dice": "2"})
    table = f"/api/tables/{ann.table}"
    keys = {"ann": ann.page.evaluate("JSON.parse(Object.values(sessionStorage)[0]).key")}
    for name in ("bob", "cid"):
        keys[name] = asked(quick, "POST", f"{table}/players", {"nickname": name})["key"]
    ann.page.locator(".seats", has_text="cid").wait_for()
    ann.press("Begin")
    ann.page.locator(".turn").wait_for()
    order = asked(quick, "GET", table)["match"]["names"]
    first = next(bid for bid in range(1, 4) if "ann" not in (order[bid % 3], order[(bid - 1) % 3]))
    for bid in range(first + 1):
        if bid == first:
            ann.page.get_by_text("You may answer", exact=True).wait_for()
            assert 1 == ann.page.locator(".turn.mine button:not(.typed button)").count()
            assert 0 == ann.page.locator(".clock").count()
            ann.page.evaluate(NOTE_CLOCKS)
        asked(quick, "POST", f"{table}/moves", {"move": [1 + bid, 1]}, key=keys[order[bid % 3]])
        for name in {"bob", "cid"} - {order[bid % 3]}:  # what ann has to pass, her page does
            with suppress(HTTPError):  # before a bid only one is asked
                asked(quick, "POST", f"{table}/moves", {"words": "pass"}, key=keys[name])
    ann.page.locator(".turn.mine", has_text="Your turn").wait_for()  # the silence was a pass
    clocks = ann.page.evaluate("clocks")
    assert 1 == max(map(len, clocks)), "never two"
    assert next(filter(None, clocks)) == ["clock ring3"]
