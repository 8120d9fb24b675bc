"""The JSON Schema of what a bot is asked in a game and may answer, from the game's annotations."""

from __future__ import annotations

import ast
import inspect
import textwrap
import types
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, TypeAlias, Union, get_args, get_origin, get_type_hints
from typing import Literal as OneWord

import attrs

from arena.errors import ConfigError
from arena.match.game import Bare, Game, Items, Literal, Seat, Tagged

DIALECT = "https://json-schema.org/draft/2020-12/schema"

Schema: TypeAlias = dict[str, Any]

_PLAIN: Mapping[Any, Schema] = {
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    str: {"type": "string"},
    type(None): {"type": "null"},
    None: {"type": "null"},
    Any: {},
    Seat: {"$ref": "#/$defs/name"},
}
_DOMAIN: Schema = {
    "description": "the values of one field of a move",
    "anyOf": [
        {
            "type": "object",
            "properties": {"min": {"type": "integer"}, "max": {"type": "integer"}},
            "required": ["min", "max"],
        },
        {"type": "object", "properties": {"one_of": {"type": "array"}}, "required": ["one_of"]},
        {
            "type": "object",
            "properties": {
                "subset_of": {"type": "array"},
                "least": {"type": "integer"},
                "most": {"type": "integer"},
            },
            "required": ["subset_of", "least", "most"],
        },
    ],
}


def game_schema(game: type[Game[Any, Any]]) -> Schema:
    """The schema of a game's questions, in both protocols, and of the answers to them.

    Raises ConfigError if the game's observation is not annotated.
    """
    parts = _Parts()
    state = parts.reference(_observation_of(game))
    kinds = [move for move in game.moves if getattr(move, "form", None) is not None]
    moves = {move.__name__: parts.move(move) for move in kinds}
    definitions = {
        "question": _plain_question(parts.definitions[str(state["$ref"].rpartition("/")[2])]),
        "ask": _ask(state),
        "answer": _object({"message_id": {"type": ["string", "integer"]}, "move": {"$ref": "#/$defs/move"}}),
        "move": {
            "description": "what the game knows as moves; the options of a question say which are legal",
            "anyOf": [{"$ref": f"#/$defs/move.{name}"} for name in moves],
        },
        "option": _option(list(moves)),
        "domain": _DOMAIN,
        "name": _name(game),
        **{f"move.{name}": move for name, move in moves.items()},
        **parts.definitions,
    }
    return {
        "$schema": DIALECT,
        "title": f"{game.title}, version {game.version}",
        "description": "a question of the plain protocol or of the full one, or the answer to it",
        "anyOf": [{"$ref": f"#/$defs/{part}"} for part in ("question", "ask", "answer")],
        "$defs": definitions,
    }


# Messages.


def _plain_question(state: Schema) -> Schema:
    """The schema of a plain question: the fields of the state stand beside those of the envelope."""
    envelope = {"message_id": {"type": "string"}, "game_number": {"type": "integer"}}
    whole = _object({**envelope, **state["properties"]})
    return {**whole, "required": [*envelope, *state["required"]], "description": "a question to a plain bot"}


def _ask(state: Schema) -> Schema:
    limit = {"type": ["number", "null"]}
    fields: dict[str, Schema] = {
        "type": {"const": "ask"},
        "message_id": {"type": "string"},
        "game_number": {"type": "integer"},
        "match_id": {"type": "string"},
        "time_s": {**limit, "description": "how long the answer may take"},
        "bank_s": {**limit, "description": "what is left for the whole match"},
        "state": state,
        "options": {"type": "array", "items": {"$ref": "#/$defs/option"}, "minItems": 1},
    }
    return {**_object(fields), "description": "a question in the full protocol"}


def _option(kinds: Sequence[str]) -> Schema:
    fields: dict[str, Schema] = {
        "kind": {"enum": list(kinds)},
        "form": {"description": 'the move, with "<field>" where a value of that field goes'},
        "fields": {"type": "object", "additionalProperties": {"$ref": "#/$defs/domain"}},
    }
    return {**_object(fields), "description": "a family of legal moves"}


