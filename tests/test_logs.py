"""The logs of instances: what their files are called, and which are kept."""

from __future__ import annotations

from arena.tournament.play.logs import LOGS_KEPT, Logs


def begun(logs: Logs, bot: str, times: int = 1) -> list[str]:
    """Instances of a bot, each with a log; the names of their files."""
    paths = [logs.next_path(bot) for _ in range(times)]
    for path in paths:
        path.touch()
    return [path.name for path in paths]


def test_a_later_run_numbers_on(tmp_path):
    """The logs that older evidence names are not written over."""
    logs = Logs(tmp_path)
    assert ["ann-1.log", "ann-2.log"] == begun(logs, "ann", 2)
    assert ["ann-2-1.log"] == begun(logs, "ann-2")
    assert ["a%20b-1.log"] == begun(logs, "a b")
    for other in ("ann-build.log", "ann.log", "notes-7.txt"):
        tmp_path.joinpath(other).touch()
    later = Logs(tmp_path)
    assert ["ann-3.log"] == begun(later, "ann")
    assert ["ann-2-2.log"] == begun(later, "ann-2")
    assert ["a%20b-2.log"] == begun(later, "a b")
    assert ["notes-1.log"] == begun(later, "notes")


def test_the_last_ones_are_kept(tmp_path):
    """Of each bot so many, also those of earlier runs."""
    begun(Logs(tmp_path), "ann", LOGS_KEPT)
    logs = Logs(tmp_path)
    for number in (1, 2):
        assert (tmp_path / f"ann-{number}.log").exists()
        begun(logs, "ann")
        assert not (tmp_path / f"ann-{number}.log").exists()
    assert LOGS_KEPT == len(list(tmp_path.iterdir()))
