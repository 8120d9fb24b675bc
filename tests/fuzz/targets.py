"""All targets by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import attrs

from arena.players.entrant import Entrant
from arena.tournament.plan import Plan

from . import files, moves, stored, wire, words

CORPUS = Path(__file__).parent / "corpus"


@attrs.frozen
class Target:
    """What is fed with bytes, and which words are worth trying in them."""

    name: str
    run: Callable[[bytes], None]
    """Raises what was found."""
    words: tuple[bytes, ...] = ()
    bytes_max: int = 1024

    @property
    def corpus(self) -> list[bytes]:
        """What is kept: examples that reach much, and all that was ever found."""
        return [path.read_bytes() for path in sorted((CORPUS / self.name).glob("*"))]


_JSON = (
    *wire.PHRASES,
    b'":',
    b'"a":',
    b"[",
    b"]",
    b"{",
    b"}",
    b"\\u",
    b"\\ud83d",
    b"1e999",
    b"true",
    b"null",
)
_TOML = (
    *(
        b"\n",
        b"= ",
        b'"',
        b"[rules]\n",
        b"[",
        b"]",
        b"{",
        b"}",
        b"'''",
        b"# ",
        b"true",
        b"1e400",
        b"nan",
        b"-1",
    ),
    *(
        b'"odds"',
        b'["odds", "bluffer"]',
        b'{ name = "a", spec = "odds" }',
        b'"\\u001b"',
        b'"\\U0010ffff"',
        b'"500ms"',
    ),
    *(
        b'"swiss"',
        b'"knockout"',
        b'"gauntlet"',
        b'"balanced"',
        b'"top 3 at 95%"',
        b'"127.0.0.1:0"',
        b"2000-01-01",
    ),
    *(
        b'"python3 bot.py"',
        b'["sh", "-c", "x"]',
        b'"stdio"',
        b'"match"',
        b"99999999999999999999",
        b'"none"',
        b'""',
    ),
)

TARGETS: Mapping[str, Target] = {
    target.name: target
    for target in (
        Target("stream", wire.stream, _JSON),
        Target("connection", wire.connection, wire.PHRASES),
        Target("codec", moves.codec, tuple(word.encode() for word in moves.WORDS if word)),
        Target(
            "plan", files.plan, _TOML + tuple(b"%s = " % name.encode() for name in attrs.fields_dict(Plan))
        ),
        Target(
            "bot", files.bot, _TOML + tuple(b"%s = " % name.encode() for name in attrs.fields_dict(Entrant))
        ),
        Target("words", words.words, bytes_max=64),
        Target("stored", stored.stored, bytes_max=64),
    )
}
