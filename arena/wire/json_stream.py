"""A stream of bytes, split anywhere, becomes the JSON objects in it.

A stream is read by these rules, byte by byte, so that it never matters how the bytes were split:

- White space between objects is ignored.  Any other byte but `{` begins junk: one Broken, up to the next `{`.
- An object is complete at its closing brace.
- A value is broken at the first byte with which no JSON object can continue, at the bracket that nests too
  deep, or after its closing brace if the error shows only there (invalid UTF-8, an unpaired surrogate, a
  number out of range).  From that byte on everything is skipped up to the next `{`, which may be that byte
  itself.  So half an object followed by a whole one loses only the half one.
- A value is broken at the first byte over `bytes_max`; then everything is skipped up to the next newline, and
  up to the next `{` after it.

Only the unfinished value is kept, and no byte of it is looked at twice.  One call returns at most
`values_max` values; the bytes after them wait as `rest`, so that no input takes 0.1 s in one step.
"""

from __future__ import annotations

import re
from math import inf
from typing import Any, TypeAlias

import msgspec

JUNK_BYTES_SHOWN = 60
"""How many bytes of junk are kept for people to see."""


class Broken(msgspec.Struct, frozen=True):
    """A value that is not a JSON object, and why."""

    reason: str
    began: bytes = b""
    """The part of junk that came together with its first byte: for people, as it depends on the split."""


JsonObject: TypeAlias = dict[str, Any]


def _real(text: str) -> float:
    """A number with a point or an exponent.  Raises ValueError if it is out of range.

    msgspec's own reader takes 9 µs for `5e-324` and `1e300`: 0.1 s for 64 kB of them, where this takes 2 ms.
    """
    value = float(text)
    if -inf < value < inf:
        return value
    raise ValueError("Number out of range")


_decode = msgspec.json.Decoder(float_hook=_real).decode

# Where the reader stands between values.
_BETWEEN, _JUNK, _OVERLONG, _INSIDE = range(4)

# The grammar of JSON within an object, as a table: _NEXT[place][byte] is the next place, or an action.
# Numbers below _LAST_PLACE are places, the others actions; a key's string has places of its own, because a
# colon must follow it.  A table, because the first impossible byte must be found wherever the bytes are
# split, and a JSON parser reports errors only for whole values.
(
    _KEY_OR_END,
    _KEY,
    _COLON,
    _VALUE,
    _VALUE_OR_END,
    _AFTER,
    _IN_KEY,
    _IN_KEY_ESCAPE,
    _IN_KEY_HEX1,
    _IN_KEY_HEX2,
    _IN_KEY_HEX3,
    _IN_KEY_HEX4,
    _IN_STRING,
    _IN_STRING_ESCAPE,
    _IN_STRING_HEX1,
    _IN_STRING_HEX2,
    _IN_STRING_HEX3,
    _IN_STRING_HEX4,
    _MINUS,
    _ZERO,
    _INTEGER,
    _POINT,
    _FRACTION,
    _EXPONENT,
    _EXPONENT_SIGN,
    _EXPONENT_DIGITS,
    _WORD,
) = range(27)
_LAST_PLACE = _WORD + len("rue") + len("alse") + len("ull")
_OPEN_OBJECT, _OPEN_LIST, _CLOSE_OBJECT, _CLOSE_LIST, _COMMA, _WRONG = range(64, 70)

_WHITE = b" \t\n\r"
_DIGITS = b"0123456789"
_PLAIN_RUN = re.compile(rb'[^"\\\x00-\x1f]*')
_NOT_WHITE = re.compile(rb"[^ \t\n\r]")


