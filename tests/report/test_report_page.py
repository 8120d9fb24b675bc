"""The report as a file: whole, small, closed in itself, and honest about folders that hold little."""

from __future__ import annotations

import re
from collections import Counter
from html.parser import HTMLParser
from itertools import combinations, pairwise
from pathlib import Path

import attrs
import pytest
from reports import HOSTILE, entry, films_of, reported, tournament

from arena.analysis.sheet import read_sheet
from arena.games import GAMES
from arena.games.holdem import Holdem
from arena.match.game import Seat
from arena.match.record import Capsule, Decision, Entry
from arena.page.report import write_report
from arena.store import Store, StoredBot

TOO_BIG = 500_000


class Page(HTMLParser):
    """The ids and links of a page, and its words."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.ids: Counter[str] = Counter()
        self.links: list[str] = []
        self.texts: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            if name == "id":
                self.ids[value or ""] += 1
            elif name in ("href", "src"):
                self.links.append(value or "")

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", " ".join(self.texts))


@pytest.mark.slow
@pytest.mark.parametrize("game", list(GAMES))
def test_every_link_has_its_target(game: str, games: dict[str, Path]) -> None:
    """All links lead into the page itself, to an id that is there once."""
    page = Page(games[game])
    inside = [link.removeprefix("#") for link in page.links if link.startswith("#")]
    assert len(inside) > 20
    assert sum(link.startswith("match-") for link in inside) > 4
    assert set() == set(inside) - set(page.ids)
    assert ["data:,"] == [link for link in page.links if not link.startswith("#")]
    assert {1} == set(page.ids.values())


@pytest.mark.slow
def test_twenty_bots_go_by_mail(crowd: Path) -> None:
    """The page of twenty bots stays under 500 KB, with a page a bot and matches of many of them."""
    text = crowd.read_text(encoding="utf-8")
    assert 100_000 < len(text.encode()) < TOO_BIG
    assert 20 == text.count('<article class="bot"')
    assert text.count("<tr id=") >= 20


@pytest.mark.slow
def test_a_long_match_is_cut_to_its_heaviest_rounds(games: dict[str, Path]) -> None:
    """Of a match with hundreds of steps the report shows some rounds and says so."""
    notes = [film["note"] for film in films_of(games["holdem"]).values()]
    assert any("steps are shown: the rounds in which most was lost" in note for note in notes)


@pytest.mark.slow
def test_only_matches_that_count_are_shown(tmp_path: Path) -> None:
    """Of a series that is still open nothing is shown: its deals may come again."""
    path = reported(tournament(tmp_path / "run", "liars-dice", ("ann", "bob", "cat"), stop_after=7))
    with Store.open(path.parent) as store:
        counted, stored = set(read_sheet(store).match_ids), {match.match_id for match in store.matches()}
    text = path.read_text(encoding="utf-8")
    shown = {match for match in stored if match in text}
    assert stored - counted, "a series was left open"
    assert shown
    assert shown <= counted


@pytest.mark.slow
def test_the_matches_shown_are_chosen_for_a_reason(games: dict[str, Path]) -> None:
    """A match of the two best comes first, losses of every bot that lost follow, and none comes twice."""
    page = Page(games["blef"])
    assert "The longest match between" in page.text
    assert page.text.count("loses to") >= 2
    assert "taken at even distances" in page.text


@pytest.mark.slow
def test_what_was_played_is_said_and_the_seed_is_not(tmp_path: Path) -> None:
    """The head names game, house rules that differ, format and counts; the seed stands nowhere."""
    folder = tournament(tmp_path / "run", "liars-dice", ("ann", "bob"), series=1, seed=987654321123)
    path = reported(folder)
    for said in ("Liar's Dice, 2 seats", "dice 2", "round-robin", "2 of 2 planned", "malformed"):
        assert said in Page(path).text
    assert "987654321123" not in path.read_text(encoding="utf-8")


@pytest.mark.slow
def test_house_rules_that_are_lists_are_said_if_they_differ(tmp_path: Path) -> None:
    """JSON has lists where the game has tuples: an empty one is as usual all the same."""
    usual = tournament(tmp_path / "usual", Holdem(hands=2, stack=300), ("ann", "bob"), series=1)
    assert "House rules stack 300, hands 2 Format" in " ".join(Page(reported(usual)).text.split())
    game = Holdem(hands=2, stacks=(300, 500), reset_stacks=False)
    other = tournament(tmp_path / "other", game, ("ann", "bob"), series=1)
    assert "reset stacks no, stacks [300, 500]" in Page(reported(other)).text


@pytest.mark.slow
def test_the_same_folder_gives_the_same_page(hostile: Path) -> None:
    """Nothing in the page depends on when or where it is written."""
    before = hostile.read_bytes()
    assert before == reported(hostile.parent).read_bytes()


@pytest.mark.slow
def test_nothing_of_a_name_is_markup(hostile: Path) -> None:
    """In the file no hostile name stands unescaped."""
    text = hostile.read_text(encoding="utf-8")
    for name in HOSTILE[:3]:
        assert name not in text
    assert "49" not in Page(hostile).text.partition("Leaderboard")[0]


# Folders that hold little.


def written(store: Store) -> str:
    return Page(write_report(store)).text


def test_nothing_was_played(store: Store) -> None:
    """An empty folder gives a page that says so."""
    assert "No match counts yet" in written(store)


def test_bots_that_never_played(store: Store) -> None:
    """Bots without a match are listed, with what became of them."""
    store.put_bots([StoredBot("ann"), StoredBot("bob", status="left out")])
    text = written(store)
    assert "No match counts yet" in text
    assert "Bob: left out after failing to start" in text or "bob: left out" in text.lower()


def test_a_bot_that_never_played_is_compared_with_nobody(store: Store) -> None:
    """The last bot that did play shows a dash; 1500 is the mean of those that played, even if the anchor did not."""
    store.put_bots([StoredBot("cat", status="left out")])
    store.set_meta("plan", {"anchor": "cat"})
    store.add_many(entry(series, 0) for series in range(4))
    text = written(store)
    assert re.search(r"\b2\s+bob\s+[^–]*?–\s+4\b", text)
    assert "The mean of all bots that played is set at 1500." in text


def test_all_ties(store: Store) -> None:
    """Where every match was a tie nobody leads."""
    entries = [entry(series, rotation, ranks=(1, 1)) for series in range(3) for rotation in (0, 1)]
    store.set_schedule(each.pairing for each in entries)
    store.add_many(entries)
    assert "Undecided: ann and bob share the first place." in written(store)


def test_a_clear_lead(store: Store) -> None:
    """Who won all but one series leads, and how sure that is; who won everything is only bounded from below."""
    entries = [entry(series, rotation) for series in range(40) for rotation in (0, 1)]
    store.add_many([*entries, entry(40, 0, ranks=(2, 1))])
    assert re.search(
        r"ann leads with \d+ ± \d+ Elo, and is the best of the two with >?9\d% probability\.", written(store)
    )


def test_a_leader_that_won_everything(store: Store) -> None:
    """Its rating is said as in the tables: results bound it only from below."""
    store.add_many(entry(series, rotation) for series in range(12) for rotation in (0, 1))
    assert re.search(
        r"ann leads with a rating above \d+ Elo, and is the best of the two with >?9\d% probability\.",
        written(store),
    )


def test_a_lead_that_may_be_luck(store: Store) -> None:
    """Where series contradict each other the leader is named, and that it is undecided."""
    winners = [(1, 2), (2, 1), (1, 2), (2, 1), (1, 2)]
    store.add_many(entry(series, 0, ranks=ranks) for series, ranks in enumerate(winners))
    assert "Undecided: ann stands first" in written(store)


def test_a_field_without_a_leader(store: Store) -> None:
    """Of six equals nobody is the best with 50 %, and that is said, with the probability."""
    pairs = list(combinations(("ann", "bob", "cat", "dan", "eve", "fay"), 2))
    ranks = [(1, 2), (2, 1)]
    store.add_many(
        entry(series, 0, bots=pair, ranks=ranks[series % 2])
        for series, pair in enumerate([*pairs * 2, ("ann", "bob")])
    )
    assert re.search(
        r"No bot clearly leads: \w+ stands first with [^,]+, but is the best of the six with [1-4]\d%",
        written(store),
    )


def test_places_of_a_format(store: Store) -> None:
    """Where the format gives places, the first of them is who won, whatever the ratings say."""
    store.set_meta("ranked_by", "places")
    store.set_meta("places", {"bob": 1, "ann": 2})
    store.add_many(entry(series, 0, ranks=(1, 2)) for series in range(4))
    assert "bob takes the first place" in written(store)


def test_many_series_left_out_make_a_short_note(store: Store) -> None:
    """A note that would name hundreds of series is cut."""
    store.add_many(entry(series, 0, error="rules broke") for series in range(300))
    text = written(store)
    assert "0 of 300 matches counted" in text
    assert "s299" not in text


def test_bots_that_never_met(store: Store) -> None:
    """Two pairs that never met are ranked, and the cells between them are blank."""
    entries = [entry(0, 0), entry(1, 0, bots=("cat", "dan"))]
    store.set_schedule(each.pairing for each in entries)
    store.add_many(entries)
    text = written(store)
    assert "nan" not in text.lower().replace("dan", "")
    assert "Undecided" in text


@pytest.mark.slow
def test_head_to_head_of_forty_bots(store: Store) -> None:
    """Forty bots stand in rows and columns by name; a further one is said to be left out."""
    bots = [f"bot-{place:02}" for place in range(41)]
    entries = [entry(series, 0, bots=pair) for series, pair in enumerate(pairwise(bots))]
    store.set_schedule(each.pairing for each in entries)
    store.add_many(entries)
    text = write_report(store).read_text(encoding="utf-8")
    table = text[text.index('<table class="heat') :].partition("</table>")[0]
    assert (40, 40) == (table.count('<th scope="row"'), table.count("<span>bot-"))
    assert "1 bot at the end of the leaderboard is not in it" in text


def test_a_game_that_cannot_be_replayed(store: Store) -> None:
    """Without a game to replay with, everything but the matches is shown, and the reason."""
    store.add_many([entry(0, 0), entry(0, 1)])
    text = written(store)
    assert "matches cannot be shown" in text
    assert "Leaderboard" in text


def test_an_aborted_match_is_left_out_with_its_series(store: Store) -> None:
    """A series with an aborted match counts for nothing, and the head says which one it is."""
    store.add_many([entry(0, 0), entry(0, 1), entry(1, 0), entry(1, 1, error="Traceback: rules broke")])
    text = written(store)
    assert "series s1" in text
    assert "2 of 4 planned" in text


def test_a_half_written_run_file(store: Store) -> None:
    """A run.json that was cut off is passed over."""
    (store.folder / "run.json").write_text('{"arena": "9.9', encoding="utf-8")
    assert "9.9" not in written(store)


def test_faults_are_told_by_kind_and_reason(store: Store) -> None:
    """The table of faults has what the bots were told."""
    late = Decision(1, Seat(0), "0", 1.0, "too_late", "no answer within 1 s")
    store.add_many([entry(0, 0, decisions=(late, Decision(2, Seat(1), "1", 0.1))), entry(0, 1)])
    text = written(store)
    assert "no answer within 1 s" in text
    assert "too late" in text


def test_a_page_elsewhere(store: Store, tmp_path: Path) -> None:
    """It goes where it is told, and nothing half written stays behind."""
    path = tmp_path / "elsewhere.html"
    assert path == write_report(store, path)
    assert path.read_text(encoding="utf-8").rstrip().endswith("</html>")
    assert [] == list(tmp_path.glob("*.tmp")) + list(store.folder.glob("*.html"))


def test_what_a_bot_printed_is_found(store: Store) -> None:
    """A report names the latest log that says something; on a site it links the text of all.

    Links, also those that lead nowhere any more, and folders are no logs.
    """
    store.add_many([entry(0, 0), entry(0, 1)])
    logs = store.folder / "logs"
    logs.mkdir()
    for number, said in ((1, "old"), (9, "old too"), (10, "new"), (11, "")):
        (logs / f"ann-{number}.log").write_text(said)
    (logs / "ann-12.log").mkdir()
    (logs / "ann-13.log").symlink_to(logs / "ann-1.gone")
    (logs / "bob-1.log").symlink_to(logs / "ann-1.log")
    alone = write_report(store).read_text(encoding="utf-8")
    assert "What it printed is in <code>logs/ann-10.log</code>" in alone
    assert 1 == alone.count("What it printed")
    on_site = write_report(store, matches="/results/a%20b/matches").read_text(encoding="utf-8")
    assert '<a href="/results/a%20b/logs/ann">What it printed</a>' in on_site


def test_the_last_change_of_a_bot_is_its_first_match(store: Store) -> None:
    """A new version is a bot of its own, which begins when it plays."""
    day_s = 86_400
    store.add_many([timed(entry(0, 0), 20_000 * day_s), timed(entry(0, 1), 20_003 * day_s)])
    text = write_report(store).read_text(encoding="utf-8")
    assert 2 == text.count('title="unchanged since 4 October 2024">4 Oct</small>')


def timed(played: Entry, began: float) -> Entry:
    return attrs.evolve(played, started_at=began)


def test_what_a_bot_printed_before_it_failed(store: Store) -> None:
    """Its last line, and a few before it, as text and without the folders of this machine; it may tell what is
    hidden, so that nothing is shown while the series is played."""
    bad = Decision(0, Seat(0), "pass", 0.0, "gone", "its process ended")
    said = "".join(f"line {number}\n" for number in range(20))
    said += '  File "/home/me/secret/bot.py", line 3\n<b>KeyError</b>: 7\n\n'
    failed = entry(0, 0, decisions=(bad, Decision(0, Seat(1), "pass", 0.25)))
    capsule = Capsule(bad, 0, ({"log": "logs/ann-1.log"}, {"stderr": said}))
    failed = attrs.evolve(failed, record=attrs.evolve(failed.record, capsules=(capsule,)))
    others = [entry(1, 0), entry(1, 1), entry(0, 1)]
    store.set_schedule(each.pairing for each in (*others, failed))
    store.add_many([*others[:2], failed])
    assert "It printed last" not in write_report(store).read_text(encoding="utf-8")
    store.add(others[2])
    text = write_report(store).read_text(encoding="utf-8")
    assert "It printed last: <code>&lt;b&gt;KeyError&lt;/b&gt;: 7</code>" in text
    assert "  File &#34;bot.py&#34;, line 3" in text
    assert "/home/me" not in text
    assert ("line 14\n" in text, "line 13\n" in text) == (True, False)
