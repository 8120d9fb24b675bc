"""Checks that the values a game returns are frozen, hashable, and as annotated."""

from __future__ import annotations

import types
from collections.abc import Mapping
from functools import cache
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import attrs

# Frozen, hashable, and as annotated.


def check_frozen(value: Any, what: str, *, mappings: bool = False) -> None:
    """Checks that a value is a frozen attrs object, hashable (except for `mappings`), and as annotated."""
    kind: Any = type(value)
    assert attrs.has(kind), f"{what} is {value!r}, whose class is not an attrs class"
    assert _is_frozen(kind), f"{what} is of {kind.__name__}, which is not frozen"
    wrong = misfit(value, kind)
    assert wrong is None, f"{what}, {kind.__name__}: {wrong}"
    try:
        hash(hashable(value) if mappings else value)
    except TypeError as error:
        raise AssertionError(f"{what}, {value!r}, holds something that can change: {error}") from error


@cache
def _is_frozen(kind: Any) -> bool:
    # attrs has no public way to ask in all versions that we accept, so we see how it refuses.
    try:
        object.__new__(kind).arena_probe = None
    except attrs.exceptions.FrozenInstanceError:
        return True
    except AttributeError:  # not frozen: its slots just do not include this name
        return False
    return False


_PLAIN = frozenset({int, str, bool})
"""The annotations of most values."""


@cache
def _is_attrs(kind: Any) -> bool:
    return attrs.has(kind)


@cache
def _parts(hint: Any) -> tuple[Any, tuple[Any, ...]]:
    return get_origin(hint), get_args(hint)


def misfit(value: Any, hint: Any) -> str | None:
    """A clause that says where a value does not fit its annotation, or None.

    Types must match exactly: a Seat in place of a number would reach a bot as a name, and a number in place
    of a Seat as a number.
    """
    if hint in _PLAIN:
        return None if type(value) is hint else f"{value!r} is not of type {name_of(hint)}"
    origin, args = _parts(hint)
    if hint is Any or isinstance(hint, TypeVar):
        return None
    if origin in (Union, types.UnionType):
        fits = any(misfit(value, arg) is None for arg in args)
    elif origin is Literal:
        fits = any(type(value) is type(arg) and value == arg for arg in args)
    elif origin is tuple:
        return _misfit_tuple(value, hint, args)
    elif origin is not None and issubclass(origin, Mapping):
        fits = isinstance(value, Mapping) and all(
            misfit(key, args[0]) is None and misfit(item, args[1]) is None for key, item in value.items()
        )
    elif origin is not None and issubclass(origin, frozenset):
        fits = isinstance(value, frozenset) and all(misfit(item, args[0]) is None for item in value)
    elif hint is None or hint is type(None):
        fits = value is None
    elif isinstance(hint, type) and _is_attrs(hint):
        return _misfit_attrs(value, hint)
    elif hint is float:
        fits = type(value) in (float, int)
    elif isinstance(hint, type):
        fits = type(value) is hint
    else:
        return f"the annotation {hint!r} is not one that the arena can encode and record"
    return None if fits else f"{value!r} is not of type {name_of(hint)}"


def _misfit_tuple(value: Any, hint: Any, args: tuple[Any, ...]) -> str | None:
    if not isinstance(value, tuple):
        return f"{value!r} is not of type {name_of(hint)}"
    hints = [args[0]] * len(value) if len(args) == 2 and args[1] is ... else list(args)
    if len(hints) != len(value):
        return f"{value!r} is not of type {name_of(hint)}"
    return next((bad for item, each in zip(value, hints, strict=True) if (bad := misfit(item, each))), None)


def _misfit_attrs(value: Any, hint: type[Any]) -> str | None:
    if not isinstance(value, hint):
        return f"{value!r} is not of type {name_of(hint)}"
    kind: Any = type(value)  # mypy takes type[Any] for unhashable
    for name, each in hints_of(kind).items():
        bad = misfit(getattr(value, name), each)
        if bad is not None:
            return f"{name}: {bad}"
    return None


@cache
def hints_of(kind: Any) -> Mapping[str, Any]:
    """The annotations of an attrs class's fields."""
    hints = get_type_hints(kind)
    unannotated = [name for name in attrs.fields_dict(kind) if name not in hints]
    assert not unannotated, f"{kind.__name__} has fields without annotation: {unannotated}"
    return {name: hints[name] for name in attrs.fields_dict(kind)}


def name_of(hint: Any) -> str:
    return hint.__name__ if isinstance(hint, type) and not get_args(hint) else str(hint)


def hashable(value: Any) -> Any:
    """The value with its mappings as tuples: payloads may contain mappings, which are not hashable."""
    kind: Any = type(value)
    if kind in _PLAIN:
        return value
    if isinstance(value, tuple):
        return tuple(map(hashable, value))
    if _is_attrs(kind):
        return kind, tuple(hashable(getattr(value, name)) for name in hints_of(kind))
    if isinstance(value, Mapping):
        return tuple((key, hashable(item)) for key, item in value.items())
    return value