def _grammar() -> tuple[bytes, ...]:
    """The table: for each place a row of 256 entries."""
    rows = [bytearray([_WRONG]) * 256 for _ in range(_LAST_PLACE)]

    def on(place: int, symbols: bytes, then: int) -> None:
        for symbol in symbols:
            rows[place][symbol] = then

    def begin_value(place: int) -> None:
        on(place, b"{", _OPEN_OBJECT)
        on(place, b"[", _OPEN_LIST)
        on(place, b'"', _IN_STRING)
        on(place, b"-", _MINUS)
        on(place, b"0", _ZERO)
        on(place, b"123456789", _INTEGER)

    def end_value(place: int) -> None:
        on(place, _WHITE, _AFTER)
        on(place, b",", _COMMA)
        on(place, b"}", _CLOSE_OBJECT)
        on(place, b"]", _CLOSE_LIST)

    for place in (_KEY_OR_END, _KEY, _COLON, _VALUE, _VALUE_OR_END):
        on(place, _WHITE, place)
    on(_KEY_OR_END, b'"', _IN_KEY)
    on(_KEY_OR_END, b"}", _CLOSE_OBJECT)
    on(_KEY, b'"', _IN_KEY)
    on(_COLON, b":", _VALUE)
    begin_value(_VALUE)
    begin_value(_VALUE_OR_END)
    on(_VALUE_OR_END, b"]", _CLOSE_LIST)
    for place in (_AFTER, _ZERO, _INTEGER, _FRACTION, _EXPONENT_DIGITS):
        end_value(place)
    for string, after in ((_IN_KEY, _COLON), (_IN_STRING, _AFTER)):
        on(string, bytes(range(0x20, 0x100)), string)
        on(string, b'"', after)
        on(string, b"\\", string + 1)
        on(string + 1, b'"\\/bfnrt', string)
        on(string + 1, b"u", string + 2)
        for place in range(string + 2, string + 6):
            on(place, b"0123456789abcdefABCDEF", place + 1 if place < string + 5 else string)
    on(_MINUS, b"0", _ZERO)
    on(_MINUS, b"123456789", _INTEGER)
    on(_INTEGER, _DIGITS, _INTEGER)
    on(_POINT, _DIGITS, _FRACTION)
    on(_FRACTION, _DIGITS, _FRACTION)
    for place in (_ZERO, _INTEGER, _FRACTION):
        on(place, b"eE", _EXPONENT)
    on(_ZERO, b".", _POINT)
    on(_INTEGER, b".", _POINT)
    on(_EXPONENT, b"+-", _EXPONENT_SIGN)
    for place in (_EXPONENT, _EXPONENT_SIGN, _EXPONENT_DIGITS):
        on(place, _DIGITS, _EXPONENT_DIGITS)
    free = _WORD
    for word in (b"true", b"false", b"null"):
        for before in (_VALUE, _VALUE_OR_END):
            on(before, word[:1], free)
        for index in range(1, len(word)):
            last = index == len(word) - 1
            on(free, word[index : index + 1], _AFTER if last else free + 1)
            free += 1
    return tuple(bytes(row) for row in rows)


_NEXT = _grammar()


