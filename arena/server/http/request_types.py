"""What requests may hold: the types that read them, strictly, and that `openapi` describes."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin

import msgspec
from msgspec import UNSET, Meta
from starlette.requests import Request

from arena.games import GAMES
from arena.refusal import Refusal
from arena.server.limits import CHAT_MAX, NICKNAME_MAX, WORDS_MAX
from arena.words import listed

T = TypeVar("T")


Nickname = Annotated[str, Meta(min_length=1, max_length=NICKNAME_MAX)]
Guid = Annotated[str, Meta(min_length=1, max_length=64)]


class Body(msgspec.Struct, forbid_unknown_fields=True):  # not cattrs: msgspec decodes and checks at once
    """A body: a JSON object with these fields and no others."""


class NewTable(Body):
    """A table to make."""

    game: Annotated[str, Meta(max_length=64, extra_json_schema={"enum": list(GAMES)})]
    rules: dict[str, Any] = {}
    """House rules that differ from the game's own."""
    move_time: Annotated[float, Meta(gt=0.0, le=86_400.0)] | Literal["none"] | None = None
    """The limit of every move in seconds, or "none"; null: what is usual for the game."""
    bots_pause: Annotated[float, Meta(ge=0.0, le=10.0)] = 0.0
    """How many seconds each turn takes at least where only bots play; half of its limit at most."""


class NewMember(Body):
    """Somebody who joins."""

    nickname: Nickname
    spectate: bool = False
    """To watch, without a seat."""


class NewHost(Body):
    """Who shall be host."""

    playerID: Guid  # noqa: N815 - the name in the documents


class NewBot(Body):
    """The house bot that shall take an empty seat."""

    bot: Annotated[str, Meta(min_length=1, max_length=64)]


class NewMove(Body):
    """A move: in the form in which bots send it over TCP, or in words."""

    move: Any = UNSET
    words: Annotated[str, Meta(min_length=1, max_length=WORDS_MAX)] | None = None
    """What a person would type, such as `b 4 5`: a name or its beginning, and its fields."""
    turn: Annotated[int, Meta(ge=0)] | None = None
    """The `turn` of the match for which it is meant: sent again later, it is refused."""


class NewMessage(Body):
    """A message to all at the table."""

    message: Annotated[str, Meta(min_length=1, max_length=CHAT_MAX)]


class Nothing(Body):
    """No fields: the body may be empty too."""


async def body_of(request: Request, kind: type[T]) -> T:
    """The body of a request.  Raises Refusal with what would be right."""
    octets = await request.body()
    if not octets and kind is Nothing:
        return kind()
    try:
        return msgspec.json.decode(octets, type=kind)
    except msgspec.ValidationError as error:
        text = str(error)
        found = re.search(r"at `\$\.(\w+)", text) or re.search(r"field `(\w+)`", text)
        field = found.group(1) if found else ""
        raise Refusal("bad_request", _in_words(text, kind, field), field=field) from None
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        raise Refusal("bad_request", "the body is not JSON: send an object as application/json") from None


def _in_words(error: str, kind: type[Any], field: str) -> str:
    """msgspec's sentence, with the place as people write it, and with what is valid."""
    if error.startswith("Invalid enum value"):
        return f"Expected {_valid(kind, field)}, in `{field}`"
    return error.replace(" - at `$.", ", in `").replace(" - at `$`", "")


def _valid(kind: type[Any], field: str) -> str:
    """What may stand in a field of some words, and perhaps numbers and null: `a number, "none" or null`."""
    (found,) = (each for each in msgspec.structs.fields(kind) if each.name == field)
    words = list[str]()
    for each in get_args(found.type):
        origin, values = get_origin(each), get_args(each)
        if origin is Literal:
            words += [f'"{value}"' for value in values]
        elif each is type(None):
            words.append("null")
        else:
            words.append("a number")
    return listed(words, "or")


def bearer_of(request: Request, what: str) -> str | None:
    """The secret in `Authorization: Bearer SECRET`; None if none is sent.

    Raises Refusal for an Authorization that is something else; `what` says what it should be.
    """
    header = request.headers.get("authorization")
    if header is None:
        return None
    scheme, _, secret = header.partition(" ")
    if scheme.lower() != "bearer" or not secret or len(secret) > 128:
        raise Refusal("unauthorized", what)
    return secret


def key_of(request: Request) -> str | None:
    """The key of a seat, from `Authorization: Bearer KEY`; None if none is sent.

    Raises Refusal for an Authorization that is something else.
    """
    what = "the Authorization of a table is `Bearer KEY`, with the key of a seat"
    return bearer_of(request, what)


def seconds_in_query(request: Request, name: str, most: float) -> float | None:
    """A number of the query, from 0 to `most`; None if it is not there.  Raises Refusal for anything else."""
    word = _word(request, name, r"\d{1,9}(\.\d{1,20})?(e-?\d{1,3})?", 0, most, f"a number from 0 to {most:g}")
    return None if word is None else float(word)


def number_in_query(request: Request, name: str, least: int, most: int) -> int | None:
    """A whole number in the query.  Raises Refusal if it is none, or out of range."""
    word = _word(request, name, r"\d{1,15}", least, most, f"a whole number from {least} to {most}")
    return None if word is None else int(word)


def _word(request: Request, name: str, form: str, least: float, most: float, expected: str) -> str | None:
    word = request.query_params.get(name)
    if word is None or (re.fullmatch(form, word, re.ASCII) and least <= float(word) <= most):
        return word
    raise Refusal("bad_request", f"{name} is {expected}", field=name)
