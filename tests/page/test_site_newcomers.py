"""Somebody who never saw a game reads its rules and plays it by what is on the screen, without a wrong click."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

import pytest
from daily import daily
from site_people import OFFERED, PRESSES_MAX, SEEN, SENDS, Person, timed_out

from arena.games import GAMES

SAID = [
    (r"(Bid|Bet) (.+)", r"\1s \2"),
    (
        r"(Raise to|Call) ([\d,]+).*",
        lambda found: f"{found[1].replace('Raise', 'raise').replace('Call', 'call')} {found[2]}",
    ),
    (r"Play .* as “(.+)”", r"claims \1"),
    (r"Bluff!.*", "accuses"),
    (r"(Fold|Check|Challenge)\b.*", r"\1s"),
    (r"Yourself", "shoots themselves"),
]
"""What a button says it will do, and what is told once it is done."""
LATELY_TOLD = "(told) => [...document.querySelectorAll('.log li')].slice(-15).some((line) => line.innerText.includes(told))"


def told_of(button: str, names: list[str]) -> str | None:
    """What the log has to say after this button; None: it only chooses what the move will be, or passes."""
    for pattern, told in SAID:
        if re.fullmatch(pattern, button):
            said = (
                re.sub(pattern, told, button)
                if isinstance(told, str)
                else told(re.fullmatch(pattern, button))
            )
            return re.sub(r"^(raise|call)(?= )", r"\1s", said[0].lower() + said[1:])
    return f"shoots {button}" if button in names else None


def plays(ann: Person, rng: Random, names: list[str]) -> list[str]:
    """Presses what is offered until the match is over; what was pressed, each move being told in the same words."""
    page, pressed = ann.page, list[str]()
    for _ in range(PRESSES_MAX):
        if not ann.is_asked():
            return pressed
        sends, offered = page.locator(SENDS + SEEN), page.locator(OFFERED + SEEN)
        chosen = sends if sends.count() and rng.random() < 0.7 else offered
        button = chosen.nth(rng.randrange(max(1, chosen.count())))
        try:
            words = re.sub(r"\s+[A-Z]$", "", " ".join(button.inner_text(timeout=500).split()))
            told = told_of(words, names)
            button.click(timeout=500)
        except timed_out():
            continue  # the turn was over before
        pressed.append(words)
        if told:
            page.wait_for_function(LATELY_TOLD, arg=told)
        assert 0 == page.locator(".trouble").count(), (words, page.locator(".trouble").all_inner_texts())
    raise AssertionError("the match does not end")


@pytest.mark.slow
@pytest.mark.parametrize("name", daily(lambda name: False, GAMES))
def test_a_newcomer_plays_a_match(name: str, person: Callable[..., Person]) -> None:
    """With the rules read first: every button does what it says, and what it did is told in its own words."""
    ann, title = person(), GAMES[name].title
    ann.says("ann")
    ann.press(f"Rules of {title}")
    rules = ann.page.get_by_role("dialog", name=f"Rules of {title}")
    rules.get_by_role("heading", name="How it goes").wait_for()
    ann.page.keyboard.press("Escape")
    ann.press(f"Play {title} now")
    ann.page.locator(".board").wait_for()
    names = ann.page.locator(".k-name").all_text_contents()
    pressed = plays(ann, Random(3), names)
    assert len({words.split()[0] for words in pressed}) > 1, "it found out more than one thing to do"