def _name(game: type[Game[Any, Any]]) -> Schema:
    own = "" if game.own_name is None else f'; "{game.own_name}" for the receiver'
    return {"type": "string", "description": f"the name of a bot at this table{own}"}


def _object(properties: Mapping[str, Schema], required: Sequence[str] | None = None) -> Schema:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties if required is None else required),
    }


def _observation_of(game: type[Game[Any, Any]]) -> Any:
    """The class of what the game's bots are shown."""
    try:
        kind = get_type_hints(game.observe).get("return")
    except (NameError, TypeError) as error:  # somebody's own game
        raise ConfigError(f"the annotations of {game.__name__}.observe cannot be read: {error}") from None
    if not (isinstance(kind, type) and attrs.has(kind)):
        raise ConfigError(f"{game.__name__}.observe does not say what it gives: annotate it with that class")
    return kind


# Types.


class _Parts:
    """The schemas of the classes met so far, under their names."""

    def __init__(self) -> None:
        self.definitions: dict[str, Schema] = {}
        self._names: dict[Any, str] = {}

    def reference(self, kind: Any) -> Schema:
        """A reference to the schema of an attrs class."""
        if kind not in self._names:
            twins = sum(other.__name__ == kind.__name__ for other in self._names)
            name = self._names[kind] = f"{kind.__name__}{twins + 1 if twins else ''}"
            self.definitions[name] = {}  # takes its place before the classes it refers to
            self.definitions[name] = {**_object(self._fields(kind)), **_described(kind.__doc__)}
        return {"$ref": f"#/$defs/{self._names[kind]}"}

    def move(self, kind: Any) -> Schema:
        """How bots write a move of this class."""
        form, fields = kind.form, self._fields(kind)
        match form:
            case Literal(value):
                schema: Schema = {"const": value}
            case Items(names):
                schema = _list_of([fields[name] for name in names])
            case Bare(field):
                schema = fields[field]
            case Tagged(tags, keys):
                needed = [each.name for each in attrs.fields(kind) if each.default is attrs.NOTHING]
                properties: dict[str, Schema] = {key: {"const": tag} for key, tag in tags.items()}
                properties |= {keys.get(name, name): field for name, field in fields.items()}
                schema = _object(properties, [*tags, *(keys.get(name, name) for name in needed)])
        return {**schema, "title": kind.__name__, **_described(kind.__doc__)}

    def _fields(self, kind: Any) -> dict[str, Schema]:
        hints, told = get_type_hints(kind), _docstrings(kind)
        return {
            each.name: {**self._of(hints[each.name]), **_described(told.get(each.name))}
            for each in attrs.fields(kind)
        }

    def _of(self, hint: Any) -> Schema:
        """The schema of one annotation."""
        origin, args = get_origin(hint), get_args(hint)
        if origin in (Union, types.UnionType):
            return {"anyOf": [self._of(arg) for arg in args]}
        if origin is OneWord:
            return {"enum": list(args)}
        if origin is tuple:
            if len(args) == 2 and args[1] is ...:
                return {"type": "array", "items": self._of(args[0])}
            return _list_of([self._of(arg) for arg in args])
        if isinstance(origin, type) and issubclass(origin, Mapping):
            return {"type": "object", "additionalProperties": self._of(args[1])}
        if isinstance(hint, type) and attrs.has(hint):
            return self.reference(hint)
        return dict(_PLAIN.get(hint, {}))


def _list_of(items: Sequence[Schema]) -> Schema:
    """The schema of a list of exactly these items."""
    return {
        "type": "array",
        "prefixItems": list(items),
        "items": False,
        "minItems": len(items),
        "maxItems": len(items),
    }


# Words.


def _described(text: str | None) -> Schema:
    return {} if not text else {"description": " ".join(text.split())}


def _docstrings(kind: Any) -> dict[str, str]:
    """The docstrings below the fields of a class; none if its source is not at hand."""
    try:
        (found,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    except (OSError, TypeError, SyntaxError, ValueError):
        return {}
    body = found.body if isinstance(found, ast.ClassDef) else []
    told = {}
    for field, below in pairwise(body):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
            value = below.value if isinstance(below, ast.Expr) else None
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                told[field.target.id] = value.value
    return told
