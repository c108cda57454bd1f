"""Turns the JSON of an output into the type that the caller asked for."""

from __future__ import annotations

import json
import math
from datetime import date, datetime, time
from decimal import Decimal
from enum import Enum
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args, get_origin
from uuid import UUID

from ._errors import OutputInvalid
from ._models import Malformed, parse_clock, parse_time
from ._schema import (
    JSON_TYPES,
    LISTS,
    MAPPINGS,
    UNIONS,
    Member,
    annotation,
    is_pydantic,
    members_of,
)
from ._wire import plain

if TYPE_CHECKING:
    from collections.abc import Mapping

T = TypeVar("T")


class _Mismatch(ValueError):
    """A value does not have the type; the message begins with its place."""


def parse_output(model: type[T], output: Any) -> T:
    """The output of a decision as the type whose schema `json_schema_of` made.

    The service has checked the output against the schema that was submitted. More can be wrong here: what
    that schema does not say, such as a validator of a pydantic model, a pattern that was left out or a
    `__post_init__`; a number that Python cannot hold; and a model that was changed since. Errors:
    `OutputInvalid` with the place of the first fault, of a pydantic model with all; `TypeError` for a type
    that has no schema.
    """
    try:
        value: T = _pydantic(model, output) if is_pydantic(model) else _value(model, output, "")
    except _Mismatch as error:
        raise OutputInvalid(f"The output is not a {_name(model)}: {error}") from None
    return value


def _pydantic(model: Any, output: Any) -> Any:
    try:
        # From JSON: a strict model takes a time as a text only there.
        return model.__pydantic_validator__.validate_json(json.dumps(output))
    except ValueError as error:
        # The values of the fault are content, which does not belong in logs.
        faults: list[dict[str, Any]] = getattr(error, "errors", list)()
        places = [f"{'/'.join(map(str, one['loc'])) or 'the output'}: {one['msg']}" for one in faults]
        raise _Mismatch("; ".join(places) or "it is not valid") from None


def _name(model: Any) -> str:
    return getattr(model, "__name__", None) or str(model)


def _value(hint: Any, value: Any, at: str) -> Any:
    type_, _ = annotation(hint)
    members = members_of(type_)
    if members is not None:
        made = _object(members, value, at)
        return made if issubclass(type_, dict) else _built(type_, made, at)
    if isinstance(type_, type) and issubclass(type_, Enum):
        return _member(type_, value, at)
    origin, args = get_origin(type_) or type_, get_args(type_)
    if origin is Literal:
        return _literal(args, value, at)
    if origin in UNIONS:
        return _union(args, value, at)
    if origin in LISTS or origin is tuple:
        return _list(origin, args, value, at)
    if origin in MAPPINGS:
        return _mapping(args, value, at)
    return _leaf(type_, value, at)


def _built(type_: Any, made: dict[str, Any], at: str) -> Any:
    try:
        return type_(**made)
    except (TypeError, ValueError) as error:  # from its __post_init__
        raise _Mismatch(f"{at or 'the output'}: {error}") from error


def _object(members: list[Member], value: Any, at: str) -> dict[str, Any]:
    given = _of(dict, value, at)
    for member in members:
        if member.required and member.name not in given:
            raise _Mismatch(f"{at}/{member.name} is missing")
    types = {member.name: member.type for member in members}
    for name in given:
        if name not in types:
            raise _Mismatch(f"{at}/{name} is unknown")
    return {name: _value(types[name], one, f"{at}/{name}") for name, one in given.items()}


def _of(kind: type[T], value: Any, at: str) -> T:
    if isinstance(value, kind):
        return value
    raise _Mismatch(f"{at or 'the output'} is not a {kind.__name__}")


def _same(one: Any, other: Any) -> bool:
    """Equal as JSON: true is not 1, and 1.0 is."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    return bool(one == other)


def _member(type_: type[Enum], value: Any, at: str) -> Any:
    for one in type_:
        if _same(plain(one), value):
            return one
    raise _Mismatch(f"{at or 'the output'} is not one of {_name(type_)}")


def _literal(args: tuple[Any, ...], value: Any, at: str) -> Any:
    for one in args:
        if _same(plain(one) if isinstance(one, Enum) else one, value):
            return one
    raise _Mismatch(f"{at or 'the output'} is not one of {', '.join(map(repr, args))}")


def _union(args: tuple[Any, ...], value: Any, at: str) -> Any:
    faults: list[str] = []
    for one in args:
        try:
            return _value(one, value, at)
        except _Mismatch as error:
            faults.append(str(error))
    raise _Mismatch(max(faults, key=len))


def _list(origin: Any, args: tuple[Any, ...], value: Any, at: str) -> Any:
    given = _of(list, value, at)
    if origin is not tuple:
        return [_value(args[0] if args else Any, one, f"{at}/{place}") for place, one in enumerate(given)]
    if len(args) == 2 and args[1] is Ellipsis:
        args = (args[0],) * len(given)
    if len(args) != len(given):
        raise _Mismatch(f"{at or 'the output'} has {len(given)} values, not {len(args)}")
    return tuple(_value(one, part, f"{at}/{place}") for place, (one, part) in enumerate(zip(args, given, strict=True)))


def _mapping(args: tuple[Any, ...], value: Any, at: str) -> dict[str, Any]:
    given: Mapping[str, Any] = _of(dict, value, at)
    kind = args[1] if args else Any
    return {name: _value(kind, one, f"{at}/{name}") for name, one in given.items()}


def _leaf(type_: Any, value: Any, at: str) -> Any:
    if type_ in (Any, object):
        return value
    if type_ in (None, type(None)):
        return _of(type(None), value, at)
    if type_ in (str, bool):
        return _of(type_, value, at)
    if type_ in (int, float, Decimal):
        return _number(type_, value, at)
    if type_ in JSON_TYPES:
        return _text(type_, _of(str, value, at), at)
    raise TypeError(f"{type_!r} cannot be read from JSON.")


def _number(type_: Any, value: Any, at: str) -> Any:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise _Mismatch(f"{at or 'the output'} is not a number")
    if isinstance(value, float) and not math.isfinite(value):
        raise _Mismatch(f"{at or 'the output'} is not a finite number")
    if type_ is int and value != int(value):
        raise _Mismatch(f"{at or 'the output'} is not a whole number")
    try:
        return Decimal(repr(value)) if type_ is Decimal else type_(value)
    except (OverflowError, ValueError):
        raise _Mismatch(f"{at or 'the output'} is too large a number") from None


_READERS: dict[Any, Any] = {
    datetime: parse_time,
    date: date.fromisoformat,
    time: parse_clock,
    UUID: UUID,
}


def _text(type_: Any, value: str, at: str) -> Any:
    try:
        return _READERS[type_](value)
    except (ValueError, Malformed):
        raise _Mismatch(f"{at or 'the output'} is not a {_name(type_)}") from None