class JsonStream:
    """Takes bytes as they arrive and returns the objects that are complete."""

    def __init__(self, bytes_max: int = 65536, depth_max: int = 64, values_max: float = inf) -> None:
        """`bytes_max`: the longest value, from brace to brace; `depth_max`: how many brackets may be open.

        `values_max`: how many values one call of `feed` returns.
        """
        self.bytes_max = bytes_max
        self.depth_max = depth_max
        self.values_max = values_max
        self.rest = b""
        """Bytes fed but not read yet; the next `feed` begins with them."""
        self._where = _BETWEEN
        self._value = bytearray()  # the unfinished value; begins with its `{`
        self._place = _KEY_OR_END
        self._open = bytearray()  # its open brackets, `{` and `[`
        self._too_long = Broken(f"a value of more than {bytes_max} bytes")
        self._too_deep = Broken(f"more than {depth_max} nested brackets")

    def feed(self, data: bytes) -> list[JsonObject | Broken]:
        """The values that these bytes complete, in order, at most `values_max`; never raises."""
        if self.rest:
            data, self.rest = self.rest + data, b""
        # The usual case needs no scan: one whole object, which msgspec reads in one go.  If that fails,
        # nothing is known yet (it may be half an object, or two), and the scan decides by the rules above.
        if (
            self._where <= _JUNK
            and data[:1] == b"{"
            and len(data) <= self.bytes_max
            and data.count(b"{") + data.count(b"[") <= self.depth_max
        ):
            try:
                value = _decode(data)
            except (ValueError, RecursionError):
                pass
            else:
                self._where = _BETWEEN
                return [value]
        return self._scan(data)

    @property
    def is_skipping(self) -> bool:
        """Whether everything is being skipped until an object begins."""
        return self._where in (_JUNK, _OVERLONG)

    def end_junk(self) -> None:
        """Ends the current junk, so that further junk is reported as another Broken."""
        if self._where == _JUNK:
            self._where = _BETWEEN

    def close(self) -> Broken | None:
        """The half value that is broken because the stream ends here, or None."""
        half = self._where == _INSIDE
        self.rest = b""
        self._forget(_BETWEEN)
        return Broken("the stream ended in the middle of a value") if half else None

    def _whole(self, data: bytes) -> JsonObject | None:
        """The object, if these bytes are exactly one and surely within the limits; None if that is open."""
        if (
            data[:1] == b"{"
            and len(data) <= self.bytes_max
            # an upper bound of the depth, brackets within strings counted too
            and data.count(b"{") + data.count(b"[") <= self.depth_max
        ):
            try:
                return _decode(data)  # type: ignore[no-any-return]
            except (ValueError, RecursionError):
                pass
        return None

    def _scan(self, data: bytes) -> list[JsonObject | Broken]:
        found: list[JsonObject | Broken] = []
        position, end, tried_to = 0, len(data), 0
        while position < end:
            if len(found) >= self.values_max:
                self.rest = data[position:]
                return found
            if self._where == _INSIDE:
                position = self._inside(data, position, found)
                continue
            if self._where == _OVERLONG:
                newline = data.find(b"\n", position)
                if newline < 0:
                    return found
                self._where, position = _JUNK, newline + 1
                continue
            if self._where == _BETWEEN:
                match = _NOT_WHITE.search(data, position)
                if match is None:
                    return found
                if match.group() != b"{":
                    self._where = _JUNK
                    found.append(_junk(data, match.start()))
                    continue
            position = data.find(b"{", position)
            if position < 0:
                return found
            # A line is tried as a whole only once: it may hold many objects, and trying it again from each of
            # them would take quadratic time.
            if position >= tried_to:
                tried_to = data.find(b"\n", position) + 1 or end
                value = self._whole(data[position:tried_to])
                if value is not None:
                    found.append(value)
                    self._where, position = _BETWEEN, tried_to
                    continue
            self._where, self._place = _INSIDE, _KEY_OR_END
            self._open += b"{"
            self._value += b"{"
            position += 1
        return found

    def _inside(self, data: bytes, begin: int, found: list[JsonObject | Broken]) -> int:
        """Continues a value until it is complete or broken, or the bytes end; returns that position."""
        limit = begin + self.bytes_max - len(self._value)  # earlier bytes of the value count too
        end = min(len(data), limit)
        place, opened, position = self._place, self._open, begin
        while position < end:
            if place in (_IN_STRING, _IN_KEY):
                position = _PLAIN_RUN.match(data, position, end).end()  # type: ignore[union-attr]
                if position == end:
                    break
            symbol = data[position]
            then = _NEXT[place][symbol]
            if then < _LAST_PLACE:
                place = then
            elif then == _COMMA:
                place = _KEY if opened[-1] == 0x7B else _VALUE
            elif then in (_CLOSE_OBJECT, _CLOSE_LIST):
                if symbol - opened.pop() != 2:  # in ASCII a closing bracket comes two after its opening one
                    return self._break(position, _wrong(symbol), found)
                if not opened:
                    self._value += data[begin : position + 1]
                    self._finish(found)
                    return position + 1
                place = _AFTER
            elif then == _WRONG:
                return self._break(position, _wrong(symbol), found)
            else:
                if len(opened) >= self.depth_max:
                    return self._break(position, self._too_deep, found)
                opened.append(symbol)
                place = _KEY_OR_END if then == _OPEN_OBJECT else _VALUE_OR_END
            position += 1
        if len(data) > limit:
            found.append(self._too_long)
            self._forget(_OVERLONG)
            return limit
        self._value += data[begin:end]
        self._place = place
        return end

    def _break(self, position: int, broken: Broken, found: list[JsonObject | Broken]) -> int:
        found.append(broken)
        self._forget(_JUNK)
        return position

    def _finish(self, found: list[JsonObject | Broken]) -> None:
        """Decodes a closed value, which finds the errors that the grammar cannot see."""
        where = _JUNK
        try:
            found.append(_decode(self._value))
            where = _BETWEEN
        except UnicodeDecodeError:
            found.append(Broken("invalid UTF-8"))
        except (ValueError, RecursionError) as error:
            found.append(Broken(f"broken JSON: {error}"))
        self._forget(where)

    def _forget(self, where: int) -> None:
        self._where = where
        self._value.clear()
        self._open.clear()


def _junk(data: bytes, begin: int) -> Broken:
    """The junk that begins here; the part to be shown ends with its line, or where an object begins."""
    began = data[begin : begin + JUNK_BYTES_SHOWN].partition(b"\n")[0].partition(b"{")[0]
    return Broken("not a JSON object", began.rstrip())


def _wrong(symbol: int) -> Broken:
    shown = repr(chr(symbol)) if 0x20 <= symbol < 0x7F else f"byte 0x{symbol:02x}"
    return Broken(f"broken JSON: unexpected {shown}")
