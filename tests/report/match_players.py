"""The match player of a report, as tests use it."""

from __future__ import annotations

from typing import Any

PHONE = {
    "viewport": {"width": 360, "height": 740},
    "is_mobile": True,
    "has_touch": True,
    "device_scale_factor": 2,
}


def log_of(page: Any) -> str:
    return page.inner_text("[data-part=log]")


def opened(page: Any, match: str = "") -> Any:
    """The page once this match, or any, is shown."""
    page.wait_for_selector(f"[data-shown='{match}']" if match else "[data-shown]")
    return page


def step_of(page: Any) -> tuple[int, int]:
    """(step, of how many), as the player says it."""
    words = page.inner_text("[data-part=where]").replace(",", "").split()
    return int(words[1]), int(words[3])


def pressed(page: Any, *keys: str) -> list[int]:
    """The steps at which the player is after each key."""
    at = []
    for key in keys:
        page.keyboard.press(key)
        page.evaluate(SETTLED)
        at.append(step_of(page)[0])
    return at


SETTLED = "() => new Promise((done) => setTimeout(done))"
"""What was changed is drawn by then."""

_PART = """
    const part = (which) => document.querySelector(`[data-part=${which}]`);
    const settled = () => new Promise((done) => setTimeout(done));
    document.body.style.display = "none"; // it is text that is looked at: painting every step of it takes three times as long
"""

STEPS = f"""async () => {{
    {_PART}
    const shown = [];
    for (;;) {{
        shown.push([part("where").textContent, document.querySelector(".stage").textContent]);
        if (part("next").ariaDisabled === "true") break;
        part("next").click();
        await settled();
    }}
    document.body.style.display = "";
    return shown;
}}"""
"""Steps to the end and gives what was shown at each step; a call of the browser for each would take seconds."""

_ALL = f"""async () => {{
    {_PART}
    const results = [];
    for (const row of document.querySelectorAll("tr[data-match]")) {{
        row.querySelector("a").click();
        while (!document.querySelector(`[data-shown="${{row.dataset.match}}"]`)) await settled();
        part("last").click();
        await settled();
        const first = [...document.querySelectorAll(".k-place.is-first .k-name")].map((each) => each.textContent);
        results.push([row.dataset.match, part("result").textContent, first.sort()]);
    }}
    document.body.style.display = "";
    return results;
}}"""


def over_all(page: Any) -> list[tuple[str, str, list[str]]]:
    """Opens every listed match at its end: the match of each row, what is said of it, whom the board marks as first."""
    return [tuple(each) for each in page.evaluate(_ALL)]
